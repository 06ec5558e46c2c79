//! The card of a model: family, sizes, memory, and every tensor of its files, by layer.

use std::sync::Arc;

use attention_core::{
    engine::{Live, Phase},
    i18n::{Locale, t, t_string, use_i18n},
    mine::About,
    names::full_model_name,
    widgets::{
        ScrollRegion,
        numbers::{grouped, megabytes, percent},
    },
};
use attention_protocol::ReadyReply;
use attention_trace::{
    ModelSpec, Stack,
    card::{FileTensor, ModelCard, by_layer, encodings},
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::ModelsSheet;

/// A fact: its name and its value.
type Fact = (&'static str, String);

/// The card of the model that runs, folded.
#[component]
pub fn RunningCard() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = full_model_name();
    let ready = live.select(|engine| match &engine.phase {
        Phase::Ready { model, reply } => Some((*model, reply.clone())),
        Phase::Booting | Phase::Loading { .. } | Phase::Stopped => None,
    });
    let is_open = RwSignal::new(false);
    view! {
        {move || ready.get().map(|(model, reply)| {
            let reply = StoredValue::new(*reply);
            view! {
                <details
                    class="models-entry model-card"
                    data-testid="card-running"
                    prop:open=move || is_open.get()
                    on:toggle:target=move |event| is_open.set(event.target().open())
                >
                    <summary>{move || t_string!(i18n, models.card, name = name(model))}</summary>
                    // The rows of hundreds of tensors, where they are looked at.
                    <Show when=move || is_open.get()>
                        {move || reply.with_value(|reply| view! {
                            <Facts facts=running_facts(i18n, reply) />
                            <Use card=reply.card.clone() />
                            <Tensors card=reply.card.clone() />
                        })}
                    </Show>
                </details>
            }
        })}
    }
}

/// The card of chosen files whose model is not open yet.
#[component]
pub fn FoundCard(about: About) -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let name = about.name.clone();
    let (label, title) = (name.clone(), name.clone());
    let card = ModelCard {
        tensors: about.tensors.to_vec(),
        ..ModelCard::default()
    };
    let about = Arc::new(about);
    view! {
        <section class="model-card" data-testid="card-found" aria-label=label>
            <h5 class="models-name">{title}</h5>
            {move || view! { <Facts facts=found_facts(i18n, &about) /> }}
            <Tensors card />
            <button
                type="button"
                class="plain-button"
                data-testid="card-open"
                on:click=move |_| sheet.open_found()
            >
                {move || t_string!(i18n, models.open_found, name = name.clone())}
            </button>
        </section>
    }
}

fn running_facts(i18n: I18nContext<Locale>, reply: &ReadyReply) -> Vec<Fact> {
    let mut facts = vec![(
        t_string!(i18n, models.card_family),
        reply.spec.model_type.clone(),
    )];
    facts.extend(sizes(i18n, &reply.spec));
    let parameters = grouped(reply.parameters as u64);
    facts.push((t_string!(i18n, models.card_parameters), parameters));
    facts.push((
        t_string!(i18n, models.card_memory),
        size(i18n, reply.card.loaded_bytes),
    ));
    facts.push((
        t_string!(i18n, models.card_stored),
        shares(&reply.card.tensors),
    ));
    facts
}

fn found_facts(i18n: I18nContext<Locale>, about: &About) -> Vec<Fact> {
    let mut facts = vec![
        (
            t_string!(i18n, models.card_family),
            about.model_type.clone(),
        ),
        (
            t_string!(i18n, models.card_parameters),
            grouped(about.types.weights()),
        ),
        (t_string!(i18n, models.card_file), size(i18n, about.bytes)),
        (
            t_string!(i18n, models.card_memory),
            size(i18n, about.loaded_bytes),
        ),
        (t_string!(i18n, models.card_stored), about.types.shares()),
    ];
    if let Some(licence) = &about.licence {
        facts.push((t_string!(i18n, models.licence), licence.clone()));
    }
    facts
}

fn size(i18n: I18nContext<Locale>, bytes: u64) -> String {
    t_string!(i18n, models.megabytes, size = megabytes(bytes))
}

/// The sizes of a model's stacks and tables.
fn sizes(i18n: I18nContext<Locale>, spec: &ModelSpec) -> Vec<Fact> {
    let stacks = [
        (Stack::Encoder, t_string!(i18n, models.card_encoder)),
        (Stack::Decoder, t_string!(i18n, models.card_decoder)),
    ];
    let mut facts: Vec<Fact> = stacks
        .into_iter()
        .filter_map(|(stack, name)| {
            let stack = spec.stack(stack)?;
            let words = t_string!(
                i18n,
                models.card_stack,
                layers = stack.layers,
                heads = stack.heads,
                groups = stack.key_value_heads,
                width = stack.head_width,
                inner = stack.feed_forward.map_or(0, |network| network.width)
            );
            Some((name, words))
        })
        .collect();
    facts.push((t_string!(i18n, models.card_width), spec.width.to_string()));
    let rows = grouped(spec.vocabulary as u64);
    facts.push((t_string!(i18n, models.card_vocabulary), rows));
    facts
}

/// The encodings with their shares of the weights.
fn shares(tensors: &[FileTensor]) -> String {
    let counts = encodings(tensors);
    let all: u64 = counts.iter().map(|(_, weights)| weights).sum();
    let share = |(name, weights): (&str, u64)| {
        let share = weights as f32 / all.max(1) as f32;
        format!("{name} {}", percent(share, 1))
    };
    let shares: Vec<String> = counts.into_iter().map(share).collect();
    shares.join(", ")
}

#[component]
fn Facts(facts: Vec<Fact>) -> impl IntoView {
    let fact = |(name, value): Fact| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    view! {
        <dl class="models-facts" data-testid="card-facts">
            {facts.into_iter().map(fact).collect_view()}
        </dl>
    }
}

/// The tensors that the model does not use, and those that the files lack.
#[component]
fn Use(card: ModelCard) -> impl IntoView {
    let i18n = use_i18n();
    let ModelCard {
        unused,
        copies,
        absent,
        ..
    } = card;
    let is_whole = unused.is_empty() && copies.is_empty() && absent.is_empty();
    let list = move |names: &[String]| names.join(", ");
    view! {
        <ul class="model-card-use" data-testid="card-use">
            {is_whole.then(|| view! { <li>{t!(i18n, models.card_whole)}</li> })}
            {(!unused.is_empty()).then(|| view! {
                <li>{move || t_string!(i18n, models.card_unused_list, names = list(&unused))}</li>
            })}
            {(!copies.is_empty()).then(|| view! {
                <li>{move || t_string!(i18n, models.card_copies_list, names = list(&copies))}</li>
            })}
            {(!absent.is_empty()).then(|| view! {
                <li>{move || t_string!(i18n, models.card_absent_list, names = list(&absent))}</li>
            })}
        </ul>
    }
}

/// A table of the tensors, folded by layer; a filter opens the layers in which it finds some.
#[component]
fn Tensors(card: ModelCard) -> impl IntoView {
    let i18n = use_i18n();
    let filter = RwSignal::new(String::new());
    let count = card.tensors.len();
    let card = StoredValue::new(card);
    let shown = Memo::new(move |_| {
        let wanted = filter.get().trim().to_lowercase();
        card.with_value(|card| filtered(&card.tensors, &wanted))
    });
    let is_filtered = Memo::new(move |_| !filter.read().trim().is_empty());
    let group = move |group: Vec<FileTensor>| {
        let name = group
            .first()
            .and_then(|tensor| tensor.layer())
            .map(str::to_owned);
        let found = group.len();
        let title = move || {
            let name = name
                .clone()
                .unwrap_or_else(|| t_string!(i18n, models.card_outside).to_owned());
            t_string!(i18n, models.card_group, name = name, count = found)
        };
        let label = Signal::derive(title.clone());
        view! {
            <details class="model-card-layer" data-testid="card-layer" prop:open=move || is_filtered.get()>
                <summary>{title}</summary>
                <ScrollRegion name=label>
                    <table class="model-card-tensors">
                        <thead>
                            <tr>
                                <th scope="col">{t!(i18n, models.card_name)}</th>
                                <th scope="col">{t!(i18n, models.card_type)}</th>
                                <th scope="col">{t!(i18n, models.card_shape)}</th>
                            </tr>
                        </thead>
                        <tbody>
                            {group.into_iter().map(|tensor| view! { <Row tensor card /> }).collect_view()}
                        </tbody>
                    </table>
                </ScrollRegion>
            </details>
        }
    };
    view! {
        <label class="models-label">
            {move || t_string!(i18n, models.card_filter, count = count)}
            <input
                class="text-box"
                type="search"
                data-testid="card-filter"
                autocomplete="off"
                spellcheck="false"
                on:input:target=move |event| filter.set(event.target().value())
            />
        </label>
        <div class="model-card-layers">
            {move || shown.get().into_iter().map(group).collect_view()}
        </div>
        <Show when=move || shown.read().is_empty()>
            <p class="hint" role="status">{t!(i18n, models.card_none)}</p>
        </Show>
    }
}

/// Returns the tensors whose name or type contains a text in lower case, by layer.
fn filtered(tensors: &[FileTensor], wanted: &str) -> Vec<Vec<FileTensor>> {
    let is_wanted = |tensor: &FileTensor| {
        let encoding = tensor.encoding.to_lowercase();
        tensor.name.to_lowercase().contains(wanted) || encoding.contains(wanted)
    };
    let groups = by_layer(tensors).into_iter().map(|group| {
        let tensors = group.tensors.into_iter();
        tensors
            .filter(|tensor| is_wanted(tensor))
            .cloned()
            .collect()
    });
    groups
        .filter(|group: &Vec<FileTensor>| !group.is_empty())
        .collect()
}

#[component]
fn Row(tensor: FileTensor, card: StoredValue<ModelCard>) -> impl IntoView {
    let i18n = use_i18n();
    let (is_unused, is_copy) = card.with_value(|card| {
        let is_in = |names: &[String]| names.contains(&tensor.name);
        (is_in(&card.unused), is_in(&card.copies))
    });
    view! {
        <tr class:is-unused=is_unused || is_copy>
            <th scope="row">
                {tensor.part().to_owned()}
                {is_unused.then(|| view! { <span class="hint">" " {t!(i18n, models.card_unused)}</span> })}
                {is_copy.then(|| view! { <span class="hint">" " {t!(i18n, models.card_copy)}</span> })}
            </th>
            <td>{tensor.encoding.clone()}</td>
            <td class="number">{tensor.written_shape()}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(name: &str, encoding: &str) -> FileTensor {
        FileTensor {
            name: name.to_owned(),
            encoding: encoding.to_owned(),
            shape: vec![3],
        }
    }

    #[test]
    fn a_filter_finds_names_and_types_by_layer() {
        let tensors = [
            tensor("blk.0.attn_q.weight", "Q4_1"),
            tensor("blk.0.ffn_up.weight", "Q4_1"),
            tensor("blk.1.attn_q.weight", "Q8_0"),
            tensor("token_embd.weight", "Q8_0"),
        ];
        let names = |wanted: &str| -> Vec<Vec<String>> {
            let groups = filtered(&tensors, wanted).into_iter();
            groups
                .map(|group| {
                    group
                        .into_iter()
                        .map(|tensor| tensor.part().to_owned())
                        .collect()
                })
                .collect()
        };
        assert_eq!(names("").len(), 3);
        assert_eq!(names("attn_q"), [["attn_q.weight"], ["attn_q.weight"]]);
        assert_eq!(names("q8_0"), [["token_embd.weight"], ["attn_q.weight"]]);
        assert!(names("nothing").is_empty());
    }

    #[test]
    fn shares_of_encodings_are_of_the_weights() {
        let tensors = [
            tensor("a", "F16"),
            tensor("b", "F32"),
            tensor("c", "F32"),
            tensor("d", "F32"),
        ];
        assert_eq!(shares(&tensors), "F32 75.0 %, F16 25.0 %");
    }
}
