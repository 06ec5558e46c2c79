//! Turns the `model.toml` of each served model, and those of models of other origins, into a table in Rust.

use std::{collections::BTreeMap, error::Error, fmt::Write, fs, path::Path};

use serde::Deserialize;
use toml::{Table, Value};

use crate::entries;

/// The folders of checkpoints, seen from this crate.
const MODELS: &str = "../../assets/models";

/// The facts of models of other origins, seen from this crate: a file and the name of its constant.
const ORIGINS: [(&str, &str); 2] = [
    ("src/state/model/trained.toml", "TRAINED"),
    ("src/state/model/mine.toml", "MINE"),
];

/// The list of variants in a model.toml; each takes what it does not set from the table above.
const VARIANTS: &str = "variants";

/// The words of a model in one language.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    name: String,
    #[serde(default)]
    variant: String,
    #[serde(default)]
    title: String,
    reads: String,
    hint: String,
    good: String,
}

/// The facts of a model. Those of its download are required for served models.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Facts {
    /// The place of the folder's models in the list of all models.
    order: Option<usize>,
    /// The variant's folder within the model's.
    folder: Option<String>,
    /// The name in addresses, if it is not made of the folders' names.
    address: Option<String>,
    #[serde(default)]
    earlier: Vec<String>,
    #[serde(default)]
    leads: bool,
    group: Option<String>,
    parameters: Option<u64>,
    licence: Option<String>,
    #[serde(default)]
    scores: Vec<Score>,
    words: BTreeMap<String, Words>,
    task: String,
    #[serde(default)]
    reads: Vec<String>,
    writes: Option<String>,
    positions: String,
    norm: Option<String>,
    #[serde(default)]
    recurrent: bool,
    #[serde(default = "yes")]
    attends: bool,
    #[serde(default)]
    halts: bool,
    #[serde(default)]
    shares_keys: bool,
    longest_trained: Option<usize>,
    most_new_tokens: usize,
    prefix: Option<String>,
    #[serde(default)]
    examples: Vec<String>,
    #[serde(default)]
    pairs: Vec<[String; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Score {
    measure: String,
    score: String,
    #[expect(dead_code, reason = "the score's row in README.md, for a test")]
    row: String,
    #[expect(dead_code, reason = "the score's cell in that row, for a test")]
    cell: usize,
}

fn yes() -> bool {
    true
}

/// Writes the table as `models.rs`.
pub fn write(out: &Path, languages: &[String]) -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={MODELS}");
    let mut text = String::new();
    for (file, name) in ORIGINS {
        println!("cargo::rerun-if-changed={file}");
        let facts: Facts = read(Path::new(file))?.try_into()?;
        let card = facts
            .card(languages)
            .map_err(|error| format!("{file}: {error}"))?;
        writeln!(text, "pub static {name}: Card = {card};")?;
    }
    let mut served = Vec::new();
    for directory in entries(Path::new(MODELS))? {
        let file = directory.join("model.toml");
        if file.exists() {
            let variants = variants(&directory, languages);
            served.push(variants.map_err(|error| format!("{}: {error}", file.display()))?);
        }
    }
    served.sort_by_key(|variants| variants.0);
    let count: usize = served.iter().map(|(_, variants)| variants.len()).sum();
    writeln!(text, "pub static SERVED: [Served; {count}] = [")?;
    for (entry, (_, variants)) in served.iter().enumerate() {
        for variant in variants {
            writeln!(text, "Served {{ entry: {entry}, {variant} }},")?;
        }
    }
    writeln!(text, "];")?;
    fs::write(out.join("models.rs"), text)?;
    Ok(())
}

fn read(file: &Path) -> Result<Table, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.parse()?)
}

/// The order of a folder's models in the list, and the fields of each in Rust.
fn variants(
    directory: &Path,
    languages: &[String],
) -> Result<(usize, Vec<String>), Box<dyn Error>> {
    let mut shared = read(&directory.join("model.toml"))?;
    let variants = match shared.remove(VARIANTS) {
        Some(Value::Array(variants)) => variants,
        Some(_) => return Err("variants are no list of tables".into()),
        None => vec![Value::Table(Table::new())],
    };
    let mut order = 0;
    let mut fields = Vec::new();
    for variant in variants {
        let Value::Table(variant) = variant else {
            return Err("a variant is no table".into());
        };
        let facts: Facts = merged(shared.clone(), variant).try_into()?;
        order = *required("order", &facts.order)?;
        let (download, card) = (facts.download(directory)?, facts.card(languages)?);
        fields.push(format!("{download} card: {card}"));
    }
    Ok((order, fields))
}

/// The first table with the values of the second; tables in both are merged.
fn merged(mut below: Table, above: Table) -> Table {
    for (key, value) in above {
        let value = match (below.remove(&key), value) {
            (Some(Value::Table(one)), Value::Table(other)) => Value::Table(merged(one, other)),
            (_, value) => value,
        };
        below.insert(key, value);
    }
    below
}

fn required<'a, T>(name: &str, value: &'a Option<T>) -> Result<&'a T, String> {
    value.as_ref().ok_or_else(|| format!("no {name}"))
}

/// The path of a folder of assets relative to the page.
fn served_as(folder: &Path) -> Result<String, Box<dyn Error>> {
    let path = folder.strip_prefix("../../assets")?.to_string_lossy();
    Ok(path.replace('\\', "/") + "/")
}

impl Facts {
    /// The fields of `Served` besides the card.
    fn download(&self, directory: &Path) -> Result<String, Box<dyn Error>> {
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let (folder, own_address) = match self.folder.as_deref() {
            None | Some(".") => (directory.to_owned(), name.clone().into_owned()),
            Some(folder) => (directory.join(folder), format!("{name}-{folder}")),
        };
        let errors = folder.join("alignment-errors.json");
        let errors = match errors.exists() {
            true => format!("Some(include_str!({:?}))", errors.canonicalize()?),
            false => "None".to_owned(),
        };
        let scores = self.scores.iter();
        let scores = scores
            .map(|score| format!("(Measure::{}, {:?})", variant(&score.measure), score.score));
        Ok(format!(
            "address: {:?}, earlier: &{:?}, folder: {:?}, directory: {:?}, leads: {}, group: Group::{}, parameters: {}, \
             licence: {:?}, scores: &[{}], alignment_errors: {errors}, has_importance: {},",
            self.address.as_ref().unwrap_or(&own_address),
            self.earlier,
            served_as(directory)?,
            served_as(&folder)?,
            self.leads,
            variant(required("group", &self.group)?),
            required("parameters", &self.parameters)?,
            required("licence", &self.licence)?,
            scores.collect::<Vec<_>>().join(", "),
            folder.join("importance.json").exists(),
        ))
    }

    /// The expression of a `Card`.
    fn card(&self, languages: &[String]) -> Result<String, Box<dyn Error>> {
        let mut words = String::new();
        for language in languages {
            let own = self
                .words
                .get(language)
                .ok_or_else(|| format!("no words in {language}"))?;
            write!(words, "({language:?}, {}), ", own.rust())?;
        }
        let reads = self
            .reads
            .iter()
            .map(|language| format!("Language::{}", variant(language)));
        let named = |of: &str, value: &Option<String>| match value {
            Some(value) => format!("Some({of}::{})", variant(value)),
            None => "None".to_owned(),
        };
        Ok(format!(
            "Card {{ words: &[{words}], task: Task::{}, reads: &[{}], writes: {}, positions: PositionalEncoding::{}, \
             norm: {}, is_recurrent: {}, attends: {}, halts: {}, shares_keys: {}, longest_trained: {:?}, most_new_tokens: {}, \
             prefix: {:?}, examples: &{:?}, pairs: &{:?} }}",
            variant(&self.task),
            reads.collect::<Vec<_>>().join(", "),
            named("Language", &self.writes),
            variant(&self.positions),
            named("NormPlacement", &self.norm),
            self.recurrent,
            self.attends,
            self.halts,
            self.shares_keys,
            self.longest_trained,
            self.most_new_tokens,
            self.prefix,
            self.examples,
            self.pairs,
        ))
    }
}

impl Words {
    fn rust(&self) -> String {
        format!(
            "Words {{ name: {:?}, variant: {:?}, title: {:?}, reads: {:?}, hint: {:?}, good: {:?} }}",
            self.name, self.variant, self.title, self.reads, self.hint, self.good
        )
    }
}

/// The name of an enum's variant: `LanguageModels` for `language-models`.
fn variant(name: &str) -> String {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.len().min(1));
        first.to_uppercase() + rest
    };
    name.split('-').map(capital).collect()
}
