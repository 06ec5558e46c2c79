//! A small picture as squares, by itself or with a weight for each of its cells.

use crate::color::{Rgb, Theme, blend, css, furniture, sequential_in};

/// The share of a cell's side that its ink fills if the rest shows a weight.
const DOT: f32 = 0.44;

/// A square picture of inked cells, optionally with weights.
#[derive(Clone, Debug, PartialEq)]
pub struct SquarePicture<'a> {
    /// The number of cells in a row, and of rows.
    pub side: usize,
    /// The ink of each cell from 0, which is paper, to 1, row by row.
    pub ink: &'a [f32],
    /// The weight of each cell from 0 to 1, as a share of the weight with the full colour; if there are weights, the
    /// ink is a dot on top of them.
    pub weights: Option<&'a [f32]>,
    /// The cell with a frame, if any.
    pub marked: Option<usize>,
    /// The theme of the page behind the picture.
    pub theme: Theme,
}

impl SquarePicture<'_> {
    /// Returns the picture as an SVG document of `side` units, which fills its place.
    pub fn svg(&self) -> String {
        let side = self.side;
        let mut svg = format!(
            r#"<svg viewBox="0 0 {side} {side}" class="square-picture" shape-rendering="crispEdges" aria-hidden="true">"#
        );
        let furniture = furniture(self.theme);
        let weight_color = sequential_in(self.theme);
        for (cell, &ink) in self.ink.iter().enumerate() {
            let inked = |under| blend(furniture.ink, under, ink);
            let weight = self.weights.map(|weights| weights.get(cell).copied());
            match weight {
                None => square(&mut svg, self.place(cell), 1.0, inked(furniture.page)),
                Some(weight) => {
                    let color = weight_color(weight.unwrap_or(0.0));
                    square(&mut svg, self.place(cell), 1.0, color);
                    if ink > 0.0 {
                        square(&mut svg, self.place(cell), DOT, inked(color));
                    }
                }
            }
        }
        if let Some(cell) = self.marked {
            self.frame(&mut svg, cell);
        }
        svg.push_str("</svg>");
        svg
    }

    /// Returns the column and the row of a cell.
    fn place(&self, cell: usize) -> [f32; 2] {
        let side = self.side.max(1);
        [(cell % side) as f32, (cell / side) as f32]
    }

    fn frame(&self, svg: &mut String, cell: usize) {
        let [x, y] = self.place(cell).map(|edge| edge + 0.06);
        let color = css(crate::sentence::current_color(self.theme));
        svg.push_str(&format!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="0.88" height="0.88" fill="none" stroke="{color}" stroke-width="0.12"/>"#
        ));
    }
}

/// Writes a square in the middle of the cell at `place`.
fn square(svg: &mut String, place: [f32; 2], side: f32, color: Rgb) {
    let [x, y] = place.map(|edge| edge + (1.0 - side) / 2.0);
    svg.push_str(&format!(
        r#"<rect x="{x:.2}" y="{y:.2}" width="{side:.2}" height="{side:.2}" fill="{}"/>"#,
        css(color)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture<'a>(ink: &'a [f32], weights: Option<&'a [f32]>) -> SquarePicture<'a> {
        SquarePicture {
            side: 2,
            ink,
            weights,
            marked: None,
            theme: Theme::Light,
        }
    }

    #[test]
    fn paper_is_the_page_and_ink_is_dark() {
        let svg = picture(&[0.0, 1.0, 0.5, 0.0], None).svg();
        let furniture = furniture(Theme::Light);
        assert_eq!(svg.matches("<rect").count(), 4);
        assert_eq!(svg.matches(&css(furniture.page)).count(), 2);
        assert_eq!(svg.matches(&css(furniture.ink)).count(), 1);
        assert!(svg.contains(r#"<rect x="1.00" y="0.00" width="1.00""#));
    }

    #[test]
    fn ink_is_a_dot_on_weights_and_a_cell_is_framed() {
        let mut with = picture(&[0.0, 1.0, 0.0, 0.0], Some(&[0.0, 0.1, 0.2, 0.7]));
        assert_eq!(with.svg().matches("<rect").count(), 5);
        with.marked = Some(3);
        let framed = with.svg();
        assert_eq!(framed.matches("stroke=").count(), 1);
        assert!(framed.contains(r#"<rect x="1.06" y="1.06""#));
    }
}
