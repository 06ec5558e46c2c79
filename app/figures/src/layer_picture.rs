//! A whole layer as one picture: every vector of one token, from the layer's input to its output, as a row of cells.

use crate::{
    model_map::Rect,
    staged::{Align, Cells, Piece, Staged, Tone, cells_in},
};

/// The vectors of one token in one layer. All are rows of the trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerVectors {
    /// The residual stream before attention, `[d]`.
    pub input: Vec<f32>,
    /// The normalised input, `[d]`, if the norm comes first.
    pub normed: Option<Vec<f32>>,
    /// The heads that are drawn.
    pub heads: Vec<HeadVectors>,
    /// The number of heads that the layer has.
    pub head_count: usize,
    /// Attention's output as it is added, `[d]`.
    pub attended: Vec<f32>,
    /// The sum with the residual stream, `[d]`.
    pub sum: Vec<f32>,
    /// The normalised sum, `[d]`, if the norm comes after.
    pub sum_normed: Option<Vec<f32>>,
    /// True if the network reads the same residual stream as attention.
    pub is_parallel: bool,
    /// The stream after the cross-attention that lies between, `[d]`, if there is one.
    pub crossed: Option<Vec<f32>>,
    /// The normalised input of the network, `[d]`, if the norm comes first.
    pub network_input: Option<Vec<f32>>,
    /// The network's inner activations, `[d_ff]`.
    pub inner: Vec<f32>,
    /// The network's output as it is added, `[d]`.
    pub network: Vec<f32>,
    /// The sum with the residual stream, `[d]`.
    pub last_sum: Vec<f32>,
    /// The normalised sum, `[d]`, if the norm comes after.
    pub last_normed: Option<Vec<f32>>,
}

/// The vectors of one head for the token.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadVectors {
    /// The number of the head, from 1.
    pub number: usize,
    /// True if it is the chosen head.
    pub is_chosen: bool,
    /// The query of the token, `[d_k]`.
    pub query: Vec<f32>,
    /// The key of the same token, `[d_k]`.
    pub key: Vec<f32>,
    /// The value of the same token, `[d_v]`.
    pub value: Vec<f32>,
    /// The attention weights, `[m]`.
    pub weights: Vec<f32>,
    /// The weighted sum of all values, `[d_v]`.
    pub output: Vec<f32>,
}

/// A step of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerStep {
    /// The input of the layer.
    Input,
    /// The norm before attention.
    Norm,
    /// Queries, keys and values of every head.
    Project,
    /// The attention weights of every head.
    Weigh,
    /// The weighted sum of values of every head.
    Sum,
    /// All heads' outputs times `W^O`.
    Output,
    /// The sum with the residual stream, and its norm.
    Add,
    /// The stream after cross-attention.
    Cross,
    /// The network's inner activations, after the norm before the network.
    Inner,
    /// The output of the network.
    Network,
    /// The second sum with the residual stream, and its norm.
    AddAgain,
}

impl LayerVectors {
    /// Returns the steps that the layer has, in the order of the computation.
    pub fn steps(&self) -> Vec<LayerStep> {
        use LayerStep::*;
        let all = [
            Input, Norm, Project, Weigh, Sum, Output, Add, Cross, Inner, Network, AddAgain,
        ];
        let exists = |step: &LayerStep| match step {
            Norm => self.normed.is_some(),
            Cross => self.crossed.is_some(),
            _ => true,
        };
        all.into_iter().filter(exists).collect()
    }

    /// Returns the picture for a width in CSS pixels.
    pub fn picture(&self, width: f64) -> Staged {
        let mut drawing = Drawing {
            picture: Staged::new(width, 0.0),
            steps: self.steps(),
            y: MARGIN,
        };
        drawing.whole(self);
        drawing.picture.foreshadows = true;
        drawing.picture.height = drawing.y + MARGIN - GAP;
        drawing.picture
    }
}

/// The room around the picture.
const MARGIN: f64 = 12.0;
/// The room at the left for the residual stream.
const STREAM: f64 = 24.0;
/// The height of a row of cells, and of one in the table of heads.
const ROW: f64 = 13.0;
const HEAD_ROW: f64 = 10.0;
/// The height of a line of words.
const LINE: f64 = 15.0;
/// The room between two rows, in which an arrow lies.
const GAP: f64 = 16.0;
/// The room for the number of a head, and between two columns of the table.
const NUMBER: f64 = 26.0;
const BETWEEN: f64 = 8.0;

struct Drawing {
    picture: Staged,
    steps: Vec<LayerStep>,
    /// The upper edge of what comes next.
    y: f64,
}

impl Drawing {
    fn whole(&mut self, layer: &LayerVectors) {
        use LayerStep::*;
        let begins = self.row(Input, "x", &layer.input, false);
        if let Some(normed) = &layer.normed {
            self.row(Norm, "LN(x)", normed, true);
        }
        self.heads(layer);
        let joined: Vec<f32> = match layer.heads.len() == layer.head_count {
            true => layer
                .heads
                .iter()
                .flat_map(|head| head.output.clone())
                .collect(),
            false => Vec::new(),
        };
        if !joined.is_empty() {
            self.row(Output, "[z₁; …; zₕ]", &joined, true);
        }
        self.row(Output, "o = [z₁; …; zₕ] Wᴼ", &layer.attended, true);
        let mut sum = self.row(Add, "x + o", &layer.sum, true);
        self.stream(Add, begins, sum);
        if let Some(normed) = &layer.sum_normed {
            sum = self.row(Add, "LN(x + o)", normed, true);
        }
        if let Some(crossed) = &layer.crossed {
            sum = self.row(Cross, "x′", crossed, true);
        }
        // A network beside attention begins at the stream as it was.
        let (x, enters) = match layer.is_parallel {
            true => ("x", false),
            false => ("x′", true),
        };
        if let Some(normed) = &layer.network_input {
            let y = self.row(Inner, &format!("LN({x})"), normed, enters);
            if layer.is_parallel {
                self.stream(Inner, begins, y);
            }
        }
        let follows = enters || layer.network_input.is_some();
        self.row(Inner, &format!("h = f({x} W₁)"), &layer.inner, follows);
        self.row(Network, &format!("FFN({x})"), &layer.network, true);
        let all = match layer.is_parallel {
            true => "x + o + FFN(x)".to_owned(),
            false => "x′ + FFN(x′)".to_owned(),
        };
        let last = self.row(AddAgain, &all, &layer.last_sum, true);
        self.stream(AddAgain, sum, last);
        if let Some(normed) = &layer.last_normed {
            self.row(AddAgain, &format!("LN({all})"), normed, true);
        }
    }

    fn place_of(&self, step: LayerStep) -> usize {
        // A step that the layer lacks draws nothing.
        let found = self.steps.iter().position(|&one| one == step);
        found.unwrap_or(usize::MAX)
    }

    fn left_and_width(&self) -> (f64, f64) {
        let left = MARGIN + STREAM;
        (left, (self.picture.width - left - MARGIN).max(1.0))
    }

    fn words(&mut self, from: usize, at: [f64; 2], align: Align, tone: Tone, text: String) {
        let words = Piece::Words {
            at,
            align,
            tone,
            text,
        };
        self.picture.add(from, words);
    }

    fn arrow(&mut self, from: usize, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let arrow = Piece::Line {
            from: [x1, y1],
            to: [x2, y2],
            width: 1.25,
            tone: Tone::Soft,
            pointed: true,
            name: String::new(),
            value: None,
        };
        self.picture.add(from, arrow);
    }

    /// Draws a vector across the picture, with its name above it; returns the middle of its height.
    fn row(&mut self, step: LayerStep, name: &str, values: &[f32], follows: bool) -> f64 {
        let (from, (left, width)) = (self.place_of(step), self.left_and_width());
        if follows {
            let x = left + width / 2.0;
            self.arrow(from, [x, self.y - GAP + 3.0], [x, self.y + LINE - 2.0]);
        }
        let base = self.y + LINE - 4.0;
        self.words(from, [left, base], Align::Start, Tone::Ink, name.to_owned());
        let shown = cells_in(width, values.len());
        let size = match shown < values.len() {
            true => format!("{shown} / {}", values.len()),
            false => shown.to_string(),
        };
        self.words(from, [left + width, base], Align::End, Tone::Soft, size);
        let at = Rect {
            x: left,
            y: self.y + LINE,
            width,
            height: ROW,
        };
        let vector = Piece::Vector {
            at,
            name: name.to_owned(),
            values: values.to_vec(),
            shown,
            cells: Cells::signed_for([values]),
        };
        self.picture.add(from, vector);
        self.y = at.y + ROW + GAP;
        at.y + ROW / 2.0
    }

    /// Draws the residual stream at the left, from one row to another.
    fn stream(&mut self, step: LayerStep, from_y: f64, to_y: f64) {
        let (from, x) = (self.place_of(step), MARGIN + 4.0);
        let left = MARGIN + STREAM - 3.0;
        let line = |from: [f64; 2], to: [f64; 2], pointed| Piece::Line {
            from,
            to,
            width: 2.0,
            tone: Tone::Current,
            pointed,
            name: String::new(),
            value: None,
        };
        self.picture
            .add(from, line([left, from_y], [x, from_y], false));
        self.picture.add(from, line([x, from_y], [x, to_y], false));
        self.picture.add(from, line([x, to_y], [left, to_y], true));
    }

    /// Draws the table of heads: a row for each, with query, key, value, weights and output.
    fn heads(&mut self, layer: &LayerVectors) {
        use LayerStep::*;
        const COLUMNS: [(&str, LayerStep); 5] = [
            ("q", Project),
            ("k", Project),
            ("v", Project),
            ("α", Weigh),
            ("z", Sum),
        ];
        let (left, width) = self.left_and_width();
        let pitch = (width - NUMBER + BETWEEN) / COLUMNS.len() as f64;
        let cell_width = pitch - BETWEEN;
        let column = |place: usize| left + NUMBER + pitch * place as f64;
        let top = self.y;
        for (place, (name, step)) in COLUMNS.into_iter().enumerate() {
            let (from, x) = (self.place_of(step), column(place) + cell_width / 2.0);
            if step == Project {
                self.arrow(from, [left + width / 2.0, top - GAP + 3.0], [x, top + 1.0]);
            }
            let at = [x, top + LINE - 2.0];
            self.words(from, at, Align::Middle, Tone::Ink, name.to_owned());
        }
        self.y += LINE + 3.0;
        let all: Vec<[&[f32]; 5]> = layer.heads.iter().map(HeadVectors::columns).collect();
        for (head, vectors) in layer.heads.iter().zip(&all) {
            let tone = if head.is_chosen {
                Tone::Current
            } else {
                Tone::Soft
            };
            let at = [left + NUMBER - 6.0, self.y + HEAD_ROW - 1.0];
            let from = self.place_of(Project);
            self.words(from, at, Align::End, tone, head.number.to_string());
            for (place, (name, step)) in COLUMNS.into_iter().enumerate() {
                let values = vectors[place];
                let cells = match step {
                    Weigh => Cells::Weights,
                    _ => Cells::signed_for(all.iter().map(|one| one[place])),
                };
                let vector = Piece::Vector {
                    at: Rect {
                        x: column(place),
                        y: self.y,
                        width: cell_width,
                        height: HEAD_ROW,
                    },
                    name: format!("{name}, {}", head.number),
                    values: values.to_vec(),
                    shown: cells_in(cell_width, values.len()),
                    cells,
                };
                self.picture.add(self.place_of(step), vector);
            }
            self.y += HEAD_ROW + 4.0;
        }
        if layer.heads.len() < layer.head_count {
            let (from, at) = (self.place_of(Project), [left, self.y + LINE - 4.0]);
            let text = format!("{} / {}", layer.heads.len(), layer.head_count);
            self.words(from, at, Align::Start, Tone::Soft, text);
            self.y += LINE;
        }
        self.y += GAP - 4.0;
    }
}

impl HeadVectors {
    fn columns(&self) -> [&[f32]; 5] {
        [
            &self.query,
            &self.key,
            &self.value,
            &self.weights,
            &self.output,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn post_norm(heads: usize, drawn: usize) -> LayerVectors {
        let row = vec![0.5; 6];
        let head = |number| HeadVectors {
            number,
            is_chosen: number == 1,
            query: vec![1.0; 2],
            key: vec![-1.0; 2],
            value: vec![2.0; 2],
            weights: vec![0.25; 4],
            output: vec![number as f32; 2],
        };
        LayerVectors {
            input: row.clone(),
            heads: (1..=drawn).map(head).collect(),
            head_count: heads,
            attended: row.clone(),
            sum: row.clone(),
            sum_normed: Some(row.clone()),
            inner: vec![1.0; 24],
            network: row.clone(),
            last_sum: row.clone(),
            last_normed: Some(row),
            ..LayerVectors::default()
        }
    }

    fn vectors(picture: &Staged) -> Vec<(usize, String, Rect)> {
        let vector = |mark: &crate::staged::StagedMark| match &mark.mark {
            Piece::Vector { name, at, .. } => Some((mark.from, name.clone(), *at)),
            _ => None,
        };
        picture.marks.iter().filter_map(vector).collect()
    }

    #[test]
    fn norms_are_steps_where_they_come_first() {
        let post = post_norm(3, 3);
        assert_eq!(post.steps().len(), 9);
        let pre = LayerVectors {
            normed: Some(vec![0.0; 6]),
            network_input: Some(vec![0.0; 6]),
            sum_normed: None,
            last_normed: None,
            crossed: Some(vec![0.0; 6]),
            ..post
        };
        assert_eq!(pre.steps().len(), 11);
        assert_eq!(pre.steps()[1], LayerStep::Norm);
        assert!(pre.picture(400.0).marks.iter().all(|mark| mark.from < 11));
    }

    #[test]
    fn every_vector_lies_inside_and_none_on_another() {
        for width in [320.0, 760.0] {
            let picture = post_norm(3, 3).picture(width);
            let places = vectors(&picture);
            // Nine rows, and five vectors of each head.
            assert_eq!(places.len(), 9 + 15);
            for (index, (_, name, at)) in places.iter().enumerate() {
                let (right, bottom) = (at.x + at.width, at.y + at.height);
                assert!(
                    at.x >= 0.0 && right <= width && bottom <= picture.height,
                    "{name}"
                );
                for (_, other, below) in &places[index + 1..] {
                    let apart = below.y >= bottom || below.x >= right;
                    assert!(apart, "{name} and {other}");
                }
            }
        }
    }

    #[test]
    fn vectors_appear_in_the_order_of_the_computation() {
        let picture = post_norm(2, 2).picture(500.0);
        let steps: Vec<usize> = vectors(&picture).iter().map(|(from, ..)| *from).collect();
        let of = |name: &str| {
            let all = vectors(&picture);
            all.iter().find(|one| one.1 == name).map(|one| one.0)
        };
        assert_eq!(
            (of("x"), of("q, 1"), of("α, 2"), of("z, 2")),
            (Some(0), Some(1), Some(2), Some(3))
        );
        assert_eq!(steps.iter().max(), Some(&8));
    }

    #[test]
    fn of_many_heads_some_are_drawn_and_their_number_is_said() {
        let picture = post_norm(32, 8).picture(500.0);
        assert!(picture.svg(8, crate::Theme::Light).contains(">8 / 32<"));
        assert!(!vectors(&picture).iter().any(|one| one.1.starts_with('[')));
    }
}
