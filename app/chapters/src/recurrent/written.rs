//! Outputs of each model for the visitor's sentence, as far as the models were run in this chapter.

use attention_trace::LengthBin;
use leptos::prelude::*;

use super::scores::{COMPARED, Fetched, known};
use attention_core::{
    engine::{Engine, Live},
    i18n::{t, t_string, use_i18n},
    names::variant_name,
    state::{AddressValue, Model, ViewState},
    widgets::{ScrollRegion, Segmented, numbers::decimal},
};

/// Returns a function that names the models of this chapter.
pub fn compared_name() -> impl Fn(Model) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let variant = variant_name();
    move |model| variant(model).unwrap_or_else(|| t_string!(i18n, recurrent.transformer).to_owned())
}

/// Runs the same text in another of the models.
fn ask(live: Live, state: ViewState, model: Model) {
    state.set_compared(model);
    live.run();
}

/// The choice of the model that the chapter shows.
#[component]
pub fn ModelOfChapter() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let name = compared_name();
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, recurrent.choice).to_owned())
            options=Signal::derive(move || COMPARED.iter().map(|&model| (model, name(model))).collect())
            value=state.select(|view| view.model)
            choose=move |model| ask(live, state, model)
        />
    }
}

/// A sentence and a model's output for it.
#[derive(Clone, Debug, PartialEq)]
struct Answer {
    model: Model,
    reads: String,
    writes: String,
}

fn answer(engine: &Engine) -> Option<Answer> {
    let shown = engine.shown.as_ref()?;
    let job = shown.job.as_ref()?;
    // What was forced or edited is not the model's own.
    let is_own = job.prefix.is_empty() && *job == job.unedited();
    let best = shown.trace.decoding.as_ref()?.hypotheses.first()?;
    is_own.then(|| Answer {
        model: job.model,
        reads: job.reads.clone(),
        writes: best.text.clone(),
    })
}

/// Stores an answer, in place of an older one of its model.
fn keep(answers: &mut Vec<Answer>, new: Answer) {
    answers.retain(|old| old.model != new.model);
    answers.push(new);
}

/// Returns the output of a model for a sentence.
fn writes(answers: &[Answer], model: Model, reads: &str) -> Option<String> {
    let mut answers = answers.iter();
    let found = answers.find(|answer| answer.model == model && answer.reads == reads)?;
    Some(found.writes.clone())
}

/// The table: a row for each model with its output, and its BLEU on sentences of this length.
#[component]
pub fn Written(scores: ReadSignal<Fetched>) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let latest = live.select(answer);
    let answers = RwSignal::new(Vec::new());
    // An effect because results come one after another, and the older ones are gone from the engine.
    Effect::new(move |_| {
        if let Some(answer) = latest.get() {
            answers.update(|answers| keep(answers, answer));
        }
    });
    let shown = live.select(|engine| Some(engine.shown.as_ref()?.job.as_ref()?.reads.clone()));
    let reads = Memo::new(move |_| shown.get().unwrap_or_default());
    let bin = Memo::new(move |_| {
        let words = reads.with(|reads| reads.split_whitespace().count());
        scores.with(|scores| known(scores)?.bin_of(words))
    });
    let name = Signal::derive(move || t_string!(i18n, recurrent.written).to_owned());
    let about = move || {
        let bin = bin.get()?;
        scores.with(|scores| {
            let scores = known(scores)?;
            let LengthBin { from, to, .. } = *scores.bins().get(bin)?;
            let pairs = scores.pairs_of(bin);
            Some(t_string!(
                i18n,
                recurrent.bleu_of,
                from = from,
                to = to,
                pairs = pairs
            ))
        })
    };
    view! {
        <section class="lesson-figure" data-testid="written-by">
            <p class="lesson-reading">
                {move || t_string!(i18n, recurrent.sentence, sentence = reads.get())}
            </p>
            <ScrollRegion class="lesson-table" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, recurrent.model)}</th>
                            <th scope="col">{t!(i18n, recurrent.translation)}</th>
                            <th scope="col">{t!(i18n, recurrent.bleu_here)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {COMPARED.iter().map(|&model| view! { <Row model answers reads bin scores /> }).collect_view()}
                    </tbody>
                </table>
            </ScrollRegion>
            <p class="hint" data-testid="bleu-of">{about}</p>
        </section>
    }
}

#[component]
fn Row(
    model: Model,
    answers: RwSignal<Vec<Answer>>,
    reads: Memo<String>,
    bin: Memo<Option<usize>>,
    scores: ReadSignal<Fetched>,
) -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let name = compared_name();
    let text = Memo::new(move |_| {
        answers.with(|answers| reads.with(|reads| writes(answers, model, reads)))
    });
    let is_running = live.select(move |engine| {
        let running = engine.running.as_ref();
        running.is_some_and(|running| running.job.model == model)
    });
    let bleu = move || {
        let bin = bin.get()?;
        scores.with(|scores| Some(decimal(known(scores)?.of(model).get(bin)?.bleu as f32, 1)))
    };
    view! {
        <tr data-model=model.address_value()>
            <th scope="row">{move || name(model)}</th>
            <td class="written-text" data-testid="written-text">
                {move || match text.get() {
                    Some(text) => text.into_any(),
                    None if is_running.get() => t!(i18n, chapters.waiting).into_any(),
                    None => view! {
                        <button
                            type="button"
                            class="plain-button"
                            data-testid="ask-model"
                            on:click=move |_| ask(live, state, model)
                        >
                            {t!(i18n, recurrent.ask)}
                        </button>
                    }
                    .into_any(),
                }}
            </td>
            <td class="number">{bleu}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(model: Model, reads: &str, writes: &str) -> Answer {
        Answer {
            model,
            reads: reads.to_owned(),
            writes: writes.to_owned(),
        }
    }

    #[test]
    fn a_model_has_one_answer_and_only_to_its_sentence() {
        let fixed = COMPARED[0];
        let mut answers = vec![answer(Model::default(), "Oui.", "Yes.")];
        keep(&mut answers, answer(fixed, "Oui.", "No."));
        keep(&mut answers, answer(fixed, "Non.", "No."));
        assert_eq!(answers.len(), 2);
        assert_eq!(writes(&answers, fixed, "Oui."), None);
        assert_eq!(writes(&answers, fixed, "Non.").as_deref(), Some("No."));
        let other = writes(&answers, Model::default(), "Oui.");
        assert_eq!(other.as_deref(), Some("Yes."));
    }
}
