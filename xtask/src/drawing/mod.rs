//! `cargo xtask drawing`: how fast the page draws a long text, in a browser that records itself.
//!
//! The model is made up, because no shipped one has twelve layers of twelve heads or reads 512
//! tokens: random weights in the sentence model's place, in a copy of the page beside `dist/`.

mod checkpoint;

use std::fs;

use crate::{
    bundle::{self, Mode},
    error::Error,
    test,
    workspace::Workspace,
};

/// Builds the copy with the made-up model, and measures in it.
///
/// # Errors
/// If something cannot be built, or the page does not draw at all; a slow picture is no error.
pub fn measure(workspace: &Workspace) -> Result<(), Error> {
    let directory = workspace.cache().join("drawing");
    let model = directory.join("model");
    fs::create_dir_all(&model).map_err(Error::file("make", &model))?;
    for (name, contents) in checkpoint::files()? {
        let path = model.join(name);
        fs::write(&path, contents).map_err(Error::file("write", &path))?;
    }
    let dist = directory.join("dist");
    bundle::build_with(workspace, Mode::Release, &dist, "models/sentences/", &model)?;
    test::playwright(
        workspace,
        &["test", "--config", "drawing.config.ts"],
        Some(&dist),
    )
}
