//! Named dots by two numbers each, with axes.

use std::fmt::Write;

use crate::bars::{escaped, label_width};
use crate::color::{self, Rgb, Theme};

/// Room left of the area for the numbers of the axis, in CSS pixels.
const LEFT: f64 = 40.0;
/// Room below for numbers and the axis's name.
const BOTTOM: f64 = 40.0;
/// Room above for the other axis's name.
const TOP: f64 = 24.0;
/// Room at the right, so that a name at the edge is whole.
const RIGHT: f64 = 16.0;
/// Radius of a dot, and of the one that stands out.
const RADII: [f64; 2] = [5.0, 8.0];
/// Height of a name.
const NAME_HEIGHT: f64 = 13.0;

/// A dot.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Where it is.
    pub at: [f32; 2],
    /// Its name.
    pub label: String,
    /// Its colour.
    pub color: Rgb,
    /// Whether it stands out.
    pub is_chosen: bool,
}

/// The size and the axes of the figure. Both axes begin at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterFrame {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// What lies along the axes, from the left and from below.
    pub names: [String; 2],
    /// What it stands on.
    pub theme: Theme,
}

/// The dots as an SVG document, the chosen one on top; text is in the page's font. What is not finite has no dot, and a name
/// for which there is no room beside, above or below its dot is left out; the chosen one's has the first choice.
pub fn scatter(frame: &ScatterFrame, dots: &[Dot]) -> String {
    let mut svg = format!(
        r#"<svg viewBox="0 0 {:.1} {:.1}" class="scatter" aria-hidden="true">"#,
        frame.width, frame.height
    );
    let area = Area::of(frame, dots);
    axes(&mut svg, frame, &area);
    let is_there = |dot: &&Dot| dot.at.iter().all(|number| number.is_finite());
    let (chosen, others): (Vec<&Dot>, Vec<&Dot>) =
        dots.iter().filter(is_there).partition(|dot| dot.is_chosen);
    // The chosen dot lies over all others, and so does its name.
    let mut taken = Vec::new();
    let mut named: Vec<(&Dot, Option<Name>)> = Vec::new();
    for dot in chosen {
        named.push((dot, Name::of(frame, &area, dot, &mut taken)));
    }
    taken.extend(dots.iter().filter(is_there).map(|dot| area.cover(dot)));
    for dot in others {
        named.push((dot, Name::of(frame, &area, dot, &mut taken)));
    }
    for (dot, name) in named.iter().rev() {
        draw(&mut svg, frame, &area, dot, name.as_ref());
    }
    svg.push_str("</svg>");
    svg
}

/// Where the middle of each dot lies, in shares of the figure's width and height: for a page that lays something over them.
pub fn dot_places(frame: &ScatterFrame, dots: &[Dot]) -> Vec<[f64; 2]> {
    let area = Area::of(frame, dots);
    let place = |dot: &Dot| {
        let [x, y] = area.place(dot);
        [x / frame.width, y / frame.height]
    };
    dots.iter().map(place).collect()
}

/// The place of the dots, and the numbers at the ends of its axes.
struct Area {
    right: f64,
    bottom: f64,
    ends: [f64; 2],
}

impl Area {
    fn of(frame: &ScatterFrame, dots: &[Dot]) -> Self {
        let end = |axis: usize| {
            let numbers = dots.iter().map(|dot| f64::from(dot.at[axis]));
            round_up(
                numbers
                    .filter(|number| number.is_finite())
                    .fold(0.0, f64::max),
            )
        };
        Area {
            right: frame.width - RIGHT,
            bottom: frame.height - BOTTOM,
            ends: [end(0), end(1)],
        }
    }

    fn x(&self, number: f64) -> f64 {
        LEFT + number / self.ends[0] * (self.right - LEFT)
    }

    fn y(&self, number: f64) -> f64 {
        self.bottom - number / self.ends[1] * (self.bottom - TOP)
    }

    fn place(&self, dot: &Dot) -> [f64; 2] {
        [self.x(dot.at[0].into()), self.y(dot.at[1].into())]
    }

    fn cover(&self, dot: &Dot) -> Cover {
        let [x, y] = self.place(dot);
        let radius = RADII[usize::from(dot.is_chosen)];
        [x - radius, y - radius, x + radius, y + radius]
    }
}

/// The next whole number, at least 1: where an axis ends.
fn round_up(number: f64) -> f64 {
    number.ceil().max(1.0)
}

fn axes(svg: &mut String, frame: &ScatterFrame, area: &Area) {
    let furniture = color::furniture(frame.theme);
    let ink = color::css(furniture.ink);
    for share in [0.0, 0.5, 1.0] {
        let line = match share {
            0.0 => furniture.axis,
            _ => furniture.grid,
        };
        let line = color::css(line);
        let [across, up] = area.ends.map(|end| share * end);
        let (x, y) = (area.x(across), area.y(up));
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            r#"<path d="M{x:.1} {TOP}V{:.1}M{LEFT} {y:.1}H{:.1}" stroke="{line}"/><text x="{x:.1}" y="{:.1}" fill="{ink}" class="name">{}</text><text x="{:.1}" y="{:.1}" fill="{ink}" class="tick">{}</text>"#,
            area.bottom,
            area.right,
            area.bottom + 16.0,
            tick(across),
            LEFT - 6.0,
            y + 4.0,
            tick(up)
        );
    }
    let _ = write!(
        svg,
        r#"<text x="{:.1}" y="{:.1}" fill="{ink}" class="axis-end">{}</text><text x="0" y="14" fill="{ink}">{}</text>"#,
        area.right,
        frame.height - 6.0,
        escaped(&frame.names[0]),
        escaped(&frame.names[1])
    );
}

fn tick(number: f64) -> String {
    let text = format!("{number:.1}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Where a dot's name stands.
struct Name {
    x: f64,
    /// Of the line that it stands on.
    y: f64,
    /// Says on which side of `x` it is.
    class: &'static str,
}

/// What a name or a dot covers: left, top, right, bottom.
type Cover = [f64; 4];

impl Name {
    /// Where nothing is taken yet: to the right of the dot, to the left, above or below. Takes that place.
    fn of(frame: &ScatterFrame, area: &Area, dot: &Dot, taken: &mut Vec<Cover>) -> Option<Self> {
        if dot.label.is_empty() {
            return None;
        }
        let [x, y] = area.place(dot);
        let away = RADII[usize::from(dot.is_chosen)] + 3.0;
        let width = label_width(&dot.label);
        let beside = y + 4.0;
        let sides = [
            (x + away, x + away, beside, "beside"),
            (x - away, x - away - width, beside, "axis-end"),
            (x, x - width / 2.0, y - away, "name"),
            (x, x - width / 2.0, y + away + NAME_HEIGHT - 3.0, "name"),
        ];
        let free = sides.into_iter().find_map(|(x, left, y, class)| {
            let cover = [left, y - NAME_HEIGHT + 3.0, left + width, y + 3.0];
            let is_inside = cover[0] >= 0.0 && cover[2] <= frame.width && cover[3] <= frame.height;
            let is_free = is_inside && !taken.iter().any(|other| overlap(&cover, other));
            is_free.then_some((Name { x, y, class }, cover))
        });
        let (name, cover) = free?;
        taken.push(cover);
        Some(name)
    }
}

fn overlap(one: &Cover, other: &Cover) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

fn draw(svg: &mut String, frame: &ScatterFrame, area: &Area, dot: &Dot, name: Option<&Name>) {
    let furniture = color::furniture(frame.theme);
    let [x, y] = area.place(dot);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        r#"<circle cx="{x:.1}" cy="{y:.1}" r="{}" fill="{}" stroke="{}"/>"#,
        RADII[usize::from(dot.is_chosen)],
        color::css(dot.color),
        color::css(furniture.page),
    );
    if let Some(Name { x, y, class }) = name {
        let _ = write!(
            svg,
            r#"<text x="{x:.1}" y="{y:.1}" fill="{}" class="{class}">{}</text>"#,
            color::css(furniture.ink),
            escaped(&dot.label)
        );
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame() -> ScatterFrame {
        ScatterFrame {
            width: 340.0,
            height: 240.0,
            names: ["a <b>".to_owned(), "entropy".to_owned()],
            theme: Theme::Light,
        }
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
        let svg = scatter(&frame(), &[dot(2.5, 0.2, false)]);
        assert!(
            svg.contains(">3</text>") && svg.contains(">1.5</text>"),
            "{svg}"
        );
        assert!(svg.contains("a &lt;b&gt;"));
    }

    #[test]
    fn the_chosen_dot_is_the_last_and_the_largest() {
        let svg = scatter(&frame(), &[dot(1.0, 1.0, true), dot(1.0, 1.0, false)]);
        let radii: Vec<_> = svg
            .match_indices(" r=\"")
            .map(|(at, _)| &svg[at + 4..at + 5])
            .collect();
        assert_eq!(radii, ["5", "8"]);
    }

    #[test]
    fn a_dots_place_is_where_it_is_drawn() {
        let dots = [dot(1.0, 0.25, false), dot(0.5, 1.0, true)];
        let svg = scatter(&frame(), &dots);
        for [x, y] in dot_places(&frame(), &dots) {
            let circle = format!(r#"<circle cx="{:.1}" cy="{:.1}""#, 340.0 * x, 240.0 * y);
            assert!(svg.contains(&circle), "{circle}: {svg}");
        }
    }

    #[test]
    fn what_is_not_finite_has_no_dot() {
        let svg = scatter(
            &frame(),
            &[dot(f32::NAN, 1.0, false), dot(1.0, f32::INFINITY, false)],
        );
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
        let svg = scatter(&frame(), &around);
        let is_named = |label: &str| svg.contains(&format!(">{label}</text>"));
        assert!(
            ["a", "b", "c", "d"].into_iter().all(is_named) && !is_named("e"),
            "{svg}"
        );
        let last = [around, vec![name("f", true)]].concat();
        assert!(scatter(&frame(), &last).contains(r#"class="beside">f</text>"#));
    }

    #[test]
    fn a_name_does_not_lie_on_another_dot() {
        let svg = scatter(&frame(), &[dot(0.50, 0.5, false), dot(0.54, 0.5, false)]);
        let sides = [r#"class="axis-end">2.4"#, r#"class="beside">2.4"#];
        assert!(sides.into_iter().all(|side| svg.contains(side)), "{svg}");
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
            let area = Area::of(&frame(), &dots);
            let mut taken = Vec::new();
            for dot in &dots {
                Name::of(&frame(), &area, dot, &mut taken);
            }
            prop_assert!(!taken.is_empty());
            for (place, one) in taken.iter().enumerate() {
                prop_assert!(taken[..place].iter().all(|other| !overlap(one, other)));
                prop_assert!(one[0] >= 0.0 && one[2] <= 340.0, "{one:?}");
            }
        }

        #[test]
        fn dots_stay_inside(x in 0.0f32..100.0, y in 0.0f32..10.0) {
            let area = Area::of(&frame(), &[dot(x, y, false)]);
            let (cx, cy) = (area.x(x.into()), area.y(y.into()));
            prop_assert!((LEFT..=340.0 - RIGHT).contains(&cx), "{cx}");
            prop_assert!((TOP..=240.0 - BOTTOM).contains(&cy), "{cy}");
        }
    }
}
