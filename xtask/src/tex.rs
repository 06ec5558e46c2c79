//! The TikZ files of the figures, compiled by a TeX of the system.

use crate::{
    error::Error,
    process::{command, is_ci, run, succeeds, variable},
    setup::find_or_install,
    workspace::Workspace,
};

/// Debian's packages of what the tests start, 110 MB to download, with the option that leaves manuals out.
const PACKAGES: &str = "--no-install-recommends texlive-luatex texlive-latex-recommended texlive-pictures lmodern poppler-utils fontconfig \
    fonts-wqy-zenhei";

/// Compiles the files and compares what is drawn with their numbers; on CI it installs a TeX where there is none.
/// Returns what was skipped, a line each.
///
/// # Errors
/// If a file does not compile, or draws something else.
pub fn test(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let is_there = || is_complete().then_some(());
    // That is much for a machine that somebody works on.
    let found = match is_ci(variable("CI").as_deref()) {
        true => find_or_install(workspace, PACKAGES, is_there),
        false => is_there(),
    };
    if found.is_none() {
        return Ok(vec![missing()]);
    }
    run(&mut command("node", &["--test"], &workspace.tex()))?;
    Ok(Vec::new())
}

/// True if LuaLaTeX and pdfLaTeX with pgfplots are there, Poppler, and a font with Chinese characters.
fn is_complete() -> bool {
    let needed: [(&str, &[&str]); 6] = [
        ("lualatex", &["--version"]),
        ("pdflatex", &["--version"]),
        (
            "kpsewhich",
            &["pgfplots.sty", "lmroman10-regular.otf", "fontspec.sty"],
        ),
        ("pdftocairo", &["-v"]),
        ("pdftotext", &["-v"]),
        ("fc-list", &["--quiet", ":lang=zh-cn:outline=true"]),
    ];
    needed
        .iter()
        .all(|(program, arguments)| succeeds(program, arguments))
}

/// Returns the line for a missing TeX. It is no error anywhere: nothing but these tests needs one.
fn missing() -> String {
    format!(
        "SKIPPED the TikZ files in TeX: they need LuaLaTeX with pgfplots, Poppler and a Chinese font (Debian: apt-get install {PACKAGES})"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tex_is_a_loud_line_that_says_what_to_install() {
        let line = missing();
        assert!(line.starts_with("SKIPPED the TikZ files"), "{line}");
        assert!(line.contains("texlive-pictures"), "{line}");
    }
}
