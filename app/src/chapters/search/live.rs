//! The search of the page's own model on the visitor's sentence: its tree, its results by α, and what it cost.

use attention_trace::{
    Decoding, ForcedToken, Search,
    search::{Cost, Fate},
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    alpha::{AlphaTable, Whole},
    beams::look,
    live_tree::LiveTree,
    tree::{TreeFigure, TreeNode},
};
use crate::{
    engine::{Engine, ForcedTarget, Job, Live, Source},
    i18n::{Locale, t, t_string, use_i18n},
    names::name_of,
    state::{LENGTH_PENALTY, MAX_BEAM_WIDTH, ViewState},
    steps::Steps,
    widgets::{
        Select,
        numbers::{decimal, grouped},
        player::Transport,
    },
};

/// Candidates of each step that are shown though they led to no result.
const DROPPED: usize = 3;

/// Exponents of the length to choose from.
const PENALTIES: [f32; 5] = [0.0, 0.5, 0.75, 1.0, 1.5];

/// What the model on screen wrote, and how.
#[component]
pub fn LiveSearch() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let has_steps = Memo::new(move |_| steps.has_steps());
    view! {
        <section class="lesson-figure" data-testid="live-search">
            <Show
                when=move || has_steps.get()
                fallback=move || view! { <p class="hint">{t!(i18n, search.nothing_written)}</p> }
            >
                <SearchChoice />
                <LiveTreeView />
                <LiveCost />
                <LiveAlpha />
            </Show>
        </section>
    }
}

/// Width and α of the model's own search; a change runs at once.
#[component]
fn SearchChoice() -> impl IntoView {
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
        Search::Greedy => LENGTH_PENALTY,
        Search::Beam { length_penalty, .. } => length_penalty,
    };
    let widths = move || {
        let beam = (2..=MAX_BEAM_WIDTH).map(|width| width.to_string());
        std::iter::once(t_string!(i18n, search.one_is_greedy).to_owned())
            .chain(beam)
            .collect()
    };
    view! {
        <div class="position-controls">
            <Select
                name=Signal::derive(move || t_string!(i18n, search.width).to_owned())
                test_id="live-k"
                options=Signal::derive(widths)
                chosen=Signal::derive(move || search.get().width().saturating_sub(1))
                choose=move |index| change(index + 1, untrack(penalty))
            />
            <Show when=move || search.get() != Search::Greedy>
                <Select
                    name=Signal::derive(|| "α".to_owned())
                    test_id="live-alpha"
                    options=Signal::derive(|| PENALTIES.map(|alpha| alpha.to_string()).to_vec())
                    chosen=Signal::derive(move || nearest(penalty()))
                    choose=move |index| change(search.get_untracked().width(), PENALTIES[index])
                />
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

/// The run on screen: what was asked, and how it was decoded.
#[derive(Clone, PartialEq)]
struct Run {
    job: Option<Job>,
    decoding: Decoding,
}

impl Run {
    fn of(engine: &Engine) -> Option<Self> {
        let shown = engine.shown.as_ref()?;
        Some(Run {
            job: shown.job.clone(),
            decoding: shown.trace.decoding.clone()?,
        })
    }

    /// The other results, to be read token by token; none where the model cannot be asked.
    fn others(&self) -> Vec<ForcedTarget> {
        let target = |text: &String, job: &Job| ForcedTarget {
            target: text.clone(),
            job: Job {
                prefix: Vec::new(),
                ..job.clone()
            },
        };
        let others = self.decoding.hypotheses.iter().skip(1);
        others
            .filter_map(|found| Some(target(&found.text, self.job.as_ref()?)))
            .collect()
    }
}

/// The tree, the player that lets it grow, and the way back from what was forced.
#[component]
fn LiveTreeView() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let run = live.select(Run::of);
    let is_live = live.select(Engine::has_parts);
    let read = live.forced(move || match is_live.get() {
        true => run.get().map_or_else(Vec::new, |run| run.others()),
        false => Vec::new(),
    });
    let tree = Memo::new(move |_| {
        let read = read.get();
        let read: Vec<Option<&[ForcedToken]>> = read
            .iter()
            .map(|read| Some(&**read.as_ref()?.as_ref().ok()?))
            .collect();
        run.with(|run| {
            let decoding = &run.as_ref()?.decoding;
            Some(LiveTree::of(decoding, DROPPED, &read))
        })
        .unwrap_or_default()
    });
    let player = Steps::expect().player();
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, search.step_of, step = step, count = count)
    });
    let prefix = state.select(|view| view.prefix.clone());
    let nodes = Signal::derive(move || {
        let is_done = player.timeline().is_at_end();
        run.with(|run| {
            let decoding = run.as_ref().map(|run| &run.decoding);
            tree.with(|tree| shown_nodes(i18n, tree, decoding, &prefix.read(), is_done))
        })
    });
    let shown = Signal::derive(move || match player.timeline() {
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
        <TreeFigure
            name=Signal::derive(move || t_string!(i18n, search.live_tree).to_owned())
            test_id="live-tree"
            nodes
            shown
            choose=move |key: String| live.run_with_prefix(ids(&key))
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

/// The tokens that a key spells.
fn ids(key: &str) -> Vec<u32> {
    key.split('.').filter_map(|id| id.parse().ok()).collect()
}

/// The nodes as they are drawn. The way to the best result is marked when the search is done.
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
            number: score.unwrap_or(sum),
            words,
            look: look(node.fate, node.is_best && is_done),
            is_forced: prefix.starts_with(&ids),
        }
    };
    (0..tree.nodes.len()).map(shown).collect()
}

/// What the run cost: counted, and in time.
#[component]
fn LiveCost() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let cost = live.select(|engine| {
        let shown = engine.shown.as_ref()?;
        let decoding = shown.trace.decoding.as_ref()?;
        let milliseconds = match shown.source {
            Source::Live(timing) => Some(timing.decode_ms),
            Source::Example => None,
        };
        let vocabulary = shown.trace.meta.spec.vocabulary;
        Some((
            decoding.search.width(),
            vocabulary,
            decoding.steps.len(),
            milliseconds,
        ))
    });
    let words = move || {
        let (width, vocabulary, steps, milliseconds) = cost.get()?;
        let counted = Cost::of_beam(width as u64, vocabulary as u64, steps as u64);
        let counted = t_string!(
            i18n,
            search.live_counted,
            k = width,
            n = grouped(vocabulary as u64),
            t = steps,
            cost = grouped(counted)
        );
        let measured = milliseconds.map(|milliseconds| {
            let milliseconds = decimal(milliseconds as f32, 0);
            t_string!(i18n, search.live_measured, milliseconds = milliseconds)
        });
        Some(format!("{counted} {}", measured.unwrap_or_default()))
    };
    view! { <p class="lesson-reading number" data-testid="live-cost">{words}</p> }
}

/// The results by several exponents of the length; nothing where there is one alone.
#[component]
fn LiveAlpha() -> impl IntoView {
    let i18n = use_i18n();
    let steps = Steps::expect();
    let wholes = Memo::new(move |_| {
        steps
            .with_decoding(|decoding| wholes(decoding))
            .unwrap_or_default()
    });
    let has_several = Memo::new(move |_| wholes.read().len() > 1);
    view! {
        <Show
            when=move || has_several.get()
            fallback=move || view! { <p class="hint">{t!(i18n, search.one_result)}</p> }
        >
            <AlphaTable
                name=Signal::derive(move || t_string!(i18n, search.live_results).to_owned())
                test_id="live-alpha-table"
                wholes
            />
        </Show>
    }
}

fn wholes(decoding: &Decoding) -> Vec<Whole> {
    let found = decoding.hypotheses.iter();
    found
        .map(|found| Whole {
            name: found.text.clone(),
            log_probability: f64::from(found.log_probability),
            length: found.tokens.len(),
        })
        .collect()
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

    #[test]
    fn a_key_spells_tokens() {
        assert_eq!(ids("17.4.9"), [17, 4, 9]);
    }
}
