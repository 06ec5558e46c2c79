//! Descriptions of edits in words.

use attention_trace::{Token, Window};
use leptos_i18n::I18nContext;

use super::cell::spelled;
use crate::{
    engine::Live,
    i18n::{Locale, t_string, use_i18n},
    names::{head_name, kind_name, token_name},
    state::{
        Ablation, EditList, GivenEdit, GivenWeight, GivenWindow, ListedEdit, NewWeights, Reweighed,
        Scope, WeightPlace,
    },
};

/// Describes an edit in words.
pub fn edit_words() -> impl Fn(&GivenEdit) -> String + Copy + Send + Sync + 'static {
    let (head_name, reweighed) = (head_name(), reweighed_words());
    let (window, weight) = (window_words(), weight_words());
    move |edit| match edit {
        GivenEdit::Off(head) => head_name(head.attention, head.head),
        GivenEdit::Reweighed(given) => reweighed(*given),
        GivenEdit::Window(given) => window(*given),
        GivenEdit::Weight(given) => weight(*given),
    }
}

/// Returns the name of the button that takes an edit back, whose words are given.
pub fn removal(i18n: I18nContext<Locale>, edit: &GivenEdit, words: String) -> String {
    match edit {
        GivenEdit::Off(_) => t_string!(i18n, edits.switch_on, head = words),
        _ => t_string!(i18n, edits.remove, edit = words),
    }
}

/// Describes the extent of edits in words: the number of heads that are off, of given weights, and so on.
pub fn extent(i18n: I18nContext<Locale>, edits: &EditList) -> String {
    let extents = edits
        .by_kind()
        .filter_map(|listed| extent_of(i18n, listed, edits.by));
    let both = |off, weights| t_string!(i18n, edits.off_and_weights, off = off, weights = weights);
    extents.reduce(both).unwrap_or_default()
}

/// Describes the extent of edits of one kind.
fn extent_of(i18n: I18nContext<Locale>, listed: &[ListedEdit], by: Ablation) -> Option<String> {
    let edit = &listed.first()?.edit;
    Some(match (edit, listed.len(), by) {
        (GivenEdit::Off(_), 1, Ablation::Zero) => t_string!(i18n, edits.one_off).to_owned(),
        (GivenEdit::Off(_), count, Ablation::Zero) => {
            t_string!(i18n, edits.many_off, count = count)
        }
        (GivenEdit::Off(_), 1, Ablation::Mean) => t_string!(i18n, edits.one_mean).to_owned(),
        (GivenEdit::Off(_), count, Ablation::Mean) => {
            t_string!(i18n, edits.many_mean, count = count)
        }
        (GivenEdit::Reweighed(_), ..) => t_string!(i18n, edits.replaced).to_owned(),
        (GivenEdit::Window(_), ..) => t_string!(i18n, edits.windowed).to_owned(),
        (GivenEdit::Weight(_), 1, _) => t_string!(i18n, edits.one_weight).to_owned(),
        (GivenEdit::Weight(_), count, _) => t_string!(i18n, edits.many_weights, count = count),
    })
}

/// Describes a replacement of weights and the heads that it changes.
fn reweighed_words() -> impl Fn(Reweighed) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (head_name, kind_name) = (head_name(), kind_name());
    move |reweighed| {
        let place = match reweighed.scope {
            Scope::Head(head) => head_name(head.attention, head.head),
            Scope::Layer(attention) => t_string!(
                i18n,
                heads.block,
                kind = kind_name(attention.kind),
                layer = attention.layer + 1
            ),
            Scope::Everywhere => t_string!(i18n, edits.all_heads).to_owned(),
        };
        match reweighed.weights {
            NewWeights::Uniform => t_string!(i18n, edits.uniform, place = place),
            NewWeights::Shuffled { seed } => {
                t_string!(i18n, edits.permuted, place = place, seed = seed)
            }
        }
    }
}

/// Describes a window over the keys and the layers that it changes.
fn window_words() -> impl Fn(GivenWindow) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let kind_name = kind_name();
    move |GivenWindow { window, layer }| {
        let place = match layer {
            Some(attention) => t_string!(
                i18n,
                heads.block,
                kind = kind_name(attention.kind),
                layer = attention.layer + 1
            ),
            None => t_string!(i18n, edits.writing_layers).to_owned(),
        };
        let Window { keys, first } = window;
        match first {
            0 => t_string!(i18n, edits.window, place = place, keys = keys),
            _ => t_string!(
                i18n,
                edits.window_and_first,
                place = place,
                keys = keys,
                first = first
            ),
        }
    }
}

/// Describes a weight: head, query and key by their tokens in the text on screen, by their places where it has none
/// there.
fn weight_words() -> impl Fn(GivenWeight) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let live = Live::expect();
    let (head_name, token_name) = (head_name(), token_name());
    move |given| {
        let WeightPlace { head, query, key } = given.place;
        let trace = live.trace();
        let axes = trace
            .as_ref()
            .map(|trace| trace.meta.axes(head.attention.kind));
        let token = |tokens: Option<&[Token]>, at: usize| {
            let token = tokens.and_then(|tokens| tokens.get(at));
            token.map_or_else(|| format!("#{}", at + 1), token_name)
        };
        let query = match query {
            Some(query) => token(axes.map(|(queries, _)| queries), query),
            None => t_string!(i18n, edits.every_query).to_owned(),
        };
        t_string!(
            i18n,
            edits.given,
            head = head_name(head.attention, head.head),
            query = query,
            key = token(axes.map(|(_, keys)| keys), key),
            weight = spelled(given.thousandths)
        )
    }
}
