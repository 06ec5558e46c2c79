//! A view as a small file, for what is too long for a link.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::View;

/// The ending of the names of such files.
pub const VIEW_FILE: &str = ".view.json";
/// The length in bytes from which mail and chat programs cut links.
pub const LONG_LINK_BYTES: usize = 2_000;
/// The part of such a name by which the file is known, also where a browser has put a number behind it.
const MARK: &str = ".view";
/// The version of the format.
const VERSION: u32 = 1;

/// The contents of the file: the view as the fragment of an address.
#[derive(Serialize, Deserialize)]
struct ViewFile {
    /// The version of the format.
    attention_scope_view: u32,
    /// The fragment of the page's address, without `#`.
    fragment: String,
}

/// A file that holds no view.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ViewFileError {
    /// Not the JSON of a view.
    #[error("no view: {reason}")]
    Json {
        /// The message of the reader.
        reason: String,
    },
    /// Written by a newer edition of the page.
    #[error("the view has version {found}, and this page reads up to {VERSION}")]
    Version {
        /// The version of the file.
        found: u32,
    },
}

/// True if a file of this name is to hold a view.
pub fn names_view(name: &str) -> bool {
    name.ends_with(".json") && name.contains(MARK)
}

impl View {
    /// Returns the view as the contents of a file.
    ///
    /// # Errors
    /// If the contents cannot be written as JSON.
    pub fn to_file(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(&ViewFile {
            attention_scope_view: VERSION,
            fragment: self.to_fragment(),
        })
    }

    /// Returns the view that a file holds; entries that are not understood are left out, as in an address.
    ///
    /// # Errors
    /// If the file holds none, or one of a newer version.
    pub fn from_file(contents: &str) -> Result<View, ViewFileError> {
        let file: ViewFile =
            serde_json::from_str(contents).map_err(|error| ViewFileError::Json {
                reason: error.to_string(),
            })?;
        match file.attention_scope_view {
            VERSION => Ok(View::from_fragment(&file.fragment)),
            found => Err(ViewFileError::Version { found }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_read_as_it_is_written() {
        let view = View {
            text: "Je suis \"étudiant\". 学生".repeat(300),
            ..View::default()
        };
        let file = view.to_file().unwrap();
        assert!(file.len() > LONG_LINK_BYTES);
        assert_eq!(View::from_file(&file), Ok(view));
    }

    #[test]
    fn a_file_is_known_by_its_name() {
        assert!(names_view(&format!("class{VIEW_FILE}")));
        assert!(names_view("class.view (1).json"));
        assert!(!names_view("config.json"));
        assert!(!names_view("class.view.safetensors"));
    }

    #[test]
    fn what_is_no_view_is_refused() {
        for other in ["", "{}", "[1]", r#"{"attention_scope_view": "1"}"#] {
            let read = View::from_file(other);
            assert!(matches!(read, Err(ViewFileError::Json { .. })), "{other}");
        }
        let newer = r#"{"attention_scope_view": 2, "fragment": ""}"#;
        assert_eq!(
            View::from_file(newer),
            Err(ViewFileError::Version { found: 2 })
        );
    }
}
