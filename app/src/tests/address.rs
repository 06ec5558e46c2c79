//! Tests of the reader of addresses with made-up and damaged ones: an entry that cannot be read has its default, and an
//! entry that was read is written so that it can be read again. A fuzz target: `docs/fuzzing.md`.

use attention_core::state::View;
use bolero::TypeGenerator;

/// Reads the part of an address that contains the view.
fn read(address: &str) -> View {
    super::view(address)
}

fn spelled(view: &View) -> String {
    view.to_fragment()
}

/// The names in addresses, with at least one for each kind of value.
const NAMES: [&str; 152] = [
    "v",
    "length-bin",
    "local-window",
    "local-centre",
    "model",
    "text",
    "beam",
    "alpha",
    "sampling",
    "prefix",
    "off",
    "off-by",
    "reweighed",
    "key-window",
    "weights",
    "importance",
    "importance-of",
    "game",
    "roles",
    "roles-of",
    "role",
    "roles-across",
    "roles-up",
    "tab",
    "kind",
    "layer",
    "head",
    "with",
    "cell",
    "rows",
    "map",
    "window",
    "show",
    "normalised",
    "step",
    "lang",
    "theme",
    "large",
    "columns",
    "code",
    "device",
    "draw",
    "width",
    "base",
    "length",
    "dimension",
    "seed",
    "chapter",
    "stage",
    "answers",
    "pairs",
    "windows",
    "follow",
    "m",
    "n",
    "distance",
    "factor",
    "stride",
    "scale-row",
    "scale-width",
    "scores-query",
    "scores-draws",
    "words",
    "order",
    "sizes-d",
    "sizes-family",
    "sizes-vocab",
    "sizes-tied",
    "start-share",
    "start-layers",
    "hand-cells",
    "hand-query",
    "follow-all",
    "further",
    "hand-width",
    "hand-both",
    "route",
    "stop",
    "present",
    "figure",
    "notes",
    "before",
    "after",
    "graded",
    "predicted",
    "train-task",
    "train-letters",
    "train-stacks",
    "train-rate",
    "train-text",
    "train-seed",
    "train-device",
    "train-step",
    "forced",
    "search-table",
    "search-by",
    "search-k",
    "search-alpha",
    "search-prefix",
    "search-t",
    "search-seed",
    "count-n",
    "judged-reference",
    "judged-reference-2",
    "judged-candidate",
    "judged-by",
    "judged-n",
    "read-first",
    "read-second",
    "factors",
    "factored",
    "lens-layer",
    "lens-position",
    "lens-word",
    "lens-against",
    "lens-head",
    "explained-where",
    "explained-by",
    "explained-seed",
    "explained-heads",
    "derived-of",
    "aligned-heads",
    "aligned-row",
    "aligned-end",
    "compare",
    "compare-text",
    "compare-model",
    "compare-head",
    "compare-cell",
    "compare-scaled",
    "layers-n",
    "layers-output",
    "gates-x",
    "counted-n",
    "timed-by",
    "fixed-n",
    "pool-by",
    "picture",
    "drawn",
    "read-token",
    "read-shading",
    "embedded",
    "hops",
    "hops-off",
    "image-cell",
    "image-tool",
    "halt-stack",
    "halt-token",
    "halt-epsilon",
    "halt-depths",
    "ponder",
    "ponder-epsilon",
];

/// Words that are values of some names.
const WORDS: [&str; 25] = [
    "translator",
    "sentences",
    "positions-rope",
    "recall-rope",
    "decoding",
    "positions",
    "learn",
    "cross",
    "lines",
    "sentence",
    "zh",
    "dark",
    "webgpu",
    "follow",
    "sizes",
    "llama",
    "scores",
    "cross.1.3",
    "permuted.7",
    "mean",
    "encoder.0.2-decoder.9",
    "trained-0a1b2c3d4e5f",
    "addition",
    "sampling",
    "right-to-left",
];

/// A piece of a made-up address.
#[derive(Clone, Debug, TypeGenerator)]
enum Piece {
    Entry(u8, Vec<Part>),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug, TypeGenerator)]
enum Part {
    Word(u8),
    Small(u8),
    Integer(i64),
    Natural(u64),
    Float(f64),
    Text(String),
    Separator(u8),
}

impl Piece {
    fn spell(&self, address: &mut String) {
        match self {
            Piece::Bytes(bytes) => address.push_str(&String::from_utf8_lossy(bytes)),
            Piece::Entry(name, parts) => {
                address.push_str(NAMES[usize::from(*name) % NAMES.len()]);
                address.push('=');
                parts.iter().take(4).for_each(|part| part.spell(address));
                address.push('&');
            }
        }
    }
}

impl Part {
    fn spell(&self, address: &mut String) {
        match self {
            Part::Word(word) => address.push_str(WORDS[usize::from(*word) % WORDS.len()]),
            Part::Small(value) => address.push_str(&value.to_string()),
            Part::Integer(value) => address.push_str(&value.to_string()),
            Part::Natural(value) => address.push_str(&value.to_string()),
            Part::Float(value) => address.push_str(&value.to_string()),
            Part::Text(text) => address.push_str(text),
            Part::Separator(at) => {
                address.push([',', '.', '-', '%', '+', ';', '#', ' '][usize::from(*at) % 8])
            }
        }
    }
}

#[test]
fn addresses() {
    bolero::check!()
        .with_type::<Vec<Piece>>()
        .with_iterations(20_000)
        .for_each(|pieces| {
            let mut address = String::new();
            pieces
                .iter()
                .take(12)
                .for_each(|piece| piece.spell(&mut address));
            let view = read(&address);
            assert_eq!(read(&spelled(&view)), view, "{address}");
        });
}
