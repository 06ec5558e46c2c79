//! Programs that compute a formula: put together from a head, helpers and a body, with the sizes of a pass in their places.
//!
//! A folder has `LIBRARY/NAME.EXTENSION` with the body of each program, and `helpers/LIBRARY/` with `head` and the functions
//! that bodies call. A program gets the functions that it calls and no others.

use std::{collections::BTreeMap, fs, io, path::Path};

use serde::{Deserialize, Serialize};

use crate::{Stack, TraceMeta};

/// A library in which formulas are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Library {
    /// NumPy, arrays in Python.
    NumPy,
    /// burn, tensors in Rust.
    Burn,
    /// PyTorch, tensors in Python.
    PyTorch,
}

impl Library {
    /// All libraries, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::NumPy, Self::Burn, Self::PyTorch];

    /// The name as its authors write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NumPy => "NumPy",
            Self::Burn => "burn",
            Self::PyTorch => "PyTorch",
        }
    }

    /// The name in addresses and of folders.
    pub fn key(self) -> &'static str {
        match self {
            Self::NumPy => "numpy",
            Self::Burn => "burn",
            Self::PyTorch => "pytorch",
        }
    }

    /// The ending of a program's file, without the point.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Burn => "rs",
            Self::NumPy | Self::PyTorch => "py",
        }
    }

    /// The mark before a comment.
    pub fn comment(self) -> &'static str {
        match self {
            Self::Burn => "//",
            Self::NumPy | Self::PyTorch => "#",
        }
    }

    /// Returns a program: the head, the helpers that the body calls, and the body. Helpers are pairs of name and code.
    fn assemble(self, head: &str, helpers: &[(String, String)], body: &str) -> String {
        let is_called = |name: &str| body.contains(&format!("{name}("));
        let called = helpers.iter().filter(|(name, _)| is_called(name));
        let mut parts = vec![head.trim_end().to_owned()];
        parts.extend(called.map(|(_, code)| code.trim_end().to_owned()));
        let between = match self {
            Self::Burn => {
                parts.push(format!("fn main() {{\n{}\n}}", indented(body.trim_end())));
                "\n\n"
            }
            Self::NumPy | Self::PyTorch => {
                parts.push(body.trim_end().to_owned());
                "\n\n\n"
            }
        };
        parts.join(between) + "\n"
    }
}

fn indented(body: &str) -> String {
    let lines = body.lines().map(|line| match line {
        "" => String::new(),
        line => format!("    {line}"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Programs with places for sizes, by name and library.
pub type Templates = BTreeMap<String, BTreeMap<Library, String>>;

/// Reads the programs of a folder and puts them together.
///
/// # Errors
/// If a folder or a file cannot be read.
pub fn read(folder: &Path) -> io::Result<Templates> {
    let mut templates = Templates::new();
    for library in Library::ALL {
        let mut helpers = files(&folder.join("helpers").join(library.key()))?;
        let head = helpers.remove("head").unwrap_or_default();
        let helpers: Vec<_> = helpers.into_iter().collect();
        for (name, body) in files(&folder.join(library.key()))? {
            let template = library.assemble(&head, &helpers, &body);
            templates.entry(name).or_default().insert(library, template);
        }
    }
    Ok(templates)
}

/// The texts of a folder's files, by the name before the ending.
fn files(folder: &Path) -> io::Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some(name) = path.file_stem().and_then(|name| name.to_str()) {
            texts.insert(name.to_owned(), fs::read_to_string(&path)?);
        }
    }
    Ok(texts)
}

/// The sizes in a program's places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The number of tokens, `{{n}}`.
    pub tokens: usize,
    /// The width of a token's vector, `{{d}}`.
    pub width: usize,
    /// The number of heads, `{{h}}`.
    pub heads: usize,
    /// The width of a head's queries and keys, `{{d_k}}`.
    pub head_width: usize,
}

impl Sizes {
    /// Returns the sizes of a pass: the tokens that its first stack reads, and the heads of that stack. A model without
    /// heads counts as one with a single head of the model's width.
    pub fn of(meta: &TraceMeta) -> Self {
        let spec = &meta.spec;
        let first = match spec.encoder {
            Some(_) => Stack::Encoder,
            None => Stack::Decoder,
        };
        let stack = spec.stack(first).filter(|stack| stack.heads > 0);
        let tokens = match first {
            Stack::Encoder => meta.source.len(),
            Stack::Decoder => meta.target.len(),
        };
        Sizes {
            tokens: tokens.max(1),
            width: spec.width,
            heads: stack.map_or(1, |stack| stack.heads),
            head_width: stack.map_or(spec.width, |stack| stack.head_width),
        }
    }

    /// Returns a program with the sizes in its places.
    pub fn fill(&self, template: &str) -> String {
        let sizes = [
            ("{{n}}", self.tokens),
            ("{{d}}", self.width),
            ("{{h}}", self.heads),
            ("{{d_k}}", self.head_width),
        ];
        let with =
            |text: String, (place, size): (&str, usize)| text.replace(place, &size.to_string());
        sizes.into_iter().fold(template.to_owned(), with)
    }
}

impl Default for Sizes {
    /// Sizes that are small enough to be read, for the time before there is a pass.
    fn default() -> Self {
        Sizes {
            tokens: 5,
            width: 16,
            heads: 2,
            head_width: 8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_has_the_helpers_that_it_calls() {
        let helpers = [
            ("show", "def show(): ..."),
            ("softmax", "def softmax(): ..."),
        ];
        let helpers = helpers.map(|(name, code)| (name.to_owned(), code.to_owned()));
        let python = Library::NumPy.assemble("import numpy\n", &helpers, "show(1)\n");
        assert_eq!(python, "import numpy\n\n\ndef show(): ...\n\n\nshow(1)\n");
        let rust = Library::Burn.assemble("use burn;\n", &helpers, "let a = 1;\n\nb(a);\n");
        assert_eq!(
            rust,
            "use burn;\n\nfn main() {\n    let a = 1;\n\n    b(a);\n}\n"
        );
    }

    #[test]
    fn every_place_is_filled() {
        let filled = Sizes::default().fill("{{n}} × {{d}}, {{h}}, {{d_k}}");
        assert_eq!(filled, "5 × 16, 2, 8");
    }
}
