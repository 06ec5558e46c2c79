//! A token's vector on its way through the stack, pulled by what each sub-layer adds, seen in two principal directions.

use attention_figures::pulled::Pulled;
use attention_trace::{Block, Excerpt, Site, Slice, Sublayer};
use leptos::prelude::*;

use crate::follow::{FollowContext, Place};
use attention_core::{
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{StagedFigure, numbers::percent, player::Player},
};

/// The most tokens and the most places with which the page computes directions.
const MOST_TOKENS: usize = 24;
const MOST_PLACES: usize = 33;

/// A place on the way: the layer from 0 and the sub-layer after which it lies; `None` for the embeddings.
type Reached = Option<(usize, Sublayer)>;

/// Returns the places of a stack with their sites; of a deep one the ends of the layers alone.
fn places(place: &Place) -> Vec<(Reached, Site)> {
    let spec = &place.meta.spec;
    let stack = place.choice.attention.kind.stack();
    let layers = spec.stack(stack).map_or(0, |stack| stack.layers);
    let sublayers: Vec<Sublayer> = spec.sublayers(stack).collect();
    let is_deep = layers * sublayers.len() >= MOST_PLACES;
    let ends = (0..layers).flat_map(|layer| {
        let all = sublayers.iter().copied();
        all.filter(move |&one| !is_deep || one == Sublayer::FeedForward)
            .map(move |one| (layer, one))
    });
    let site = |(layer, sublayer)| spec.sublayer_output(Block::Sublayer(stack, layer, sublayer));
    let begins = [(None, spec.layer_input(stack, 0))];
    let ends = ends.map(|end| (Some(end), site(end)));
    begins.into_iter().chain(ends).take(MOST_PLACES).collect()
}

/// Returns the tokens that are computed with: as many as the page can, the chosen one among them.
fn window(count: usize, chosen: usize) -> std::ops::Range<usize> {
    let first = (chosen + 1).saturating_sub(MOST_TOKENS);
    first..count.min(first + MOST_TOKENS)
}

/// The picture with its player.
#[component]
pub fn Way() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let shown = move || context.with_place(|place| window(place.queries().len(), place.query));
    let parts = Live::expect().parts(move || {
        let excerpts = context.with_place(|place| {
            let tokens = window(place.queries().len(), place.query);
            let rows = Slice::Rows(tokens.start, tokens.end);
            let places = places(place).into_iter();
            places.map(|(_, site)| Excerpt::new(site, rows)).collect()
        });
        excerpts.unwrap_or_default()
    });
    let pulled = Memo::new(move |_| {
        let (parts, tokens) = (parts.get()?, shown()?);
        let names = context.query_labels().get(tokens.clone())?.to_vec();
        let count = names.len();
        let row = |part: &'_ Part, token: usize| part.0.row(&[token]).map(<[f32]>::to_vec);
        let points = parts
            .iter()
            .flat_map(|part| (0..count).map(move |token| row(part, token)));
        let points: Vec<Vec<f32>> = points.collect::<Option<_>>()?;
        let points: Vec<&[f32]> = points.iter().map(Vec::as_slice).collect();
        Pulled::of(names, context.query() - tokens.start, &points)
    });
    let wanted = state.select(|view| view.chapters.stage);
    let player = Player::new(
        move || wanted.get(),
        move || pulled.with(|it| it.as_ref().map_or(0, Pulled::steps)),
        move |stage| state.update_chapters(|chapters| chapters.stage = stage),
    );
    state.compare_count("stage", move || player.timeline().count);
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let step = player.timeline().step;
        let shares = pulled.with(|it| it.as_ref().map(|it| it.directions.shares));
        let [first, second] = shares
            .unwrap_or_default()
            .map(|share| percent(share as f32, 0));
        let reached =
            context.with_place(|place| places(place).get(step).map(|(reached, _)| *reached));
        let here = match reached.flatten().flatten() {
            None => t_string!(i18n, norms.way_embedding).to_owned(),
            Some((layer, Sublayer::SelfAttention)) => {
                t_string!(i18n, norms.way_self, layer = layer + 1)
            }
            Some((layer, Sublayer::CrossAttention)) => {
                t_string!(i18n, norms.way_cross, layer = layer + 1)
            }
            Some((layer, Sublayer::FeedForward)) => {
                t_string!(i18n, norms.way_network, layer = layer + 1)
            }
        };
        t_string!(
            i18n,
            norms.way_step,
            here = here,
            first = first,
            second = second
        )
    });
    view! {
        <section class="lesson-figure">
            <StagedFigure
                test_id="way"
                name=Signal::derive(move || t_string!(i18n, norms.way).to_owned())
                player
                words
                draw=move |width| pulled.with(|it| Some(it.as_ref()?.picture(width)))
            />
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_token_is_in_sight() {
        assert_eq!(window(9, 3), 0..9);
        assert_eq!(window(60, 3), 0..MOST_TOKENS);
        assert_eq!(window(60, 40), 17..41);
        for (count, chosen) in [(1, 0), (24, 23), (60, 59)] {
            assert!(window(count, chosen).contains(&chosen));
        }
    }
}
