//! The facts about the result on screen that the caption of every exported figure gives, and the pass that made it.

use leptos::prelude::*;

use attention_core::{
    assets::{edition, version},
    edits::edit_words,
    engine::{Job, Live},
    i18n::{t_string, use_i18n},
    mine::Mine,
    names::full_model_name,
    navigation::address_of,
    state::{Model, View, ViewState},
    widgets::{FigureMenu, Provenance, ShownPass},
};

/// The largest number of edits that a caption names.
const MOST_EDITS: usize = 8;

/// Provides the menu of figures to the components below.
pub fn provide_figure_menu() {
    FigureMenu::provide(Provenance {
        sentences: sentences(),
        pass: pass(),
    });
}

/// Returns the job of the result on screen; the stored example has that of the first view.
fn shown_job(live: Live) -> Job {
    live.job_shown()
        .unwrap_or_else(|| Job::from(&View::default()))
}

/// Returns the sentences about model, text, edits, program and link.
fn sentences() -> Callback<(), Vec<String>> {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let (model_name, edit) = (full_model_name(), edit_words());
    Callback::new(move |()| {
        untrack(|| {
            let job = shown_job(live);
            let mut edits: Vec<String> =
                job.edits.iter().map(|listed| edit(&listed.edit)).collect();
            let others = edits.len().saturating_sub(MOST_EDITS);
            edits.truncate(MOST_EDITS);
            if others > 0 {
                edits.push(format!("… (+{others})"));
            }
            let in_recording = live.edits_shown().len();
            let edits = match edits.is_empty() {
                true if in_recording > 0 => {
                    t_string!(i18n, export.edited_in_recording, count = in_recording)
                }
                true => t_string!(i18n, export.not_edited).to_owned(),
                false => t_string!(i18n, export.edited, edits = edits.join("; ")),
            };
            let view = live.shown_in(state.get_untracked());
            vec![
                t_string!(i18n, export.of_model, model = model_name(job.model)),
                t_string!(i18n, export.of_text, text = job.reads.clone()),
                edits,
                format!("{}, {}", program(), address_of(&view)),
            ]
        })
    })
}

/// Returns the name of the program with its edition.
fn program() -> String {
    let known = [edition("number"), version()].into_iter().flatten();
    let known: Vec<String> = known.collect();
    format!("Attention Scope {}", known.join(" · "))
}

/// Returns the pass whose result is on screen.
fn pass() -> Callback<(), Option<ShownPass>> {
    let (live, mine) = (Live::expect(), Mine::expect());
    Callback::new(move |()| {
        untrack(|| {
            let trace = live.trace()?;
            let job = shown_job(live);
            let decoding = trace.decoding.as_ref();
            let first_step = decoding.and_then(|decoding| decoding.steps.first());
            Some(ShownPass {
                checkpoint: checkpoint(mine, job.model),
                text: job.input(),
                prompt: first_step.map_or(trace.meta.target.len(), |step| step.row + 1),
                edits: live.edits_shown(),
                meta: trace.meta.clone(),
            })
        })
    })
}

/// Returns the directory of a served model in the repository, or the name of an opened one.
fn checkpoint(mine: Mine, model: Model) -> String {
    let own = |name: String| Some(name).filter(|name| !name.is_empty());
    let path = match model {
        Model::Served(served) => Some(format!("assets/{}", served.directory.trim_end_matches('/'))),
        Model::Mine(id) => mine.find(id).and_then(|about| own(about.name)),
        Model::Trained(_) => None,
    };
    path.unwrap_or_else(|| "path/to/the/model".to_owned())
}
