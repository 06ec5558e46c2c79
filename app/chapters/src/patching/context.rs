//! State shared by the chapter's figures: the two sentences, their runs, the compared words, and the map.

use crate::patching::parameters::{KeptPatch, PatchingView};
use std::sync::Arc;

use attention_core::{
    engine::{Engine, Job, Live, PatchingAsked, PatchingRead},
    state::ViewState,
};
use attention_protocol::Failure;
use attention_trace::{
    Contender, MapQuestion, ModelSpec, Patched, PatchedPlace, PatchingAnswer, PatchingPair,
    PatchingQuestion, PatchingRuns, Stack, TakenInto, Token,
};
use leptos::prelude::*;

use super::layout::{Layout, fits, reads};

/// The model and the visitor's own sentence, with nothing changed in the passes.
#[derive(Clone, Debug, PartialEq)]
pub struct Own {
    /// The job sent to the model.
    pub job: Job,
    /// The model on screen.
    pub spec: ModelSpec,
}

fn own(engine: &Engine) -> Option<Own> {
    let shown = engine.shown.as_ref()?;
    Some(Own {
        job: shown.job.as_ref()?.unedited(),
        spec: shown.trace.meta.spec.clone(),
    })
}

impl Own {
    /// Returns another sentence in the form that the model reads.
    fn input_of(&self, sentence: &str) -> String {
        let mut sentences = self.job.model.sentences(sentence);
        let reads = sentences.swap_remove(0);
        Job {
            reads,
            ..self.job.clone()
        }
        .input()
    }
}

/// Both runs, with the model and both sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct BothRuns {
    /// The model, and the visitor's own sentence.
    pub own: Own,
    /// The other sentence, as the model reads it.
    pub other: String,
    /// The runs of the two sentences.
    pub runs: PatchingRuns,
}

impl BothRuns {
    /// Returns a stack's input in the clean run or in the other one.
    pub fn reads(&self, stack: Stack, is_clean: bool) -> Vec<Token> {
        let runs = &self.runs;
        let run = if is_clean { &runs.clean } else { &runs.other };
        reads(&self.own.spec, stack, &run.read, self.target())
    }

    /// The tokens that both runs read before the step.
    fn target(&self) -> &[Token] {
        let written = &self.runs.clean.written;
        &written[..self.runs.step.min(written.len())]
    }
}

/// The context shared by the chapter's figures.
#[derive(Clone, Copy)]
pub struct PatchingContext {
    state: ViewState,
    live: Live,
    /// The state of the chapter in the view.
    pub view: Memo<PatchingView>,
    /// The model and the visitor's own sentence.
    pub own: Memo<Option<Own>>,
    /// The other sentence as it was typed.
    pub other: Memo<String>,
    /// The runs that are on screen: the last that were answered.
    pub runs: Memo<Option<BothRuns>>,
    /// The reason why the requested runs are not available.
    pub refused: Memo<Option<Failure>>,
    /// Both words, and the inputs of both runs.
    pub pair: Memo<Option<PatchingPair>>,
    /// Rows and columns of the map.
    pub layout: Memo<Option<Layout>>,
    /// The question behind the map.
    pub asked: Memo<Option<PatchingAsked>>,
    /// The map's results so far.
    pub map: Memo<PatchingRead>,
}

impl PatchingContext {
    /// Provides the context to the chapter's figures.
    pub fn provide() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let view = state.select(|view| view.chapters.of::<PatchingView>().clone());
        let own = live.select(own);
        let other = Memo::new(move |_| {
            let typed = view.with(|view| view.other.clone());
            let ready = || {
                own.with(|own| Some(own.as_ref()?.job.model.card().pairs.first()?[1].to_owned()))
            };
            typed.or_else(ready).unwrap_or_default()
        });
        let runs_asked = Memo::new(move |_| {
            let step = view.with(|view| view.step);
            own.with(|own| runs_question(own.as_ref()?, &other.read(), step))
        });
        let read = live.patching(move || runs_asked.get().into_iter().collect());
        let end = Memo::new(move |_| read.get().pop()?.end);
        let runs = Memo::new(move |before: Option<&Option<BothRuns>>| {
            // `refused` has the failure.
            let fresh = || both_runs(own.get()?, runs_asked.get()?, end.get()?.ok()?);
            fresh().or_else(|| before.cloned().flatten())
        });
        let refused = Memo::new(move |_| end.get()?.err());
        let pair =
            Memo::new(move |_| view.with(|view| runs.with(|runs| pair_of(runs.as_ref()?, view))));
        let layout = Memo::new(move |_| {
            view.with(|view| runs.with(|runs| Some(layout_of(runs.as_ref()?, view))))
        });
        let asked = Memo::new(move |_| {
            let model = runs.with(|runs| Some(runs.as_ref()?.own.job.model))?;
            let pair = pair.get()?;
            let (stack, patched, into) =
                layout.with(|layout| layout.as_ref().map(|it| (it.stack, it.patched, it.into)))?;
            let question = PatchingQuestion::Map(MapQuestion {
                pair,
                stack,
                patched,
                into,
            });
            Some(PatchingAsked { model, question })
        });
        let map = live.patching(move || asked.get().into_iter().collect());
        let context = PatchingContext {
            state,
            live,
            view,
            own,
            other,
            runs,
            refused,
            pair,
            layout,
            asked,
            map: Memo::new(move |_| map.get().pop().unwrap_or_default()),
        };
        provide_context(context);
        context
    }

    /// The context that a component above provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the engine of the page.
    pub fn live(self) -> Live {
        self.live
    }

    /// Returns both compared words.
    pub fn words(self) -> Option<(Contender, Contender)> {
        let pair = self.pair.get()?;
        self.runs.with(|runs| {
            let words = &runs.as_ref()?.runs.words;
            let find = |id: u32| words.iter().find(|word| word.token.id == id).cloned();
            Some((find(pair.answer)?, find(pair.against)?))
        })
    }

    /// Returns the question about a patched run; `None` if it does not fit the sentences.
    pub fn question(self, KeptPatch { place, into }: KeptPatch) -> Option<PatchingAsked> {
        let pair = self.pair.get()?;
        self.runs.with(|runs| {
            let both = runs.as_ref()?;
            fits(place, &both.own.spec, lengths(both, place, into)).then(|| PatchingAsked {
                model: both.own.job.model,
                question: PatchingQuestion::Place {
                    pair,
                    place,
                    into,
                    max_new_tokens: both.own.job.model.card().most_new_tokens,
                },
            })
        })
    }

    /// Changes the state of the chapter in the view.
    pub fn update(self, change: impl FnOnce(&mut PatchingView)) {
        self.state
            .update_chapters(|chapters| change(chapters.of_mut::<PatchingView>()));
    }

    /// Shows a patched place in the figures.
    pub fn look_at(self, place: PatchedPlace) {
        self.update(|view| view.place = Some(place));
    }
}

fn runs_question(own: &Own, other: &str, step: Option<usize>) -> Option<PatchingAsked> {
    own.spec.has_patching().then(|| PatchingAsked {
        model: own.job.model,
        question: PatchingQuestion::Runs {
            text: own.job.input(),
            other: own.input_of(other),
            step,
            max_new_tokens: own.job.model.card().most_new_tokens,
        },
    })
}

/// The runs in an answer, if it is the one to the question.
fn both_runs(own: Own, asked: PatchingAsked, answer: Arc<PatchingAnswer>) -> Option<BothRuns> {
    let PatchingQuestion::Runs { other, .. } = asked.question else {
        return None;
    };
    let PatchingAnswer::Runs(runs) = answer.as_ref() else {
        return None;
    };
    Some(BothRuns {
        own,
        other,
        runs: runs.clone(),
    })
}

/// Returns the words of the view if they are candidates, otherwise each run's own.
fn pair_of(both: &BothRuns, view: &PatchingView) -> Option<PatchingPair> {
    let BothRuns { own, other, runs } = both;
    let known = |id: &u32| runs.words.iter().any(|word| word.token.id == *id);
    let word = |place: usize| runs.words.get(place).map(|word| word.token.id);
    let answer = view.answer.filter(known).or_else(|| word(0))?;
    let others = [view.against.filter(known), word(1), word(0)];
    let against = others.into_iter().flatten().find(|&id| id != answer)?;
    let written = runs.clean.written.iter().take(runs.step);
    Some(PatchingPair {
        text: own.job.input(),
        other: other.clone(),
        target: written.map(|token| token.id).collect(),
        answer,
        against,
    })
}

fn layout_of(both: &BothRuns, view: &PatchingView) -> Layout {
    let spec = &both.own.spec;
    let first = match spec.encoder {
        Some(_) => Stack::Encoder,
        None => Stack::Decoder,
    };
    let stack = view.stack.filter(|&stack| spec.stack(stack).is_some());
    let runs = &both.runs;
    Layout::of(
        spec,
        (stack.unwrap_or(first), view.patched, view.into),
        [&runs.clean.read, &runs.other.read],
        both.target(),
    )
}

/// Returns the number of tokens that the place's stack reads in the source run and in the patched run.
fn lengths(both: &BothRuns, place: PatchedPlace, into: TakenInto) -> [usize; 2] {
    let stack = place.site.block.stack().unwrap_or(Stack::Decoder);
    let [clean, other] = [true, false].map(|is_clean| both.reads(stack, is_clean).len());
    match into {
        TakenInto::Other => [clean, other],
        TakenInto::Clean => [other, clean],
    }
}

/// True if a map's columns are positions, false if they are heads.
pub fn has_positions(patched: Patched) -> bool {
    patched != Patched::Heads
}
