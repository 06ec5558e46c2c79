//! A bar of several parts that shows the shares of a whole.

use crate::{
    color::{self, Rgb, Theme},
    plot::text::{self, escaped},
};

/// The height of the bar, in CSS pixels.
const BAR: f64 = 36.0;
/// The height of a line of the legend.
const LEGEND_LINE: f64 = 22.0;
/// The least width of a part with its share written on it.
const SHARE_WIDTH: f64 = 46.0;
/// The gap between a swatch and its label, and after a label.
const GAP: f64 = 18.0;

/// A part of the whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// The name in the legend.
    pub label: String,
    /// The amount of the part, from 0 up.
    pub value: f64,
    /// The colour of the part.
    pub color: Rgb,
}

/// Returns the parts' shares of their sum, from 0 to 1; none if the sum is zero.
pub fn shares(segments: &[Segment]) -> Vec<f64> {
    let sum: f64 = segments.iter().map(|segment| segment.value).sum();
    let share = |segment: &Segment| if sum > 0.0 { segment.value / sum } else { 0.0 };
    segments.iter().map(share).collect()
}

/// Returns a share in per cent, with the sign after the number.
pub fn percent(share: f64, sign: &str) -> String {
    match 100.0 * share {
        percent if percent > 0.0 && percent < 0.05 => format!("< 0.1{sign}"),
        percent => format!("{percent:.1}{sign}"),
    }
}

/// Draws the bar, `width` CSS pixels wide, with its legend below, as an SVG document; text is in the page's font. Parts
/// of zero size are left out. `sign` follows a number in per cent.
pub fn stacked(width: f64, segments: &[Segment], theme: Theme, sign: &str) -> String {
    let shares = shares(segments);
    let parts = segments
        .iter()
        .zip(&shares)
        .filter(|(_, share)| **share > 0.0);
    let (mut bar, mut left) = (String::new(), 0.0);
    for (segment, share) in parts.clone() {
        let part = share * width;
        push_part(&mut bar, segment, &percent(*share, sign), left, part);
        left += part;
    }
    let (legend, lines) = legend(width, parts.map(|(segment, _)| segment), theme);
    let height = BAR + 8.0 + LEGEND_LINE * lines as f64;
    format!(
        r#"<svg viewBox="0 0 {width:.1} {height:.1}" class="bar-chart" aria-hidden="true">{bar}{legend}</svg>"#
    )
}

fn push_part(svg: &mut String, segment: &Segment, share: &str, left: f64, width: f64) {
    svg.push_str(&format!(
        r#"<rect x="{left:.1}" y="0" width="{width:.1}" height="{BAR}" fill="{}"/>"#,
        color::css(segment.color)
    ));
    if width >= SHARE_WIDTH {
        svg.push_str(&format!(
            r#"<text x="{:.1}" y="{:.1}" fill="{}" class="name">{}</text>"#,
            left + width / 2.0,
            BAR / 2.0 + 4.0,
            color::css(color::ink_on(segment.color)),
            escaped(share)
        ));
    }
}

/// Returns the legend and the number of its lines.
fn legend<'a>(
    width: f64,
    segments: impl Iterator<Item = &'a Segment>,
    theme: Theme,
) -> (String, usize) {
    let ink = color::css(color::furniture(theme).ink);
    let (mut svg, mut x, mut lines) = (String::new(), 0.0, 0);
    for segment in segments {
        let needed = GAP + text::width(&segment.label) + GAP;
        if lines == 0 || x + needed > width {
            (x, lines) = (0.0, lines + 1);
        }
        let y = BAR + 8.0 + LEGEND_LINE * (lines - 1) as f64;
        svg.push_str(&format!(
            r#"<rect x="{x:.1}" y="{:.1}" width="12" height="12" rx="2" fill="{}"/><text x="{:.1}" y="{:.1}" fill="{ink}" class="legend-text">{}</text>"#,
            y + 4.0,
            color::css(segment.color),
            x + GAP,
            y + 14.0,
            escaped(&segment.label)
        ));
        x += needed;
    }
    (svg, lines)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn segments(values: &[f64]) -> Vec<Segment> {
        let segment = |&value: &f64| Segment {
            label: "<a>".to_owned(),
            value,
            color: [1, 2, 3],
        };
        values.iter().map(segment).collect()
    }

    #[test]
    fn parts_are_as_wide_as_their_shares() {
        let svg = stacked(200.0, &segments(&[3.0, 0.0, 1.0]), Theme::Light, " %");
        assert!(
            svg.contains(r#"<rect x="0.0" y="0" width="150.0""#),
            "{svg}"
        );
        assert!(
            svg.contains(r#"<rect x="150.0" y="0" width="50.0""#),
            "{svg}"
        );
        // Two parts and two swatches; what is nothing has neither.
        assert_eq!(svg.matches("<rect").count(), 4);
        assert!(svg.contains("75.0 %") && svg.contains("&lt;a&gt;"));
    }

    #[test]
    fn a_small_share_is_not_none() {
        assert_eq!(percent(0.0, " %"), "0.0 %");
        assert_eq!(percent(0.0001, "%"), "< 0.1%");
        assert_eq!(percent(0.3333, "%"), "33.3%");
    }

    proptest! {
        #[test]
        fn shares_sum_to_one_or_there_are_none(values in prop::collection::vec(0.0..1e12, 0..8)) {
            let sum: f64 = shares(&segments(&values)).iter().sum();
            let expected = if values.iter().sum::<f64>() > 0.0 { 1.0 } else { 0.0 };
            prop_assert!((sum - expected).abs() < 1e-9);
        }
    }
}
