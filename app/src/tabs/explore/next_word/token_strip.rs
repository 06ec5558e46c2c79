//! All tokens of a long line as a strip of bars, and the chosen token with its neighbours.

use attention_figures::strip::{bars, path, pointed_at, strongest};
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};

use super::line::{Line, STRONGEST};
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    names::token_name,
    widgets::{
        numbers::{percent, share_of_one},
        pointer_in,
    },
};

/// The largest number of bars; more could not be distinguished on a phone.
const MOST_BARS: usize = 240;
/// The distance from a bar, in CSS pixels, within which a pointer selects it.
const REACH: f64 = 4.0;
/// The number of tokens displayed on either side of the chosen one.
const NEIGHBOURS: usize = 4;
/// The number of tokens that a page key moves.
const PAGE: isize = 10;

/// The strip: the pointer and arrow keys choose a token.
#[component]
pub fn TokenStrip(
    name: Signal<String>,
    line: Memo<Option<Line>>,
    /// The token chosen last, if any.
    pointed: RwSignal<Option<usize>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let name_of = token_name();
    let strip = Strip { line, pointed };
    let count = Memo::new(move |_| strip.with(|line| line.keys.len()));
    let place = Memo::new(move |_| strip.place());
    let picture = Memo::new(move |_| strip.with(|line| bars(&line.weights, MOST_BARS)));
    let words = Memo::new(move |_| {
        let (place, count) = (place.get(), count.get());
        strip.with(|line| {
            let word = line.words([place]).pop();
            word.map(|word| (name_of(&word.token), place + 1, count, word.weight))
        })
    });
    let value = move || {
        words.get().map(|(token, place, count, weight)| {
            t_string!(
                i18n,
                decoding.strip_value,
                token = token,
                place = place,
                count = count,
                weight = share_of_one(weight, 4)
            )
        })
    };
    let at = move || {
        let (place, count) = (place.get(), count.get().max(1));
        format!("--at: {:.3}%", 100.0 * (place as f64 + 0.5) / count as f64)
    };
    view! {
        <div
            class="token-strip"
            data-testid="token-strip"
            role="slider"
            tabindex="0"
            aria-label=move || format!("{}: {}", name.get(), t_string!(i18n, decoding.strip_label))
            aria-valuemin="1"
            aria-valuemax=count
            aria-valuenow=move || place.get() + 1
            aria-valuetext=value
            on:pointerdown=move |event| strip.point(&event)
            on:pointermove=move |event| strip.point(&event)
            on:keydown=move |event| strip.key(&event)
        >
            <svg
                viewBox=move || format!("0 0 {} 1", picture.read().len().max(1))
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                <path d=move || path(&picture.read())></path>
            </svg>
            <span class="token-strip-mark" style=at></span>
        </div>
        <Neighbours strip place />
        <p class="hint">
            <span data-testid="strip-value">{value}</span>
            " · "
            <Others strip />
        </p>
    }
}

/// A line and the token chosen on it.
#[derive(Clone, Copy)]
struct Strip {
    line: Memo<Option<Line>>,
    pointed: RwSignal<Option<usize>>,
}

impl Strip {
    fn with<T: Default>(self, read: impl FnOnce(&Line) -> T) -> T {
        self.line
            .with(|line| line.as_ref().map(read))
            .unwrap_or_default()
    }

    /// Returns the chosen token, or else the strongest.
    fn place(self) -> usize {
        let pointed = self.pointed.get();
        self.with(|line| {
            let pointed = pointed.filter(|&place| place < line.keys.len());
            let strongest = || strongest(&line.weights, 1).first().copied();
            pointed.or_else(strongest).unwrap_or(0)
        })
    }

    fn point(self, event: &PointerEvent) {
        let Some([x, _, width, _]) = pointer_in(event) else {
            return;
        };
        let place =
            untrack(|| self.with(|line| pointed_at(&line.weights, x / width, REACH / width)));
        if place.is_some() && place != self.pointed.get_untracked() {
            self.pointed.set(place);
        }
    }

    fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let by = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => -1,
            "ArrowRight" | "ArrowUp" => 1,
            "PageDown" => -PAGE,
            "PageUp" => PAGE,
            "Home" => isize::MIN,
            "End" => isize::MAX,
            _ => return,
        };
        let (place, count) = untrack(|| (self.place(), self.with(|line| line.keys.len())));
        let moved = place.saturating_add_signed(by).min(count.saturating_sub(1));
        self.pointed.set(Some(moved));
        event.prevent_default();
        // The page's arrow keys go from step to step.
        event.stop_propagation();
    }
}

/// The chosen token between its neighbours, shaded by weight.
#[component]
fn Neighbours(strip: Strip, place: Memo<usize>) -> impl IntoView {
    let appearance = Appearance::expect();
    let name_of = token_name();
    let near = Memo::new(move |_| {
        let place = place.get();
        let first = place.saturating_sub(NEIGHBOURS);
        strip.with(|line| line.words(first..=place + NEIGHBOURS))
    });
    let words = move || {
        let theme = appearance.get();
        let words = near.get().into_iter();
        words
            .map(|word| {
                let shade = word.shade(theme);
                view! {
                    <span
                        class="word"
                        class:current=shade.current
                        class:pointed=move || place.get() == word.place
                        style=shade.style()
                        title=share_of_one(word.weight, 4)
                    >
                        {name_of(&word.token)}
                    </span>
                }
            })
            .collect_view()
    };
    view! { <p class="strip-words" data-testid="strip-words">{words}</p> }
}

/// The weight of all tokens that are not listed.
#[component]
fn Others(strip: Strip) -> impl IntoView {
    let i18n = use_i18n();
    let others = Memo::new(move |_| {
        strip.with(|line| {
            let listed = strongest(&line.weights, STRONGEST);
            let listed_share: f32 = listed.iter().map(|&place| line.weights[place]).sum();
            let count = line.keys.len().saturating_sub(listed.len());
            (count, (1.0 - listed_share).max(0.0))
        })
    });
    move || {
        let (count, share) = others.get();
        t_string!(
            i18n,
            decoding.strip_others,
            count = count,
            share = percent(share, 1)
        )
    }
}
