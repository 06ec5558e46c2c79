//! Parts that an address names and the model on screen, its result or the text lacks, such as a layer or step beyond
//! the last.

use attention_trace::{AttentionKind, Trace, TraceMeta};

use super::{
    edits::{Given as _, KINDS},
    faults::{AddressFault, FaultKind},
    head::HeadChoice,
    reader::Reader,
    view::{HeadPlace, View},
};

impl View {
    /// Returns the entries of this view's fragment that a result lacks; the rest of the view shows the nearest that
    /// exists.
    pub fn lacking(&self, fragment: &str, trace: &Trace) -> Vec<AddressFault> {
        let meta = &trace.meta;
        let (layers, heads) = {
            let kind = in_sight(self.kind(), &meta.spec.kinds());
            (meta.spec.layers(kind), meta.spec.heads(kind))
        };
        let mut lacking = Lacking {
            reader: Reader::new(fragment),
            meta,
            steps: trace.decoding.as_ref().map_or(0, |it| it.steps.len()),
            kind: in_sight(self.kind(), &meta.spec.kinds()),
            found: vec![],
        };
        lacking.choices();
        lacking.index("sentence", self.model.sentences(&self.text).len());
        lacking.index("layer", layers);
        lacking.index("head", heads);
        lacking.index("step", lacking.steps);
        lacking.heads();
        lacking.edits();
        lacking.places();
        self.chapters.parameters().note_lacking(&mut lacking);
        lacking.found
    }
}

/// Returns the kind that is shown when `asked` is requested: a model that lacks it shows its first.
fn in_sight(asked: AttentionKind, kinds: &[AttentionKind]) -> AttentionKind {
    match kinds.first() {
        Some(&first) if !kinds.contains(&asked) => first,
        _ => asked,
    }
}

/// Returns the fault of an entry whose index is not below `count`; `None` if the index is valid, or the fragment has no
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

/// The entries of an address that a result lacks, while they are collected.
pub struct Lacking<'a> {
    reader: Reader,
    /// The model and the tokens of the result.
    pub meta: &'a TraceMeta,
    /// The number of decoding steps of the result.
    pub steps: usize,
    /// The kind of attention on screen.
    pub kind: AttentionKind,
    found: Vec<AddressFault>,
}

impl Lacking<'_> {
    /// Notes a value, counted from 0, if it does not exist.
    pub fn note(&mut self, name: &str, value: &str, is_there: bool) {
        if !is_there {
            self.found.push(AddressFault {
                name: name.to_owned(),
                value: self.reader.in_address(name, value),
                kind: FaultKind::Lacking,
            });
        }
    }

    /// Returns the model's first kind of self-attention.
    pub fn self_attention(&self) -> Option<AttentionKind> {
        let mut kinds = self.meta.spec.kinds().into_iter();
        kinds.find(|&kind| kind != AttentionKind::Cross)
    }

    /// Notes an index that is not below `count`.
    pub fn index(&mut self, name: &str, count: usize) {
        self.found.extend(beyond(&self.reader, name, count));
    }

    /// Notes the kind of attention if the model lacks it.
    fn choices(&mut self) {
        if let Some(text) = self.reader.get("kind").map(str::to_owned)
            && let Some(kind) = self.reader.choice("kind")
        {
            let is_there = self.meta.spec.kinds().contains(&kind);
            self.note("kind", &text, is_there);
        }
    }

    /// Notes a value that does not exist, by its text in the address.
    pub fn note_text(&mut self, name: &str, is_there: bool) {
        if let Some(text) = self.reader.get(name).map(str::to_owned) {
            self.note(name, &text, is_there);
        }
    }

    /// Notes heads, by kind, layer and head, that the model lacks.
    pub fn heads_of(&mut self, name: &str) {
        for head in self.reader.parts::<HeadChoice>(name) {
            self.note(name, &head.to_string(), head.is_in(&self.meta.spec));
        }
    }

    /// Notes heads, by layer and head, that are beyond the given numbers.
    pub fn heads_among(&mut self, name: &str, layers: usize, heads: usize) {
        for HeadPlace { layer, head } in self.reader.places(name) {
            let is_there = layer < layers && head < heads;
            self.note(name, &format!("{layer}.{head}"), is_there);
        }
    }

    /// Notes a cell that the map on screen lacks.
    pub fn cell(&mut self, name: &str) {
        let (queries, keys) = self.meta.axes(self.kind);
        if let Some([query, key]) = self.reader.tuple::<usize, 2>(name) {
            let is_there = query < queries.len() && key < keys.len();
            self.note(name, &format!("{query}.{key}"), is_there);
        }
    }

    /// Notes further chosen heads that the model lacks.
    fn heads(&mut self) {
        let spec = &self.meta.spec;
        let (layers, heads) = (spec.layers(self.kind), spec.heads(self.kind));
        self.heads_among("with", layers, heads);
    }

    /// Notes edits of parts that the model or its result lacks.
    fn edits(&mut self) {
        for kind in KINDS {
            for listed in self.reader.edits(kind) {
                let is_there = listed.edit.is_there(self.meta);
                self.note(kind.entry, &listed.to_string(), is_there);
            }
        }
    }

    /// Notes rows, columns and cells that the map on screen lacks.
    fn places(&mut self) {
        let (queries, keys) = self.meta.axes(self.kind);
        self.cell("cell");
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
        Trace::new(TraceMeta {
            spec: config.spec(),
            source: tokens(3),
            target: tokens(2),
            pieces: attention_trace::Pieces::default(),
        })
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
                   &window=1.2.20&reweighed=uniform.all&key-window=4.1.all&sentence=0";
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
            "rows=2",
            "window=0.3.20",
            "off=cross.2.0",
            "off=decoder.0.4",
            "reweighed=uniform.cross.2",
            "key-window=4.1.decoder.2",
            "weights=cross.0.0.2.0.500",
            "weights=cross.0.4.0.0.500",
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
        let address = "v=2&layer=3&head=4&cell=2.4&off=cross.3.1-cross.2.4";
        let expected = ["layer=3", "off=cross.3.1", "cell=2.4"];
        assert_eq!(lacking(address, &trace()), expected);
        let kinds = View::from_fragment(address).lacking(address, &trace());
        assert_eq!(kinds[0].kind, FaultKind::BeyondLast { last: 2, first: 1 });
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
