//! Links on paper: a number behind each, and a list of the addresses at the end.

use attention_protocol::OrLogged;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use attention_core::{
    appearance::Appearance,
    i18n::{t, use_i18n},
};

/// The links to other sites; a link within the page leads nowhere on paper.
const LINKS: &str = "main a[href^='http']";
/// The attribute with the number of a link, which the style sheet for paper shows.
const NUMBER: &str = "data-note";

/// The list of addresses, which is there while the page is printed.
#[component]
pub fn PrintedLinks() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let addresses = RwSignal::new(Vec::new());
    // An effect because the links are elements of the document.
    Effect::new(move |_| {
        addresses.set(match appearance.is_printing() {
            true => number_links(),
            false => Vec::new(),
        });
    });
    view! {
        <Show when=move || !addresses.read().is_empty()>
            <section class="printed-links" data-testid="printed-links">
                <h2>{t!(i18n, shell.printed_links)}</h2>
                <ol>
                    {move || addresses.get().into_iter().map(|address| view! { <li>{address}</li> }).collect_view()}
                </ol>
            </section>
        </Show>
    }
}

/// Gives each link to another site the number of its address, and returns the addresses, each once.
fn number_links() -> Vec<String> {
    let links = document().query_selector_all(LINKS);
    let Some(links) = links.or_logged("finding the links") else {
        return Vec::new();
    };
    let mut addresses: Vec<String> = Vec::new();
    for place in 0..links.length() {
        let link = links.item(place).and_then(|link| link.dyn_into().ok());
        let Some(link): Option<Element> = link else {
            continue;
        };
        let Some(address) = link.get_attribute("href") else {
            continue;
        };
        let known = addresses.iter().position(|known| *known == address);
        let number = known.unwrap_or_else(|| {
            addresses.push(address);
            addresses.len() - 1
        });
        link.set_attribute(NUMBER, &(number + 1).to_string())
            .or_logged("numbering a link");
    }
    addresses
}
