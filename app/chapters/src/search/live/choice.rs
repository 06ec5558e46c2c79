//! Controls for searching or sampling with the model on screen.

use attention_trace::Search;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    state::{AddressValue, LENGTH_PENALTY, MAX_BEAM_WIDTH, SamplingChoice, ViewState, flat},
    steps::SamplingNumbers,
    widgets::{Segmented, Select},
};

/// Exponents of the length to choose from.
const PENALTIES: [f32; 5] = [0.0, 0.5, 0.75, 1.0, 1.5];

/// A manner of decoding: searching or sampling.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Manner {
    Searched,
    Drawn,
}

impl AddressValue for Manner {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// Width and α of the model's own search, or the numbers of sampling; a change runs at once.
#[component]
pub fn SearchChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let search = state.select(|view| view.search);
    let change = move |width: usize, length_penalty: f32| {
        state.set_search(match width {
            1 => Search::Greedy,
            width => Search::Beam {
                width,
                length_penalty,
            },
        });
        live.run();
    };
    let penalty = move || match search.get() {
        Search::Greedy | Search::Sampling { .. } => LENGTH_PENALTY,
        Search::Beam { length_penalty, .. } => length_penalty,
    };
    let widths = move || {
        let beam = (2..=MAX_BEAM_WIDTH).map(|width| width.to_string());
        std::iter::once(t_string!(i18n, search.one_is_greedy).to_owned())
            .chain(beam)
            .collect()
    };
    let manner = Signal::derive(move || match search.get() {
        Search::Greedy | Search::Beam { .. } => Manner::Searched,
        Search::Sampling { .. } => Manner::Drawn,
    });
    let choose = move |manner| match manner {
        Manner::Searched => change(1, LENGTH_PENALTY),
        Manner::Drawn => {
            state.set_search(SamplingChoice::default().search());
            live.run();
        }
    };
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, search.manner).to_owned())
            options=Signal::derive(move || vec![
                (Manner::Searched, t_string!(i18n, search.searched).to_owned()),
                (Manner::Drawn, t_string!(i18n, search.sampling).to_owned()),
            ])
            value=manner
            choose
        />
        <div class="position-controls">
            <Show
                when=move || manner.get() == Manner::Searched
                fallback=|| view! { <SamplingNumbers /> }
            >
                <Select
                    name=Signal::derive(move || t_string!(i18n, search.width).to_owned())
                    test_id="live-k"
                    options=Signal::derive(widths)
                    chosen=Signal::derive(move || search.get().width().saturating_sub(1))
                    choose=move |index| change(index + 1, untrack(penalty))
                />
                <Show when=move || matches!(search.get(), Search::Beam { .. })>
                    <Select
                        name=Signal::derive(|| "α".to_owned())
                        test_id="live-alpha"
                        options=Signal::derive(|| PENALTIES.map(|alpha| alpha.to_string()).to_vec())
                        chosen=Signal::derive(move || nearest(penalty()))
                        choose=move |index| change(search.get_untracked().width(), PENALTIES[index])
                    />
                </Show>
            </Show>
        </div>
    }
}

/// The place of the exponent that is nearest to one that an address may have.
fn nearest(alpha: f32) -> usize {
    let apart = |place: &usize| (PENALTIES[*place] - alpha).abs();
    let places = 0..PENALTIES.len();
    places
        .min_by(|one, other| apart(one).total_cmp(&apart(other)))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exponent_of_an_address_is_shown_as_the_nearest() {
        assert_eq!(nearest(0.75), 2);
        assert_eq!(nearest(0.6), 1);
        assert_eq!(nearest(2.0), PENALTIES.len() - 1);
    }
}
