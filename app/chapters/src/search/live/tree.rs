//! The tree of the model's own search on the page.

use attention_trace::{Decoding, search::Fate};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::data::LiveTree;
use crate::search::{
    beams::look,
    tree::{TreeFigure, TreeNode},
};
use attention_core::{
    engine::{Engine, Live},
    i18n::{Locale, t, t_string, use_i18n},
    names::name_of,
    state::ViewState,
    steps::Steps,
    widgets::{numbers::decimal, player::Transport},
};

/// The number of each step's candidates shown although they led to no result, if the run did not keep all.
const DROPPED: usize = 3;

/// The tree, the player that grows it, and the button that removes the forced tokens.
#[component]
pub fn LiveTreeView() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let run = live.select(decoding_of);
    let tree = Memo::new(move |_| {
        run.with(|run| Some(LiveTree::of(run.as_ref()?, DROPPED)))
            .unwrap_or_default()
    });
    // An engine that runs has looked at something once the first report is here; until then the last result's tree stays.
    let growing = live.select(|engine| {
        let running = engine.running.as_ref()?;
        (!running.considered.is_empty()).then(|| LiveTree::growing(&running.considered))
    });
    let is_growing = Memo::new(move |_| growing.with(Option::is_some));
    let player = Steps::expect().player();
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, search.step_of, step = step, count = count)
    });
    let prefix = state.select(|view| view.prefix.clone());
    let nodes = Signal::derive(move || {
        if let Some(tree) = growing.get() {
            return shown_nodes(i18n, &tree, None, &[], false);
        }
        let is_done = player.timeline().is_at_end();
        run.with(|run| {
            tree.with(|tree| shown_nodes(i18n, tree, run.as_ref(), &prefix.read(), is_done))
        })
    });
    let shown = Signal::derive(move || match player.timeline() {
        _ if is_growing.get() => usize::MAX,
        // Other results may have more tokens than the best.
        timeline if timeline.is_at_end() => usize::MAX,
        timeline => timeline.step + 1,
    });
    view! {
        <Transport
            player
            label=Signal::derive(move || t_string!(i18n, search.growing_live).to_owned())
            words
            has_keys=false
        />
        <p class="hint" data-testid="live-growing">
            {move || growing.with(|tree| {
                let nodes = tree.as_ref()?.nodes.len();
                Some(t_string!(i18n, search.growing_now, nodes = nodes))
            })}
        </p>
        <TreeFigure
            name=Signal::derive(move || t_string!(i18n, search.live_tree).to_owned())
            test_id="live-tree"
            nodes
            shown
            choose=move |key: String| {
                player.pause();
                live.run_with_prefix(ids(&key));
            }
        />
        <p class="hint">{t!(i18n, search.live_hint)}</p>
        <Show when=move || !prefix.read().is_empty()>
            <p class="lesson-reading" data-testid="live-forced">
                {t!(i18n, search.live_forced)} " "
                <button type="button" class="link-button" data-testid="live-release" on:click=move |_| live.run()>
                    {t!(i18n, search.release)}
                </button>
            </p>
        </Show>
    }
}

/// Returns the decoding of the text on screen.
fn decoding_of(engine: &Engine) -> Option<Decoding> {
    engine.shown.as_ref()?.trace.decoding.clone()
}

/// The tokens that a key spells.
fn ids(key: &str) -> Vec<u32> {
    key.split('.').filter_map(|id| id.parse().ok()).collect()
}

/// Returns the nodes as they are drawn. The path to the best result is marked when the search is done.
fn shown_nodes(
    i18n: I18nContext<Locale>,
    tree: &LiveTree,
    decoding: Option<&Decoding>,
    prefix: &[u32],
    is_done: bool,
) -> Vec<TreeNode> {
    let shown = |index: usize| {
        let node = &tree.nodes[index];
        let tokens = tree.tokens(index);
        let ids: Vec<u32> = tokens.iter().map(|token| token.id).collect();
        let names: Vec<String> = tokens.iter().map(|token| name_of(i18n, token)).collect();
        let sequence = names.join(" ");
        let sum = node
            .log_probability
            .map_or_else(|| "–".to_owned(), |sum| decimal(sum, 2));
        let result = node
            .result
            .and_then(|result| decoding?.hypotheses.get(result));
        let score = result.map(|found| decimal(found.score, 2));
        let words = match (&score, node.fate) {
            (Some(score), _) => t_string!(
                i18n,
                search.live_finished,
                sequence = sequence,
                sum = sum.clone(),
                score = score.clone()
            ),
            (None, Fate::Pruned) => {
                t_string!(
                    i18n,
                    search.live_pruned,
                    sequence = sequence,
                    sum = sum.clone()
                )
            }
            (None, _) => t_string!(
                i18n,
                search.live_kept,
                sequence = sequence,
                sum = sum.clone()
            ),
        };
        TreeNode {
            key: ids.iter().map(u32::to_string).collect::<Vec<_>>().join("."),
            parent: node.parent,
            length: node.length,
            name: names.last().cloned().unwrap_or_default(),
            log_probability: node.log_probability,
            score: result.map(|found| found.score),
            number: score.unwrap_or(sum),
            words,
            look: look(node.fate, node.is_best && is_done),
            is_forced: prefix.starts_with(&ids),
        }
    };
    (0..tree.nodes.len()).map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_spells_tokens() {
        assert_eq!(ids("17.4.9"), [17, 4, 9]);
    }
}
