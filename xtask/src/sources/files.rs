//! The files of the repository that people write.

use std::{fs, path::Path};

use crate::error::Error;

/// Folders at the root that builds and runs fill.
const MADE: [&str; 3] = ["target", "dist", "runs"];

/// Folders that package managers and interpreters fill, wherever they are.
const INSTALLED: [&str; 2] = ["node_modules", "__pycache__"];

/// The paths of all files below `root`, in order, relative to it and with `/` between the parts; without hidden files and
/// what programs make.
///
/// # Errors
/// If a folder cannot be listed.
pub fn written(root: &Path) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    collect(root, "", &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<String>) -> Result<(), Error> {
    for item in fs::read_dir(folder).map_err(Error::file("list", folder))? {
        let item = item.map_err(Error::file("list", folder))?;
        let name = item.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if name.starts_with('.') || MADE.contains(&path.as_str()) || INSTALLED.contains(&&*name) {
            continue;
        }
        let kind = item
            .file_type()
            .map_err(Error::file("read", &item.path()))?;
        if kind.is_dir() {
            collect(&item.path(), &format!("{path}/"), files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_programs_make_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        for path in [
            "app/src/runs/one.rs",
            "target/debug/two.rs",
            "xtask/node_modules/three.ts",
            ".git/four",
            "README.md",
        ] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let files = written(root.path()).unwrap();
        assert_eq!(files, ["README.md", "app/src/runs/one.rs"]);
    }
}
