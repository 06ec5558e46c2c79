//! The font that an SVG document can contain: the parts of Arimo, whose letters are as wide as those of Helvetica and
//! Arial, that its texts need.

use std::ops::RangeInclusive;

use base64::{Engine, prelude::BASE64_STANDARD};

/// The name of the font.
const FAMILY: &str = "Arimo";

/// A part of the font: a file of some scripts' letters.
#[derive(Debug, PartialEq, Eq)]
pub struct FontPart {
    /// The name of the file in the repository's `assets`.
    pub file: &'static str,
    /// The characters of the part.
    characters: &'static [RangeInclusive<u32>],
}

/// All parts, the most common first.
pub static FONT_PARTS: [FontPart; 4] = [
    FontPart {
        file: "fonts/arimo/latin.woff2",
        characters: &[
            0x20..=0x7e,
            0xa0..=0xff,
            0x131..=0x131,
            0x152..=0x153,
            0x2bb..=0x2bc,
            0x2c6..=0x2c6,
            0x2da..=0x2da,
            0x2dc..=0x2dc,
            0x300..=0x301,
            0x303..=0x304,
            0x308..=0x309,
            0x323..=0x323,
            0x329..=0x329,
            0x2002..=0x203e,
            0x20ac..=0x20ac,
            0x2122..=0x2122,
            0x2191..=0x2191,
            0x2193..=0x2193,
            0x2212..=0x2212,
            0x2215..=0x2215,
        ],
    },
    FontPart {
        file: "fonts/arimo/latin-ext.woff2",
        characters: &[
            0x100..=0x130,
            0x132..=0x151,
            0x154..=0x2ba,
            0x2bd..=0x2c5,
            0x2c7..=0x2cc,
            0x2ce..=0x2d7,
            0x2dd..=0x2ff,
            0x1d00..=0x1dbf,
            0x1e00..=0x1e9f,
            0x1ef2..=0x1eff,
            0x20a0..=0x20ab,
            0x20ad..=0x20c0,
            0x2113..=0x2113,
        ],
    },
    FontPart {
        file: "fonts/arimo/greek.woff2",
        characters: &[0x370..=0x3ff],
    },
    FontPart {
        file: "fonts/arimo/cyrillic.woff2",
        characters: &[0x400..=0x45f, 0x490..=0x491, 0x4b0..=0x4b1, 0x2116..=0x2116],
    },
];

impl FontPart {
    fn has(&self, character: char) -> bool {
        let code = u32::from(character);
        self.characters.iter().any(|range| range.contains(&code))
    }

    /// Returns the characters as `unicode-range` of CSS.
    fn unicode_range(&self) -> String {
        let ranges = self.characters.iter();
        let ranges = ranges.map(|range| format!("U+{:X}-{:X}", range.start(), range.end()));
        ranges.collect::<Vec<_>>().join(",")
    }
}

/// Returns the parts that the texts of a document need.
pub fn parts_of(svg: &str) -> Vec<&'static FontPart> {
    let drawn = drawn_text(svg);
    let is_needed = |part: &&FontPart| drawn.chars().any(|character| part.has(character));
    FONT_PARTS.iter().filter(is_needed).collect()
}

/// Returns a document that contains parts of the font, each with the bytes of its file, and draws its texts in them.
/// Characters of other scripts stay in the reader's fonts.
pub fn embedded(svg: &str, parts: &[(&FontPart, Vec<u8>)]) -> String {
    let faces: String = parts
        .iter()
        .map(|(part, bytes)| face(part, bytes))
        .collect();
    // The rule has precedence over the attributes that name fonts.
    let style = format!(
        "<style>{faces}text{{font-family:{FAMILY},Helvetica,Arial,'Noto Sans CJK SC','Noto Sans SC','PingFang \
         SC','Microsoft YaHei',sans-serif}}</style>\n"
    );
    match svg.split_once("</title>\n") {
        Some((before, after)) => format!("{before}</title>\n{style}{after}"),
        None => svg.to_owned(),
    }
}

fn face(part: &FontPart, bytes: &[u8]) -> String {
    format!(
        "@font-face{{font-family:{FAMILY};src:url(data:font/woff2;base64,{}) format('woff2');unicode-range:{}}}",
        BASE64_STANDARD.encode(bytes),
        part.unicode_range()
    )
}

/// Returns what is between the tags of `text` elements; a shortened text has its whole in a `title`, which is not drawn.
fn drawn_text(svg: &str) -> String {
    let texts = svg.split("<text").skip(1);
    let texts = texts.filter_map(|text| text.split_once("</text>"));
    let drawn = texts.map(|(text, _)| {
        let (_, content) = text.split_once('>').unwrap_or_default();
        content.rsplit("</title>").next().unwrap_or(content)
    });
    drawn.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document with these texts, as our writers make them.
    fn document(texts: &[&str]) -> String {
        let texts = texts
            .iter()
            .map(|text| format!("<text x=\"1\">{text}</text>\n"));
        format!(
            "<svg>\n<title>Ω заголовок</title>\n<desc>текст</desc>\n{}</svg>\n",
            texts.collect::<String>()
        )
    }

    #[test]
    fn only_parts_of_drawn_letters_are_needed() {
        let files = |texts: &[&str]| {
            let parts = parts_of(&document(texts)).into_iter();
            parts.map(|part| part.file).collect::<Vec<_>>()
        };
        assert_eq!(files(&["a &amp; b", "学生"]), ["fonts/arimo/latin.woff2"]);
        assert_eq!(files(&["学生"]), [""; 0]);
        assert_eq!(files(&["<title>дом</title>…"]), ["fonts/arimo/latin.woff2"]);
        assert_eq!(
            files(&["ő", "α β", "дом"]),
            [
                "fonts/arimo/latin.woff2",
                "fonts/arimo/latin-ext.woff2",
                "fonts/arimo/greek.woff2",
                "fonts/arimo/cyrillic.woff2"
            ]
        );
    }

    #[test]
    fn no_character_is_in_two_parts() {
        for code in (0..0x3000).filter_map(char::from_u32) {
            let parts = FONT_PARTS.iter().filter(|part| part.has(code)).count();
            assert!(parts <= 1, "{code:?}");
        }
    }

    #[test]
    fn a_document_with_a_font_is_well_formed_and_draws_the_same() {
        let svg = document(&["a"]);
        let with_font = embedded(&svg, &[(&FONT_PARTS[0], vec![0, 1, 254, 255])]);
        let parsed = roxmltree::Document::parse(&with_font).map(|parsed| {
            let style = parsed.descendants().find(|node| node.has_tag_name("style"));
            style.and_then(|style| style.text()).map(str::to_owned)
        });
        let style = parsed.ok().flatten().unwrap_or_default();
        assert!(
            style.contains("url(data:font/woff2;base64,AAH+/w==)"),
            "{style}"
        );
        assert!(style.contains("unicode-range:U+20-7E,"), "{style}");
        let (start, end) = (with_font.find("<style>"), with_font.find("</style>\n"));
        let (start, end) = start.zip(end).unwrap_or_default();
        let without = [&with_font[..start], &with_font[end + "</style>\n".len()..]].concat();
        assert_eq!(without, svg);
    }
}
