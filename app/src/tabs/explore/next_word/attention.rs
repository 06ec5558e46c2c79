//! The decoder's attention at the selected step.

use attention_chapters::{Lacking, Needs, has_what_is_needed};
use attention_figures::{sentence::Shade, strip};
use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::{
    line::{Line, STRONGEST},
    step::AttentionRow,
    token_strip::TokenStrip,
};
use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    selection::{HeadSelects, Selection},
    steps::Steps,
    widgets::{
        glossary::{Term, gloss},
        numbers::share_of_one,
    },
};

/// Masked self-attention and cross-attention of one query.
#[component]
pub fn StepAttention() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let name = token_name();
    let has_attention = has_what_is_needed(Needs::Attention);
    let query = Memo::new(move |_| {
        let row = steps.with_step(|step| step.row)?;
        let trace = steps.trace()?;
        trace.meta.target.get(row).map(name)
    });
    view! {
        <section class="step-attention" aria-label=move || t_string!(i18n, decoding.attention)>
            <div class="step-head">
                <h2 class="panel-title">{t!(i18n, decoding.attention)}</h2>
                <Show when=move || has_attention.get()>
                    <HeadSelect />
                </Show>
            </div>
            <Show
                when=move || has_attention.get()
                fallback=|| view! { <Lacking needs=Needs::Attention /> }
            >
                <p class="hint">
                    {t!(
                        i18n,
                        decoding.query,
                        <query> = gloss(Term::Query),
                        <token> = gloss(Term::Token)
                    )}
                    " "
                    <span class="token as-query" data-testid="step-query">{query}</span>
                </p>
                <Rows kind=AttentionKind::Cross />
                <Rows kind=AttentionKind::DecoderSelf />
            </Show>
        </section>
    }
}

/// The choice of a layer and its head, the same as in the heads tab.
#[component]
fn HeadSelect() -> impl IntoView {
    let steps = Steps::expect();
    let selection = Selection::of_page();
    let numbers = Memo::new(move |_| {
        let meta = &steps.trace()?.meta;
        let selection = selection.get().with_kind(AttentionKind::DecoderSelf);
        Some(selection.head(meta).numbers(meta))
    });
    view! {
        <div class="head-select">
            <HeadSelects numbers test_ids=["step-layer", "step-head"] />
        </div>
    }
}

/// One kind of attention: the chosen head and the mean over heads.
#[component]
fn Rows(kind: AttentionKind) -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let selection = Selection::of_page();
    let head = Memo::new(move |_| {
        let head = selection.get().with_kind(kind).head(&steps.trace()?.meta);
        // Not every model has both kinds.
        (head.attention.kind == kind).then_some(head)
    });
    let query = Memo::new(move |_| steps.with_step(|step| step.row));
    let rows = Live::expect().part(move || {
        steps.trace()?;
        Some(AttentionRow::excerpt(head.get()?, query.get()?))
    });
    let row = Memo::new(move |_| {
        let (trace, rows) = (steps.trace()?, rows.get()?);
        AttentionRow::of(&trace.meta, head.get()?, query.get()?, &rows.0)
    });
    let line = move |weights: fn(&AttentionRow) -> &Vec<f32>| {
        Memo::new(move |_| row.read().as_ref().map(|row| row.line(weights)))
    };
    let has_row = Memo::new(move |_| row.read().is_some());
    let (this_head, mean) = (line(|row| &row.head), line(|row| &row.mean));
    // The same token in both lines.
    let pointed = RwSignal::new(None);
    let name = move || match kind {
        AttentionKind::Cross => {
            t!(i18n, decoding.cross, <attention> = gloss(Term::CrossAttention)).into_any()
        }
        _ => {
            let term = gloss(Term::MaskedSelfAttention);
            t!(i18n, decoding.masked_self, <attention> = term).into_any()
        }
    };
    let test_id = match kind {
        AttentionKind::Cross => "step-cross",
        _ => "step-self",
    };
    view! {
        <Show when=move || has_row.get()>
            <h3 class="step-kind">{name()}</h3>
            <div class="step-rows" data-testid=test_id>
                <LineView
                    name=Signal::derive(move || t_string!(i18n, decoding.this_head).to_owned())
                    line=this_head
                    pointed
                />
                <LineView
                    name=Signal::derive(move || t_string!(i18n, decoding.mean).to_owned())
                    line=mean
                    pointed
                />
            </div>
        </Show>
    }
}

/// Tokens with a bar and a shade each; of many, the strongest and a strip of all.
#[component]
fn LineView(
    name: Signal<String>,
    line: Memo<Option<Line>>,
    pointed: RwSignal<Option<usize>>,
) -> impl IntoView {
    let is_long = Memo::new(move |_| line.read().as_ref().is_some_and(Line::is_long));
    let shown = Memo::new(move |_| {
        let line = line.read();
        let Some(line) = line.as_ref() else {
            return Vec::new();
        };
        let places = match line.is_long() {
            true => strip::strongest(&line.weights, STRONGEST),
            false => (0..line.keys.len()).collect(),
        };
        line.words(places)
    });
    let appearance = Appearance::expect();
    let name_of = token_name();
    let words = move || {
        let theme = appearance.get();
        let words = shown.get().into_iter();
        words
            .map(|word| weighted(name_of(&word.token), word.shade(theme), word.weight))
            .collect_view()
    };
    view! {
        <div class="step-row">
            <span class="step-row-name">{name}</span>
            <ul class="weighted-tokens" aria-label=name>{words}</ul>
            <Show when=move || is_long.get()>
                <TokenStrip name line pointed />
            </Show>
        </div>
    }
}

fn weighted(name: String, shade: Shade, weight: f32) -> impl IntoView {
    view! {
        <li class="weighted">
            <span class="weighted-bar" aria-hidden="true">
                <span style=format!("--share: {weight:.4}")></span>
            </span>
            <span class="word" class:current=shade.current style=shade.style()>
                {name}
            </span>
            <span class="weighted-number number">{share_of_one(weight, 2)}</span>
        </li>
    }
}
