//! The map: the places that restore the answer, and the progress of the computation.

use attention_core::{
    engine::{PatchingAsked, PatchingRead},
    i18n::{t, t_string, use_i18n},
    names::token_name,
    problems::failure_words,
    widgets::{KeyHint, ScrollRegion, Segmented, numbers::decimal},
};
use attention_protocol::Failure;
use attention_trace::{Patched, Stack, TakenInto};
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    html,
    prelude::*,
};

use super::{
    cells::Cells,
    context::{PatchingContext, has_positions},
    dragging::Dragging,
    names::row_words,
    source::Source,
};

/// The controls, both runs as cells, and the progress.
#[component]
pub fn MapFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let dragging = Dragging::provide();
    let room = NodeRef::<html::Div>::new();
    let has_source = Memo::new(move |_| {
        context.layout.with(|layout| {
            layout
                .as_ref()
                .is_some_and(|layout| has_positions(layout.patched))
        })
    });
    let (name, row) = (token_name(), row_words());
    let ends = move || {
        let (answer, against) = context.words()?;
        let ends = context.map.with(|map| map.ends)?;
        Some(t_string!(
            i18n,
            patching.ends,
            answer = name(&answer.token),
            against = name(&against.token),
            clean = decimal(ends.clean, 2),
            other = decimal(ends.other, 2)
        ))
    };
    let picked = move || {
        let (row_taken, position) = dragging.taken()?;
        let (site, token) = context.layout.with(|layout| {
            let layout = layout.as_ref()?;
            Some((
                *layout.rows.get(row_taken)?,
                layout.from.get(position)?.clone(),
            ))
        })?;
        Some(t_string!(
            i18n,
            patching.picked,
            row = row(site),
            token = name(&token)
        ))
    };
    view! {
        <Controls />
        <p class="lesson-reading number" data-testid="patching-ends">{ends}</p>
        <div
            class="patching-figure"
            node_ref=room
            on:pointermove=move |event: PointerEvent| dragging.follow(&event)
            on:pointerup=move |event: PointerEvent| dragging.drop_at(context, &event)
            on:pointercancel=move |_| dragging.let_go()
            on:keydown=move |event: KeyboardEvent| {
                if event.key() == "Escape" {
                    dragging.let_go();
                }
            }
        >
            <Show when=move || has_source.get()>
                <Source />
            </Show>
            <MapTable has_source />
        </div>
        <p class="hint" role="status" data-testid="patching-picked">{picked}</p>
        <Progress />
        <p class="hint">
            {move || match has_source.get() {
                true => t_string!(i18n, patching.map_hint),
                false => t_string!(i18n, patching.heads_hint),
            }}
            <Show when=move || has_source.get()>
                <KeyHint>{t!(i18n, patching.map_keys)}</KeyHint>
            </Show>
        </p>
    }
}

/// Controls for the stack, the kind of vector, and the run that takes it.
#[component]
fn Controls() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let layout = move || context.layout.get();
    let has_both = Memo::new(move |_| layout().is_some_and(|layout| layout.spec.reads_source()));
    view! {
        <div class="position-controls">
            <Show when=move || has_both.get()>
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, patching.stack).to_owned())
                    options=Signal::derive(move || vec![
                        (Stack::Encoder, t_string!(i18n, patching.encoder).to_owned()),
                        (Stack::Decoder, t_string!(i18n, patching.decoder).to_owned()),
                    ])
                    value=Signal::derive(move || layout().map_or(Stack::Encoder, |it| it.stack))
                    choose=move |stack| context.update(|view| view.stack = Some(stack))
                />
            </Show>
            <Segmented
                label=Signal::derive(move || t_string!(i18n, patching.what).to_owned())
                options=Signal::derive(move || vec![
                    (Patched::Residual, t_string!(i18n, patching.residual).to_owned()),
                    (Patched::Attention, t_string!(i18n, patching.attention).to_owned()),
                    (Patched::FeedForward, t_string!(i18n, patching.feed_forward).to_owned()),
                    (Patched::Heads, t_string!(i18n, patching.heads).to_owned()),
                ])
                value=Signal::derive(move || context.view.with(|view| view.patched))
                choose=move |patched| context.update(|view| view.patched = patched)
            />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, patching.into).to_owned())
                options=Signal::derive(move || vec![
                    (TakenInto::Other, t_string!(i18n, patching.into_other).to_owned()),
                    (TakenInto::Clean, t_string!(i18n, patching.into_clean).to_owned()),
                ])
                value=Signal::derive(move || context.view.with(|view| view.into))
                choose=move |into| context.update(|view| view.into = into)
            />
        </div>
    }
}

#[component]
fn MapTable(
    /// True if the cells of the other run are shown above the map.
    has_source: Memo<bool>,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let name = Signal::derive(move || t_string!(i18n, patching.map).to_owned());
    // A map of heads has no cells to drag from above it.
    let caption = move || match (context.view.with(|view| view.into), has_source.get()) {
        (TakenInto::Other, true) => t_string!(i18n, patching.patched_other),
        (TakenInto::Clean, true) => t_string!(i18n, patching.patched_clean),
        (TakenInto::Other, false) => t_string!(i18n, patching.heads_other),
        (TakenInto::Clean, false) => t_string!(i18n, patching.heads_clean),
    };
    view! {
        <div class="patching-block">
            <p class="patching-caption">{caption}</p>
            <ScrollRegion class="lesson-table patching-scroll" test_id="patching-map" name>
                <Cells />
            </ScrollRegion>
        </div>
    }
}

/// The progress of a map.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Waiting,
    GoesOn,
    Stopped,
    Failed(Failure),
    Done { differs: bool },
}

fn state_of(read: &PatchingRead) -> State {
    let differs = || read.ends.is_some_and(|ends| ends.share(0.0).is_some());
    match &read.end {
        None if read.total == 0 => State::Waiting,
        None => State::GoesOn,
        Some(Ok(_)) => State::Done { differs: differs() },
        Some(Err(Failure::Cancelled)) => State::Stopped,
        Some(Err(failure)) => State::Failed(failure.clone()),
    }
}

/// The number of patched places, with buttons to stop and to go on.
#[component]
fn Progress() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let live = context.live();
    let counts = Memo::new(move |_| context.map.with(|map| (map.cells.len(), map.total)));
    let state = Memo::new(move |_| context.map.with(state_of));
    let goes_on = Memo::new(move |_| matches!(state.get(), State::Waiting | State::GoesOn));
    let can_resume = Memo::new(move |_| matches!(state.get(), State::Stopped | State::Failed(_)));
    let words = move || {
        let (known, total) = counts.get();
        match state.get() {
            State::Waiting => t_string!(i18n, chapters.waiting).to_owned(),
            State::GoesOn | State::Done { differs: true } => {
                t_string!(i18n, patching.progress, known = known, total = total)
            }
            State::Done { differs: false } => t_string!(i18n, patching.no_difference).to_owned(),
            State::Stopped => t_string!(i18n, patching.stopped, known = known, total = total),
            State::Failed(failure) => failure_words(i18n, &failure),
        }
    };
    let again = move |_| {
        let asked: Option<PatchingAsked> = context.asked.get_untracked();
        if let Some(asked) = asked {
            live.ask_again(asked);
        }
    };
    view! {
        <p class="patching-progress" data-testid="patching-progress">
            <span class="number" role="status">{words}</span>
            <progress
                class:is-hidden=move || !goes_on.get()
                aria-label=move || t_string!(i18n, patching.map)
                max=move || counts.get().1.max(1)
                value=move || counts.get().0
            ></progress>
            <Show when=move || goes_on.get()>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="stop-patching"
                    on:click=move |_| live.stop_asked()
                >
                    {t!(i18n, shell.cancel)}
                </button>
            </Show>
            <Show when=move || can_resume.get()>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="resume-patching"
                    on:click=again
                >
                    {t!(i18n, edits.resume)}
                </button>
            </Show>
        </p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::PatchingEnds;

    use super::*;

    #[test]
    fn a_map_that_is_stopped_says_so_and_one_without_a_difference_too() {
        let mut read = PatchingRead::default();
        assert_eq!(state_of(&read), State::Waiting);
        read.total = 9;
        assert_eq!(state_of(&read), State::GoesOn);
        read.end = Some(Err(Failure::Cancelled));
        assert_eq!(state_of(&read), State::Stopped);
        read.end = Some(Err(Failure::EmptyInput));
        assert_eq!(state_of(&read), State::Failed(Failure::EmptyInput));
    }

    #[test]
    fn two_runs_that_are_the_same_have_nothing_to_bring_back() {
        use std::sync::Arc;

        use attention_trace::{PatchingAnswer, PatchingMap};

        let read = |clean: f32| {
            let ends = PatchingEnds { clean, other: 1.0 };
            let map = PatchingMap {
                ends,
                cells: vec![],
            };
            PatchingRead {
                ends: Some(ends),
                end: Some(Ok(Arc::new(PatchingAnswer::Map(map)))),
                ..PatchingRead::default()
            }
        };
        assert_eq!(state_of(&read(1.0)), State::Done { differs: false });
        assert_eq!(state_of(&read(3.0)), State::Done { differs: true });
    }
}
