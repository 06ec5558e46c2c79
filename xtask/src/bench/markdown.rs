//! Tables, and the places in documents where they go.

use std::{fs, path::Path};

use crate::error::Error;

/// A Markdown table; its first column is text, the others are figures.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|&cell| cell.to_owned()).collect();
    let rule: Vec<String> = (0..head.len())
        .map(|column| if column == 0 { "---" } else { "---:" }.to_owned())
        .collect();
    [line(&head), line(&rule)]
        .into_iter()
        .chain(rows.iter().map(|row| line(row)))
        .collect()
}

/// Puts `text` between the comments `<!-- NAME:begin -->` and `<!-- NAME:end -->` of a document.
///
/// # Errors
/// If the document cannot be read or written, or lacks them.
pub fn replace(path: &Path, name: &str, text: &str) -> Result<(), Error> {
    let document = fs::read_to_string(path).map_err(Error::file("read", path))?;
    let replaced = replaced(&document, name, text).ok_or_else(|| Error::NoMarkers {
        path: path.to_owned(),
        name: name.to_owned(),
    })?;
    fs::write(path, replaced).map_err(Error::file("write", path))
}

fn replaced(document: &str, name: &str, text: &str) -> Option<String> {
    let (begin, end) = (
        format!("<!-- {name}:begin -->\n"),
        format!("<!-- {name}:end -->"),
    );
    let (before, rest) = document.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n{}\n\n{end}{after}", text.trim()))
}

/// A time with three digits that count.
pub fn milliseconds(ms: f64) -> String {
    match ms {
        ms if ms >= 10_000.0 => format!("{:.1} s", ms / 1000.0),
        ms if ms >= 1_000.0 => format!("{:.2} s", ms / 1000.0),
        ms if ms >= 100.0 => format!("{ms:.0} ms"),
        ms if ms >= 10.0 => format!("{ms:.1} ms"),
        ms => format!("{ms:.2} ms"),
    }
}

/// A size in megabytes of 10⁶.
pub fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes >= 100.0 {
        format!("{megabytes:.0} MB")
    } else {
        format!("{megabytes:.2} MB")
    }
}

/// A size in gigabytes of 10⁹.
pub fn gigabytes(bytes: u64) -> String {
    format!("{:.0} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_head_a_rule_and_rows() {
        let rows = [vec!["tiny".to_owned(), "6.5 ms".to_owned()]];
        assert_eq!(
            table(&["case", "ours"], &rows),
            "| case | ours |\n| --- | ---: |\n| tiny | 6.5 ms |\n"
        );
    }

    #[test]
    fn only_what_is_between_the_comments_changes() {
        let document = "# A\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n";
        let once = replaced(document, "bench", "new\n").unwrap();
        assert_eq!(
            once,
            "# A\n<!-- bench:begin -->\n\nnew\n\n<!-- bench:end -->\nafter\n"
        );
        assert_eq!(replaced(&once, "bench", "new\n").unwrap(), once);
        assert_eq!(replaced(document, "growth", "new"), None);
    }

    #[test]
    fn figures_are_as_exact_as_they_can_be_read() {
        let times = [6.123, 61.23, 612.3, 6123.0, 61230.0].map(milliseconds);
        assert_eq!(times, ["6.12 ms", "61.2 ms", "612 ms", "6.12 s", "61.2 s"]);
        assert_eq!(megabytes(612_000_000), "612 MB");
        assert_eq!(megabytes(770_474), "0.77 MB");
    }
}
