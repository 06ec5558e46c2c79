//! Parameters of chapter "image".

use attention_core::state::{AddressValue, Counted, Entry, Parameters, flat};
use attention_trace::lessons::Picture;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A way of using pointer and keys on the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureTool {
    /// Pointer and keys choose the query position.
    #[default]
    Look,
    /// Pointer and keys draw on the picture.
    Draw,
}

impl AddressValue for PictureTool {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ImageLab {
    /// The number of the test picture, from 0; too large a number stands for the first picture.
    #[serde(rename = "picture")]
    pub sample: usize,
    /// The visitor's drawing, which replaces the test picture.
    #[serde(rename = "drawn", serialize_with = "spell", deserialize_with = "read")]
    pub drawn: Option<Picture>,
    /// The query position, from 0, row by row.
    #[serde(rename = "image-cell")]
    pub cell: usize,
    /// The tool that pointer and keys use on the picture.
    #[serde(rename = "image-tool")]
    pub tool: PictureTool,
    /// The grey level to draw with, 0 for paper.
    #[serde(rename = "image-ink")]
    pub ink: usize,
    /// True if the colour scale ends at 1, false if it ends at the largest weight of the position.
    #[serde(rename = "image-absolute")]
    pub absolute: bool,
}

impl Default for ImageLab {
    fn default() -> Self {
        ImageLab {
            sample: 0,
            drawn: None,
            // In row 4, column 4: inside of most digits.
            cell: 27,
            tool: PictureTool::default(),
            ink: Self::INKS.1,
            absolute: false,
        }
    }
}

impl ImageLab {
    /// The lightest and the darkest level to draw with; 0 removes ink.
    pub const INKS: (usize, usize) = (0, Picture::INK as usize);
    /// The first and the last position.
    const CELLS: (usize, usize) = (0, Picture::CELLS - 1);
}

impl Parameters for ImageLab {
    const CHAPTER: &'static str = "image";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("picture").counting(Counted::All),
        Entry::named("image-cell")
            .counting(Counted::All)
            .within(Self::CELLS.0 as f64, Self::CELLS.1 as f64),
        Entry::named("image-ink").within(Self::INKS.0 as f64, Self::INKS.1 as f64),
    ];
}

/// Spells a picture with a digit of base 17 for each cell.
fn spell<S: Serializer>(picture: &Option<Picture>, to: S) -> Result<S::Ok, S::Error> {
    let Some(picture) = picture else {
        return to.serialize_none();
    };
    let digit = |&level: &u8| char::from_digit(level.into(), 17);
    let digits: String = picture.levels().iter().filter_map(digit).collect();
    to.serialize_str(&digits)
}

fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Picture>, D::Error> {
    let level = |digit: char| digit.to_digit(17).map(|level| level as u8);
    flat::parsed(from, |text| {
        let levels = text.chars().map(level).collect::<Option<Vec<u8>>>()?;
        // No picture: the entry is refused.
        Picture::new(levels).ok().map(Some)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;
    use attention_core::state::Reader;

    fn picture() -> impl Strategy<Value = Picture> {
        proptest::collection::vec(0..=Picture::INK, Picture::CELLS)
            .prop_map(|levels| Picture::new(levels).unwrap())
    }

    prop_compose! {
        pub fn image()(
            sample in any::<usize>(),
            drawn in proptest::option::of(picture()),
            cell in 0usize..Picture::CELLS,
            tool in choice::<PictureTool>(),
            ink in 0usize..=16,
            absolute in any::<bool>(),
        ) -> ImageLab {
            ImageLab { sample, drawn, cell, tool, ink, absolute }
        }
    }

    #[test]
    fn what_is_no_picture_is_not_shown() {
        for drawn in ["", "01", &"h".repeat(64), &"0".repeat(65)] {
            let lab = ImageLab::read(&Reader::new(&format!("drawn={drawn}&image-cell=64")));
            assert_eq!(lab, ImageLab::default(), "{drawn}");
        }
        let dark = ImageLab::read(&Reader::new(&format!("drawn={}", "g".repeat(64))));
        assert_eq!(dark.drawn.unwrap().levels(), [16; 64]);
    }
}
