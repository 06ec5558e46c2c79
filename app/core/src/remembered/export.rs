//! The form in which figures are exported.

use attention_figures::export::{Page, Width};

use super::storage::{read, write};

const EXPORT: &str = "attention-scope.export";
const SEPARATOR: char = '.';

/// The largest number of pixels of a PNG file for each CSS pixel.
pub const MOST_PNG_SCALE: u32 = 4;

/// The choices of the export sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExportChoices {
    /// The size and the ground of the figure.
    pub page: Page,
    /// The number of pixels of a PNG file for each CSS pixel, from 1 to [`MOST_PNG_SCALE`].
    pub png_scale: u32,
    /// True if SVG files contain the font of their text.
    pub has_font: bool,
}

/// A PNG file is fit for print at first.
impl Default for ExportChoices {
    fn default() -> Self {
        ExportChoices {
            page: Page::default(),
            png_scale: MOST_PNG_SCALE,
            has_font: false,
        }
    }
}

/// Returns the choices of the last export.
pub fn export_choices() -> ExportChoices {
    read(EXPORT)
        .and_then(|kept| parsed(&kept))
        .unwrap_or_default()
}

/// Stores the choices for the next export.
pub fn keep_export_choices(choices: ExportChoices) {
    write(EXPORT, &spelled(choices));
}

fn spelled(choices: ExportChoices) -> String {
    let ExportChoices {
        page,
        png_scale,
        has_font,
    } = choices;
    let parts = [
        (page.width == Width::TwoColumns).to_string(),
        page.is_transparent.to_string(),
        png_scale.to_string(),
        has_font.to_string(),
    ];
    parts.join(&SEPARATOR.to_string())
}

/// Parses stored choices; `None` if another build wrote something else.
fn parsed(kept: &str) -> Option<ExportChoices> {
    let parts: Vec<&str> = kept.split(SEPARATOR).collect();
    let &[is_wide, is_transparent, png_scale, has_font] = parts.as_slice() else {
        return None;
    };
    let is = |part: &str| part == "true";
    let png_scale = (1..=MOST_PNG_SCALE).find(|scale| scale.to_string() == png_scale)?;
    Some(ExportChoices {
        page: Page {
            width: Width::ALL[usize::from(is(is_wide))],
            is_transparent: is(is_transparent),
        },
        png_scale,
        has_font: is(has_font),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_as_they_were_kept() {
        for width in Width::ALL {
            for is_transparent in [false, true] {
                for (png_scale, has_font) in
                    (1..=MOST_PNG_SCALE).flat_map(|it| [(it, true), (it, false)])
                {
                    let page = Page {
                        width,
                        is_transparent,
                    };
                    let choices = ExportChoices {
                        page,
                        png_scale,
                        has_font,
                    };
                    assert_eq!(parsed(&spelled(choices)), Some(choices));
                }
            }
        }
        for other in [
            "",
            "true",
            "true.false.1",
            "true.false.9.true",
            "true.false.x.true",
        ] {
            assert_eq!(parsed(other), None, "{other}");
        }
    }
}
