//! Settings of the next run: the task, the model, the optimizer.

use attention_protocol::training::TrainingDevice;
use attention_trace::{
    RecurrentAttention,
    positions::PositionalEncoding,
    training::{Architecture, Decay, Number, OptimizerKind, TaskKind, TrainingSettings},
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    Shown,
    fields::{Choice, NumberField, OwnText, RateField, SeedField, named},
    words::{device_name, fault_words},
};
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    names::{attention_name, encoding_names, task_name},
    state::switched,
    widgets::{Check, Segmented, numbers::grouped},
};

/// The architecture that represents all recurrent ones.
const ANY_RECURRENT: Architecture = Architecture::Recurrent(RecurrentAttention::Bahdanau);

/// The settings, their faults, and the buttons that start a run.
#[component]
pub fn Form() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let settings = shown.view(|training| training.settings.clone());
    let fault = Memo::new(move |_| settings.with(TrainingSettings::check).err());
    let parameters = move || {
        settings.with(|settings| {
            let vocabulary = settings.check().and_then(|()| settings.vocabulary());
            // The form shows the fault.
            let vocabulary = vocabulary.ok()?.len();
            let parameters = settings.config(vocabulary).parameters();
            Some(t_string!(
                i18n,
                training.model_size,
                parameters = grouped(parameters),
                vocabulary = vocabulary
            ))
        })
    };
    let start = move |change: fn(&mut TrainingSettings)| {
        if fault.get_untracked().is_none() {
            shown.update(|training| change(&mut training.settings));
            shown.start(vec![settings.get_untracked()]);
        }
    };
    view! {
        <section class="training-form is-wide" data-testid="training-form">
            <TaskFields />
            <ModelFields />
            <OptimizerFields />
            <p class="hint number" data-testid="training-size">{parameters}</p>
            <p class="training-problem" role="status" data-testid="training-problem">
                {move || fault.get().map(|fault| fault_words(i18n, &fault))}
            </p>
            <div class="training-actions">
                <button
                    type="button"
                    class="main-button"
                    data-testid="training-start"
                    aria-disabled=move || fault.get().is_some().then_some("true")
                    on:click=move |_| start(|_| {})
                >
                    {t!(i18n, training.start)}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="training-another-seed"
                    aria-disabled=move || fault.get().is_some().then_some("true")
                    on:click=move |_| start(|settings| settings.seed = settings.seed.wrapping_add(1))
                >
                    {t!(i18n, training.another_seed)}
                </button>
                <button
                    type="button"
                    class="link-button"
                    data-testid="training-reset"
                    on:click=move |_| shown.update(|training| {
                        training.settings = TrainingSettings::default();
                    })
                >
                    {t!(i18n, training.reset)}
                </button>
            </div>
        </section>
    }
}

#[component]
fn TaskFields() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let kind = shown.view(|training| training.settings.task.kind());
    view! {
        <fieldset class="training-group">
            <legend>{t!(i18n, training.task)}</legend>
            <Choice
                name=Signal::derive(move || t_string!(i18n, training.task).to_owned())
                test_id="training-task"
                options=Signal::derive(move || {
                    named::<TaskKind>(|kind| task_name(i18n, kind))
                })
                value=kind
                choose=move |kind| shown.update(|training| {
                    let settings = &mut training.settings;
                    settings.task = switched(&settings.task, kind);
                })
            />
            {[
                Number::Places,
                Number::Letters,
                Number::Shortest,
                Number::Longest,
                Number::Digits,
                Number::Brackets,
            ]
                .map(|number| view! { <NumberField number /> })
                .collect_view()}
            <OwnText />
            <p class="hint">{move || task_hint(i18n, kind.get())}</p>
        </fieldset>
    }
}

/// Returns an example of the task's input and target.
fn task_hint(i18n: I18nContext<Locale>, kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Back => t_string!(i18n, training.hint_back),
        TaskKind::Repeat => t_string!(i18n, training.hint_repeat),
        TaskKind::Copy => t_string!(i18n, training.hint_copy),
        TaskKind::Reverse => t_string!(i18n, training.hint_reverse),
        TaskKind::Sort => t_string!(i18n, training.hint_sort),
        TaskKind::Addition => t_string!(i18n, training.hint_addition),
        TaskKind::Brackets => t_string!(i18n, training.hint_brackets),
        TaskKind::Numerals => t_string!(i18n, training.hint_numerals),
        TaskKind::Lines => t_string!(i18n, training.hint_lines),
        TaskKind::Pairs => t_string!(i18n, training.hint_pairs),
    }
}

#[component]
fn ModelFields() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let architecture = shown.view(|training| training.settings.shape.architecture);
    let is_recurrent = Memo::new(move |_| architecture.get().recurrence().is_some());
    view! {
        <fieldset class="training-group">
            <legend>{t!(i18n, training.model)}</legend>
            <Segmented
                label=Signal::derive(move || t_string!(i18n, training.architecture).to_owned())
                options=Signal::derive(move || vec![
                    (Architecture::DecoderOnly, t_string!(i18n, training.decoder_only).to_owned()),
                    (Architecture::EncoderDecoder, t_string!(i18n, training.encoder_decoder).to_owned()),
                    (ANY_RECURRENT, t_string!(i18n, training.recurrent).to_owned()),
                ])
                value=Signal::derive(move || match architecture.get() {
                    Architecture::Recurrent(_) => ANY_RECURRENT,
                    architecture => architecture,
                })
                choose=move |architecture| shown.update(|training| {
                    let shape = &mut training.settings.shape;
                    shape.architecture = architecture;
                    let possible = architecture.positions();
                    if let Some(&first) = possible.first() && !possible.contains(&shape.positions) {
                        shape.positions = first;
                    }
                })
            />
            <Show when=move || is_recurrent.get() fallback=|| view! { <PositionsField /> }>
                <RecurrenceField />
            </Show>
            {[Number::Layers, Number::Heads, Number::Width]
                .map(|number| view! { <NumberField number /> })
                .collect_view()}
            <Show when=move || architecture.get() == Architecture::DecoderOnly>
                <NetworkField />
            </Show>
            <HeadNormField />
            <Show when=move || is_recurrent.get()>
                <p class="hint">{t!(i18n, training.recurrent_hint)}</p>
            </Show>
        </fieldset>
    }
}

/// The switch of the layers' feed-forward networks: without them, a layer is attention alone.
#[component]
fn NetworkField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    view! {
        <Check
            name=Signal::derive(move || t_string!(i18n, training.with_network).to_owned())
            test_id="training-network"
            on=shown.view(|training| training.settings.shape.feed_forward)
            set=move |network| shown.update(|training| {
                training.settings.shape.feed_forward = network;
            })
        />
    }
}

/// The field of a Transformer's positional encoding.
#[component]
fn PositionsField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let architecture = shown.view(|training| training.settings.shape.architecture);
    let positions = shown.view(|training| training.settings.shape.positions);
    let encodings = encoding_names();
    let possible = Signal::derive(move || {
        let possible = architecture.get().positions();
        let names = encodings.get().into_iter();
        names
            .filter(|(encoding, _)| possible.contains(encoding))
            .collect()
    });
    view! {
        <Choice
            name=Signal::derive(move || t_string!(i18n, shell.encoding).to_owned())
            test_id="training-positions"
            options=possible
            value=positions
            choose=move |positions: PositionalEncoding| shown.update(|training| {
                training.settings.shape.positions = positions;
            })
        />
    }
}

/// The switch of the norms of queries and keys, which a decoder-only model may have.
#[component]
fn HeadNormField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let is_possible =
        shown.view(|training| training.settings.shape.architecture == Architecture::DecoderOnly);
    view! {
        <Show when=move || is_possible.get()>
            <Check
                name=Signal::derive(move || t_string!(i18n, training.qk_norm).to_owned())
                test_id="training-qk-norm"
                on=shown.view(|training| training.settings.shape.head_norm)
                set=move |on| shown.update(|training| training.settings.shape.head_norm = on)
            />
        </Show>
    }
}

/// The field of a recurrent decoder's attention to the encoder's states.
#[component]
fn RecurrenceField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.recurrent_kind).to_owned())
            options=Signal::derive(move || {
                let all = Architecture::ALL.into_iter();
                let named = all.filter_map(|architecture| {
                    let name = attention_name(i18n, architecture.recurrence()?);
                    Some((architecture, name.to_owned()))
                });
                named.collect::<Vec<_>>()
            })
            value=shown.view(|training| training.settings.shape.architecture)
            choose=move |architecture| shown.update(|training| {
                training.settings.shape.architecture = architecture;
            })
        />
    }
}

#[component]
fn OptimizerFields() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let optimizer = shown.view(|training| training.settings.optimizer.kind);
    let decay = shown.view(|training| training.settings.optimizer.schedule.decay);
    view! {
        <fieldset class="training-group">
            <legend>{t!(i18n, training.optimization)}</legend>
            <Choice
                name=Signal::derive(move || t_string!(i18n, training.optimizer).to_owned())
                test_id="training-optimizer"
                options=Signal::derive(move || named(|kind| match kind {
                    OptimizerKind::Adam => "Adam".to_owned(),
                    OptimizerKind::AdamW => "AdamW".to_owned(),
                    OptimizerKind::Sgd => t_string!(i18n, training.sgd).to_owned(),
                }))
                value=optimizer
                choose=move |kind| shown.update(|training| training.settings.optimizer.kind = kind)
            />
            <RateField />
            <NumberField number=Number::WarmupSteps />
            <Choice
                name=Signal::derive(move || t_string!(i18n, training.decay).to_owned())
                test_id="training-decay"
                options=Signal::derive(move || named(|decay| match decay {
                    Decay::None => t_string!(i18n, training.decay_none).to_owned(),
                    Decay::Cosine => t_string!(i18n, training.decay_cosine).to_owned(),
                    Decay::InverseSquareRoot => "1/√step".to_owned(),
                }))
                value=decay
                choose=move |decay| shown.update(|training| {
                    training.settings.optimizer.schedule.decay = decay;
                })
            />
            <NumberField number=Number::Batch />
            <NumberField number=Number::Steps />
            <SeedField />
            <DeviceField />
        </fieldset>
    }
}

/// The field of the device that trains the next run.
#[component]
fn DeviceField() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let device = shown.view(|training| training.device);
    let is_webgpu = Memo::new(move |_| device.get() != TrainingDevice::Cpu);
    view! {
        <Choice
            name=Signal::derive(move || t_string!(i18n, engine.device).to_owned())
            test_id="training-device"
            options=Signal::derive(move || named(|device| device_name(i18n, device).to_owned()))
            value=device
            choose=move |device| shown.update(|training| training.device = device)
        />
        <Show when=move || is_webgpu.get()>
            <p class="hint" data-testid="training-webgpu-hint">{t!(i18n, training.webgpu_hint)}</p>
        </Show>
    }
}
