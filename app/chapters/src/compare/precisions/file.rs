//! The other file of the model: its choice from disk or from the models on this machine.

use attention_core::{
    hub::{Fault, Hub, hub_fault},
    i18n::{t, t_string, use_i18n},
    mine::{Chosen, FileField, Mine, Picked},
    problems::files_fault,
    state::{MineId, Model, ViewState},
    widgets::numbers::megabytes,
};
use attention_protocol::{FilesFault, hub::KeptModel};
use leptos::{prelude::*, task::spawn_local};

use crate::compare::{context::Comparison, models::model_names, parameters::Compare};

/// The fields that take the file, the models on this machine, and what stands in the way.
#[component]
pub fn OtherFile() -> impl IntoView {
    let i18n = use_i18n();
    let (hub, state, mine) = (Hub::expect(), ViewState::expect(), Mine::expect());
    let comparison = Comparison::expect();
    hub.list();
    let fault = RwSignal::new(None::<FilesFault>);
    let is_reading = RwSignal::new(false);
    let take = move |chosen: Chosen| {
        fault.set(None);
        let (id, name) = (chosen.id(), chosen.name().to_owned());
        mine.put_beside(chosen);
        state.update_chapters(|chapters| {
            let compare = chapters.of_mut::<Compare>();
            compare.model = Some(Model::Mine(Some(id)));
            compare.file = Some(name);
            compare.leave_axes();
        });
    };
    let read = move |picked: Vec<Picked>| {
        is_reading.set(true);
        spawn_local(async move {
            let chosen = Chosen::of(&picked).await;
            // The chapter may be gone meanwhile.
            if is_reading.try_set(false).is_some() {
                return;
            }
            match chosen {
                Ok(chosen) => take(chosen),
                Err(found) => fault.set(Some(found)),
            }
        });
    };
    let shown = Memo::new(move |_| match comparison.shown.get()?.model {
        Model::Mine(id) => id,
        Model::Served(_) | Model::Trained(_) => None,
    });
    let asked = asked();
    // An effect because the list of models comes from a worker.
    Effect::new(move |opened: Option<Option<MineId>>| {
        let opened = opened.flatten();
        let absent = asked.get().filter(|&id| mine.find(Some(id)).is_none())?;
        let kept = hub.kept().into_iter().find(|kept| is(kept, absent))?;
        if opened != Some(absent) {
            hub.open_for(&kept, take);
        }
        Some(absent)
    });
    let offered = Memo::new(move |_| {
        let kept = hub.kept().into_iter();
        let others = kept
            .filter(|kept| kept.is_complete() && !shown.get().is_some_and(|shown| is(kept, shown)));
        others.collect::<Vec<_>>()
    });
    let kept = move |kept: KeptModel| {
        let name = format!("{} · {}", kept.model.address, kept.weights);
        let is_chosen = {
            let kept = kept.clone();
            move || asked.get().is_some_and(|id| is(&kept, id)).to_string()
        };
        view! {
            <button
                type="button"
                class="chip"
                data-testid="compare-kept"
                aria-pressed=is_chosen
                on:click=move |_| hub.open_for(&kept, take)
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="precisions-file" role="group" aria-label=move || t_string!(i18n, compare.file)>
            <p class="hint">{t!(i18n, compare.file_hint)}</p>
            <div class="precisions-fields">
                <FileField is_folder=false test_id="compare-files" read />
                <FileField is_folder=true test_id="compare-folder" read />
            </div>
            <Show when=move || !offered.read().is_empty()>
                <div class="precisions-fields" role="group" aria-label=move || t_string!(i18n, hub.here)>
                    <span class="hint">{t!(i18n, hub.here)}</span>
                    {move || offered.get().into_iter().map(kept).collect_view()}
                </div>
            </Show>
            <Show when=move || is_reading.get()>
                <p class="hint" role="status">{t!(i18n, models.reading)}</p>
            </Show>
            {move || fault.get().map(|fault| view! {
                <p class="hint warning" role="alert" data-testid="compare-file-problem">
                    {move || files_fault(i18n, &fault)}
                </p>
            })}
            {move || hub.fault().filter(|fault| matches!(fault, Fault::Files(_))).map(|fault| view! {
                <p class="hint warning" role="alert">{move || hub_fault(i18n, &fault)}</p>
            })}
            <Said />
        </div>
    }
}

/// Returns the file that the address names.
fn asked() -> Memo<Option<MineId>> {
    ViewState::expect().select(|view| match view.chapters.of::<Compare>().model {
        Some(Model::Mine(id)) => id,
        _ => None,
    })
}

/// Returns the names of both files, with the types of their weights.
pub fn file_names(comparison: Comparison) -> [Memo<Option<String>>; 2] {
    let mine = Mine::expect();
    let [left, right] = model_names(comparison);
    let named = move |name: Memo<Option<String>>, model: Option<Model>| {
        let types = match model {
            Some(Model::Mine(id)) => mine.find(id).map(|about| about.types.shares()),
            _ => None,
        };
        Some(match types {
            Some(types) => format!("{} ({types})", name.get()?),
            None => name.get()?,
        })
    };
    let second = comparison.second;
    [
        Memo::new(move |_| named(left, Some(comparison.shown.get()?.model))),
        Memo::new(move |_| named(right, Some(second?.shown()?.model))),
    ]
}

fn is(kept: &KeptModel, id: MineId) -> bool {
    kept.id.as_deref() == Some(id.to_string().as_str())
}

/// Sentences on the file: that it is not here, or is the one on screen, or is of another model; and the memory of both.
#[component]
fn Said() -> impl IntoView {
    let i18n = use_i18n();
    let mine = Mine::expect();
    let comparison = Comparison::expect();
    let asked = asked();
    let name = ViewState::expect().select(|view| view.chapters.of::<Compare>().file.clone());
    let shown = Memo::new(move |_| comparison.shown.get().map(|job| job.model));
    let is_same = Memo::new(move |_| {
        asked
            .get()
            .is_some_and(|id| shown.get() == Some(Model::Mine(Some(id))))
    });
    let absent = Memo::new(move |_| {
        let id = asked.get()?;
        mine.find(Some(id))
            .is_none()
            .then(|| name.get().unwrap_or_default())
    });
    let memory = Memo::new(move |_| {
        let right = mine.find(Some(asked.get()?))?.loaded_bytes;
        let left = match shown.get()? {
            Model::Mine(id) => mine.find(id)?.loaded_bytes,
            Model::Served(_) | Model::Trained(_) => return None,
        };
        Some((left, right))
    });
    view! {
        {move || absent.get().map(|name| view! {
            <p class="notice" role="status" data-testid="compare-absent">
                {move || match name.as_str() {
                    "" => t_string!(i18n, compare.file_absent).to_owned(),
                    _ => t_string!(i18n, compare.file_absent_named, name = name.clone()),
                }}
            </p>
        })}
        <Show when=move || is_same.get()>
            <p class="hint" role="status">{t!(i18n, compare.same_file)}</p>
        </Show>
        {move || comparison.unlike.get().map(|unlike| view! {
            <p class="notice problem" role="alert" data-testid="compare-unlike">
                {move || {
                    let [left, right] = unlike.values.clone();
                    t_string!(i18n, compare.unlike, field = unlike.field.clone(), left = left, right = right)
                }}
            </p>
        })}
        {move || memory.get().map(|(left, right)| view! {
            <p class="hint" data-testid="compare-memory">
                {move || t_string!(
                    i18n,
                    compare.both_in_memory,
                    left = megabytes(left),
                    right = megabytes(right)
                )}
            </p>
        })}
    }
}
