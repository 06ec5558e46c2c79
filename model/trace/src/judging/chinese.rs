//! Chinese text cut as sacreBLEU's tokenizer `zh` cuts it.

use std::ops::RangeInclusive;

use super::tokenization::{is_space, separated, split_words};

/// The characters that count as Chinese there: ideographs, their parts, punctuation and full-width
/// forms. sacreBLEU has ranges for the ideographs beyond U+FFFF too, but writes them in Python as
/// `\u20000` to `\u2a6d6`, which is U+2000 and a zero to U+2A6D and a six: so dashes, quotation
/// marks and mathematical signs count as Chinese, and the ideographs beyond U+FFFF do not. Scores
/// that are reported with it count them so.
const CHARACTERS: [RangeInclusive<char>; 19] = [
    '\u{3400}'..='\u{4db5}',
    '\u{4e00}'..='\u{9fa5}',
    '\u{9fa6}'..='\u{9fbb}',
    '\u{f900}'..='\u{fa2d}',
    '\u{fa30}'..='\u{fa6a}',
    '\u{fa70}'..='\u{fad9}',
    '\u{2001}'..='\u{2a6d}',
    '\u{ff00}'..='\u{ffef}',
    '\u{2e80}'..='\u{2eff}',
    '\u{3000}'..='\u{303f}',
    '\u{31c0}'..='\u{31ef}',
    '\u{2f00}'..='\u{2fdf}',
    '\u{2ff0}'..='\u{2fff}',
    '\u{3100}'..='\u{312f}',
    '\u{31a0}'..='\u{31bf}',
    '\u{fe10}'..='\u{fe1f}',
    '\u{fe30}'..='\u{fe4f}',
    '\u{3200}'..='\u{32ff}',
    '\u{3300}'..='\u{33ff}',
];

/// The words of a text: every Chinese character is one, and the rest is cut at punctuation. Unlike the tokenizer `13a`,
/// this one leaves `&amp;` and the like as they are.
pub fn chinese_words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(2 * text.len());
    for character in text.trim_matches(is_space).chars() {
        let is_chinese = CHARACTERS.iter().any(|range| range.contains(&character));
        match is_chinese {
            true => spaced.extend([' ', character, ' ']),
            false => spaced.push(character),
        }
    }
    split_words(&separated(&spaced))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_words_and_latin_words_stay_whole() {
        assert_eq!(
            chinese_words("我喜欢Tom。"),
            ["我", "喜", "欢", "Tom", "。"]
        );
        assert_eq!(
            chinese_words("2024年，好 的"),
            ["2024", "年", "，", "好", "的"]
        );
    }

    #[test]
    fn dashes_and_ellipses_are_characters_and_entities_stay() {
        assert_eq!(chinese_words("好——是……"), ["好", "—", "—", "是", "…", "…"]);
        assert_eq!(chinese_words("A&amp;B"), ["A", "&", "amp", ";", "B"]);
        assert_eq!(chinese_words("𠮷𠮷"), ["𠮷𠮷"]);
    }
}
