//! All places at once: estimates by one gradient, the best ten patched in truth, and how they hang together.

use attention_core::{
    engine::PatchingAsked,
    i18n::{t, t_string, use_i18n},
    lessons::{LessonNotice, Lessons},
    names::kind_name,
    navigation::FindingLink,
    state::Model,
    widgets::{Check, ScrollRegion},
};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    AttentionLayer, Block, EstimateQuestion, PatchEstimates, PatchedPlace, PatchingAnswer,
    PatchingQuestion, RunTokens, Stack, TakenInto,
};
use leptos::prelude::*;

use super::{
    chosen::{describe, positions},
    context::{BothRuns, PatchingContext},
    graph::PlacesGraph,
    names::in_percent,
    parameters::KeptPatch,
};

/// Two sentences of the same number of tokens.
const EVEN_PAIR: &str =
    "tab=learn&chapter=patching&model=sentences&text=She+lost&patch-other=He+lost&patch-all=1";

/// The number of places that are patched in truth.
const BEST: usize = 10;

/// A place with its estimated share, and the share that its patched run brings back, once it is run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    pub place: PatchedPlace,
    pub estimated: f32,
    pub exact: Option<f32>,
}

/// The switch, the table and the graph.
#[component]
pub fn EstimatesFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let is_wanted = Memo::new(move |_| context.view.with(|view| view.estimates));
    view! {
        <Check
            name=Signal::derive(move || t_string!(i18n, patching.estimate).to_owned())
            test_id="estimate-places"
            on=is_wanted
            set=move |on| context.update(|view| view.estimates = on)
        />
        <Show when=move || is_wanted.get()>
            <Estimated />
        </Show>
    }
}

/// Returns the question for the estimates; `None` while the runs are not here, or if they differ in length.
fn question(context: PatchingContext, start: Option<u32>) -> Option<EstimateQuestion> {
    let pair = context.pair.get()?;
    context.runs.with(|runs| {
        let both = runs.as_ref()?;
        let [clean, other] = [true, false].map(|is_clean| tokens_of(both, is_clean, start));
        let is_even =
            clean.source.len() == other.source.len() && clean.target.len() == other.target.len();
        is_even.then_some(EstimateQuestion {
            clean,
            other,
            answer: pair.answer,
            against: pair.against,
        })
    })
}

/// Returns the tokens of a run; a decoder beside an encoder begins with the model's own `start`.
fn tokens_of(both: &BothRuns, is_clean: bool, start: Option<u32>) -> RunTokens {
    let ids = |stack| {
        let tokens = both.reads(stack, is_clean).into_iter();
        tokens.map(|token| token.id).collect::<Vec<u32>>()
    };
    let mut target = ids(Stack::Decoder);
    if !both.own.spec.reads_source() {
        return RunTokens {
            source: vec![],
            target,
        };
    }
    if let (Some(first), Some(start)) = (target.first_mut(), start) {
        *first = start;
    }
    RunTokens {
        source: ids(Stack::Encoder),
        target,
    }
}

#[component]
fn Estimated() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let live = context.live();
    let is_from_disk = Memo::new(move |_| {
        context.own.with(|own| {
            own.as_ref()
                .is_some_and(|own| matches!(own.job.model, Model::Mine(_)))
        })
    });
    let start = Memo::new(move |_| {
        let trace = live.trace()?;
        let first = trace.meta.tokens(Stack::Decoder).first()?;
        Some(first.id)
    });
    let asked = Memo::new(move |_| question(context, start.get()).filter(|_| !is_from_disk.get()));
    let estimates = Lessons::expect().ask(
        move || {
            let (model, _) = live.made_by()?;
            Some(Question::Estimates {
                model,
                asked: Box::new(asked.get()?),
            })
        },
        |answer| match answer {
            Answer::Estimates(estimates) => Some(PatchEstimates::clone(estimates)),
            _ => None,
        },
    );
    let best = Memo::new(move |_| -> Vec<Compared> {
        let Some(found) = estimates.answer.get() else {
            return vec![];
        };
        let compared = found.places.iter().take(BEST).filter_map(|estimate| {
            Some(Compared {
                place: estimate.place,
                estimated: found.share(estimate)?,
                exact: None,
            })
        });
        compared.collect()
    });
    let runs = live.patching(move || {
        best.get()
            .iter()
            .filter_map(|it| run_of(context, it.place))
            .collect()
    });
    let compared = Memo::new(move |_| -> Vec<Compared> {
        let reads = runs.get();
        let rows = best.get().into_iter().enumerate();
        rows.map(|(index, row)| {
            let end = reads.get(index).and_then(|read| read.end.clone());
            // Of a place whose run fails, the estimate alone is shown.
            let exact = end.and_then(|end| match end.ok()?.as_ref() {
                PatchingAnswer::Place(run) => run.ends.share(run.difference),
                _ => None,
            });
            Compared { exact, ..row }
        })
        .collect()
    });
    let is_uneven = Memo::new(move |_| {
        let has_runs = context.runs.with(Option::is_some);
        has_runs && !is_from_disk.get() && asked.with(Option::is_none)
    });
    let words = move || {
        if is_from_disk.get() {
            return Some(t_string!(i18n, patching.estimate_from_disk).to_owned());
        }
        if is_uneven.get() {
            return Some(t_string!(i18n, patching.estimate_uneven).to_owned());
        }
        let found = estimates.answer.get()?;
        Some(t_string!(
            i18n,
            patching.estimated,
            count = found.places.len(),
            best = best.read().len()
        ))
    };
    view! {
        <p class="lesson-reading number" role="status" data-testid="estimates-said">{words}</p>
        <Show when=move || is_uneven.get()>
            <p class="position-controls">
                <FindingLink link=EVEN_PAIR test_id="even-pair">
                    {t!(i18n, patching.even_pair)}
                </FindingLink>
            </p>
        </Show>
        <Show when=move || asked.with(Option::is_some)>
            <LessonNotice asked=estimates />
        </Show>
        <Show when=move || !compared.read().is_empty()>
            <PlacesTable compared />
            <PlacesGraph compared />
        </Show>
    }
}

/// The question for a patched run of which only the logits count.
fn run_of(context: PatchingContext, place: PatchedPlace) -> Option<PatchingAsked> {
    let asked = context.question(KeptPatch {
        place,
        into: TakenInto::Other,
    })?;
    let PatchingQuestion::Place {
        pair, place, into, ..
    } = asked.question
    else {
        return None;
    };
    Some(PatchingAsked {
        question: PatchingQuestion::Place {
            pair,
            place,
            into,
            max_new_tokens: 1,
        },
        ..asked
    })
}

#[component]
fn PlacesTable(compared: Memo<Vec<Compared>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let (describe, short) = (describe(context), short_name());
    let name = Signal::derive(move || t_string!(i18n, patching.estimates).to_owned());
    let row = move |row: Compared| {
        let patch = KeptPatch {
            place: row.place,
            into: TakenInto::Other,
        };
        view! {
            <tr data-testid="estimated-place">
                <th scope="row">
                    <button
                        type="button"
                        class="link-button"
                        title=move || describe(patch)
                        on:click=move |_| context.update(|view| {
                            view.place = Some(patch.place);
                            view.into = patch.into;
                        })
                    >
                        {move || {
                            let at = row.place.at.map(|at| positions(context, i18n, (row.place, patch.into), at));
                            format!("{} {}", short(row.place), at.unwrap_or_default())
                        }}
                    </button>
                </th>
                <td class="number">{in_percent(row.estimated)}</td>
                <td class="number">{row.exact.map_or_else(|| "…".to_owned(), in_percent)}</td>
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="estimates-table" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, patching.taken_over)}</th>
                        <th scope="col">{t!(i18n, patching.by_gradient)}</th>
                        <th scope="col">{t!(i18n, patching.by_run)}</th>
                    </tr>
                </thead>
                <tbody>{move || compared.get().into_iter().map(row).collect_view()}</tbody>
            </table>
        </ScrollRegion>
    }
}

/// Returns a function that names a place briefly: its head by layer and number, with the kind of attention if the model has
/// several, or its network by the layer.
pub fn short_name() -> impl Fn(PatchedPlace) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let kind = kind_name();
    let has_kinds = Memo::new(move |_| {
        let own = context.own.read();
        own.as_ref().is_some_and(|own| own.spec.kinds().len() > 1)
    });
    move |place| match (AttentionLayer::try_from(place.site.block), place.head) {
        (Ok(attention), Some(head)) => {
            let name = format!("{}.{}", attention.layer + 1, head + 1);
            match has_kinds.get() {
                true => format!("{name} {}", kind(attention.kind)),
                false => name,
            }
        }
        _ => match place.site.block {
            Block::Sublayer(_, layer, _) => {
                t_string!(i18n, patching.short_network, layer = layer + 1)
            }
            Block::Stack(_) | Block::Model => place.site.to_string(),
        },
    }
}
