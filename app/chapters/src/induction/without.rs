//! The surprise at each token with heads of the pair switched off.

use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t_string, use_i18n},
    state::HeadChoice,
    widgets::{PlotFigure, numbers::decimal},
};
use attention_trace::{Edit, Trace};
use leptos::prelude::*;

use super::found::{Found, HeadScores};
use crate::long::{
    passes::Named,
    surprise::{Sought, mean},
};

/// The plot, and the means over the tokens that a repeat tells.
#[component]
pub fn WithoutFigure() -> impl IntoView {
    let i18n = use_i18n();
    let (found, appearance) = (Found::expect(), Appearance::expect());
    let named = Named::new();
    let off = |heads: Vec<HeadChoice>| -> Vec<Edit> {
        heads.into_iter().map(HeadChoice::switched_off).collect()
    };
    let clear = Memo::new(move |_| {
        let scores = found.scores.get()?;
        Some(clear_heads(&scores))
    });
    let passes = [
        named.surprises(|_| Some(vec![])),
        named.surprises(move |_| Some(off(vec![found.pair()?[1]]))),
        named.surprises(move |_| Some(off(clear.get().filter(|heads| !heads.is_empty())?))),
        named.surprises(move |_| Some(off(vec![found.pair()?[0]]))),
    ];
    let names = move || -> Option<[String; 4]> {
        let pair = found.pair()?;
        let [earlier, later] = pair.map(|head| {
            let (layer, head) = (head.attention.layer + 1, head.head + 1);
            t_string!(i18n, induction.place, layer = layer, head = head).to_string()
        });
        let count = clear.get()?.len();
        Some([
            t_string!(i18n, induction.all_on).to_owned(),
            t_string!(i18n, induction.one_off, head = later),
            t_string!(i18n, induction.clear_off, count = count).to_string(),
            t_string!(i18n, induction.one_off, head = earlier),
        ])
    };
    let plot = Signal::derive(move || {
        let labels = [t_string!(i18n, long.place), t_string!(i18n, long.surprise)];
        let names = names().unwrap_or_default();
        named.plot(names, passes, labels, appearance.get())
    });
    let live = Live::expect();
    let told = Memo::new(move |_| {
        let trace = live.trace()?;
        Some(told_by_repeat(&trace, &named.sought.read()))
    });
    let mean_of = move |values: Memo<Option<Vec<f32>>>| {
        let told = told.get()?;
        let values = values.get()?;
        let at = told.iter().filter_map(|&place| values.get(place).copied());
        mean(&at.collect::<Vec<_>>())
    };
    let words = move || {
        let count = told.get()?.len();
        let [all, one, clear, earlier] =
            passes.map(|pass| mean_of(pass).map(|nats| decimal(nats, 3)));
        Some(t_string!(
            i18n,
            induction.means,
            count = count,
            all = all?,
            one = one?,
            clear = clear.unwrap_or_else(|| "–".to_owned()),
            earlier = earlier?
        ))
    };
    view! {
        <section class="lesson-figure">
            <PlotFigure
                title=Signal::derive(move || t_string!(i18n, induction.without).to_owned())
                text=Signal::derive(move || t_string!(i18n, long.windows_text).to_owned())
                test_id="induction-without"
                plot
            />
            <p class="lesson-reading number" role="status" data-testid="induction-means">{words}</p>
        </section>
    }
}

/// Returns the heads whose induction score is clear.
fn clear_heads(scores: &[HeadScores]) -> Vec<HeadChoice> {
    let clear = |head: &&HeadScores| head.induction.is_some_and(|score| score.is_clear());
    scores.iter().filter(clear).map(|head| head.head).collect()
}

/// Returns the places among the sought tokens that a repeat tells: the token read there occurred earlier, and the sought
/// one followed it.
fn told_by_repeat(trace: &Trace, sought: &[Sought]) -> Vec<usize> {
    let ids: Vec<u32> = trace.meta.target.iter().map(|token| token.id).collect();
    let is_told = |sought: &Sought| {
        let read = ids.get(..=sought.row).unwrap_or_default();
        let Some((own, before)) = read.split_last() else {
            return false;
        };
        let earlier = before.iter().zip(&read[1..]);
        earlier
            .into_iter()
            .any(|(token, next)| token == own && *next == sought.token)
    };
    let places = sought.iter().enumerate();
    places
        .filter(|(_, sought)| is_told(sought))
        .map(|(place, _)| place)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::induction::found::tests::meta;

    #[test]
    fn a_token_is_told_where_it_followed_the_same_one_earlier() {
        let trace = Trace::new(meta(&[1, 5, 6, 7, 5, 6, 8]));
        let sought: Vec<Sought> = (0..6)
            .map(|row| Sought {
                row,
                token: trace.meta.target[row + 1].id,
            })
            .collect();
        // After the second 5 comes 6, as before; after the second 6 comes 8, not 7.
        assert_eq!(told_by_repeat(&trace, &sought), [4]);
    }
}
