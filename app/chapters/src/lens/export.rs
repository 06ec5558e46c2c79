//! The table of layers and positions as it is exported: a map of probabilities with the most probable words.

use attention_core::widgets::map_side;
use attention_figures::export::{Cells, Map, Scale};
use attention_trace::{Lens, Reading, Token};

/// The names in the exported table.
pub struct Names {
    /// The layers, the embedding first.
    pub layers: Vec<String>,
    /// The tokens that are read.
    pub tokens: Vec<String>,
    /// The names of rows, columns and values.
    pub sides: [String; 3],
}

/// Returns the table, the last layer on top as on screen.
pub fn table_map(lens: &Lens, names: Names, name: impl Fn(&Token) -> String) -> Map {
    let Names {
        mut layers,
        tokens,
        sides: [rows, columns, value],
    } = names;
    layers.reverse();
    let cells = || lens.layers.iter().rev().flatten();
    let word = |reading: &Reading| reading.words.first().map(|word| name(&word.token));
    let share = |reading: &Reading| reading.words.first().map_or(0.0, |word| word.probability);
    Map {
        values: cells().map(share).collect(),
        words: cells().map(|it| word(it).unwrap_or_default()).collect(),
        rows: map_side(rows, &layers, &(0..layers.len())),
        columns: map_side(columns, &tokens, &(0..tokens.len())),
        value,
        masked: String::new(),
        scale: Scale::Sequential {
            low: 0.0,
            high: 1.0,
        },
        cells: Cells::Numbers,
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::ReadWord;

    use super::*;

    #[test]
    fn the_last_layer_is_on_top() {
        let token = |id: u32| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        let reading = |id: u32| Reading {
            words: vec![ReadWord {
                token: token(id),
                probability: id as f32 / 8.0,
            }],
            rank: 1,
            probability: 0.5,
        };
        let lens = Lens {
            answers: vec![token(3), token(4)],
            layers: vec![vec![reading(1), reading(2)], vec![reading(3), reading(4)]],
        };
        let words = |words: [&str; 2]| words.map(str::to_owned).to_vec();
        let names = Names {
            layers: words(["embedding", "layer 1"]),
            tokens: words(["a", "b"]),
            sides: [String::new(), String::new(), String::new()],
        };
        let map = table_map(&lens, names, |token| token.text.clone());
        assert_eq!(map.rows.labels, ["layer 1", "embedding"]);
        assert_eq!(map.words, ["3", "4", "1", "2"]);
        assert_eq!(map.values, [0.375, 0.5, 0.125, 0.25]);
    }
}
