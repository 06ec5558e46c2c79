//! The table of sizes that a visitor downloads.

use std::{fmt::Write, fs, path::Path};

use super::entry::Entry;
use crate::error::Error;

/// One line per served file: its size as it is, with gzip, and with brotli.
///
/// # Errors
/// If a file of `dist` cannot be read.
pub fn table(dist: &Path, entries: &[Entry]) -> Result<String, Error> {
    let mut text = format!(
        "{:<46} {:>10} {:>10} {:>10}\n",
        "file", "raw", "gzip", "brotli"
    );
    for entry in entries.iter().filter(|entry| !is_sidecar(&entry.to)) {
        let path = dist.join(&entry.to);
        let bytes = fs::metadata(&path)
            .map_err(Error::file("read", &path))?
            .len();
        let compressed = |ending| {
            let sidecar = dist.join(format!("{}.{ending}", entry.to));
            fs::metadata(sidecar).map_or_else(|_| "-".to_owned(), |found| kilobytes(found.len()))
        };
        let (gzip, brotli) = (compressed("gz"), compressed("br"));
        let raw = kilobytes(bytes);
        let written = writeln!(text, "{:<46} {raw:>10} {gzip:>10} {brotli:>10}", entry.name);
        debug_assert!(written.is_ok(), "a string takes all that is written to it");
    }
    Ok(text)
}

fn is_sidecar(address: &str) -> bool {
    address.ends_with(".br") || address.ends_with(".gz")
}

fn kilobytes(bytes: u64) -> String {
    format!("{:.1} kB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_three_sizes() -> Result<(), Box<dyn std::error::Error>> {
        let dist = tempfile::tempdir()?;
        for (name, bytes) in [("page.js", 2_500), ("page.js.br", 500), ("page.js.gz", 640)] {
            fs::write(dist.path().join(name), vec![0; bytes])?;
        }
        let entries = super::super::entry::tree(dist.path(), "")?;
        let table = table(dist.path(), &entries)?;
        let lines: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1], ["page.js", "2.5", "kB", "0.6", "kB", "0.5", "kB"]);
        Ok(())
    }
}
