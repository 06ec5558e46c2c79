//! The choice of a model.

use attention_trace::positions::PositionalEncoding;
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    kept::KeptModels,
    names::{encoding_names, model_name, recurrent_name},
    state::{Model, Recurrent, Target, ViewState},
    widgets::{Segmented, Select},
};

/// Stands for the six position models.
const ANY_POSITIONS: Model = Model::Positions(PositionalEncoding::Rope);
/// Stands for the six of verse.
const ANY_POEMS: Model = Model::Poems(PositionalEncoding::Learned);
/// Stands for the recurrent translators.
const ANY_RECURRENT: Model = Model::Recurrent(Recurrent::Bahdanau);
/// Stands for the one model that writes several languages.
const ANY_TARGET: Model = Model::FromEnglish(Target::French);
/// The models that most visitors come for, always in sight.
const FIRST: [Model; 3] = [Model::Translator, ANY_TARGET, Model::Sentences];
/// The small ones that chapters lead to, in a list.
const FURTHER: [Model; 4] = [ANY_RECURRENT, Model::Universal, ANY_POSITIONS, ANY_POEMS];

/// The models, those of one task as one, and those that were trained here as one; which of them, where that one is
/// chosen.
#[component]
pub fn ModelChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let name = model_name();
    let kept = KeptModels::expect();
    let model = state.select(|view| view.model);
    // One that was trained here stands for all of them: the chosen one, or else the newest.
    let trained = Memo::new(move |_| {
        let newest = kept.list().first().map(|model| Model::Trained(model.id));
        let chosen = Some(model.get()).filter(|model| matches!(model, Model::Trained(_)));
        chosen.or(newest)
    });
    let group = state.select(|view| match view.model {
        Model::Positions(_) => ANY_POSITIONS,
        Model::Poems(_) => ANY_POEMS,
        Model::Recurrent(_) => ANY_RECURRENT,
        Model::FromEnglish(_) => ANY_TARGET,
        model => model,
    });
    let further = Signal::derive(move || {
        let served = FURTHER.iter().map(|&model| (model, name(model)));
        let trained = trained
            .get()
            .map(|model| (model, t_string!(i18n, shell.trained_here).to_owned()));
        served.chain(trained).collect::<Vec<_>>()
    });
    let choose = move |model| {
        use_model(state, kept, model);
        live.run();
    };
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.model).to_owned())
            options=Signal::derive(move || {
                FIRST.iter().map(|&model| (model, name(model))).collect()
            })
            value=group
            choose
        />
        <FurtherModels models=further value=group choose />
        <Show when=move || group.get() == ANY_TARGET>
            <TargetChoice />
        </Show>
        <Show when=move || group.get() == ANY_RECURRENT>
            <RecurrentChoice />
        </Show>
        <Show when=move || group.get() == ANY_POSITIONS>
            <EncodingChoice model=Model::Positions />
        </Show>
        <Show when=move || group.get() == ANY_POEMS>
            <EncodingChoice model=Model::Poems />
        </Show>
        <Show when=move || matches!(group.get(), Model::Trained(_))>
            <TrainedChoice />
        </Show>
    }
}

/// A list that says what it is for as long as nothing in it is chosen.
#[component]
fn FurtherModels(
    /// The models and their names.
    models: Signal<Vec<(Model, String)>>,
    /// The model in effect, or the one that stands for its group.
    #[prop(into)]
    value: Signal<Model>,
    /// Called with a model of the list.
    choose: impl Fn(Model) + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let models = Memo::new(move |_| models.get());
    let place = move || {
        let value = value.get();
        models.with(|models| models.iter().position(|(model, _)| *model == value))
    };
    let option = move |(index, (_, name)): (usize, (Model, String))| {
        view! { <option value=index prop:selected=move || place() == Some(index)>{name}</option> }
    };
    view! {
        <select
            class="further-models"
            class:is-chosen=move || place().is_some()
            data-testid="further-models"
            aria-label=move || t_string!(i18n, shell.further_models)
            on:change:target=move |event| {
                let index = event.target().value().parse::<usize>().ok();
                let chosen = models.with_untracked(|models| models.get(index?).cloned());
                if let Some((model, _)) = chosen {
                    choose(model);
                }
            }
        >
            <option value="" disabled prop:selected=move || place().is_none()>
                {t!(i18n, shell.further_models)}
            </option>
            {move || models.get().into_iter().enumerate().map(option).collect_view()}
        </select>
    }
}

/// Chooses a model; one that was trained here comes with a text of its task.
fn use_model(state: ViewState, kept: KeptModels, model: Model) {
    let found = match model {
        Model::Trained(id) => untrack(|| kept.find(id)),
        _ => None,
    };
    match found {
        Some(kept) => state.update(|view| kept.put_into(view)),
        None => state.set_model(model),
    }
}

/// Which of the models that were trained here.
#[component]
fn TrainedChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let kept = KeptModels::expect();
    let name = model_name();
    let chosen = state.select(|view| view.model);
    // One that is not kept stays in the list as long as it is chosen.
    let models = Memo::new(move |_| {
        let kept = kept
            .list()
            .into_iter()
            .map(|model| Model::Trained(model.id));
        let mut models: Vec<_> = kept.collect();
        if !models.contains(&chosen.get()) {
            models.push(chosen.get());
        }
        models
    });
    view! {
        <Select
            name=Signal::derive(move || t_string!(i18n, shell.trained_here).to_owned())
            test_id="trained-model"
            options=Signal::derive(move || models.get().into_iter().map(name).collect::<Vec<_>>())
            chosen=Signal::derive(move || {
                let chosen = chosen.get();
                models.with(|models| models.iter().position(|model| *model == chosen))
                    .unwrap_or_default()
            })
            choose=move |index| {
                if let Some(model) = models.with_untracked(|models| models.get(index).copied()) {
                    use_model(state, kept, model);
                    live.run();
                }
            }
        />
    }
}

/// The language that English is translated into. The text stays.
#[component]
fn TargetChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let target = state.select(|view| match view.model {
        Model::FromEnglish(target) => target,
        _ => Target::French,
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.target).to_owned())
            options=Signal::derive(move || vec![
                (Target::French, t_string!(i18n, shell.french).to_owned()),
                (Target::Chinese, t_string!(i18n, shell.chinese).to_owned()),
            ])
            value=target
            choose=move |target| {
                state.set_sibling(Model::FromEnglish(target));
                live.run();
            }
        />
    }
}

/// What the decoder of the recurrent translator knows of the source. The text stays where both read its language: those
/// are there to be compared on one.
#[component]
fn RecurrentChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let chosen = state.select(|view| match view.model {
        Model::Recurrent(model) => model,
        _ => Recurrent::Bahdanau,
    });
    let named = move |model| (model, recurrent_name(i18n, model));
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.recurrent_kind).to_owned())
            options=Signal::derive(move || Recurrent::ALL.map(named).to_vec())
            value=chosen
            choose=move |model| {
                state.set_compared(Model::Recurrent(model));
                live.run();
            }
        />
    }
}

/// How the model knows positions. The text stays: the six are there to be compared on one.
#[component]
fn EncodingChoice(
    /// The model that knows positions in a way.
    model: fn(PositionalEncoding) -> Model,
) -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let encoding = state.select(|view| view.model.way_to_know_positions());
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.encoding).to_owned())
            options=encoding_names()
            value=encoding
            choose=move |encoding| {
                state.set_sibling(model(encoding));
                live.run();
            }
        />
    }
}
