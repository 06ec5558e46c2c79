//! `cargo xtask census`: counts what the repository consists of, so that two states of it can be compared.

mod count;
mod names;
mod room;
mod silence;
mod table;

use std::path::PathBuf;

use clap::Args;

use self::{count::count, table::table};
use crate::{error::Error, workspace::Workspace};

/// The form of the numbers.
#[derive(Args)]
pub struct Options {
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
    /// Count another checkout than this one
    #[arg(long, value_name = "FOLDER")]
    of: Option<PathBuf>,
}

/// Counts and prints.
///
/// # Errors
/// If a file cannot be read, or git does not answer.
pub fn census(workspace: &Workspace, options: &Options) -> Result<(), Error> {
    let root = options.of.as_deref().unwrap_or(&workspace.root);
    let census = count(root)?;
    match options.json {
        true => println!("{}", serde_json::to_string_pretty(&census)?),
        false => print!("{}", table(&census)),
    }
    Ok(())
}
