//! A sentence computed from the weights about the selected head at the selected token, or several heads at several
//! tokens.

use attention_chapters::RolesLab;
use attention_trace::{Stack, alignment::RowOf};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::context::HeadsContext;
use attention_core::{
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    names::token_name,
    navigation::ViewLink,
    roles::Looks,
    state::{Model, View},
    widgets::numbers::{decimal, percent},
};

/// The least value of the largest weight at which a head points at a single token.
const POINTS: f32 = 0.3;

/// The content of the sentence.
#[derive(Clone, PartialEq)]
struct Reading {
    asks: Asks,
    /// The number of heads averaged in the weights.
    heads: usize,
    key: String,
    weight: f32,
}

/// The queries whose attention is described.
#[derive(Clone, PartialEq)]
enum Asks {
    /// A token after which another one is written, and the measured target of the head there.
    Writes {
        query: String,
        next: String,
        looks: Option<Looks>,
    },
    /// A single token that is read.
    Reads { query: String },
    /// The average of several tokens.
    Together(usize),
    /// The average of several words.
    Words(usize),
}

/// The sentence under the figure.
#[component]
pub fn Caption() -> impl IntoView {
    let i18n = use_i18n();
    let reading = reading(HeadsContext::expect());
    let who = move |heads: usize| match heads {
        1 => t_string!(i18n, heads.one_head_here).to_owned(),
        _ => t_string!(i18n, heads.mean_here, count = heads).to_string(),
    };
    let sentence = move || {
        let Reading {
            asks,
            heads,
            key,
            weight,
        } = reading.get()?;
        let (share, who) = (percent(weight, 0), who(heads));
        Some(match (asks, weight < POINTS) {
            (Asks::Writes { query, next, looks }, is_spread) => {
                writes(i18n, [query, next], looks, is_spread, [who, share, key])
            }
            (Asks::Reads { query }, false) => t_string!(
                i18n,
                heads.reads,
                query = query,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Reads { query }, true) => t_string!(
                i18n,
                heads.reads_spread,
                query = query,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Words(count), false) => t_string!(
                i18n,
                heads.words_together,
                count = count,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Words(count), true) => t_string!(
                i18n,
                heads.words_together_spread,
                count = count,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Together(count), false) => t_string!(
                i18n,
                heads.together,
                count = count,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Together(count), true) => t_string!(
                i18n,
                heads.together_spread,
                count = count,
                who = who,
                share = share,
                key = key
            ),
        })
    };
    let measured = move || {
        let Asks::Writes { looks, .. } = reading.get()?.asks else {
            return None;
        };
        Some(measured_words(i18n, looks?))
    };
    view! {
        <div class="caption">
            <p data-testid="caption">{sentence}</p>
            <p class="hint">
                <span data-testid="caption-measured">{measured}</span>
                " "
                <RolesLink />
            </p>
        </div>
    }
}

/// Returns the sentence for a token that is read while another one is written next. The sentence gives writing as the
/// purpose only for a head that was measured to find the written word.
fn writes(
    i18n: I18nContext<Locale>,
    [query, next]: [String; 2],
    looks: Option<Looks>,
    is_spread: bool,
    [who, share, key]: [String; 3],
) -> String {
    macro_rules! words {
        ($name:ident) => {
            t_string!(
                i18n,
                heads.$name,
                next = next,
                query = query,
                who = who,
                share = share,
                key = key
            )
            .to_string()
        };
    }
    match (looks.map(|looks| looks.row), is_spread) {
        (Some(RowOf::Writing), false) => words!(writes),
        (Some(RowOf::Writing), true) => words!(writes_spread),
        (Some(RowOf::Reading), false) => words!(looks_back),
        (None, false) => words!(before),
        (Some(RowOf::Reading) | None, true) => words!(before_spread),
    }
}

/// Returns the words for the measured target of the head.
fn measured_words(i18n: I18nContext<Locale>, looks: Looks) -> String {
    let (pairs, error) = (looks.pairs, decimal(looks.error as f32, 2));
    match looks.row {
        RowOf::Writing => {
            t_string!(i18n, heads.finds_written, pairs = pairs, error = error).to_string()
        }
        RowOf::Reading => {
            t_string!(i18n, heads.finds_read, pairs = pairs, error = error).to_string()
        }
    }
}

/// The link to the card on the head's role in other sentences.
#[component]
fn RolesLink() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    view! {
        <ViewLink
            change=move |view: &mut View| {
                if let Some(head) = context.chosen() {
                    view.use_head(head);
                }
                view.open_chapter::<RolesLab>();
            }
            class="own-sentence roles-link"
            test_id="roles-of-head"
        >
            {t!(i18n, roles.card)}
        </ViewLink>
    }
}

fn reading(context: HeadsContext) -> Memo<Option<Reading>> {
    let name = token_name();
    // The result's own model: another may have been chosen that is not here yet.
    let shown = Live::expect().select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref();
        // The stored example has no job; it is the translator's.
        Some(job.map_or_else(Model::default, |job| job.model))
    });
    Memo::new(move |_| {
        let queries = context.queries();
        let (key, weight) = context.with_map(|map| {
            let (key, weight) = *map.strongest(&queries, 1).first()?;
            Some((name(map.keys.get(key)?), weight))
        })??;
        let asks = match queries.as_slice() {
            &[query] => {
                let token = context.with_axes(|queries, _| queries.get(query).map(name))??;
                let writes = context.kind()?.stack() == Stack::Decoder;
                let next = writes.then(|| context.written_after(query)).flatten();
                match next {
                    Some(next) => Asks::Writes {
                        query: token,
                        next: name(&next),
                        looks: match context.heads().as_slice() {
                            &[head] => shown.get().and_then(|model| Looks::of(model, head)),
                            _ => None,
                        },
                    },
                    None => Asks::Reads { query: token },
                }
            }
            _ if context.display().words => Asks::Words(queries.len()),
            _ => Asks::Together(queries.len()),
        };
        Some(Reading {
            asks,
            heads: context.heads().len(),
            key,
            weight,
        })
    })
}
