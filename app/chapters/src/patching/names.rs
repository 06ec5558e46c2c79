//! Names of rows and shares.

use attention_core::{
    i18n::{t_string, use_i18n},
    names::kind_name,
    widgets::numbers::{decimal, per_cent_sign},
};
use attention_trace::Site;
use leptos::prelude::*;

use super::layout::{RowName, row_name};

#[component]
pub fn RowHeading(site: Site) -> impl IntoView {
    let name = row_words();
    move || name(site)
}

/// Returns a function that names rows in the page's language.
pub fn row_words() -> impl Fn(Site) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let kind = kind_name();
    move |site| match row_name(site) {
        RowName::Embedding => t_string!(i18n, lens.embedding).to_owned(),
        RowName::After(layer) => t_string!(i18n, lens.after_layer, layer = layer),
        RowName::FeedForward(layer) => t_string!(i18n, lens.feed_forward, layer = layer),
        RowName::Attention(attention) => t_string!(
            i18n,
            patching.attention_row,
            layer = attention.layer + 1,
            kind = kind(attention.kind)
        ),
    }
}

/// Formats a share as a whole percentage without its sign, which the caption gives. A share that only rounds to 0 is
/// written as ≈ 0.
pub fn whole(share: f32) -> String {
    match (share * 100.0).round() {
        0.0 if share != 0.0 => "≈ 0".to_owned(),
        rounded => decimal(rounded + 0.0, 0),
    }
}

/// A share in per cent.
pub fn in_percent(share: f32) -> String {
    format!("{}{}", decimal(100.0 * share, 1), per_cent_sign())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_nothing_is_not_written_as_nothing() {
        assert_eq!(whole(0.0), "0");
        assert_eq!(whole(0.994), "99");
        assert_eq!(whole(-0.001), "≈ 0");
        assert_eq!(whole(-0.25), "−25");
    }
}
