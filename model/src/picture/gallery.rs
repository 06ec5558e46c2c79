//! The pictures that a model has been shown, and their patches as the tokens of a text.

use std::sync::{Arc, PoisonError, RwLock};

use attention_trace::{PictureGrid, WordMark};
use burn::prelude::*;

use crate::error::ModelError;
use crate::tokenizer::{Description, Segmenter, Tokenizer};

/// The number of pictures that are kept, the newest: questions about a result may come while the next picture is read.
const KEPT: usize = 2;

/// A picture that a model has been shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The name of the picture.
    pub name: String,
    /// The grid of its patches.
    pub grid: PictureGrid,
    /// The vectors of its tokens before positions are added, `[tokens, width]`.
    pub vectors: Tensor<2>,
    /// The vectors of positions, a row for each token, `[tokens, width]`; zero for registers.
    pub positions: Tensor<2>,
}

/// The pictures that a model has been shown. Copies share them.
#[derive(Clone, Debug, Default)]
pub struct Gallery(Arc<RwLock<Vec<Shown>>>);

impl Gallery {
    /// Adds a picture, which the model reads next; one of the same name is replaced.
    pub(crate) fn add(&self, shown: Shown) {
        // A thread that panicked has left a whole list: each change is one assignment.
        let mut pictures = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let others = pictures.iter().filter(|picture| picture.name != shown.name);
        let others: Vec<Shown> = others.cloned().collect();
        let first = (others.len() + 1).saturating_sub(KEPT);
        *pictures = others.into_iter().skip(first).chain([shown]).collect();
    }

    /// Returns the picture that the model reads next.
    pub fn current(&self) -> Option<Shown> {
        let pictures = self.0.read().unwrap_or_else(PoisonError::into_inner);
        pictures.last().cloned()
    }

    /// Makes the picture of that name the one that the model reads next, and returns it.
    ///
    /// # Errors
    /// If the model has not been shown it.
    fn choose(&self, name: &str) -> Result<Shown, ModelError> {
        let pictures = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = pictures.iter().find(|picture| picture.name == name);
        let found = found.cloned();
        drop(pictures);
        let shown = found.ok_or_else(|| {
            ModelError::Picture(format!("the model has not been shown a picture “{name}”"))
        })?;
        self.add(shown.clone());
        Ok(shown)
    }

    /// Returns the patches of the picture that the model reads next.
    pub fn grid(&self) -> Option<PictureGrid> {
        self.current().map(|shown| shown.grid)
    }

    /// Returns a tokenizer whose texts are names of pictures, and whose tokens are the patches of the one named. The
    /// class token and the registers are special.
    pub(crate) fn tokenizer(&self, before: usize) -> Tokenizer {
        let description = Description {
            is_byte_level: false,
            added: (0..before as u32).collect(),
            special: (0..before as u32).collect(),
            words: WordMark::Start,
            unknown: None,
            around: None,
        };
        Tokenizer::new(Patches(self.clone()), description)
    }
}

/// The patches of pictures as tokens.
#[derive(Debug)]
struct Patches(Gallery);

impl Segmenter for Patches {
    fn encode(&self, text: &str, _adds_special: bool) -> Result<Vec<u32>, ModelError> {
        let shown = self.0.choose(text)?;
        Ok((0..shown.grid.tokens() as u32).collect())
    }

    fn stretches(&self, _text: &str, _id: u32) -> Result<Vec<String>, ModelError> {
        Ok(vec![])
    }

    fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        let pieces = ids.iter().filter_map(|&id| self.piece(id));
        Ok(pieces.collect::<Vec<_>>().join(" "))
    }

    /// Returns the row and the column of a patch, counted from 1, as in `3,5`.
    fn piece(&self, id: u32) -> Option<String> {
        let grid = self.0.grid()?;
        let token = id as usize;
        match grid.place(token) {
            // Each patch is a word by itself.
            Some([row, column]) => Some(format!("▁{},{}", row + 1, column + 1)),
            None if token == 0 => Some("[class]".to_owned()),
            None if token < grid.before => Some(format!("[register {token}]")),
            None => None,
        }
    }

    fn id(&self, piece: &str) -> Option<u32> {
        let count = self.vocabulary() as u32;
        (0..count).find(|&id| self.piece(id).as_deref() == Some(piece))
    }

    fn vocabulary(&self) -> usize {
        self.0.grid().map_or(0, |grid| grid.tokens())
    }
}
