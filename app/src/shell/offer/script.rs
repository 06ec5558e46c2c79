//! Detection of a text's script by its letters.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Latin,
    /// Chinese characters, without the kana of Japanese.
    Chinese,
    /// A script that none of the page's models reads.
    Unread(Unread),
}

/// A script that none of the page's models reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    Arabic,
    Armenian,
    Bengali,
    Cyrillic,
    Devanagari,
    Ethiopic,
    Georgian,
    Greek,
    Hebrew,
    /// Kana, alone or among Chinese characters.
    Japanese,
    Khmer,
    Korean,
    Burmese,
    Tamil,
    Telugu,
    Thai,
    /// The letters of any other script.
    Other,
}

/// The share of kana among Chinese characters from which a text is Japanese. Chinese texts contain a の now and then.
const KANA: f64 = 0.1;

/// Returns the script of most of a text's letters; `None` for a text without letters.
pub fn script_of(text: &str) -> Option<Script> {
    let mut counts: Vec<(Script, usize)> = Vec::new();
    for script in text.chars().filter_map(script_of_letter) {
        match counts.iter_mut().find(|(other, _)| *other == script) {
            Some((_, count)) => *count += 1,
            None => counts.push((script, 1)),
        }
    }
    let count = |script| {
        let found = counts.iter().find(|(other, _)| *other == script);
        found.map_or(0, |(_, count)| *count)
    };
    let japanese = Script::Unread(Unread::Japanese);
    let (kana, characters) = (count(japanese), count(Script::Chinese));
    let most = counts.iter().max_by_key(|(_, count)| *count)?.0;
    let is_east_asian = most == japanese || most == Script::Chinese;
    Some(match is_east_asian && kana > 0 {
        true if kana as f64 > KANA * (kana + characters) as f64 => japanese,
        true => Script::Chinese,
        false => most,
    })
}

fn script_of_letter(letter: char) -> Option<Script> {
    if !letter.is_alphabetic() {
        return None;
    }
    Some(match letter {
        '\u{0000}'..='\u{024f}'
        | '\u{1e00}'..='\u{1eff}'
        | '\u{fb00}'..='\u{fb06}'
        | '\u{ff21}'..='\u{ff5a}' => Script::Latin,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3134f}' | '々' => {
            Script::Chinese
        }
        _ => Script::Unread(unread(letter)),
    })
}

fn unread(letter: char) -> Unread {
    match letter {
        '\u{0600}'..='\u{06ff}' | '\u{0750}'..='\u{077f}' => Unread::Arabic,
        '\u{0530}'..='\u{058f}' => Unread::Armenian,
        '\u{0980}'..='\u{09ff}' => Unread::Bengali,
        '\u{0400}'..='\u{052f}' => Unread::Cyrillic,
        '\u{0900}'..='\u{097f}' => Unread::Devanagari,
        '\u{1200}'..='\u{137f}' => Unread::Ethiopic,
        '\u{10a0}'..='\u{10ff}' => Unread::Georgian,
        '\u{0370}'..='\u{03ff}' | '\u{1f00}'..='\u{1fff}' => Unread::Greek,
        '\u{0590}'..='\u{05ff}' => Unread::Hebrew,
        '\u{3040}'..='\u{30ff}' | '\u{ff66}'..='\u{ff9d}' => Unread::Japanese,
        '\u{1780}'..='\u{17ff}' => Unread::Khmer,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7af}' => {
            Unread::Korean
        }
        '\u{1000}'..='\u{109f}' => Unread::Burmese,
        '\u{0b80}'..='\u{0bff}' => Unread::Tamil,
        '\u{0c00}'..='\u{0c7f}' => Unread::Telugu,
        '\u{0e00}'..='\u{0e7f}' => Unread::Thai,
        _ => Unread::Other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scripts_are_told_apart() {
        for (text, script) in [
            ("私は学生です", Unread::Japanese),
            ("今日は学校に行きます。", Unread::Japanese),
            ("ありがとう", Unread::Japanese),
            ("カメラ", Unread::Japanese),
            ("안녕하세요", Unread::Korean),
            ("Привет, мир", Unread::Cyrillic),
            ("Γειά σου", Unread::Greek),
            ("مرحبا", Unread::Arabic),
            ("שלום", Unread::Hebrew),
            ("नमस्ते", Unread::Devanagari),
            ("สวัสดี", Unread::Thai),
            ("ᏣᎳᎩ", Unread::Other),
        ] {
            assert_eq!(script_of(text), Some(Script::Unread(script)), "{text}");
        }
        for text in ["我是学生。", "今天天下三分", "我喜欢这家很有名很好吃的の店"]
        {
            assert_eq!(script_of(text), Some(Script::Chinese), "{text}");
        }
        for text in ["Où est la bibliothèque ?", "Æ", "Je suis 学", "ﬁn"] {
            assert_eq!(script_of(text), Some(Script::Latin), "{text}");
        }
        for text in ["", "12 + 3 = 15", "?!", "🙂"] {
            assert_eq!(script_of(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_with_a_letter_has_a_script(text in any::<String>()) {
            prop_assert_eq!(script_of(&text).is_some(), text.chars().any(char::is_alphabetic));
        }
    }
}
