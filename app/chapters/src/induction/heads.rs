//! A map of all heads by one of their scores.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::head_name,
    navigation::FindingLink,
    widgets::{Segmented, inspector::Inspected, matrix::MatrixFigure, numbers::share_of_one},
};
use attention_figures::matrix::Scale;
use attention_trace::roles::RoleScore;
use leptos::prelude::*;

use crate::head_map::head_matrix;

use super::{
    OUR_MODEL, SENTENCES_TWICE,
    found::{Found, HeadScores, value},
    parameters::ScoreKind,
};

/// The map, the highest score, and links to texts that repeat.
#[component]
pub fn HeadsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let found = Found::expect();
    let name = head_name();
    let wanted = Memo::new(move |_| found.view.with(|view| view.score));
    let rows = Memo::new(move |_| Some(by_layer(found.scores.read().as_ref()?)));
    let map = head_matrix();
    let matrix = Memo::new(move |_| {
        let wanted = wanted.get();
        let weight = |scores: &HeadScores| scores.of(wanted).map_or(0.0, |score| score.weight);
        let layers = rows.get()?.into_iter();
        let layers = layers.map(|heads| heads.iter().map(weight).collect::<Vec<f32>>());
        map(&layers.collect::<Vec<_>>())
    });
    let words = move || {
        if found.is_too_long.get() {
            return Some(t_string!(i18n, induction.too_long).to_owned());
        }
        let scores = found.scores.get()?;
        let wanted = wanted.get();
        let best = scores
            .iter()
            .max_by(|one, other| value(one, wanted).total_cmp(&value(other, wanted)))?;
        let Some(score) = best.of(wanted) else {
            return Some(t_string!(i18n, induction.no_repeat).to_owned());
        };
        let clear = scores
            .iter()
            .filter_map(|head| head.of(wanted))
            .filter(|score| score.is_clear());
        Some(t_string!(
            i18n,
            induction.highest,
            head = name(best.head.attention, best.head.head),
            weight = share_of_one(score.weight, 3),
            chance = share_of_one(score.chance, 3),
            clear = clear.count(),
            all = scores.len()
        ))
    };
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let words = move || {
            let scores = *rows.read().as_ref()?.get(row)?.get(column)?;
            let RoleScore {
                weight,
                chance,
                queries,
            } = scores.of(wanted.get())?;
            Some(t_string!(
                i18n,
                induction.score_of,
                head = name(scores.head.attention, scores.head.head),
                weight = share_of_one(weight, 4),
                chance = share_of_one(chance, 4),
                queries = queries
            ))
        };
        view! { <p class="number">{words}</p> }.into_any()
    });
    view! {
        <section class="lesson-figure" data-testid="induction-heads-figure">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, induction.score).to_owned())
                options=Signal::derive(move || vec![
                    (ScoreKind::Induction, t_string!(i18n, induction.of_induction).to_owned()),
                    (ScoreKind::Previous, t_string!(i18n, induction.of_previous).to_owned()),
                ])
                value=wanted
                choose=move |score| found.update(|view| view.score = score)
            />
            <Inspected>
                <MatrixFigure
                    id="induction-heads"
                    symbol="<math><mover><mi>a</mi><mo>¯</mo></mover></math>"
                    name=Signal::derive(move || t_string!(i18n, induction.heads).to_owned())
                    matrix
                    scale=Scale::Weights
                    rows_shown=32
                    describe
                />
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="induction-found">{words}</p>
            <p class="position-controls">
                <FindingLink link=OUR_MODEL test_id="induction-ours">
                    {t!(i18n, induction.use_ours)}
                </FindingLink>
                <FindingLink link=SENTENCES_TWICE test_id="induction-sentences">
                    {t!(i18n, induction.use_sentences)}
                </FindingLink>
            </p>
        </section>
    }
}

/// Returns the heads of each layer.
fn by_layer(scores: &[HeadScores]) -> Vec<Vec<HeadScores>> {
    let same = |one: &HeadScores, other: &HeadScores| one.head.attention == other.head.attention;
    scores.chunk_by(same).map(<[HeadScores]>::to_vec).collect()
}
