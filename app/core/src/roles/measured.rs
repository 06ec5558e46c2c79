//! Roles of all heads on the text on screen and on published sentences, in one form.

use attention_trace::{
    AttentionLayer, Excerpt, Quantity, Slice, TraceMeta,
    roles::{Places, RoleScores, RoleSet},
};
use leptos::prelude::*;

use super::published::Fetched;
use crate::{
    engine::{Live, Part},
    state::HeadChoice,
};

/// The largest size in bytes of the weights of all heads that are measured: those of longer texts would take seconds to
/// fetch.
const MOST_BYTES: usize = 16 << 20;

/// The scores of a head.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadMeasured {
    /// The head that was measured.
    pub head: HeadChoice,
    pub roles: RoleScores,
}

/// The state of the measurement of all heads.
#[derive(Clone, Debug, PartialEq)]
pub enum Measured {
    /// The scores are not here yet.
    Waiting,
    /// Nothing was measured with the model yet.
    Nothing,
    /// The text is too long to be measured.
    TooLong,
    /// The scores could not be fetched, for this reason.
    Missing(String),
    /// The scores of all heads, in the order of computation.
    Here(Vec<HeadMeasured>),
}

impl Measured {
    /// Returns the heads; none until they are here.
    pub fn heads(&self) -> &[HeadMeasured] {
        match self {
            Measured::Here(heads) => heads,
            Measured::Waiting | Measured::Nothing | Measured::TooLong | Measured::Missing(_) => &[],
        }
    }

    /// Returns the scores of one head.
    pub fn of(&self, head: HeadChoice) -> Option<&HeadMeasured> {
        self.heads().iter().find(|found| found.head == head)
    }
}

/// Returns the roles of heads on published sentences.
pub fn of_set(fetched: &Fetched) -> Measured {
    match fetched {
        None => Measured::Waiting,
        Some(Err(reason)) => Measured::Missing(reason.clone()),
        Some(Ok(published)) => Measured::Here(heads_of(&published.0)),
    }
}

fn heads_of(set: &RoleSet) -> Vec<HeadMeasured> {
    let heads = set.heads.iter();
    let measured = heads.map(|head| HeadMeasured {
        head: HeadChoice {
            attention: head.attention,
            head: head.head,
        },
        roles: head.roles.clone(),
    });
    measured.collect()
}

/// Returns the attention layers whose weights are fetched for a text; `None` if the weights are too many.
fn layers(meta: &TraceMeta) -> Option<Vec<AttentionLayer>> {
    let spec = &meta.spec;
    let (mut layers, mut values) = (vec![], 0_usize);
    for kind in spec.kinds() {
        let (queries, keys) = meta.axes(kind);
        values += spec.layers(kind) * spec.heads(kind) * queries.len() * keys.len();
        layers.extend((0..spec.layers(kind)).map(|layer| AttentionLayer { kind, layer }));
    }
    (values * size_of::<f32>() <= MOST_BYTES).then_some(layers)
}

/// Measures the roles of heads on the text on screen while `wanted` is true.
pub fn on_text(wanted: impl Fn() -> bool + Send + Sync + 'static) -> Memo<Measured> {
    let live = Live::expect();
    let layers = Memo::new(move |_| live.trace().map(|trace| layers(&trace.meta)));
    let wanted = Memo::new(move |_| wanted());
    let listed = move || {
        layers
            .get()
            .flatten()
            .filter(|_| wanted.get())
            .unwrap_or_default()
    };
    let parts = live.parts(move || {
        let listed = listed().into_iter();
        let whole = |layer: AttentionLayer| Excerpt::new(layer.at(Quantity::Pattern), Slice::Whole);
        listed.map(whole).collect()
    });
    Memo::new(move |_| {
        if layers.get() == Some(None) {
            return Measured::TooLong;
        }
        match (wanted.get(), live.trace(), parts.get()) {
            (true, Some(trace), Some(parts)) => {
                Measured::Here(measured(&trace.meta, &listed(), &parts))
            }
            _ => Measured::Waiting,
        }
    })
}

fn measured(meta: &TraceMeta, layers: &[AttentionLayer], parts: &[Part]) -> Vec<HeadMeasured> {
    let mut found = vec![];
    for kind in meta.spec.kinds() {
        let places = Places::of(meta, kind);
        let of_kind = layers
            .iter()
            .zip(parts)
            .filter(|(layer, _)| layer.kind == kind);
        for (&attention, Part(maps)) in of_kind {
            let heads = maps.shape.first().copied().unwrap_or(0);
            found.extend((0..heads).filter_map(|head| {
                Some(HeadMeasured {
                    head: HeadChoice { attention, head },
                    roles: places
                        .measure(attention.layer, maps.matrix(head)?)?
                        .scores(),
                })
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use attention_trace::{Array, AttentionKind, Token, config::LlamaConfig, roles::Role};

    use super::*;

    fn meta(tokens: usize) -> TraceMeta {
        let token = |id: usize| Token {
            id: id as u32,
            text: id.to_string(),
            unknown: false,
        };
        TraceMeta {
            spec: LlamaConfig::default().spec(),
            source: vec![],
            target: (0..tokens).map(token).collect(),
            pieces: attention_trace::Pieces::default(),
        }
    }

    #[test]
    fn a_head_is_measured_by_its_own_map() {
        let attention = AttentionLayer {
            kind: AttentionKind::DecoderSelf,
            layer: 0,
        };
        // The first looks at the first token, the second at its own place.
        let first = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let own = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let maps = Part(Arc::new(Array {
            shape: vec![2, 3, 3],
            data: [first, own].concat(),
        }));
        let found = measured(&meta(3), &[attention], &[maps]);
        let weight = |head: usize, role| found[head].roles.of(role).unwrap().weight;
        assert_eq!((weight(0, Role::First), weight(0, Role::Own)), (1.0, 0.0));
        assert_eq!((weight(1, Role::First), weight(1, Role::Own)), (0.0, 1.0));
    }

    #[test]
    fn a_long_text_is_not_measured() {
        assert!(layers(&meta(16)).is_some());
        assert_eq!(layers(&meta(4000)), None);
    }
}
