//! All heads of a layer over one text: below each token a bar for each head, as high as its weight.

use std::sync::Arc;

use attention_figures::{
    Theme,
    color::{categorical, css},
};
use attention_trace::{Array, Excerpt, Quantity, Slice};
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    engine::Part,
    i18n::{t, t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    widgets::{
        ScrollRegion,
        numbers::{percent, share_of_one},
    },
};

/// The weights of all heads of the layer for the chosen query.
#[derive(Clone, PartialEq)]
struct Overlaid {
    /// The weights of each head for each key, `[h, m]`.
    rows: Arc<Array>,
    names: Arc<[String]>,
    query: usize,
    chosen: usize,
    theme: Theme,
}

impl Overlaid {
    fn heads(&self) -> usize {
        self.rows.shape.first().copied().unwrap_or(0)
    }

    /// Returns a head's colour as a CSS value.
    fn color(&self, head: usize) -> String {
        css(categorical(head, self.theme))
    }

    /// Returns a head's weights, one for each named token.
    fn row(&self, head: usize) -> &[f32] {
        let row = self.rows.row(&[head]).unwrap_or_default();
        &row[..row.len().min(self.names.len())]
    }

    /// Returns the token with a head's largest weight, and that weight.
    fn strongest(&self, head: usize) -> Option<(&str, f32)> {
        let weights = self.row(head).iter().enumerate();
        let (key, weight) = weights.max_by(|one, other| one.1.total_cmp(other.1))?;
        Some((self.names.get(key)?, *weight))
    }
}

fn overlaid(context: SelfAttention) -> Memo<Option<Overlaid>> {
    let part = context.part(|place: &SelfPlace| {
        let site = place.head.attention.at(Quantity::Pattern);
        Excerpt::new(site, Slice::Row(place.query))
    });
    let appearance = Appearance::expect();
    Memo::new(move |_| {
        let theme = appearance.get();
        let (names, query) = (context.names(), context.query());
        let chosen = context.with(|place| place.head.head)?;
        let Part(rows) = part.get()?;
        Some(Overlaid {
            rows,
            names,
            query,
            chosen,
            theme,
        })
    })
}

/// The text with its bars, and a table of the token with each head's largest weight.
#[component]
pub fn Overlay() -> impl IntoView {
    let i18n = use_i18n();
    let overlaid = overlaid(SelfAttention::expect());
    let each = move |count: fn(&Overlaid) -> usize, view: fn(&Overlaid, usize) -> AnyView| {
        overlaid.with(|overlaid| {
            let overlaid = overlaid.as_ref()?;
            let views = (0..count(overlaid)).map(|index| view(overlaid, index));
            Some(views.collect_view())
        })
    };
    view! {
        <div class="lesson-figure" data-testid="overlay">
            // The table says the same in words.
            <div class="overlay" aria-hidden="true">
                {move || each(|overlaid| overlaid.names.len(), token)}
            </div>
            <ScrollRegion
                class="lesson-table"
                name=Signal::derive(move || t_string!(i18n, many_heads.answers).to_owned())
            >
                <table aria-label=move || t_string!(i18n, many_heads.answers).to_owned()>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, decoding.head)}</th>
                            <th scope="col">{t!(i18n, many_heads.most_from)}</th>
                            <th scope="col">{t!(i18n, many_heads.share)}</th>
                        </tr>
                    </thead>
                    <tbody data-testid="answers">
                        {move || each(Overlaid::heads, answer)}
                    </tbody>
                </table>
            </ScrollRegion>
        </div>
    }
}

/// Returns a token with a bar for each head.
fn token(overlaid: &Overlaid, place: usize) -> AnyView {
    let bar = |head: usize| {
        let weight = overlaid.row(head).get(place).copied().unwrap_or(0.0);
        let style = format!("--weight: {weight:.4}; --color: {}", overlaid.color(head));
        view! { <span class="overlay-bar" style=style title=share_of_one(weight, 4)></span> }
    };
    let bars = (0..overlaid.heads()).map(bar).collect_view();
    let name = overlaid.names.get(place).cloned().unwrap_or_default();
    view! {
        <span class="overlay-token" class:is-query=place == overlaid.query>
            <span class="overlay-bars">{bars}</span>
            <span class="overlay-name">{name}</span>
        </span>
    }
    .into_any()
}

/// Returns a table row: the head, its token with the largest weight, and that weight.
fn answer(overlaid: &Overlaid, head: usize) -> AnyView {
    let (key, weight) = match overlaid.strongest(head) {
        Some((key, weight)) => (key.to_owned(), percent(weight, 0)),
        None => (String::new(), String::new()),
    };
    let style = format!("--color: {}", overlaid.color(head));
    view! {
        <tr class:chosen-head=head == overlaid.chosen>
            <th scope="row">
                <span class="head-color" style=style></span>
                {head + 1}
            </th>
            <td>{key}</td>
            <td class="number">{weight}</td>
        </tr>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_head_has_an_answer_of_its_own() {
        let overlaid = Overlaid {
            rows: Arc::new(Array {
                shape: vec![2, 3],
                data: vec![0.1, 0.2, 0.7, 0.6, 0.3, 0.1],
            }),
            // Two of three tokens are computed with.
            names: ["a".to_owned(), "b".to_owned()].into(),
            query: 0,
            chosen: 0,
            theme: Theme::Light,
        };
        assert_eq!(overlaid.heads(), 2);
        assert_eq!(overlaid.strongest(0), Some(("b", 0.2)));
        assert_eq!(overlaid.strongest(1), Some(("a", 0.6)));
        assert_eq!(overlaid.strongest(2), None);
    }
}
