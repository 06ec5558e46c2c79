//! What the decoder attends to at the selected step.

use attention_figures::sentence;
use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::step::AttentionRow;
use crate::{
    appearance::Appearance,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    selection::{HeadSelects, Selection},
    steps::Steps,
};

/// Masked self-attention and cross-attention of one query.
#[component]
pub fn StepAttention() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let name = token_name();
    let query = Memo::new(move |_| {
        let row = steps.with_step(|step| step.row)?;
        let trace = steps.trace()?;
        trace.meta.target.get(row).map(name)
    });
    view! {
        <section class="step-attention" aria-label=move || t_string!(i18n, decoding.attention)>
            <div class="step-head">
                <h2 class="panel-title">{t!(i18n, decoding.attention)}</h2>
                <HeadSelect />
            </div>
            <p class="hint">
                {t!(i18n, decoding.query)} " "
                <span class="token as-query" data-testid="step-query">{query}</span>
            </p>
            <Rows kind=AttentionKind::Cross />
            <Rows kind=AttentionKind::DecoderSelf />
        </section>
    }
}

/// Which layer's which head, the same choice as in the heads tab.
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
    let name = move || match kind {
        AttentionKind::Cross => t_string!(i18n, decoding.cross),
        _ => t_string!(i18n, decoding.masked_self),
    };
    let test_id = match kind {
        AttentionKind::Cross => "step-cross",
        _ => "step-self",
    };
    view! {
        {move || row.get().map(|row| view! {
            <h3 class="step-kind">{name}</h3>
            <div class="step-rows" data-testid=test_id>
                <ShadedRow
                    name=Signal::derive(move || t_string!(i18n, decoding.this_head).to_owned())
                    weights=row.head.clone()
                    row=row.clone()
                />
                <ShadedRow
                    name=Signal::derive(move || t_string!(i18n, decoding.mean).to_owned())
                    weights=row.mean.clone()
                    row
                />
            </div>
        })}
    }
}

/// Tokens with a bar and a shade each.
#[component]
fn ShadedRow(name: Signal<String>, weights: Vec<f32>, row: AttentionRow) -> impl IntoView {
    let appearance = Appearance::expect();
    let name_of = token_name();
    let AttentionRow { keys, current, .. } = row;
    let shades = {
        let weights = weights.clone();
        move || sentence::shades(&weights, current, appearance.get())
    };
    let cells = move || {
        let cells = keys.iter().zip(&weights).zip(shades());
        cells
            .map(|((key, weight), shade)| {
                view! {
                    <li class="weighted">
                        <span class="weighted-bar" aria-hidden="true">
                            <span style=format!("--share: {weight:.4}")></span>
                        </span>
                        <span class="word" class:current=shade.current style=shade.style()>
                            {name_of(key)}
                        </span>
                        <span class="weighted-number number">{format!("{weight:.2}")}</span>
                    </li>
                }
            })
            .collect_view()
    };
    view! {
        <div class="step-row">
            <span class="step-row-name">{name}</span>
            <ul class="weighted-tokens" aria-label=name>{cells}</ul>
        </div>
    }
}
