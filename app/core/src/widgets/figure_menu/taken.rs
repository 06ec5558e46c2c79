//! A figure as it was on screen when its menu was opened.

use std::ops::Range;

use attention_figures::export::{Content, Side};
use attention_trace::python::Number;

use crate::assets::download::file_stem;

/// A figure with its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The name of the figure.
    pub title: String,
    /// The sentences of its caption that are about this figure alone.
    pub sentences: Vec<String>,
    /// The numbers and the way in which they are drawn.
    pub content: Content,
    /// The number that Python computes, if there is one.
    pub number: Option<Number>,
}

impl Taken {
    /// Creates a figure without sentences of its own.
    pub fn new(title: impl Into<String>, content: Content) -> Self {
        Taken {
            title: title.into(),
            sentences: Vec::new(),
            content,
            number: None,
        }
    }

    /// Returns the name of a file without its extension: letters, digits and hyphens of the title.
    pub(super) fn file_name(&self) -> String {
        match file_stem(&self.title) {
            stem if stem.is_empty() => "figure".to_owned(),
            stem => stem,
        }
    }
}

/// Returns the rows or columns of a map that are in sight; without labels, they have their numbers from 1.
pub fn map_side(name: impl Into<String>, labels: &[String], sight: &Range<usize>) -> Side {
    let label = |place: usize| match labels.get(place) {
        Some(label) => label.clone(),
        None => (place + 1).to_string(),
    };
    Side {
        name: name.into(),
        labels: sight.clone().map(label).collect(),
        first: sight.start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use attention_figures::export::BarChart;

    fn named(title: &str) -> String {
        let chart = BarChart {
            names: vec![],
            top: 1.0,
            marked: None,
            series: vec![],
            further: vec![],
        };
        Taken::new(title, Content::Bars(chart)).file_name()
    }

    #[test]
    fn a_file_is_named_after_its_figure() {
        assert_eq!(
            named("Layer 2, head 3: Cross-attention"),
            "layer-2-head-3-cross-attention"
        );
        assert_eq!(named("../<>"), "figure");
    }

    #[test]
    fn a_side_has_the_labels_in_sight() {
        let labels = ["a", "b", "c"].map(str::to_owned);
        let side = map_side("Key", &labels, &(1..3));
        assert_eq!(
            (side.labels, side.first),
            (vec!["b".to_owned(), "c".to_owned()], 1)
        );
        assert_eq!(map_side("", &[], &(4..6)).labels, ["5", "6"]);
    }
}
