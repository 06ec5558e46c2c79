//! Bytes of one head that go to and from slow memory, with whole matrices and with blocks.

use attention_trace::flash::{HeadSize, Traffic};
use leptos::prelude::*;

use super::parameters::Flash;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{
        ScrollRegion, Slider,
        numbers::{decimal, grouped},
    },
};

/// Bytes of a number in 16 bits.
const NUMBER_BYTES: u64 = 2;

#[component]
pub fn TrafficFigure() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let flash = state.select(|view| *view.chapters.of::<Flash>());
    let width = Memo::new(move |_| {
        let width = context.with(|place: &SelfPlace| {
            let stack = place.meta.spec.attention(place.head.attention.kind);
            stack.map(|stack| stack.head_width as u64)
        });
        width.flatten().unwrap_or(64)
    });
    let counted = Memo::new(move |_| {
        let Flash {
            tokens, queries, ..
        } = flash.get();
        let size = HeadSize {
            tokens: tokens as u64,
            width: width.get(),
        };
        let block = queries as u64;
        (
            size.plain(),
            size.blocked(block),
            size.fast(block) * NUMBER_BYTES,
        )
    });
    let name = Signal::derive(move || t_string!(i18n, flash.traffic).to_owned());
    let row = move |label: String, traffic: Traffic| {
        let cells = [
            traffic.read * NUMBER_BYTES,
            traffic.written * NUMBER_BYTES,
            traffic.bytes(NUMBER_BYTES),
        ];
        view! {
            <tr>
                <th scope="row">{label}</th>
                {cells.map(|bytes| view! { <td class="number">{grouped(bytes)}</td> })}
            </tr>
        }
    };
    let rows = move || {
        let (plain, blocked, _) = counted.get();
        view! {
            {row(t_string!(i18n, flash.whole).to_owned(), plain)}
            {row(t_string!(i18n, flash.in_blocks).to_owned(), blocked)}
        }
    };
    let reading = move || {
        let (plain, blocked, fast) = counted.get();
        let ratio = plain.bytes(1) as f32 / blocked.bytes(1) as f32;
        t_string!(
            i18n,
            flash.ratio,
            ratio = decimal(ratio, 2),
            fast = grouped(fast),
            width = width.get()
        )
    };
    view! {
        <section class="lesson-figure" data-testid="flash-traffic">
            <div class="position-controls">
                <Slider
                    name=Signal::derive(move || t_string!(i18n, flash.tokens).to_owned())
                    test_id="flash-n"
                    range=Flash::TOKENS
                    step=64
                    value=Signal::derive(move || flash.get().tokens)
                    words=Signal::derive(move || flash.get().tokens.to_string())
                    set=move |tokens| state.update_chapters(|chapters| chapters.of_mut::<Flash>().tokens = tokens)
                />
                <Slider
                    name=Signal::derive(move || t_string!(i18n, flash.queries).to_owned())
                    test_id="flash-queries"
                    range=Flash::QUERIES
                    step=16
                    value=Signal::derive(move || flash.get().queries)
                    words=Signal::derive(move || flash.get().queries.to_string())
                    set=move |queries| state.update_chapters(|chapters| chapters.of_mut::<Flash>().queries = queries)
                />
            </div>
            <ScrollRegion class="lesson-table" test_id="flash-bytes" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, flash.way)}</th>
                            <th scope="col">{t!(i18n, flash.bytes_read)}</th>
                            <th scope="col">{t!(i18n, flash.bytes_written)}</th>
                            <th scope="col">{t!(i18n, flash.bytes_both)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
            <p class="lesson-reading number" data-testid="flash-ratio">{reading}</p>
        </section>
    }
}
