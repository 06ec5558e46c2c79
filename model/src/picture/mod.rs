//! Pictures that a model reads: their pixels, the way to the model's input, and the pictures that it has been shown.

mod filter;
mod gallery;
#[cfg(feature = "cli")]
mod open;
mod processor;
mod resample;

use attention_trace::PictureGrid;
use burn::prelude::*;

use crate::error::ModelError;

pub use self::filter::Filter;
pub(crate) use self::filter::{cubic, weights};
pub use self::gallery::{Gallery, Shown};
#[cfg(feature = "cli")]
pub use self::open::open;
pub use self::processor::{Defaults, Processor};

/// The name of the file beside the weights that describes the way from a picture to the model's input.
pub const PREPROCESSOR_FILE: &str = "preprocessor_config.json";

/// The colours of a pixel.
const CHANNELS: usize = 3;

/// The pixels of a picture, 8 bits for each of red, green and blue, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Picture {
    /// Creates a picture of `width × height` pixels, `rgb` being `[height, width, 3]`.
    ///
    /// # Errors
    /// If it has no pixels, or not three bytes for each.
    pub fn new(width: usize, height: usize, rgb: Vec<u8>) -> Result<Self, ModelError> {
        let bytes = width
            .checked_mul(height)
            .and_then(|it| it.checked_mul(CHANNELS));
        match bytes {
            Some(bytes) if bytes > 0 && bytes == rgb.len() => Ok(Picture { width, height, rgb }),
            _ => Err(ModelError::Picture(format!(
                "{} bytes are not three for each of {width} × {height} pixels",
                rgb.len()
            ))),
        }
    }

    /// Creates a picture from pixels with an opacity, `[height, width, 4]`, which is left out as in `transformers`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn from_rgba(width: usize, height: usize, rgba: &[u8]) -> Result<Self, ModelError> {
        let colours = rgba
            .chunks_exact(4)
            .flat_map(|pixel| &pixel[..CHANNELS])
            .copied();
        Self::new(width, height, colours.collect())
    }

    /// Returns width and height in pixels.
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }
}

/// The numbers that a model reads of a picture, and the part of the picture that they are of.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// The numbers, `[3, height, width]`.
    pub data: Vec<f32>,
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// Width and height of the picture in pixels.
    pub size_px: [usize; 2],
    /// Width and height in pixels to which the picture was resized.
    pub resized_px: [usize; 2],
    /// The left and top edge of the numbers in the resized picture, in pixels; negative where padding precedes it.
    pub corner_px: [i64; 2],
}

impl Pixels {
    /// Returns the numbers of a picture of 2 × 3 patches for checks, no two patches being alike.
    pub(crate) fn test_pattern(patch_px: usize) -> Self {
        let (width, height) = (3 * patch_px, 2 * patch_px);
        let data = (0..CHANNELS * width * height).map(|at| (at as f32 * 0.37).sin());
        Pixels {
            data: data.collect(),
            width,
            height,
            size_px: [width, height],
            resized_px: [width, height],
            corner_px: [0, 0],
        }
    }
}

/// A model that reads pictures: its tokens are patches.
pub trait PictureModel {
    /// Returns the pictures that the model has been shown.
    fn gallery(&self) -> &Gallery;

    /// Shows the model a picture, which it then reads by that name.
    ///
    /// # Errors
    /// If the model reads no pictures of that size.
    fn show(&self, name: &str, pixels: &Pixels) -> Result<PictureGrid, ModelError>;

    /// Returns the preprocessing of a checkpoint that does not describe its own.
    fn defaults(&self) -> Defaults;

    /// Computes the logits of the classes from final states, `[batch, tokens, width]` to `[batch, classes]`; `None`
    /// without a head that classifies.
    fn label_logits(&self, states: Tensor<3>) -> Option<Tensor<2>>;

    /// Returns the name of a class.
    fn label(&self, class: u32) -> String;
}
