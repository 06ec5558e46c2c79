//! Beam search on the table: its tree as it grows, and its results.

use crate::search::parameters::SearchLab;
use attention_trace::search::{BeamNode, BeamTree, Fate, Path, beam};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    context::{NAMES, SearchContext, cost_in_words, probability, written},
    results::Ranked,
    tree::{Look, TreeFigure, TreeNode},
};
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        Slider,
        numbers::decimal,
        player::{Player, Transport},
    },
};

/// The exponent α of the length.
#[component]
pub fn AlphaSlider() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let alpha = state.select(|view| view.chapters.of::<SearchLab>().alpha);
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, search.alpha).to_owned())
            test_id="search-alpha"
            range=SearchLab::ALPHAS
            step=5
            value=alpha
            words=Signal::derive(move || decimal(alpha.get() as f32 / 100.0, 2))
            set=move |alpha| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().alpha = alpha)
        />
    }
}

/// Controls of width and α, the tree, and the results.
#[component]
pub fn BeamView() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SearchContext::expect();
    let width = Memo::new(move |_| context.lab.with(|lab| lab.width));
    let alpha = Memo::new(move |_| context.lab.with(SearchLab::alpha));
    let prefix = Memo::new(move |_| context.lab.with(|lab| lab.prefix.clone()));
    let tree = Memo::new(move |_| {
        let (width, alpha, prefix) = (width.get(), alpha.get(), prefix.get());
        context
            .model
            .with(|model| beam(model, width, alpha, &prefix))
    });
    let force = move |prefix: Vec<usize>| {
        state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().prefix = prefix);
    };
    let found = Signal::derive(move || {
        tree.with(|tree| {
            tree.results
                .iter()
                .map(|&node| tree.path(node))
                .collect::<Vec<Path>>()
        })
    });
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, search.width).to_owned())
                test_id="search-k"
                range=SearchLab::WIDTHS
                value=width
                words=Signal::derive(move || width.get().to_string())
                set=move |width| state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().width = width)
            />
            <AlphaSlider />
        </div>
        <GrowingTree tree alpha prefix choose=force />
        <Show when=move || !prefix.read().is_empty()>
            <p class="lesson-reading" data-testid="forced-prefix">
                {move || t_string!(i18n, search.forced, sequence = written(&prefix.read()))} " "
                <button type="button" class="link-button" data-testid="release-prefix" on:click=move |_| force(Vec::new())>
                    {t!(i18n, search.release)}
                </button>
            </p>
        </Show>
        <Ranked
            name=Signal::derive(move || t_string!(i18n, search.results).to_owned())
            test_id="beam-results"
            found
            alpha=Signal::derive(move || Some(alpha.get()))
        />
        <p class="hint" data-testid="search-cost">
            {move || cost_in_words(i18n, tree.with(|tree| tree.cost))}
        </p>
    }
}

/// The tree, and the player that grows it step by step.
#[component]
fn GrowingTree(
    tree: Memo<BeamTree>,
    alpha: Memo<f64>,
    prefix: Memo<Vec<usize>>,
    choose: impl Fn(Vec<usize>) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let stage = state.select(|view| view.chapters.stage);
    let lengths =
        move || tree.with(|tree| tree.nodes.iter().map(|node| node.length).max().unwrap_or(0));
    let player = Player::new(
        move || stage.get(),
        lengths,
        move |stage| state.update_chapters(|chapters| chapters.stage = stage),
    );
    state.compare_count("stage", move || player.timeline().count);
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, search.step_of, step = step, count = count)
    });
    let nodes = Signal::derive(move || {
        let (alpha, is_done) = (alpha.get(), player.timeline().is_at_end());
        let forced = prefix.read().len();
        tree.with(|tree| shown_nodes(i18n, tree, alpha, forced, is_done))
    });
    let shown = Signal::derive(move || player.timeline().step + 1);
    view! {
        <Transport
            player
            label=Signal::derive(move || t_string!(i18n, search.growing).to_owned())
            words
        />
        <TreeFigure
            name=Signal::derive(move || t_string!(i18n, search.tree).to_owned())
            test_id="beam-tree"
            nodes
            shown
            choose=move |key: String| choose(tokens(&key))
        />
        <p class="hint">{t!(i18n, search.tree_hint)}</p>
    }
}

/// The tokens that a key spells.
fn tokens(key: &str) -> Vec<usize> {
    key.split('.')
        .filter_map(|token| token.parse().ok())
        .collect()
}

/// Returns the nodes as they are drawn. The path to the best result is marked when the search is done.
fn shown_nodes(
    i18n: I18nContext<Locale>,
    tree: &BeamTree,
    alpha: f64,
    forced: usize,
    is_done: bool,
) -> Vec<TreeNode> {
    let best = match tree.results.first() {
        Some(&best) if is_done => tree.path(best).tokens,
        _ => Vec::new(),
    };
    let node = |(index, node): (usize, &BeamNode)| {
        let path = tree.path(index);
        let (sum, score) = (
            decimal(node.log_probability as f32, 2),
            decimal(path.score(alpha) as f32, 2),
        );
        let (sequence, p) = (written(&path.tokens), probability(node.probability));
        let is_whole = node.fate == Fate::Finished;
        TreeNode {
            log_probability: Some(node.log_probability as f32),
            score: is_whole.then(|| path.score(alpha) as f32),
            key: spelled(&path.tokens),
            parent: node.parent,
            length: node.length,
            name: NAMES
                .get(node.token)
                .copied()
                .unwrap_or_default()
                .to_owned(),
            words: match node.fate {
                Fate::Kept => t_string!(
                    i18n,
                    search.node_kept,
                    sequence = sequence,
                    p = p,
                    sum = sum.clone()
                ),
                Fate::Pruned => t_string!(
                    i18n,
                    search.node_pruned,
                    sequence = sequence,
                    p = p,
                    sum = sum.clone()
                ),
                Fate::Finished => t_string!(
                    i18n,
                    search.node_finished,
                    sequence = sequence,
                    p = p,
                    sum = sum.clone(),
                    score = score.clone()
                ),
            },
            look: look(node.fate, best.starts_with(&path.tokens)),
            number: if is_whole { score } else { sum },
            is_forced: node.length <= forced && node.fate != Fate::Pruned,
        }
    };
    tree.nodes.iter().enumerate().map(node).collect()
}

/// Returns the look of a node.
pub fn look(fate: Fate, is_best: bool) -> Look {
    match fate {
        _ if is_best => Look::Best,
        Fate::Kept => Look::Kept,
        Fate::Pruned => Look::Pruned,
        Fate::Finished => Look::Finished,
    }
}

fn spelled(tokens: &[usize]) -> String {
    let tokens: Vec<_> = tokens.iter().map(usize::to_string).collect();
    tokens.join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_spells_the_tokens() {
        assert_eq!(tokens(&spelled(&[0, 2, 1])), [0, 2, 1]);
        assert_eq!(tokens(""), Vec::<usize>::new());
    }

    #[test]
    fn the_best_is_marked_whatever_became_of_it() {
        assert_eq!(look(Fate::Kept, true), Look::Best);
        assert_eq!(look(Fate::Pruned, false), Look::Pruned);
        assert_eq!(look(Fate::Finished, false), Look::Finished);
    }
}
