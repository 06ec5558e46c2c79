//! The places of files in the repository.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The directories that tasks work in.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The folder of the repository.
    pub root: PathBuf,
}

impl Workspace {
    /// The workspace this program was compiled in.
    pub fn new() -> Self {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        Self {
            root: manifest.parent().unwrap_or(manifest).to_owned(),
        }
    }

    /// The served files: the page, the engines, the models.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// Results of slow build steps, kept between runs.
    pub fn cache(&self) -> PathBuf {
        self.target().join("xtask")
    }

    /// The directory that cargo builds in.
    pub fn target(&self) -> PathBuf {
        env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| self.root.join("target"), |path| self.root.join(path))
    }

    /// The folder that a build's npm packages are installed in.
    pub fn npm(&self) -> PathBuf {
        self.root.join("xtask")
    }

    /// The journeys through the page.
    pub fn journeys(&self) -> PathBuf {
        self.root.join("tests/e2e")
    }

    /// The report of the journeys, which `tests/e2e/playwright.config.ts` has written.
    pub fn journeys_report(&self) -> PathBuf {
        self.root.join("target/journeys.json")
    }

    /// The core journeys in Firefox and WebKitGTK.
    pub fn browsers(&self) -> PathBuf {
        self.root.join("tests/browsers")
    }

    /// The published models that a page may offer.
    pub fn offered(&self) -> PathBuf {
        self.root.join("xtask/offered")
    }

    /// The test of how browsers read `tokenizer.json`.
    pub fn tokenizer(&self) -> PathBuf {
        self.root.join("tests/tokenizer")
    }

    /// The test of scripts that get files as they were published.
    pub fn scripts(&self) -> PathBuf {
        self.root.join("tests/scripts")
    }

    /// The test of TikZ files in TeX.
    pub fn tex(&self) -> PathBuf {
        self.root.join("tests/tex")
    }

    /// The cases of the bench and the code that measures them.
    pub fn bench(&self) -> PathBuf {
        self.root.join("tests/bench")
    }

    /// The folder of the Python package.
    pub fn python(&self) -> PathBuf {
        self.root.join("python")
    }

    /// The folder that the tests of the Python package write: the wheel, the installed package, pages for Chromium.
    pub fn python_made(&self) -> PathBuf {
        self.root.join("target/python")
    }

    /// The folder of the documents.
    pub fn docs(&self) -> PathBuf {
        self.root.join("docs")
    }
}
