//! The edition of a build: its version and date, and the addresses of its source and of whoever runs it.

use serde::Serialize;

use crate::{
    error::printed,
    process::{command, read, variable},
    workspace::Workspace,
};

/// The address of the source, which a deployment sets.
const SOURCE: &str = "ATTENTION_SCOPE_SOURCE";
/// The address, of a page or for mail, at which a deployment hears of problems.
const CONTACT: &str = "ATTENTION_SCOPE_CONTACT";

/// An edition. What is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Edition {
    /// The version in the root `Cargo.toml`.
    pub number: &'static str,
    /// The day of the last commit, as `2026-11-27`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contact: Option<String>,
}

impl Edition {
    /// The edition of this checkout; it has no date outside of a git repository.
    pub fn of(workspace: &Workspace) -> Self {
        let arguments = ["log", "-1", "--format=%cs"];
        let date = printed(read(&mut command("git", &arguments, &workspace.root)));
        Edition {
            number: env!("CARGO_PKG_VERSION"),
            date: date
                .map(|date| date.trim().to_owned())
                .filter(|date| !date.is_empty()),
            source: address(variable(SOURCE)),
            contact: address(variable(CONTACT)),
        }
    }
}

/// An address that the page may lead to.
fn address(text: Option<String>) -> Option<String> {
    text.filter(|text| {
        let leads = |scheme: &str| text.starts_with(scheme);
        leads("https://") || leads("mailto:")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_leads_to_pages_and_mail_alone() {
        let kept = |text: &str| address(Some(text.to_owned())).is_some();
        assert!(kept("https://example.org/issues") && kept("mailto:scope@example.org"));
        assert!(!kept("javascript:alert(1)") && !kept(""));
    }

    #[test]
    fn the_citation_names_the_version() -> std::io::Result<()> {
        let citation = std::fs::read_to_string(Workspace::new().root.join("CITATION.cff"))?;
        let version = format!("\nversion: {}\n", env!("CARGO_PKG_VERSION"));
        assert!(citation.contains(&version), "{citation}");
        Ok(())
    }

    #[test]
    fn an_edition_has_the_version_of_the_workspace() {
        let Edition { number, date, .. } = Edition::of(&Workspace::new());
        assert_eq!(number.split('.').count(), 3);
        assert!(date.is_none_or(|date| date.len() == "2026-11-27".len()));
    }
}
