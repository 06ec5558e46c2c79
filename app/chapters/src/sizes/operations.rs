//! The cost of a forward pass, and the point at which O(n²d) overtakes O(nd²).

use crate::sizes::parameters::Sizes;
use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
    stacked::Segment,
};
use attention_trace::config::{ModelConfig, Operations};
use leptos::prelude::*;

use super::{
    SizesSelection,
    shares::{SharedBar, SharesTable},
};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        Plot, PlotFigure, Slider,
        numbers::{grouped, prefixed},
    },
};

/// The number of slider steps from one power of two to the next.
const PLACES: usize = 4;
/// The largest power of two that is drawn.
const MOST_POWER: usize = Sizes::MOST_TOKENS.ilog2() as usize;

/// The number of tokens at a place of the slider.
fn tokens_at(place: usize) -> usize {
    (place as f64 / PLACES as f64).exp2().round() as usize
}

/// The place of the slider that is nearest to a number of tokens.
fn place_of(tokens: usize) -> usize {
    (PLACES as f64 * (tokens.max(1) as f64).log2()).round() as usize
}

/// The slider of tokens, a bar of the operations by purpose, and both terms against length.
#[component]
pub fn OperationsSection(selection: SizesSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let tokens = Memo::new(move |_| selection.sizes.get().tokens);
    let operations = Memo::new(move |_| Some(selection.valid()?.operations(tokens.get())));
    let segments = Memo::new(move |_| {
        let (operations, theme) = (operations.get()?, appearance.get());
        let segment = |label: &str, value, color| Segment {
            label: label.to_owned(),
            value,
            color: categorical(color, theme),
        };
        Some(vec![
            segment(
                t_string!(i18n, sizes.projections),
                operations.projections,
                2,
            ),
            segment(
                t_string!(i18n, sizes.feed_forward),
                operations.feed_forward,
                3,
            ),
            segment(t_string!(i18n, sizes.logits), operations.output, 5),
            segment(t_string!(i18n, sizes.scores), operations.scores, 1),
        ])
    });
    let total = move || Some(in_flop(operations.get()?.total()));
    let crossover = move || {
        let length = operations.get()?.crossover(tokens.get());
        Some(grouped(length.ceil() as u64))
    };
    let name = Signal::derive(move || t_string!(i18n, sizes.where_operations).to_owned());
    let unit = Signal::derive(move || t_string!(i18n, sizes.operations).to_owned());
    view! {
        <section class="lesson-figure" data-testid="sizes-operations">
            <Slider
                name=Signal::derive(move || t_string!(i18n, sizes.tokens).to_owned())
                test_id="sizes-tokens"
                range=(0, PLACES * MOST_POWER)
                value=Signal::derive(move || place_of(tokens.get()))
                words=Signal::derive(move || grouped(tokens.get() as u64))
                set=move |place| state.update_chapters(|chapters| {
                    chapters.of_mut::<Sizes>().tokens = tokens_at(place);
                })
            />
            <dl class="lesson-facts">
                <dt>{t!(i18n, sizes.one_pass)}</dt>
                <dd class="number" data-testid="sizes-flop">{total}</dd>
                <dt>{t!(i18n, sizes.crossover)}</dt>
                <dd class="number" data-testid="sizes-crossover">{crossover}</dd>
            </dl>
            <SharedBar name unit segments />
            <SharesTable
                name
                unit
                test_id="sizes-terms"
                segments
                write=in_flop
            />
            <Growth selection />
        </section>
    }
}

/// Formats a number of operations in FLOP.
pub fn in_flop(operations: f64) -> String {
    format!("{}FLOP", prefixed(operations))
}

/// A term's shares of a pass's operations, by the binary logarithm of its tokens.
fn shares_of(config: &ModelConfig, term: fn(&Operations) -> f64) -> Vec<f32> {
    let share = |power: usize| {
        let operations = config.operations(1 << power);
        (term(&operations) / operations.total()) as f32
    };
    (0..=MOST_POWER).map(share).collect()
}

#[component]
fn Growth(selection: SizesSelection) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let term = |name: &str, term: fn(&Operations) -> f64, color| {
            let shares = selection.valid().map(|config| shares_of(&config, term));
            Curve::counted(name, &shares.unwrap_or_default(), categorical(color, theme))
        };
        Plot {
            x: Axis::new(t_string!(i18n, sizes.log_tokens), 0.0, MOST_POWER as f64),
            y: Axis::new(t_string!(i18n, sizes.share_of_pass), 0.0, 1.0),
            curves: vec![
                term("O(nd²)", Operations::linear, 3),
                term("O(n²d)", Operations::quadratic, 1),
            ],
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, sizes.growth).to_owned())
            text=Signal::derive(move || t_string!(i18n, sizes.growth_text).to_owned())
            test_id="sizes-growth"
            plot
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::Known;

    use super::*;

    #[test]
    fn places_of_the_slider_are_powers_of_two_and_between() {
        assert_eq!(tokens_at(0), 1);
        assert_eq!(tokens_at(PLACES * MOST_POWER), Sizes::MOST_TOKENS);
        for place in 4 * PLACES..=PLACES * MOST_POWER {
            assert_eq!(place_of(tokens_at(place)), place);
        }
    }

    #[test]
    fn shares_cross_where_the_crossover_is() {
        let config = Known::PaperBase.config();
        let scores = shares_of(&config, Operations::quadratic);
        let length = config.operations(64).crossover(64);
        for (power, share) in scores.into_iter().enumerate() {
            assert_eq!(share > 0.5, f64::from(1 << power) > length, "2^{power}");
        }
    }
}
