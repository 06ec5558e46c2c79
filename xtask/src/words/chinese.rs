//! Chinese texts: words that the table of terms rules out, and the punctuation and spaces of
//! `assets/locales/README.md`.

/// The table of terms, relative to the root.
pub const TERMS: &str = "assets/locales/README.md";

/// Files with Chinese strings beside those in folders named `zh`.
const FILES: [&str; 3] = [
    "assets/routes.json",
    "assets/replay/words.js",
    "assets/embed/words.js",
];

/// The faults of a line in words, in the order in which they are sought.
const FAULTS: [&str; 5] = [
    "a space before %",
    "a half-width mark in Chinese",
    "a space within Chinese",
    "no space between Chinese and Latin",
    "a line break within Chinese",
];

/// A place in a Chinese text that breaks a rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of its line, from 1.
    pub line: usize,
    pub fault: &'static str,
    /// The word, or the signs around the fault.
    pub text: String,
}

/// True for a file that holds Chinese texts of the page or of its documents.
pub fn is_chinese(path: &str) -> bool {
    let folders = path.split('/').rev().skip(1);
    FILES.contains(&path)
        || path.ends_with(".zh.md")
        || (path.starts_with("assets/models/") && path.ends_with("/model.toml"))
        || folders.take(1).any(|folder| folder == "zh")
}

/// The words that the table's third column rules out.
pub fn ruled_out(table: &str) -> Vec<&str> {
    let rows = table.lines().filter_map(|line| {
        let cells: Vec<_> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let [_, _, not, _] = cells[..] else {
            return None;
        };
        Some(not)
    });
    rows.flat_map(|not| not.split('、'))
        .filter(|word| word.chars().any(is_han))
        .collect()
}

/// The places of a text that have a word ruled out or break a rule of style. Formulas, code and addresses in Markdown are
/// left out.
pub fn places(text: &str, is_markdown: bool, ruled_out: &[&str]) -> Vec<Place> {
    let mut places = Vec::new();
    let mut in_code = false;
    let mut before = String::new();
    for (line, number) in text.lines().zip(1..) {
        in_code ^= is_markdown && line.starts_with("```");
        let is_english = line.trim_start().starts_with("\"en\":");
        let read = match (in_code || is_english, is_markdown) {
            (true, _) => String::new(),
            (false, true) => prose(line),
            (false, false) => line.to_owned(),
        };
        let mut found = |fault, text: &str| {
            places.push(Place {
                line: number,
                fault,
                text: text.to_owned(),
            });
        };
        for word in ruled_out.iter().filter(|word| read.contains(**word)) {
            found("a word that the table of terms rules out", word);
        }
        let signs: Vec<char> = read.chars().collect();
        if signs.iter().copied().any(is_han) {
            for (fault, place) in in_line(&signs) {
                let around = place.saturating_sub(8)..(place + 8).min(signs.len());
                found(fault, &signs[around].iter().collect::<String>());
            }
        }
        if is_markdown && is_broken(&before, &read) {
            found(FAULTS[4], &read.chars().take(12).collect::<String>());
        }
        before = read;
    }
    places
}

/// The faults within a line, each with the place of the sign at which it shows.
fn in_line(signs: &[char]) -> Vec<(&'static str, usize)> {
    let at = |place: usize| signs.get(place).copied().unwrap_or('\n');
    let mut found = Vec::new();
    for place in 1..signs.len() {
        let (before, here, after) = (signs[place - 1], signs[place], at(place + 1));
        let ends = matches!(after, ' ' | '\n' | '"');
        let faults = [
            here == '%'
                && before == ' '
                && (at(place.wrapping_sub(2)).is_ascii_digit() || at(place.wrapping_sub(2)) == '}'),
            is_han(before)
                && (matches!(here, ',' | ';' | ':' | '?' | '!' | '(') || here == '.' && ends)
                || is_han(here) && matches!(before, ',' | ';' | ':' | '?' | '!' | ')'),
            here == ' ' && (is_wide(before) && is_han(after) || is_han(before) && is_wide(after)),
            is_han(before) && here.is_ascii_alphanumeric()
                || is_han(here) && (before.is_ascii_alphanumeric() || before == '%'),
        ];
        let named = FAULTS.iter().zip(faults);
        found.extend(
            named
                .filter(|(_, is_there)| *is_there)
                .map(|(fault, _)| (*fault, place)),
        );
    }
    found
}

/// A line of Markdown without code, formulas, the addresses of links, identifiers of headings and marks of emphasis within
/// words.
fn prose(line: &str) -> String {
    let outside = |text: &str, mark: char| {
        let parts = text.split(mark).enumerate();
        // What stands for a formula or code is neither Chinese nor Latin.
        let parts = parts.map(|(number, part)| if number % 2 == 0 { part } else { "$" });
        parts.collect::<String>()
    };
    let text = outside(&line.replace("$$", "$"), '$');
    let text = outside(&text, '`');
    let mut read = String::new();
    let mut rest = text.as_str();
    while let Some(start) = rest.find("](") {
        read.push_str(&rest[..start]);
        rest = rest[start..].split_once(')').map_or("", |(_, after)| after);
    }
    read.push_str(rest);
    read.split(" {#")
        .next()
        .unwrap_or_default()
        .replace('[', "")
}

/// True if the line goes on with a paragraph that the line before began.
fn is_broken(before: &str, line: &str) -> bool {
    let is_list = line.starts_with("* ") || line.starts_with("- ");
    let begins = |c: char| is_wide(c) || c == '*';
    before.chars().any(is_han) && !before.starts_with('#') && !is_list && line.starts_with(begins)
}

/// True for a Chinese character.
fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// True for a Chinese character or mark.
fn is_wide(c: char) -> bool {
    is_han(c) || "，。：；？！“”（）《》、".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<(usize, &'static str)> {
        let places = places(text, true, &["段文字"]);
        places
            .iter()
            .map(|place| (place.line, place.fault))
            .collect()
    }

    #[test]
    fn the_files_of_a_language_and_those_of_all_are_read() {
        for path in [
            "app/chapters/src/heads/zh/text.md",
            "assets/locales/zh/shell.json",
            "assets/routes.json",
            "assets/models/poems/model.toml",
            "docs/teaching.zh.md",
        ] {
            assert!(is_chinese(path), "{path}");
        }
        for path in ["assets/locales/en/shell.json", "docs/teaching.md", TERMS] {
            assert!(!is_chinese(path), "{path}");
        }
    }

    #[test]
    fn words_of_the_third_column_are_ruled_out() {
        let table = "| English | Chinese | not | note |\n| --- | --- | --- | --- |\n\
                     | text | 文本 | 段文字、原文 | |\n| layer | 层 | | 层级 |\n| a | b | c |\n";
        assert_eq!(ruled_out(table), ["段文字", "原文"]);
    }

    #[test]
    fn each_rule_finds_its_fault() {
        let word = "a word that the table of terms rules out";
        assert_eq!(faults("一段文字"), [(1, word)]);
        assert_eq!(faults("一\n\n对 99 %。"), [(3, FAULTS[0])]);
        assert_eq!(faults("词元,编号"), [(1, FAULTS[1]), (1, FAULTS[1])]);
        assert_eq!(faults("词元 (token)。"), []);
        assert_eq!(faults("词元(token)。"), [(1, FAULTS[1])]);
        assert_eq!(faults("编号."), [(1, FAULTS[1])]);
        assert_eq!(faults("答案 却不变，"), [(1, FAULTS[2])]);
        assert_eq!(faults("答案， 却"), [(1, FAULTS[2])]);
        assert_eq!(faults("第2层"), [(1, FAULTS[3]), (1, FAULTS[3])]);
        assert_eq!(faults("有 99%的权重"), [(1, FAULTS[3])]);
        assert_eq!(faults("答案\n却不变"), [(2, FAULTS[4])]);
        assert_eq!(faults("答案。\n**均匀**：每个"), [(2, FAULTS[4])]);
    }

    #[test]
    fn formulas_code_addresses_headings_and_lists_are_no_faults() {
        let text = "# 标题 {#title}\n\n第 $i, j$ 对的[词元](term:token)表示：\n\n$$a\\text{是,b}$$\n\n\
                    * **一**，见 `attn,词`。\n* 二\n\n```sh\n对 9 %\n```\n\n“{{ a }}” → “b”：99% 的。**周期性。** 正弦\n";
        assert_eq!(faults(text), []);
    }

    #[test]
    fn english_strings_have_no_faults() {
        let text = "  \"en\": \"99 % of 她: whom\",\n  \"zh\": \"99% 的\",\n";
        assert_eq!(places(text, false, &[]), []);
    }
}
