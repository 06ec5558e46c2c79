//! SVG text being written. Everything that is not markup of ours passes through [`escaped`].

use crate::{
    color::{Rgb, css},
    export::number::place,
    plot::text::ems,
};

/// A drawing without its frame.
pub(super) struct Drawing {
    /// The elements of the drawing.
    pub(super) body: String,
    pub(super) height_mm: f64,
}

/// The alignment of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A text at a point, in millimetres.
pub(super) struct Label<'a> {
    pub(super) text: &'a str,
    pub(super) at: [f64; 2],
    pub(super) anchor: Anchor,
    pub(super) size_mm: f64,
    pub(super) ink: Rgb,
    /// The clockwise rotation about the point, in degrees.
    pub(super) degrees: f64,
    /// The room for the text, which is shortened to it.
    pub(super) most_mm: f64,
}

/// A document, or a part of one, being written.
#[derive(Default)]
pub(super) struct Writer(String);

impl Writer {
    pub(super) fn finish(self) -> String {
        self.0
    }

    /// Appends markup as it is.
    pub(super) fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    pub(super) fn number(&self, value: f64) -> String {
        place(value)
    }

    /// Appends an element that contains a text.
    pub(super) fn element(&mut self, name: &str, text: &str) {
        self.0
            .push_str(&format!("<{name}>{}</{name}>\n", escaped(text)));
    }

    pub(super) fn rect(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: Rgb) {
        self.0.push_str(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
            place(x),
            place(y),
            place(width),
            place(height),
            css(fill)
        ));
    }

    /// Appends the outline of a rectangle.
    pub(super) fn frame(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], ink: Rgb) {
        self.0.push_str(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.12\"/>\n",
            place(x),
            place(y),
            place(width),
            place(height),
            css(ink)
        ));
    }

    /// Appends a text; one that had to be shortened has the whole as its tooltip.
    pub(super) fn text(&mut self, label: Label<'_>) {
        let Label {
            text,
            at: [x, y],
            anchor,
            size_mm,
            ink,
            degrees,
            most_mm,
        } = label;
        let shown = shortened(text, size_mm, most_mm);
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let turn = match degrees {
            0.0 => String::new(),
            degrees => format!(
                " transform=\"rotate({} {} {})\"",
                place(degrees),
                place(x),
                place(y)
            ),
        };
        let whole = match shown == text {
            true => String::new(),
            false => format!("<title>{}</title>", escaped(text)),
        };
        self.0.push_str(&format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}{turn} fill=\"{}\" xml:space=\"preserve\">{whole}{}</text>\n",
            place(x),
            place(y),
            place(size_mm),
            css(ink),
            escaped(&shown)
        ));
    }
}

/// Estimates the width of a text, in millimetres.
pub(super) fn text_width_mm(text: &str, size_mm: f64) -> f64 {
    ems(text) * size_mm
}

/// Returns the distance from the middle of a line to its base line.
pub(super) fn below_middle(size_mm: f64) -> f64 {
    0.35 * size_mm
}

fn shortened(text: &str, size_mm: f64, most_mm: f64) -> String {
    if text_width_mm(text, size_mm) <= most_mm + 1e-9 {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        kept.push(character);
        if text_width_mm(&kept, size_mm) + size_mm > most_mm {
            kept.pop();
            break;
        }
    }
    kept.push('…');
    kept
}

/// Returns a text as the content of an element or a quoted attribute. A control character, which XML does not allow, is
/// replaced by its picture.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\u{0}'..='\u{1f}' => escaped.extend(char::from_u32(0x2400 + u32::from(character))),
            '\u{7f}' => escaped.push('\u{2421}'),
            '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Returns a text that a drawing of the page, which escapes markup itself, may write into XML.
pub(super) fn visible(text: &str) -> String {
    text.chars().map(visible_character).collect()
}

fn visible_character(character: char) -> char {
    match escaped(&character.to_string()).chars().next() {
        // Markup is escaped later.
        Some('&') | None => character,
        Some(other) => other,
    }
}
