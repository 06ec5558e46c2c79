//! The page's Python for a number on screen: `tests/fixtures/python` has it as it is generated, and `python_code.py` ran it
//! in PyTorch. The code is compared with the generated one, and its numbers with those of the fixtures, which our models
//! are held to in `tests/parity`. After a change that is meant, run with `BLESS=1`, and then `python_code.py`.
#![allow(clippy::unwrap_used, reason = "a panic is a failed test")]

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use attention_trace::{
    AttentionKind, AttentionLayer, Edit, ModelSpec, Pieces, Quantity, Stack, Token, TraceMeta,
    config::{
        BertConfig, DistilBertConfig, Gpt2Config, GptNeoXConfig, LlamaConfig, MarianConfig,
        ModernBertConfig, T5Config,
    },
    python::{NoPython, Number, Pass, python},
};
use safetensors::SafeTensors;
use serde::Deserialize;
use serde::de::DeserializeOwned;

const TOLERANCE: f32 = 1e-4;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

/// Arrays of a file, with the description in its metadata.
struct Arrays(Vec<u8>);

impl Arrays {
    fn read(path: &str) -> Self {
        Arrays(fs::read(fixtures().join(path)).unwrap_or_else(|e| panic!("{path}: {e}")))
    }

    fn array(&self, name: &str) -> Vec<f32> {
        let arrays = SafeTensors::deserialize(&self.0).unwrap();
        let array = arrays
            .tensor(name)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let numbers = array.data().chunks_exact(4);
        let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap());
        numbers.map(number).collect()
    }

    fn description<D: DeserializeOwned>(&self) -> D {
        let (_, header) = SafeTensors::read_metadata(&self.0).unwrap();
        serde_json::from_str(&header.metadata().as_ref().unwrap()["fixture"]).unwrap()
    }
}

#[derive(Deserialize)]
struct Texts {
    cases: Vec<Text>,
}

/// A text that `transformers` read, of the checkpoint's own fixture.
#[derive(Deserialize)]
struct Text {
    name: String,
    #[serde(default)]
    source: Vec<u32>,
    #[serde(default)]
    target: Vec<u32>,
}

#[derive(Deserialize)]
struct EditedPasses {
    cases: Vec<EditedPass>,
}

/// A pass with edits, which hooks made in PyTorch.
#[derive(Deserialize)]
struct EditedPass {
    name: String,
    model: String,
    source: Vec<u32>,
    target: Vec<u32>,
    edits: Vec<Edit>,
}

fn spec(model: &str) -> ModelSpec {
    let path = fixtures().join("tiny").join(model).join("config.json");
    let config = fs::read(path).unwrap();
    fn read<C: DeserializeOwned>(config: &[u8]) -> C {
        serde_json::from_slice(config).unwrap()
    }
    match model {
        "marian-tiny" => read::<MarianConfig>(&config).spec(),
        "llama-gqa" | "gemma2" => read::<LlamaConfig>(&config).spec(),
        "gpt2-tiny" => read::<Gpt2Config>(&config).spec(),
        "gpt-neox" => read::<GptNeoXConfig>(&config).spec(),
        "t5-v1_1" => read::<T5Config>(&config).spec(),
        "bert-tiny" => read::<BertConfig>(&config).spec(),
        "distilbert-tiny" => read::<DistilBertConfig>(&config).bert().unwrap().spec(),
        "modernbert-tiny" => read::<ModernBertConfig>(&config).spec(),
        other => panic!("{other} has no configuration here"),
    }
}

fn tokens(ids: &[u32]) -> Vec<Token> {
    let token = |&id: &u32| Token {
        id,
        text: format!("token{id}"),
        unknown: false,
    };
    ids.iter().map(token).collect()
}

/// A view of the page: the pass, the number on screen, and what it is.
struct View {
    name: String,
    model: String,
    meta: TraceMeta,
    text: String,
    edits: Vec<Edit>,
    number: Number,
    expected: Vec<f32>,
}

fn meta(model: &str, source: &[u32], target: &[u32]) -> TraceMeta {
    let spec = spec(model);
    let is_read = |stack: Stack| spec.stack(stack).is_some();
    let source = if is_read(Stack::Encoder) { source } else { &[] };
    let target = if is_read(Stack::Decoder) { target } else { &[] };
    TraceMeta {
        source: tokens(source),
        target: tokens(target),
        pieces: Pieces::default(),
        spec,
    }
}

fn pattern(kind: AttentionKind, layer: usize, heads: &[usize]) -> Number {
    Number::Pattern {
        attention: AttentionLayer { kind, layer },
        heads: heads.to_vec(),
    }
}

fn plain_views() -> Vec<View> {
    use AttentionKind::{Cross, DecoderSelf, EncoderSelf};
    let state = Number::State {
        stack: Stack::Decoder,
        layer: 1,
    };
    let attention = |layer| AttentionLayer { kind: Cross, layer };
    let difference = Number::Difference {
        left: (attention(0), 1),
        right: (attention(1), 2),
    };
    let views = [
        ("head", "marian-tiny", pattern(Cross, 0, &[1])),
        ("heads", "marian-tiny", pattern(EncoderSelf, 1, &[0, 2])),
        ("all-heads", "marian-tiny", Number::Patterns),
        ("head-of-llama", "llama-gqa", pattern(DecoderSelf, 1, &[3])),
        ("head-of-t5", "t5-v1_1", pattern(Cross, 0, &[0])),
        ("head-of-bert", "bert-tiny", pattern(EncoderSelf, 0, &[1])),
        (
            "head-of-distilbert",
            "distilbert-tiny",
            pattern(EncoderSelf, 1, &[1]),
        ),
        (
            "head-of-modernbert",
            "modernbert-tiny",
            pattern(EncoderSelf, 1, &[0]),
        ),
        ("logits", "gpt2-tiny", Number::Logits),
        ("layer", "llama-gqa", state),
        ("candidates", "marian-tiny", Number::Next { row: 2 }),
        ("difference", "marian-tiny", difference),
    ];
    let view = |(name, model, number): (&str, &str, Number)| {
        let arrays = Arrays::read(&format!("tiny/{model}/expected.safetensors"));
        let texts = arrays.description::<Texts>().cases;
        let text = texts.iter().find(|text| text.name == "long");
        let text = text.unwrap_or_else(|| panic!("{model} reads no long text"));
        let case = match number {
            // Only of this text, arrays beside weights and logits are kept.
            Number::State { .. } => texts.iter().find(|text| text.name == "sentence"),
            _ => Some(text),
        }
        .unwrap();
        let meta = meta(model, &case.source, &case.target);
        View {
            name: name.to_owned(),
            model: model.to_owned(),
            expected: expected(&arrays, &case.name, &meta.spec, &number),
            meta,
            text: "A text\nof two lines".to_owned(),
            edits: vec![],
            number,
        }
    };
    views.into_iter().map(view).collect()
}

fn expected(arrays: &Arrays, case: &str, spec: &ModelSpec, number: &Number) -> Vec<f32> {
    let weights = |attention: AttentionLayer| {
        arrays.array(&format!("{case}/{}", attention.at(Quantity::Pattern)))
    };
    match number {
        Number::Pattern { attention, heads } => {
            let weights = weights(*attention);
            let size = weights.len() / spec.heads(attention.kind);
            let cell = |cell: usize| {
                let of_heads = heads.iter().map(|head| weights[head * size + cell]);
                of_heads.sum::<f32>() / heads.len() as f32
            };
            (0..size).map(cell).collect()
        }
        Number::Patterns => {
            let kinds = spec.kinds().into_iter();
            let layers = kinds.flat_map(|kind| {
                let layers = 0..spec.layers(kind);
                layers.map(move |layer| AttentionLayer { kind, layer })
            });
            layers.flat_map(weights).collect()
        }
        Number::Logits => arrays.array(&format!("{case}/logits")),
        Number::Next { row } => {
            let logits = arrays.array(&format!("{case}/logits"));
            logits[row * spec.vocabulary..][..spec.vocabulary].to_vec()
        }
        Number::Difference { left, right } => {
            let [left, right] = [left, right].map(|&(attention, head)| {
                let heads = vec![head];
                expected(arrays, case, spec, &Number::Pattern { attention, heads })
            });
            right
                .iter()
                .zip(&left)
                .map(|(right, left)| right - left)
                .collect()
        }
        Number::Lens => panic!("the lens has a fixture of its own"),
        Number::State { stack, layer } => {
            arrays.array(&format!("{case}/{stack}.{layer}.mlp.residual"))
        }
    }
}

/// Models whose lens is read: one of each family, and those that end in another way.
const READ: [&str; 9] = [
    "marian-tiny",
    "llama-gqa",
    "gemma2",
    "gpt2-tiny",
    "gpt-neox",
    "t5-v1_1",
    "bert-tiny",
    "distilbert-tiny",
    "modernbert-tiny",
];

#[derive(Deserialize)]
struct Lenses {
    cases: Vec<LensPass>,
}

/// The lens of a pass, as PyTorch read it and as our models do.
#[derive(Deserialize)]
struct LensPass {
    model: String,
    source: Vec<u32>,
    target: Vec<u32>,
    layers: Vec<LensLayer>,
}

#[derive(Deserialize)]
struct LensLayer {
    /// The probabilities of the most probable words, by position.
    probabilities: Vec<Vec<f32>>,
}

fn lens_views() -> Vec<View> {
    let lenses = fs::read(fixtures().join("lens.json")).unwrap();
    let lenses: Lenses = serde_json::from_slice(&lenses).unwrap();
    let view = |model: &str| {
        let pass = lenses.cases.iter().find(|pass| pass.model == model);
        let pass = pass.unwrap_or_else(|| panic!("{model} has no lens"));
        let spec = spec(model);
        let target = match spec.encoder {
            Some(_) => [&[start_of(model)], all_but_last(&pass.target)].concat(),
            None => pass.source.clone(),
        };
        let rows = pass.layers.iter().flat_map(|layer| &layer.probabilities);
        View {
            name: format!("lens-of-{model}"),
            model: model.to_owned(),
            meta: meta(model, &pass.source, &target),
            text: "A text".to_owned(),
            edits: vec![],
            number: Number::Lens,
            expected: rows.flatten().copied().collect(),
        }
    };
    READ.map(view).into()
}

fn all_but_last(tokens: &[u32]) -> &[u32] {
    tokens.split_last().map_or(&[], |(_, before)| before)
}

/// The token that a decoder begins with, which an encoder alone does not have.
fn start_of(model: &str) -> u32 {
    let path = fixtures().join("tiny").join(model).join("config.json");
    let config: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    config["decoder_start_token_id"].as_u64().unwrap_or(0) as u32
}

/// Passes with edits, by their names in `edits.json`.
const EDITED: [&str; 13] = [
    "marian-tiny: head off",
    "marian-tiny: heads",
    "marian-tiny: head at given numbers, doubled",
    "marian-tiny: uniform",
    "marian-tiny: shuffled everywhere",
    "marian-tiny: weights of two rows",
    "llama-gqa: head off",
    "llama-gqa: heads at their means",
    "llama-gqa: shuffled",
    "llama-gqa: weight",
    "llama-gqa: two",
    "gpt2-tiny: head off",
    "gpt2-tiny: shuffled and uniform",
];

fn edited_views() -> Vec<View> {
    let passes = fs::read(fixtures().join("edits.json")).unwrap();
    let passes: EditedPasses = serde_json::from_slice(&passes).unwrap();
    let logits = Arrays::read("edits.safetensors");
    let view = |name: &str| {
        let pass = passes.cases.iter().find(|pass| pass.name == name);
        let pass = pass.unwrap_or_else(|| panic!("there is no pass `{name}`"));
        let text = pass.edits.iter().find_map(|edit| match edit {
            Edit::MeanHead { text, .. } => Some(text.clone()),
            _ => None,
        });
        View {
            name: name.replace([':', ','], "").replace(' ', "-"),
            model: pass.model.clone(),
            meta: meta(&pass.model, &pass.source, &pass.target),
            text: text.unwrap_or_default(),
            edits: pass.edits.clone(),
            number: Number::Logits,
            expected: logits.array(&format!("{name}/logits")),
        }
    };
    EDITED.map(view).into()
}

fn code(view: &View) -> Result<String, NoPython> {
    let pass = Pass {
        meta: &view.meta,
        checkpoint: &format!("tests/fixtures/tiny/{}", view.model),
        text: &view.text,
        prompt: view.meta.target.len(),
        edits: &view.edits,
    };
    python(pass, &view.number)
}

#[test]
fn generated_code_gives_the_numbers_on_screen() {
    let is_blessed = env::var_os("BLESS").is_some();
    let directory = fixtures().join("python");
    let results = (!is_blessed).then(|| Arrays::read("python.safetensors"));
    let mut names = BTreeSet::new();
    let views = [plain_views(), lens_views(), edited_views()];
    for view in views.into_iter().flatten() {
        let code = code(&view).unwrap_or_else(|e| panic!("{}: {e}", view.name));
        let path = directory.join(format!("{}.py", view.name));
        if is_blessed {
            fs::write(&path, &code).unwrap();
        }
        let executed =
            fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(executed == code, "{}: run with BLESS=1", path.display());
        if let Some(results) = &results {
            let found = results.array(&view.name);
            assert_eq!(found.len(), view.expected.len(), "{}", view.name);
            let differences = found.iter().zip(&view.expected).map(|(a, b)| (a - b).abs());
            let largest = differences.fold(0.0, f32::max);
            println!("{}: off by at most {largest:.1e}", view.name);
            assert!(largest <= TOLERANCE, "{}: off by {largest}", view.name);
        }
        names.insert(format!("{}.py", view.name));
    }
    let files = fs::read_dir(&directory).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert_eq!(
        files.collect::<BTreeSet<_>>(),
        names,
        "every file is the code of a view"
    );
    assert!(!is_blessed, "the code is written: run `python_code.py`");
}

#[test]
fn what_has_no_code_is_an_error() {
    let mut view = edited_views().swap_remove(0);
    let attention = |kind| (AttentionLayer { kind, layer: 0 }, 0);
    view.number = Number::Difference {
        left: attention(AttentionKind::Cross),
        right: attention(AttentionKind::EncoderSelf),
    };
    assert_eq!(code(&view), Err(NoPython::Number("marian".to_owned())));
    view.number = Number::Logits;
    view.edits = vec![Edit::WithoutCausality];
    assert_eq!(code(&view), Err(NoPython::Edit));
    view.meta.spec.model_type = "gru_seq2seq".to_owned();
    assert_eq!(code(&view), Err(NoPython::Family("gru_seq2seq".to_owned())));
}

/// A text is a comment or a string, whatever is in it.
#[test]
fn a_text_is_no_code() {
    let mut view = plain_views().swap_remove(0);
    view.text = "a\"\"\"\nimport os\r\u{2028}\u{c}b".to_owned();
    view.model = "x\")\nimport os #".to_owned();
    for token in view.meta.source.iter_mut() {
        token.text = "\nimport os".to_owned();
    }
    let code = code(&view).unwrap();
    assert!(
        code.lines().all(|line| !line.starts_with("import os")),
        "{code}"
    );
}
