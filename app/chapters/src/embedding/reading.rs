//! A sentence read token by token: the current one marked, those before it shaded by the weight that it gives them. After
//! Figure 1 of Cheng et al. 2016, with the self-attention of a causal Transformer in the place of their memory.

use crate::embedding::parameters::{EmbeddingLab, Shading};
use attention_trace::{AttentionKind, Quantity};
use leptos::prelude::*;

use super::{context::EmbeddingContext, lines::Lines};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    selection::{HeadSelects, SelfAttention, SelfPlace, mean},
    state::{HeadChoice, Model, Task, View},
    widgets::{
        Segmented,
        numbers::share_of_one,
        player::{Player, Transport},
    },
};

/// The sentence of the paper's figure.
pub const PAPERS: &str = "The FBI is chasing a criminal on the run .";

/// The rows of weights that shade: the chosen head's, or the means over its layer's heads. Row by row, a weight for each
/// token.
pub fn shown_rows() -> Memo<Option<Vec<Vec<f32>>>> {
    let place = SelfAttention::expect();
    let lab = EmbeddingContext::expect().lab;
    let heads = Memo::new(move |_| {
        let shading = lab.with(|lab| lab.shading);
        place
            .with(|place| heads(place, shading))
            .unwrap_or_default()
    });
    let parts = Live::expect().parts(move || {
        let excerpt = |head: HeadChoice| head.excerpt(Quantity::Pattern);
        heads.get().into_iter().map(excerpt).collect()
    });
    Memo::new(move |_| {
        let parts = parts.get().filter(|parts| !parts.is_empty())?;
        let count = place.names().len();
        let row = |query: usize| {
            let rows = parts.iter().map(|part| part.0.row(&[query]));
            let rows = rows.collect::<Option<Vec<&[f32]>>>()?;
            let mut row = mean(&rows);
            row.truncate(count);
            Some(row)
        };
        (0..count).map(row).collect()
    })
}

fn heads(place: &SelfPlace, shading: Shading) -> Vec<HeadChoice> {
    match shading {
        Shading::Head => vec![place.head],
        Shading::Layer => (0..place.head.numbers(&place.meta).heads)
            .map(|head| HeadChoice { head, ..place.head })
            .collect(),
    }
}

/// The sentence, the player and the choice of the head; of a model that reads both ways, the way to one that does not.
#[component]
pub fn ReadingFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let is_causal = Memo::new(move |_| {
        let kind = context.with(|place| place.head.attention.kind);
        kind == Some(AttentionKind::DecoderSelf)
    });
    view! {
        <section class="lesson-figure" data-testid="read-words">
            <ViewLink change=to_papers class="link-button" test_id="read-paper">
                {t!(i18n, embedding.use_paper)}
            </ViewLink>
            <Show
                when=move || is_causal.get()
                fallback=move || view! { <p class="hint" data-testid="read-not-causal">{t!(i18n, embedding.not_causal)}</p> }
            >
                <Reading />
            </Show>
        </section>
    }
}

/// The paper's sentence, read by the model of English sentences.
fn to_papers(view: &mut View) {
    view.use_model(Model::first(|card| card.task == Task::Continue));
    view.use_text(PAPERS.to_owned());
    view.chapters.of_mut::<EmbeddingLab>().token = usize::MAX;
}

#[component]
fn Reading() -> impl IntoView {
    let i18n = use_i18n();
    let (place, context) = (SelfAttention::expect(), EmbeddingContext::expect());
    let rows = shown_rows();
    let count = Memo::new(move |_| place.names().len());
    let numbers = Memo::new(move |_| place.with(|place| place.head.numbers(&place.meta)));
    let shading = Memo::new(move |_| context.lab.with(|lab| lab.shading));
    let player = Player::new(
        move || context.lab.with(|lab| lab.token),
        move || count.get(),
        move |token| context.update(|lab| lab.token = token),
    );
    let at = Memo::new(move |_| player.timeline().step);
    let words = Signal::derive(move || {
        t_string!(
            i18n,
            embedding.token_of,
            token = at.get() + 1,
            count = count.get()
        )
    });
    let said = move || {
        let names = place.names();
        let name = names.get(at.get())?.clone();
        rows.with(|rows| {
            let row = rows.as_ref()?.get(at.get())?;
            let (first, weight) = strongest_before(row, at.get())?;
            Some(t_string!(
                i18n,
                embedding.looks_most,
                token = name,
                first = names.get(first)?.clone(),
                weight = share_of_one(weight, 3),
                own = share_of_one(*row.get(at.get())?, 3)
            ))
        })
    };
    view! {
        <div class="position-controls">
            <HeadSelects numbers test_ids=["read-layer", "read-head"] />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, embedding.shading).to_owned())
                options=Signal::derive(move || vec![
                    (Shading::Head, t_string!(i18n, embedding.by_head).to_owned()),
                    (Shading::Layer, t_string!(i18n, embedding.by_layer).to_owned()),
                ])
                value=shading
                choose=move |shading| context.update(|lab| lab.shading = shading)
            />
        </div>
        <Transport
            player
            label=Signal::derive(move || t_string!(i18n, embedding.scrub).to_owned())
            words
            has_keys=false
        />
        <Lines
            rows
            names=Signal::derive(move || place.names().to_vec())
            weighs_itself=true
            at
            player
            test_ids=["read-line", "read-word"]
        />
        <p class="lesson-reading number" role="status" data-testid="read-said">{said}</p>
    }
}

/// The place before `at` with the largest weight of a row, and that weight.
fn strongest_before(row: &[f32], at: usize) -> Option<(usize, f32)> {
    let before = row.iter().copied().take(at).enumerate();
    before.max_by(|one, other| one.1.total_cmp(&other.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_read_before_can_be_looked_back_at() {
        let row = [0.2, 0.5, 0.1, 0.9];
        assert_eq!(strongest_before(&row, 3), Some((1, 0.5)));
        assert_eq!(strongest_before(&row, 1), Some((0, 0.2)));
        assert_eq!(strongest_before(&row, 0), None);
    }

    #[test]
    fn the_papers_sentence_is_read_to_its_end_by_the_model_of_sentences() {
        let mut view = View::from_fragment("tab=learn&chapter=embedding&model=translator");
        to_papers(&mut view);
        assert_eq!(
            (view.model, view.text.as_str()),
            ("sentences".parse().unwrap(), PAPERS)
        );
        assert_eq!(view.chapters.of::<EmbeddingLab>().token, usize::MAX);
    }
}
