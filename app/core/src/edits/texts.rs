//! The text with heads off against the text without, token by token.

use attention_trace::Token;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    effect::{Column, Effect},
    words::extent,
};
use crate::{
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    names::{head_name, token_label},
    widgets::{
        ScrollRegion,
        glossary::{Term, TermButton},
        numbers,
    },
};

/// The most heads that are named in a sentence.
const NAMED: usize = 3;

fn effect() -> Memo<Option<Effect>> {
    Live::expect().select(|engine| {
        let before = engine.without_edits()?.decoding.as_ref()?;
        let after = engine.shown.as_ref()?.trace.decoding.as_ref()?;
        let scores = engine.score_with_edits();
        Some(Effect::of(before, after, scores.as_deref()))
    })
}

fn summary_words(i18n: I18nContext<Locale>, effect: &Effect) -> String {
    let change = effect.change.map_or("…".to_owned(), signed);
    match effect.differences() {
        0 => t_string!(i18n, edits.same_text, change = change),
        count => t_string!(i18n, edits.other_text, count = count, change = change),
    }
}

/// The changes and their effect on the text, in words; nothing until both texts have run and are scored.
pub fn effect_words() -> impl Fn() -> Option<String> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (effect, name) = (effect(), head_name());
    let edits = Live::expect().select(|engine| Some(engine.shown.as_ref()?.edits()));
    move || {
        let effect = effect.get().filter(|effect| effect.change.is_some())?;
        let edits = edits.get()?;
        let heads = edits.heads_off().into_iter().take(NAMED);
        let heads: Vec<String> = heads.map(|off| name(off.attention, off.head)).collect();
        let extent = extent(i18n, &edits);
        let what = match heads.is_empty() {
            true => extent,
            false => t_string!(
                i18n,
                edits.off_named,
                extent = extent,
                heads = heads.join("; ")
            ),
        };
        Some(format!("{what}: {}", summary_words(i18n, &effect)))
    }
}

/// Both texts, and what becomes of each token's probability; nothing until both have run.
#[component]
pub fn Texts() -> impl IntoView {
    let i18n = use_i18n();
    let effect = effect();
    let is_there = Memo::new(move |_| effect.read().is_some());
    let summary = move || effect.with(|effect| Some(summary_words(i18n, effect.as_ref()?)));
    let columns = Memo::new(move |_| effect.get().map(|it| it.columns).unwrap_or_default());
    view! {
        <div class:is-hidden=move || !is_there.get()>
            <p class="edit-summary" role="status" data-testid="effect-summary">{summary}</p>
            <ScrollRegion name=Signal::derive(move || t_string!(i18n, edits.texts).to_owned())>
                <table class="effect" data-testid="effect">
                    <caption class="visually-hidden">{t!(i18n, edits.table)}</caption>
                    <tbody>
                        <TokenRow columns of=|column| column.before.as_ref() test_id="effect-before">
                            {t!(i18n, edits.without)}
                        </TokenRow>
                        <TokenRow columns of=|column| column.after.as_ref() test_id="effect-after">
                            {t!(i18n, edits.with)}
                        </TokenRow>
                        <Changes columns />
                    </tbody>
                </table>
            </ScrollRegion>
        </div>
    }
}

#[component]
fn TokenRow(
    columns: Memo<Vec<Column>>,
    of: fn(&Column) -> Option<&Token>,
    test_id: &'static str,
    children: Children,
) -> impl IntoView {
    let label = token_label();
    let cells = move || {
        let columns = columns.get().into_iter();
        let cells = columns.map(|column| {
            let token = of(&column).map(label);
            view! { <td class:differs=!column.is_same>{token}</td> }
        });
        cells.collect_view()
    };
    view! {
        <tr data-testid=test_id>
            <th scope="row">{children()}</th>
            {cells}
        </tr>
    }
}

/// By how much `log p` of each token of the text without edits changes.
#[component]
fn Changes(columns: Memo<Vec<Column>>) -> impl IntoView {
    let i18n = use_i18n();
    let cells = move || {
        let columns = columns.get().into_iter();
        let cells = columns.map(|column| {
            let change = column.change;
            let falls = change.is_some_and(|change| change < -0.5);
            view! { <td class="number" class:falls=falls>{change.map(signed)}</td> }
        });
        cells.collect_view()
    };
    view! {
        <tr data-testid="effect-change">
            <th scope="row">
                <TermButton term=Term::LogProbability>"Δ log p"</TermButton>
                " "
                <TermButton term=Term::Nat>{t!(i18n, edits.changes_in_nats)}</TermButton>
            </th>
            {cells}
        </tr>
    }
}

pub fn signed(change: f32) -> String {
    numbers::signed(change, 2)
}

#[cfg(test)]
mod tests {
    use super::signed;

    #[test]
    fn a_change_has_a_sign_unless_it_is_none() {
        assert_eq!(signed(-1.234), "−1.23");
        assert_eq!(signed(0.5), "+0.50");
        assert_eq!(signed(0.001), "+0.001");
        assert_eq!(signed(-0.001), "−0.001");
        assert_eq!(signed(0.0), "0.00");
        assert_eq!(signed(-0.0), "0.00");
    }
}
