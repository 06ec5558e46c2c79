//! What the scores say of the models that are served with the page, each with the view that shows it.

use attention_core::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    state::View,
    widgets::Prose,
};
use leptos::prelude::*;

/// Something that was found.
#[derive(Clone, Copy, Debug)]
struct Finding {
    /// The part of the chapter's text.
    part: &'static str,
    /// The view that shows it, as an address has it.
    link: &'static str,
}

/// What was found; a test of the published roles holds the numbers in the texts.
const FINDINGS: &[Finding] = &[
    Finding {
        part: "found-previous",
        link: "model=translator&roles=1&roles-of=sentences&role=previous",
    },
    Finding {
        part: "found-induction",
        link: "model=sentences&tab=learn&chapter=roles&roles-of=sentences",
    },
];

/// One after the other.
#[component]
pub fn Findings() -> impl IntoView {
    let i18n = use_i18n();
    let finding = |finding: &'static Finding| {
        view! {
            <li class="finding">
                <Prose part=finding.part />
                <ViewLink
                    change=move |view: &mut View| *view = view.at_link(finding.link)
                    class="own-sentence"
                    test_id="see-finding"
                >
                    {t!(i18n, roles.see)}
                </ViewLink>
            </li>
        }
    };
    view! { <ul class="findings">{FINDINGS.iter().map(finding).collect_view()}</ul> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shows_a_finding_is_a_view() {
        for Finding { link, .. } in FINDINGS {
            let spelled = View::from_fragment(link).to_fragment();
            let spelled: Vec<_> = spelled.split('&').collect();
            for entry in link.split('&').filter(|entry| *entry != "model=translator") {
                assert!(spelled.contains(&entry), "{link}: {entry}");
            }
        }
    }
}
