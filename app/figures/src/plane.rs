//! Points and arrows on a plane with two axes, and the conversion of a pointer's position to a point.

use crate::{
    color::{self, Rgb, Theme},
    plot::text::escaped,
};

/// Half the width of a plane in pixels of the drawing, margin included.
const HALF: f64 = 160.0;
/// The room around the grid for labels of points at its edge.
const MARGIN: f64 = 16.0;
/// The width and the height of a drawing, in its pixels.
pub(crate) const SIZE: f64 = 2.0 * HALF;

/// The attributes of a drawing's texts.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    /// Those of the numbers at the axes.
    pub(crate) tick: &'static str,
    /// Those of the names of marks.
    pub(crate) mark: &'static str,
}

/// The page's style sheet says how texts look.
const ON_PAGE: Look = Look {
    tick: r#" class="tick""#,
    mark: r#" class="mark""#,
};

/// A square part of the plane around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The length of the axes from the origin.
    pub extent: f64,
    /// The theme of the page behind the plane.
    pub theme: Theme,
}

/// A mark on the plane.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// A dot with a name.
    Dot {
        /// The position of the dot.
        at: [f32; 2],
        /// The radius in pixels.
        radius: f64,
        /// The colour of the dot.
        color: Rgb,
        /// The name of the dot; may be empty.
        label: String,
        /// True if the dot has a ring.
        ringed: bool,
    },
    /// An arrow from the origin.
    Arrow {
        /// The position of the arrow's tip.
        to: [f32; 2],
        /// The colour of the arrow.
        color: Rgb,
        /// The name of the arrow.
        label: String,
    },
    /// A line between two points.
    Line {
        /// One end of the line.
        from: [f32; 2],
        /// The other end of the line.
        to: [f32; 2],
        /// The colour of the line.
        color: Rgb,
        /// The width of the line in pixels.
        width: f64,
    },
}

impl Plane {
    /// Returns the plane with its marks, the first one lowest, as an SVG document.
    pub fn svg(self, marks: &[Mark]) -> String {
        format!(
            r#"<svg viewBox="0 0 {SIZE} {SIZE}" class="plane-drawing" aria-hidden="true">{}</svg>"#,
            self.elements(marks, ON_PAGE)
        )
    }

    /// Returns the elements of the drawing.
    pub(crate) fn elements(self, marks: &[Mark], look: Look) -> String {
        let mut svg = String::new();
        self.grid(&mut svg, look);
        for mark in marks {
            self.mark(&mut svg, mark, look);
        }
        svg
    }

    /// Returns the point under a pointer at fractions (0…1) of the drawing's width and height, limited to the axes.
    pub fn point_at(self, x: f64, y: f64) -> [f32; 2] {
        let along = |fraction: f64| {
            let value = (fraction * 2.0 * HALF - HALF) / self.unit();
            value.clamp(-self.extent, self.extent) as f32
        };
        [along(x), -along(y)]
    }

    /// Returns the position of a point in the drawing, as fractions of its width and height.
    pub fn fractions_of(self, point: [f32; 2]) -> (f64, f64) {
        let (x, y) = self.place(point);
        (x / (2.0 * HALF), y / (2.0 * HALF))
    }

    /// Returns the number of pixels per unit.
    fn unit(self) -> f64 {
        (HALF - MARGIN) / self.extent
    }

    fn place(self, [x, y]: [f32; 2]) -> (f64, f64) {
        (
            HALF + f64::from(x) * self.unit(),
            HALF - f64::from(y) * self.unit(),
        )
    }

    fn grid(self, svg: &mut String, look: Look) {
        let furniture = color::furniture(self.theme);
        let (near, far) = (MARGIN, 2.0 * HALF - MARGIN);
        let lines = self.extent.floor() as i32;
        for line in -lines..=lines {
            let at = HALF + f64::from(line) * self.unit();
            let stroke = if line == 0 {
                furniture.axis
            } else {
                furniture.grid
            };
            svg.push_str(&format!(
                r#"<path d="M{at:.1} {near}V{far}M{near} {at:.1}H{far}" stroke="{}"/>"#,
                color::css(stroke)
            ));
        }
        let ink = color::css(furniture.axis);
        for line in [-lines, lines] {
            let at = HALF + f64::from(line) * self.unit();
            let number = line.to_string().replace('-', "−");
            svg.push_str(&format!(
                r#"<text x="{at:.1}" y="{:.1}" fill="{ink}"{}>{number}</text>"#,
                HALF + 14.0,
                look.tick
            ));
        }
    }

    fn mark(self, svg: &mut String, mark: &Mark, look: Look) {
        match mark {
            Mark::Dot {
                at,
                radius,
                color: fill,
                label,
                ringed,
            } => {
                self.dot(svg, *at, *radius, *fill, *ringed);
                let above = if *ringed { radius + 10.0 } else { radius + 6.0 };
                let (x, y) = self.place(*at);
                self.label(svg, (x, y - above), label, look);
            }
            Mark::Arrow { to, color, label } => {
                self.arrow(svg, *to, *color);
                let (x, y) = self.place(*to);
                // Beyond the point, where the arrow itself is not.
                let side = if y > HALF { 18.0 } else { -10.0 };
                self.label(svg, (x, y + side), label, look);
            }
            Mark::Line {
                from,
                to,
                color,
                width,
            } => {
                let ((x1, y1), (x2, y2)) = (self.place(*from), self.place(*to));
                svg.push_str(&format!(
                    r#"<path d="M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}" stroke="{}" stroke-width="{width:.2}"/>"#,
                    color::css(*color)
                ));
            }
        }
    }

    fn dot(self, svg: &mut String, at: [f32; 2], radius: f64, fill: Rgb, ringed: bool) {
        let furniture = color::furniture(self.theme);
        let (x, y) = self.place(at);
        svg.push_str(&format!(
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="{}" stroke="{}"/>"#,
            color::css(fill),
            color::css(furniture.page)
        ));
        if ringed {
            svg.push_str(&format!(
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{:.1}" fill="none" stroke="{}" stroke-width="2"/>"#,
                radius + 4.0,
                color::css(furniture.ink)
            ));
        }
    }

    fn arrow(self, svg: &mut String, to: [f32; 2], stroke: Rgb) {
        let (x, y) = self.place(to);
        let (dx, dy) = (x - HALF, y - HALF);
        let length = dx.hypot(dy);
        let stroke = color::css(stroke);
        if length > 1.0 {
            let (ux, uy) = (dx / length, dy / length);
            // The head is a triangle whose point is the arrow's.
            let (bx, by) = (x - 11.0 * ux, y - 11.0 * uy);
            let (px, py) = (-5.0 * uy, 5.0 * ux);
            svg.push_str(&format!(
                r#"<path d="M{HALF} {HALF}L{bx:.1} {by:.1}" stroke="{stroke}" stroke-width="2.5"/><path d="M{x:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z" fill="{stroke}"/>"#,
                bx + px,
                by + py,
                bx - px,
                by - py
            ));
        } else {
            svg.push_str(&format!(
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{stroke}"/>"#
            ));
        }
    }

    fn label(self, svg: &mut String, (x, y): (f64, f64), label: &str, look: Look) {
        if label.is_empty() {
            return;
        }
        let furniture = color::furniture(self.theme);
        svg.push_str(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" fill="{}" stroke="{}"{}>{}</text>"#,
            color::css(furniture.ink),
            color::css(furniture.page),
            look.mark,
            escaped(label)
        ));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PLANE: Plane = Plane {
        extent: 3.0,
        theme: Theme::Light,
    };

    proptest! {
        #[test]
        fn the_pointer_finds_the_point_under_it(x in -3.0f32..3.0, y in -3.0f32..3.0) {
            let (across, down) = PLANE.fractions_of([x, y]);
            let [found_x, found_y] = PLANE.point_at(across, down);
            prop_assert!((found_x - x).abs() < 1e-4 && (found_y - y).abs() < 1e-4);
        }
    }

    #[test]
    fn beyond_the_axes_a_point_is_held_at_their_ends() {
        assert_eq!(PLANE.point_at(0.0, 0.0), [-3.0, 3.0]);
        assert_eq!(PLANE.point_at(2.0, 9.0), [3.0, -3.0]);
    }

    #[test]
    fn an_arrow_of_no_length_is_a_point() {
        let arrow = |to| {
            PLANE.svg(&[Mark::Arrow {
                to,
                color: [0; 3],
                label: "q".to_owned(),
            }])
        };
        assert!(arrow([0.0, 0.0]).contains("<circle"));
        assert!(!arrow([1.0, 0.0]).contains("<circle"));
    }
}
