//! What an address names that the model on screen, its result or the text lacks: a layer too many, a step too many.

use attention_trace::{AttentionKind, Block, PatchedPlace, Stack, Trace, TraceMeta};

use super::{
    faults::{AddressFault, FaultKind},
    off::HeadChoice,
    reader::Reader,
    reweighed::{Reweighed, Scope},
    view::{HeadPlace, View},
    weights::ListedWeight,
};

impl View {
    /// What of the fragment that spells this view is not in a result: the rest of the view shows the nearest there is.
    pub fn lacking(&self, fragment: &str, trace: &Trace) -> Vec<AddressFault> {
        let chapters = &self.chapters;
        let words = chapters
            .hand
            .input()
            .x
            .shape
            .first()
            .copied()
            .unwrap_or_default();
        let indices = [
            ("sentence", self.model.sentences(&self.text).len()),
            ("hand-query", words),
            ("layers-output", chapters.layers.tokens),
        ];
        let search = Search {
            reader: Reader::new(fragment),
            meta: &trace.meta,
            kind: in_sight(self.kind(), &trace.meta.spec.kinds()),
            found: vec![],
        };
        let steps = trace.decoding.as_ref().map_or(0, |it| it.steps.len());
        search.of(
            steps,
            &indices,
            chapters.universal.stack,
            chapters.patching.place,
        )
    }
}

/// The kind that is shown where one of these is asked for: a model that lacks it shows its first.
fn in_sight(asked: AttentionKind, kinds: &[AttentionKind]) -> AttentionKind {
    match kinds.first() {
        Some(&first) if !kinds.contains(&asked) => first,
        _ => asked,
    }
}

/// What is wrong with an index of a fragment into so many; `None` where there is such a place, or the fragment has no
/// such index.
pub(super) fn beyond(reader: &Reader, name: &str, count: usize) -> Option<AddressFault> {
    let index: usize = reader.number(name)?;
    (index >= count).then(|| AddressFault {
        name: name.to_owned(),
        value: reader.in_address(name, &index.to_string()),
        kind: match count.checked_sub(1) {
            Some(last) => {
                let first = reader.first(name);
                let last = last + first;
                FaultKind::BeyondLast { last, first }
            }
            None => FaultKind::Lacking,
        },
    })
}

struct Search<'a> {
    reader: Reader,
    meta: &'a TraceMeta,
    /// The kind of attention on screen.
    kind: AttentionKind,
    found: Vec<AddressFault>,
}

impl Search<'_> {
    /// With indices that depend on no model, each with how many there are, the stack whose tokens chapter "universal" takes
    /// apart, and the place that is patched.
    fn of(
        mut self,
        steps: usize,
        indices: &[(&str, usize)],
        taken_apart: Stack,
        patched: Option<PatchedPlace>,
    ) -> Vec<AddressFault> {
        let spec = &self.meta.spec;
        let (layers, heads) = (spec.layers(self.kind), spec.heads(self.kind));
        self.choices();
        for &(name, count) in indices {
            self.index(name, count);
        }
        self.index("layer", layers);
        self.index("head", heads);
        self.index("step", steps);
        self.index("patch-step", steps);
        self.index("dimension", spec.width);
        self.of_self_attention();
        self.index("lens-position", self.meta.target.len());
        // The stream before the first layer is one too.
        let streams = spec.stack(spec.last_stack()).map_or(0, |it| it.layers) + 1;
        self.index("lens-layer", streams);
        self.tokens(taken_apart);
        self.patched(patched);
        self.heads();
        self.places();
        self.found
    }

    /// Notes a value that is not there, which counts from 0.
    fn note(&mut self, name: &str, value: &str, is_there: bool) {
        if !is_there {
            self.found.push(AddressFault {
                name: name.to_owned(),
                value: self.reader.in_address(name, value),
                kind: FaultKind::Lacking,
            });
        }
    }

    fn index(&mut self, name: &str, count: usize) {
        self.found.extend(beyond(&self.reader, name, count));
    }

    /// The kind of attention that is named.
    fn choices(&mut self) {
        if let Some(text) = self.reader.get("kind").map(str::to_owned)
            && let Some(kind) = self.reader.choice("kind")
        {
            let is_there = self.meta.spec.kinds().contains(&kind);
            self.note("kind", &text, is_there);
        }
    }

    /// What chapters count in the model's self-attention.
    fn of_self_attention(&mut self) {
        let spec = &self.meta.spec;
        let mut kinds = spec.kinds().into_iter();
        if let Some(kind) = kinds.find(|&kind| kind != AttentionKind::Cross) {
            // Before the first layer is one more place.
            let (heads, places) = (spec.heads(kind), spec.layers(kind) + 1);
            self.index("heads-other", heads);
            self.index("start-layers", places);
        }
    }

    /// Places of tokens that chapters count: in either stack, and in the one that is taken apart.
    fn tokens(&mut self, taken_apart: Stack) {
        let (source, target) = (self.meta.source.len(), self.meta.target.len());
        self.index("read-token", source.max(target));
        if self.meta.spec.stack(taken_apart).is_some() {
            self.index("halt-token", self.meta.tokens(taken_apart).len());
        }
    }

    /// The layer and the head that are patched.
    fn patched(&mut self, place: Option<PatchedPlace>) {
        let Some(PatchedPlace { site, head, .. }) = place else {
            return;
        };
        let Some(text) = self.reader.get("patch-place").map(str::to_owned) else {
            return;
        };
        let spec = &self.meta.spec;
        let stack = site.block.stack().and_then(|stack| spec.stack(stack));
        let is_there = stack.is_some_and(|stack| {
            let has_layer = match site.block {
                Block::Sublayer(_, layer, _) => layer < stack.layers,
                Block::Stack(_) | Block::Model => true,
            };
            has_layer && head.is_none_or(|head| head < stack.heads)
        });
        self.note("patch-place", &text, is_there);
    }

    /// Heads by their names, and those that are chosen with the first.
    fn heads(&mut self) {
        let spec = &self.meta.spec;
        for HeadPlace { layer, head } in self.reader.places("with") {
            let is_there = layer < spec.layers(self.kind) && head < spec.heads(self.kind);
            self.note("with", &format!("{layer}.{head}"), is_there);
        }
        let (layers, heads) = (
            spec.layers(AttentionKind::Cross),
            spec.heads(AttentionKind::Cross),
        );
        for HeadPlace { layer, head } in self.reader.places("aligned-heads") {
            let is_there = layers == 0 || layer < layers && head < heads;
            self.note("aligned-heads", &format!("{layer}.{head}"), is_there);
        }
        for name in ["off", "lens-head", "compare-head"] {
            for head in self.reader.parts::<HeadChoice>(name) {
                self.note(name, &head.to_string(), head.is_in(spec));
            }
        }
        if let Some(reweighed) = self.reader.number::<Reweighed>("reweighed") {
            let is_there = reweighed.scope == Scope::Everywhere || reweighed.scope.is_in(spec);
            self.note("reweighed", &reweighed.to_string(), is_there);
        }
        for listed in self.reader.parts::<ListedWeight>("weights") {
            let place = listed.given.place;
            let (queries, keys) = self.meta.axes(place.head.attention.kind);
            let is_there = place.head.is_in(spec)
                && place.query.is_none_or(|query| query < queries.len())
                && place.key < keys.len();
            self.note("weights", &listed.to_string(), is_there);
        }
    }

    /// Rows, columns and cells of the map on screen.
    fn places(&mut self) {
        let (queries, keys) = self.meta.axes(self.kind);
        for name in ["cell", "compare-cell"] {
            if let Some([query, key]) = self.reader.tuple::<usize, 2>(name) {
                let is_there = query < queries.len() && key < keys.len();
                self.note(name, &format!("{query}.{key}"), is_there);
            }
        }
        for row in self.reader.list::<usize>("rows").unwrap_or_default() {
            self.note("rows", &row.to_string(), row < queries.len());
        }
        if let Some([row, column, cell]) = self.reader.tuple::<usize, 3>("window") {
            let is_there = row < queries.len() && column < keys.len();
            self.note("window", &format!("{row}.{column}.{cell}"), is_there);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::{
        Token,
        config::{LlamaConfig, MarianConfig},
    };
    use proptest::prelude::*;

    use super::*;

    fn tokens(count: usize) -> Vec<Token> {
        let token = |id| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        (0..count as u32).map(token).collect()
    }

    /// Three source tokens, two of the target, two layers of four heads.
    fn trace() -> Trace {
        let config = MarianConfig {
            encoder_layers: 2,
            decoder_layers: 2,
            encoder_attention_heads: 4,
            decoder_attention_heads: 4,
            ..MarianConfig::default()
        };
        Trace {
            meta: TraceMeta {
                spec: config.spec(),
                source: tokens(3),
                target: tokens(2),
            },
            decoding: None,
            guesses: vec![],
            arrays: BTreeMap::new(),
        }
    }

    fn lacking(fragment: &str, trace: &Trace) -> Vec<String> {
        let (view, faults) = View::from_address(fragment);
        assert_eq!(faults, [], "{fragment}");
        let lacking = view.lacking(fragment, trace).into_iter();
        lacking.map(|fault| fault.quoted()).collect()
    }

    #[test]
    fn what_is_there_lacks_nothing() {
        let all = "layer=1&head=3&kind=cross&with=0.2&cell=1.2&rows=0.1&off=cross.1.3&weights=cross.1.3.1.2.500\
                   &window=1.2.20&lens-layer=2&lens-position=1&lens-head=decoder.1.3&reweighed=uniform.all&sentence=0";
        assert!(lacking(all, &trace()).is_empty());
    }

    #[test]
    fn every_entry_beyond_what_there_is_is_found() {
        for one in [
            "layer=2",
            "head=4",
            "step=200",
            "sentence=1",
            "with=2.0",
            "with=0.4",
            "cell=2.0",
            "cell=0.3",
            "compare-cell=9.9",
            "rows=2",
            "window=0.3.20",
            "off=cross.2.0",
            "off=decoder.0.4",
            "lens-head=encoder.9.0",
            "compare-head=cross.0.4",
            "reweighed=uniform.cross.2",
            "weights=cross.0.0.2.0.500",
            "weights=cross.0.4.0.0.500",
            "lens-layer=3",
            "aligned-heads=2.0",
            "patch-step=1",
            "dimension=512",
            "heads-other=4",
            "start-layers=3",
            "hand-query=9",
            "layers-output=999",
            "lens-position=2",
            "read-token=3",
            "halt-token=3",
            "patch-place=encoder.2.mlp.norm*0.0",
            "patch-place=encoder.0.self.z*h4",
        ] {
            assert_eq!(lacking(one, &trace()), [one]);
        }
    }

    #[test]
    fn the_last_is_told_where_there_is_one() {
        let view = View::from_fragment("layer=9&step=3");
        let kinds: Vec<_> = view
            .lacking("layer=9&step=3", &trace())
            .into_iter()
            .map(|it| it.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                FaultKind::BeyondLast { last: 1, first: 0 },
                FaultKind::Lacking
            ]
        );
    }

    #[test]
    fn what_an_address_that_counts_from_1_lacks_is_told_as_it_counts() {
        let address = "v=2&layer=3&head=4&cell=2.4&lens-layer=3&off=cross.3.1-cross.2.4";
        let expected = ["layer=3", "lens-layer=3", "off=cross.3.1", "cell=2.4"];
        assert_eq!(lacking(address, &trace()), expected);
        let kinds = View::from_fragment(address).lacking(address, &trace());
        assert_eq!(kinds[0].kind, FaultKind::BeyondLast { last: 2, first: 1 });
        assert_eq!(kinds[1].kind, FaultKind::BeyondLast { last: 2, first: 0 });
    }

    #[test]
    fn a_kind_that_the_model_lacks_is_found() {
        let mut trace = trace();
        trace.meta.spec = LlamaConfig::default().spec();
        assert_eq!(lacking("kind=cross", &trace), ["kind=cross"]);
        assert!(lacking("kind=decoder", &trace).is_empty());
    }

    proptest! {
        #[test]
        fn indices_are_found_exactly_where_they_are_too_large(layer in 0usize..5, head in 0usize..9, row in 0usize..4, key in 0usize..5) {
            let fragment = format!("layer={layer}&head={head}&cell={row}.{key}");
            let expected = [
                (layer >= 2).then(|| format!("layer={layer}")),
                (head >= 4).then(|| format!("head={head}")),
                (row >= 2 || key >= 3).then(|| format!("cell={row}.{key}")),
            ];
            let expected: Vec<String> = expected.into_iter().flatten().collect();
            prop_assert_eq!(lacking(&fragment, &trace()), expected);
        }
    }
}
