//! Latent attention by hand: three tokens, a short vector for each, and the keys and values that are made of it.

use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described},
    },
};
use attention_trace::Latent;
use leptos::prelude::*;

/// The vectors of three tokens, as rows.
const TOKENS: [f32; 12] = [1.0, 2.0, 0.0, 1.0, 0.0, 1.0, 1.0, -1.0, 2.0, 0.0, 1.0, 0.0];
/// A query of both heads.
const QUERY: [f32; 4] = [1.0, 2.0, -1.0, 1.0];

fn latent() -> Latent {
    Latent {
        width: 4,
        rank: 2,
        keys: 4,
        down: vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, -1.0],
        up_key: vec![1.0, 0.0, 2.0, 1.0, 0.0, 1.0, -1.0, 1.0],
        up_value: vec![0.0, 1.0, 1.0, 0.0, 2.0, 0.0, 0.0, 1.0],
    }
}

fn names(letter: char) -> Vec<String> {
    ["₁", "₂", "₃"]
        .map(|number| format!("{letter}{number}"))
        .to_vec()
}

/// Returns the scores of the query with the keys, and those of its shortened form with the short vectors.
fn both_scores(latent: &Latent) -> [Vec<f32>; 2] {
    let c = latent.shortened(&TOKENS);
    let absorbed = latent.absorbed(&QUERY);
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let with_keys = latent
        .keys(&c)
        .chunks(latent.keys)
        .map(|key| dot(&QUERY, key))
        .collect();
    let with_short = c.chunks(latent.rank).map(|c| dot(&absorbed, c)).collect();
    [with_keys, with_short]
}

#[component]
pub fn LatentByHand() -> impl IntoView {
    let i18n = use_i18n();
    let latent = latent();
    let c = latent.shortened(&TOKENS);
    let matrix = |values: Vec<f32>, columns: usize, letter: char| {
        let matrix = Matrix::new(values, columns).with_rows(names(letter));
        Memo::new(move |_| Some(matrix.clone()))
    };
    let tokens = matrix(TOKENS.to_vec(), latent.width, 'x');
    let keys = matrix(latent.keys(&c), latent.keys, 'k');
    let values = matrix(latent.values(&c), latent.keys, 'v');
    let scores = both_scores(&latent).concat();
    let scores = Matrix::new(scores, 3)
        .with_rows(vec!["q · k".to_owned(), "q W · c".to_owned()])
        .with_columns(names('x'));
    let scores = Memo::new(move |_| Some(scores.clone()));
    let short = matrix(c, latent.rank, 'c');
    let (kept, without) = (latent.kept(), latent.without());
    let figure = |id, symbol, name: Signal<String>, matrix| {
        let symbol = format!("<math><mi>{symbol}</mi></math>");
        view! { <MatrixFigure id symbol name matrix describe=numbers_described(matrix) /> }
    };
    let words = move || t_string!(i18n, kept.latent_kept, kept = kept, without = without);
    view! {
        <section class="lesson-figure" data-testid="latent">
            <Inspected>
                <div class="equation">
                    {figure("latent-x", "X", Signal::derive(move || t_string!(i18n, kept.latent_tokens).to_owned()), tokens)}
                    {figure("latent-c", "C", Signal::derive(move || t_string!(i18n, kept.latent_short).to_owned()), short)}
                    {figure("latent-k", "K", Signal::derive(move || t_string!(i18n, kept.latent_keys).to_owned()), keys)}
                    {figure("latent-v", "V", Signal::derive(move || t_string!(i18n, kept.latent_values).to_owned()), values)}
                    {figure("latent-scores", "s", Signal::derive(move || t_string!(i18n, kept.latent_scores).to_owned()), scores)}
                </div>
            </Inspected>
            <p class="lesson-reading number" data-testid="latent-kept">{words}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figure_is_computed_by_hand() {
        let latent = latent();
        let c = latent.shortened(&TOKENS);
        assert_eq!(c, [1.0, 1.0, 1.0, 3.0, 3.0, 1.0]);
        assert_eq!(latent.keys(&c)[..4], [1.0, 1.0, 1.0, 2.0]);
        assert_eq!(latent.values(&c)[..4], [2.0, 1.0, 1.0, 1.0]);
        let [with_keys, with_short] = both_scores(&latent);
        assert_eq!(with_keys, [4.0, 12.0, 4.0]);
        assert_eq!(with_keys, with_short);
    }
}
