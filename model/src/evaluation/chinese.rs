//! Chinese text for BLEU, as sacreBLEU's tokenizer `zh` cuts it.

use std::ops::RangeInclusive;

/// What counts as a Chinese character there: ideographs, their parts, punctuation and full-width forms.
const CHARACTERS: [RangeInclusive<char>; 22] = [
    '\u{3400}'..='\u{4db5}',
    '\u{4e00}'..='\u{9fa5}',
    '\u{9fa6}'..='\u{9fbb}',
    '\u{f900}'..='\u{fa2d}',
    '\u{fa30}'..='\u{fa6a}',
    '\u{fa70}'..='\u{fad9}',
    '\u{20000}'..='\u{2a6d6}',
    '\u{2f800}'..='\u{2fa1d}',
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
    '\u{2600}'..='\u{26ff}',
    '\u{2700}'..='\u{27bf}',
    '\u{3200}'..='\u{32ff}',
    '\u{3300}'..='\u{33ff}',
];

/// The text with a space on both sides of every Chinese character, so that each is a word of its own; the rest is
/// cut as by the tokenizer `13a`.
pub fn by_characters(text: &str) -> String {
    let mut spaced = String::with_capacity(2 * text.len());
    for character in text.trim().chars() {
        let is_chinese = CHARACTERS.iter().any(|range| range.contains(&character));
        match is_chinese {
            true => spaced.extend([' ', character, ' ']),
            false => spaced.push(character),
        }
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_words_and_latin_words_stay_whole() {
        let words = |text| {
            by_characters(text)
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words("我喜欢Tom。"), ["我", "喜", "欢", "Tom", "。"]);
        assert_eq!(words("2024年，好 的"), ["2024", "年", "，", "好", "的"]);
    }
}
