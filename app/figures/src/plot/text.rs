//! Text in drawings: its style and an estimate of its width.

use plotters::style::{Color as _, FontFamily, IntoFont, TextStyle};

use super::units::{UNITS_PER_PIXEL, rgb};
use crate::color::Rgb;

/// The font size, in CSS pixels.
pub(crate) const FONT_SIZE: f64 = 12.0;

/// The width of `…`, in CSS pixels.
const ELLIPSIS: f64 = 8.0;

/// The factor by which plotters' SVG backend divides font sizes.
const BACKEND_FONT_SCALE: f64 = 1.24;

/// Returns the style of a label, `size` CSS pixels large.
pub(super) fn style<'a>(ink: Rgb, size: f64) -> TextStyle<'a> {
    let size = size * f64::from(UNITS_PER_PIXEL) * BACKEND_FONT_SCALE;
    let font = (FontFamily::Name("system-ui, sans-serif"), size).into_font();
    TextStyle {
        color: rgb(ink).to_backend_color(),
        ..TextStyle::from(font)
    }
}

/// Estimates the width of `text`, in CSS pixels.
pub(crate) fn width(text: &str) -> f64 {
    ems(text) * FONT_SIZE
}

/// Estimates the width of `text` in sizes of its type: Chinese characters are square, Latin ones a little over half as
/// wide.
pub(crate) fn ems(text: &str) -> f64 {
    let widths = text.chars().map(|character| match character < '\u{2e80}' {
        true => 0.56,
        false => 1.0,
    });
    widths.sum()
}

/// Returns `text` with the characters of SVG markup escaped.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Returns as much of `text` as fits into `room` CSS pixels.
pub(super) fn shortened(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        kept.push(character);
        if width(&kept) + ELLIPSIS > room {
            kept.pop();
            break;
        }
    }
    kept.push('…');
    kept
}

/// Returns a tick's number, without trailing zeros and with a true minus sign.
pub(crate) fn number(value: f64) -> String {
    let rounded = format!("{value:.4}");
    let trimmed = rounded.trim_end_matches('0').trim_end_matches('.');
    match trimmed.strip_prefix('-') {
        Some("0") => "0".to_owned(),
        Some(digits) => format!("−{digits}"),
        None => trimmed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (100.0, "100"),
            (0.5, "0.5"),
            (-0.25, "−0.25"),
            (0.1 + 0.2, "0.3"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn chinese_is_wider_than_latin() {
        assert!(width("位置") > width("pos"));
    }
}
