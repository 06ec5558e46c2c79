//! A scatter plot of named dots, with axes.

use crate::{
    color::{Rgb, Theme},
    plot::{
        Area, Axis, Frame, PlotError, canvas, legend,
        marks::{self, Side},
        text,
    },
};

/// The radius of a dot, and of the chosen dot, in CSS pixels.
const RADII: [f64; 2] = [5.0, 8.0];
/// The gap between a dot and its name.
const GAP: f64 = 3.0;
/// The height of a name.
const NAME_HEIGHT: f64 = 13.0;

/// A named dot of the figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// The values of the dot on both axes.
    pub at: [f32; 2],
    /// The name of the dot.
    pub label: String,
    /// The colour of the dot.
    pub color: Rgb,
    /// True if the dot is the chosen one.
    pub is_chosen: bool,
}

impl Dot {
    fn is_finite(&self) -> bool {
        self.at.iter().all(|number| number.is_finite())
    }

    fn at(&self) -> [f64; 2] {
        self.at.map(f64::from)
    }

    fn radius(&self) -> f64 {
        RADII[usize::from(self.is_chosen)]
    }

    fn cover(&self, frame: &Frame, area: &Area) -> Cover {
        let [x, y] = area.place(frame, self.at());
        let radius = self.radius();
        [x - radius, y - radius, x + radius, y + radius]
    }
}

/// Returns the frame of these dots, `width` × `height` CSS pixels large, with the labels of its horizontal and its
/// vertical axis. Both axes begin at 0 and end at a whole number.
pub fn frame([width, height]: [f64; 2], names: [String; 2], dots: &[Dot], theme: Theme) -> Frame {
    let [x, y] = names;
    Frame {
        width,
        height,
        x: axis(x, dots.iter().map(|dot| dot.at[0])),
        y: axis(y, dots.iter().map(|dot| dot.at[1])),
        theme,
    }
}

fn axis(name: String, numbers: impl Iterator<Item = f32>) -> Axis {
    let finite = numbers.filter(|number| number.is_finite());
    let end = f64::from(finite.fold(0.0, f32::max)).ceil().max(1.0);
    Axis::new(name, 0.0, end).with_ticks(vec![0.0, end / 2.0, end])
}

/// Draws the dots as an SVG document, the chosen one on top. A position that is not finite has no dot, and a name
/// without room beside, above or below its dot is left out; the chosen dot's name has the first choice.
///
/// # Errors
/// If an axis has no extent, or plotters fails.
pub fn scatter(frame: &Frame, dots: &[Dot]) -> Result<String, PlotError> {
    canvas::draw(frame, &[], |canvas| {
        for (dot, side) in named(frame, &canvas.area, dots).iter().rev() {
            let at = dot.at().into();
            marks::dot(canvas, at, dot.radius(), dot.color)?;
            if let Some(side) = *side {
                let beside = (side, dot.radius() + GAP);
                marks::text(canvas, at, beside, &dot.label, text::FONT_SIZE)?;
            }
        }
        Ok(())
    })
}

/// Returns the middle of each dot, in shares of the figure's width and height, for a page that overlays the dots.
pub fn dot_places(frame: &Frame, dots: &[Dot]) -> Vec<[f64; 2]> {
    let area = frame.area(legend::height(frame, &[]));
    let place = |dot: &Dot| {
        let [x, y] = area.place(frame, dot.at());
        [x / frame.width, y / frame.height]
    };
    dots.iter().map(place).collect()
}

/// Returns the drawn dots, the uppermost first, each with the side of its name.
fn named<'a>(frame: &Frame, area: &Area, dots: &'a [Dot]) -> Vec<(&'a Dot, Option<Side>)> {
    let finite = dots.iter().filter(|dot| dot.is_finite());
    let (chosen, others): (Vec<&Dot>, Vec<&Dot>) = finite.clone().partition(|dot| dot.is_chosen);
    // The chosen dot lies over all others, and so does its name.
    let mut taken = Vec::new();
    let mut named = Vec::new();
    for dot in chosen {
        named.push((dot, side_of_name(frame, area, dot, &mut taken)));
    }
    taken.extend(finite.map(|dot| dot.cover(frame, area)));
    for dot in others {
        named.push((dot, side_of_name(frame, area, dot, &mut taken)));
    }
    named
}

/// The area covered by a name or a dot: left, top, right, bottom.
type Cover = [f64; 4];

/// Returns the first side of a dot, in the order right, left, above, below, where its name covers no taken area. Marks
/// that area as taken.
fn side_of_name(frame: &Frame, area: &Area, dot: &Dot, taken: &mut Vec<Cover>) -> Option<Side> {
    if dot.label.is_empty() {
        return None;
    }
    let [x, y] = area.place(frame, dot.at());
    let away = dot.radius() + GAP;
    let width = text::width(&dot.label);
    let sides = [
        (Side::Right, x + away, y - NAME_HEIGHT / 2.0),
        (Side::Left, x - away - width, y - NAME_HEIGHT / 2.0),
        (Side::Above, x - width / 2.0, y - away - NAME_HEIGHT),
        (Side::Below, x - width / 2.0, y + away),
    ];
    let free = sides.into_iter().find_map(|(side, left, top)| {
        let cover = [left, top, left + width, top + NAME_HEIGHT];
        let is_inside = cover[0] >= 0.0 && cover[2] <= frame.width && cover[3] <= frame.height;
        let is_free = is_inside && !taken.iter().any(|other| overlap(&cover, other));
        is_free.then_some((side, cover))
    });
    let (side, cover) = free?;
    taken.push(cover);
    Some(side)
}

fn overlap(one: &Cover, other: &Cover) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn framed(dots: &[Dot]) -> Frame {
        let names = ["a <b>".to_owned(), "entropy".to_owned()];
        frame([340.0, 240.0], names, dots, Theme::Light)
    }

    fn area(frame: &Frame) -> Area {
        frame.area(legend::height(frame, &[]))
    }

    fn drawn(dots: &[Dot]) -> String {
        scatter(&framed(dots), dots).unwrap()
    }

    fn dot(x: f32, y: f32, is_chosen: bool) -> Dot {
        Dot {
            at: [x, y],
            label: "2.4".to_owned(),
            color: [1, 2, 3],
            is_chosen,
        }
    }

    #[test]
    fn axes_end_at_whole_numbers_and_names_are_escaped() {
        let svg = drawn(&[dot(2.5, 0.2, false)]);
        assert!(
            svg.contains(">\n3\n</text>") && svg.contains(">\n1.5\n</text>"),
            "{svg}"
        );
        assert!(svg.contains("a &lt;b&gt;"));
    }

    #[test]
    fn the_chosen_dot_is_the_last_and_the_largest() {
        let svg = drawn(&[dot(1.0, 1.0, true), dot(1.0, 1.0, false)]);
        let radii: Vec<_> = svg
            .match_indices(" r=\"")
            .map(|(at, _)| &svg[at + 4..at + 6])
            .collect();
        assert_eq!(radii, ["40", "64"]);
    }

    /// Returns the middles of the drawn dots, in units of an eighth of a pixel.
    fn circles(svg: &str) -> impl Iterator<Item = [f64; 2]> {
        svg.split("<circle ").skip(1).map(|circle| {
            let attribute = |name: &str| circle.split(name).nth(1)?.split('"').nth(1)?.parse().ok();
            ["cx=", "cy="].map(|name| attribute(name).unwrap())
        })
    }

    #[test]
    fn a_dots_place_is_where_it_is_drawn() {
        let dots = [dot(1.0, 0.25, false), dot(0.5, 1.0, true)];
        let svg = drawn(&dots);
        for [x, y] in dot_places(&framed(&dots), &dots) {
            let [x, y] = [x * 340.0 * 8.0, y * 240.0 * 8.0];
            let is_there =
                circles(&svg).any(|[cx, cy]| (cx - x).abs() <= 2.0 && (cy - y).abs() <= 2.0);
            assert!(is_there, "{x}, {y}: {svg}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_dot() {
        let svg = drawn(&[dot(f32::NAN, 1.0, false), dot(1.0, f32::INFINITY, false)]);
        assert!(!svg.contains("<circle"));
    }

    #[test]
    fn names_make_room_for_each_other_and_the_chosen_one_is_there() {
        let name = |label: &str, is_chosen| Dot {
            label: label.to_owned(),
            ..dot(0.5, 0.5, is_chosen)
        };
        let around: Vec<Dot> = ["a", "b", "c", "d", "e"]
            .map(|label| name(label, false))
            .into();
        let svg = drawn(&around);
        let is_named = |label: &str| svg.contains(&format!(">\n{label}\n</text>"));
        assert!(
            ["a", "b", "c", "d"].into_iter().all(is_named) && !is_named("e"),
            "{svg}"
        );
        let last = [around, vec![name("f", true)]].concat();
        let frame = framed(&last);
        let named = named(&frame, &area(&frame), &last);
        assert_eq!(
            (&named[0].0.label[..], named[0].1),
            ("f", Some(Side::Right))
        );
    }

    #[test]
    fn a_name_does_not_lie_on_another_dot() {
        let dots = [dot(0.50, 0.5, false), dot(0.54, 0.5, false)];
        let frame = framed(&dots);
        let named = named(&frame, &area(&frame), &dots);
        let sides: Vec<_> = named.into_iter().map(|(_, side)| side).collect();
        assert_eq!(sides, [Some(Side::Left), Some(Side::Right)]);
    }

    proptest! {
        #[test]
        fn names_do_not_lie_on_each_other(
            at in prop::collection::vec((0.0f32..1.0, 0.0f32..1.0), 1..40),
            chosen in 0usize..40,
        ) {
            let dots: Vec<Dot> = at
                .iter()
                .enumerate()
                .map(|(place, &(x, y))| dot(x, y, place == chosen))
                .collect();
            let frame = framed(&dots);
            let mut taken = Vec::new();
            for dot in &dots {
                side_of_name(&frame, &area(&frame), dot, &mut taken);
            }
            prop_assert!(!taken.is_empty());
            for (place, one) in taken.iter().enumerate() {
                prop_assert!(taken[..place].iter().all(|other| !overlap(one, other)));
                prop_assert!(one[0] >= 0.0 && one[2] <= 340.0, "{one:?}");
            }
        }

        #[test]
        fn dots_stay_inside(x in 0.0f32..100.0, y in 0.0f32..10.0) {
            let frame = framed(&[dot(x, y, false)]);
            let area = area(&frame);
            let [cx, cy] = area.place(&frame, [x.into(), y.into()]);
            prop_assert!((area.left..=area.right).contains(&cx), "{cx}");
            prop_assert!((area.top..=area.bottom).contains(&cy), "{cy}");
        }
    }
}
