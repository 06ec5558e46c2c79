//! The evidence of an open test, gathered from the engine: arrays at once, then the changed passes one by one.

use attention_trace::Excerpt;
use leptos::prelude::*;

use super::{
    evidence::{Evidence, Need, SelfFacts},
    questions::Question,
};
use attention_core::{
    engine::{Live, Part},
    names::token_name,
    selection::SelfAttention,
    state::Sitting,
    steps::Steps,
};

/// The evidence of a sitting, and the progress of the passes with changes.
#[derive(Clone, Copy)]
pub struct Gathered {
    /// The evidence so far; `None` until there is a trace.
    pub evidence: Memo<Option<Evidence>>,
    /// The number of passes that are known, and of all.
    pub runs: Memo<(usize, usize)>,
    /// True if the visitor stopped them.
    pub is_stopped: RwSignal<bool>,
}

impl Gathered {
    /// Gathers what these questions need, below a [`SelfAttention`].
    pub fn new(
        sitting: Sitting,
        questions: impl Fn() -> &'static [Question] + Copy + Send + Sync + 'static,
    ) -> Self {
        let live = Live::expect();
        let with_needs = with_matrices(sitting, move || {
            let needs = questions().iter().flat_map(|question| question.needs);
            needs.copied().collect()
        });
        let all_runs = Memo::new(move |_| {
            let evidence = with_needs.read();
            let evidence = evidence.as_ref();
            let questions = questions().iter();
            let runs = questions.filter_map(|question| Some(question.runs(evidence?)));
            different(runs.flatten())
        });
        let is_stopped = RwSignal::new(false);
        // One pass at a time, so that the visitor can stop and other questions have their turn.
        let reached = RwSignal::new(0);
        let asked = move || {
            let next = usize::from(!is_stopped.get());
            let runs = all_runs.read();
            runs.iter().take(reached.get() + next).cloned().collect()
        };
        let known = live.parts_so_far(asked);
        Effect::new(move |_| {
            let count = known
                .read()
                .iter()
                .take_while(|part| part.is_some())
                .count();
            if reached.get_untracked() != count {
                reached.set(count);
            }
        });
        let evidence = Memo::new(move |_| {
            let evidence = with_needs.get()?;
            Some(with(evidence, asked(), &known.read()))
        });
        let runs = Memo::new(move |_| {
            let known = known.read().iter().flatten().count();
            (known, all_runs.read().len())
        });
        Gathered {
            evidence,
            runs,
            is_stopped,
        }
    }
}

/// Returns the evidence of a sitting with the matrices that are needed, as far as they are here; `None` until there is a
/// trace.
pub fn with_matrices(
    sitting: Sitting,
    needs: impl Fn() -> Vec<Need> + Copy + Send + Sync + 'static,
) -> Memo<Option<Evidence>> {
    let bare = in_sight(sitting);
    let needed = move || {
        let evidence = bare.read();
        let evidence = evidence.as_ref();
        // What the model lacks, the answer says.
        let excerpt = |need: Need| need.excerpt(evidence?).ok();
        different(needs().into_iter().filter_map(excerpt))
    };
    let parts = Live::expect().parts_so_far(needed);
    Memo::new(move |_| {
        let evidence = bare.get()?;
        Some(with(evidence, needed(), &parts.read()))
    })
}

/// The evidence of what is in sight at a sitting, without arrays.
fn in_sight(sitting: Sitting) -> Memo<Option<Evidence>> {
    let (live, context) = (Live::expect(), SelfAttention::expect());
    let steps = Steps::expect();
    let name = token_name();
    Memo::new(move |_| {
        let facts =
            context.with(|place| SelfFacts::of(&place.meta, place.head, place.query, name))?;
        let decoding = live.trace()?.decoding.clone();
        Some(Evidence::new(
            facts?,
            decoding,
            steps.timeline().step,
            sitting,
        ))
    })
}

/// Adds the arrays that are here.
fn with(mut evidence: Evidence, excerpts: Vec<Excerpt>, parts: &[Option<Part>]) -> Evidence {
    for (excerpt, part) in excerpts.into_iter().zip(parts) {
        if let Some(part) = part {
            evidence.add_part(excerpt, part.clone());
        }
    }
    evidence
}

fn different(excerpts: impl Iterator<Item = Excerpt>) -> Vec<Excerpt> {
    let mut all = Vec::new();
    for excerpt in excerpts {
        if !all.contains(&excerpt) {
            all.push(excerpt);
        }
    }
    all
}
