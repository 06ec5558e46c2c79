//! Parameters of chapter "image".

use attention_core::state::{AddressValue, Counted, Entry, Parameters, Reader, Writer};
use attention_trace::lessons::Picture;

/// What pointer and keys do on the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PictureTool {
    /// They choose the position that looks.
    #[default]
    Look,
    /// They draw.
    Draw,
}

impl AddressValue for PictureTool {
    const VALUES: &'static [(Self, &'static str)] =
        &[(PictureTool::Look, "look"), (PictureTool::Draw, "draw")];
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageLab {
    /// The test picture, from 0; too large a number means the first.
    pub sample: usize,
    /// What the visitor has drawn; it takes the test picture's place.
    pub drawn: Option<Picture>,
    /// The position that looks, from 0, row by row.
    pub cell: usize,
    /// What pointer and keys do on the picture.
    pub tool: PictureTool,
    /// The grey level that is drawn with.
    pub ink: usize,
    /// Whether colours are on the scale from 0 to 1, not to the largest weight of the position.
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
    /// The lightest and the darkest level that is drawn with; 0 takes ink away.
    pub const INKS: (usize, usize) = (0, Picture::INK as usize);
    /// The first and the last position.
    const CELLS: (usize, usize) = (0, Picture::CELLS - 1);
}

impl Parameters for ImageLab {
    const CHAPTER: &'static str = "image";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("picture").counting(Counted::All),
        Entry::named("image-cell").counting(Counted::All),
    ];

    fn write(&self, fragment: &mut Writer) {
        let standard = ImageLab::default();
        fragment.number("picture", self.sample, standard.sample);
        fragment.text("drawn", &spelled(self.drawn.as_ref()), "");
        fragment.number("image-cell", self.cell, standard.cell);
        fragment.choice("image-tool", self.tool, standard.tool);
        fragment.number("image-ink", self.ink, standard.ink);
        fragment.number("image-absolute", u8::from(self.absolute), 0);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = ImageLab::default();
        ImageLab {
            sample: fragment.number("picture").unwrap_or(standard.sample),
            drawn: fragment.parsed("drawn", read),
            cell: fragment
                .within("image-cell", Self::CELLS)
                .unwrap_or(standard.cell),
            tool: fragment.choice("image-tool").unwrap_or(standard.tool),
            ink: fragment
                .within("image-ink", Self::INKS)
                .unwrap_or(standard.ink),
            absolute: fragment.flag("image-absolute").unwrap_or_default(),
        }
    }
}

/// A digit of base 17 for each cell.
fn spelled(picture: Option<&Picture>) -> String {
    let levels = picture.map_or(&[][..], Picture::levels);
    let digit = |&level: &u8| char::from_digit(level.into(), 17);
    levels.iter().filter_map(digit).collect()
}

fn read(text: &str) -> Option<Picture> {
    let level = |digit: char| digit.to_digit(17).map(|level| level as u8);
    let levels = text.chars().map(level).collect::<Option<Vec<u8>>>()?;
    Picture::new(levels).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

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
