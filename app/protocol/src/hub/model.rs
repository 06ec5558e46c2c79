//! Models on a hub, and those kept on the visitor's machine.

use attention_trace::config::reads_pictures;
use serde::{Deserialize, Serialize};

use super::HubAddress;
use crate::{MARIAN_TOKENIZER, TOKENIZER, parts_of_weights, tokenizer_files};

/// The file that a checkpoint in Hugging Face's layout needs besides its tokenizer and its weights.
pub const CONFIG: &str = "config.json";
/// The files that such a checkpoint may have: settings of generation, the template of conversations, and the
/// preprocessing of pictures.
const OPTIONAL: [&str; 4] = [
    "generation_config.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    "preprocessor_config.json",
];
/// The file with such a checkpoint's weights.
const WEIGHTS: &str = "model.safetensors";
/// The file that has them where there is no `model.safetensors`.
const PYTORCH: &str = "pytorch_model.bin";

/// The file that lists the weights in several files.
pub const INDEX: &str = "model.safetensors.index.json";

/// Returns the names of all files that a checkpoint may have, parts of weights apart.
pub fn file_names() -> impl Iterator<Item = &'static str> {
    let needed = [CONFIG, TOKENIZER, WEIGHTS, INDEX, PYTORCH];
    let rest = MARIAN_TOKENIZER.into_iter().chain(OPTIONAL);
    needed.into_iter().chain(rest)
}

/// A model as a hub describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HubModel {
    /// The address under which the model was asked for.
    pub address: HubAddress,
    /// The commit to which the revision points.
    pub commit: String,
    /// The files in the top directory.
    pub files: Vec<HubFile>,
    /// The architecture, if the hub names it.
    pub model_type: Option<String>,
    /// The licence, if the hub names it.
    pub licence: Option<String>,
    /// The number of weights, if the hub counts them.
    pub parameters: Option<u64>,
}

/// A file on a hub.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubFile {
    /// The name of the file.
    pub name: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The SHA-256 digest of the contents in hexadecimal, if the hub knows it.
    pub sha256: Option<String>,
}

/// A set of files that make a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The file with the weights.
    pub weights: String,
    /// All files, the small ones first.
    pub files: Vec<HubFile>,
}

/// No files that make a checkpoint which this page reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoChoice {
    /// The names of the missing files.
    pub missing: Vec<String>,
}

impl Choice {
    /// Returns the size of all files in bytes.
    pub fn bytes(&self) -> u64 {
        let sizes = self.files.iter().map(|file| file.bytes);
        sizes.fold(0, u64::saturating_add)
    }
}

impl HubModel {
    /// Returns the sets of files that make a checkpoint: Hugging Face's layout, and every GGUF file; if the address
    /// names a file, that one alone.
    ///
    /// # Errors
    /// If there is none.
    pub fn choices(&self) -> Result<Vec<Choice>, NoChoice> {
        let named = |name: &str| self.files.iter().find(|file| file.name == name);
        let is_meant = |weights: &str| {
            self.address
                .file
                .as_ref()
                .is_none_or(|file| file == weights)
        };
        let (name, weights) = self.weights();
        let has_pictures = self.model_type.as_deref().is_some_and(reads_pictures);
        let tokenizer = tokenizer_files(|name| named(name).is_some());
        let missing = [
            (CONFIG, named(CONFIG).is_none()),
            (TOKENIZER, tokenizer.is_empty() && !has_pictures),
            (WEIGHTS, weights.is_empty()),
        ];
        let missing = missing.into_iter().filter(|(_, is_missing)| *is_missing);
        let missing: Vec<String> = missing.map(|(name, _)| name.to_owned()).collect();
        let mut choices = Vec::new();
        if missing.is_empty() && is_meant(name) {
            let tokenizer = tokenizer.iter().copied();
            let names = [CONFIG].into_iter().chain(tokenizer).chain(OPTIONAL);
            choices.push(Choice {
                weights: name.to_owned(),
                files: names.filter_map(named).cloned().chain(weights).collect(),
            });
        }
        let is_gguf = |file: &&HubFile| file.name.to_ascii_lowercase().ends_with(".gguf");
        let models = self.files.iter().filter(is_gguf);
        choices.extend(
            models
                .filter(|file| is_meant(&file.name))
                .map(|file| Choice {
                    weights: file.name.clone(),
                    files: vec![file.clone()],
                }),
        );
        match choices.is_empty() {
            true => Err(NoChoice { missing }),
            false => Ok(choices),
        }
    }

    /// Returns the weights in Hugging Face's layout under the name of a whole file: one file, or all parts of one; none if
    /// there are none.
    fn weights(&self) -> (&'static str, Vec<HubFile>) {
        let named = |name: &str| self.files.iter().find(|file| file.name == name).cloned();
        let parts = || {
            let names: Vec<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
            let parts = parts_of_weights(&names).into_iter();
            parts.map(|place| self.files[place].clone()).collect()
        };
        let found: Vec<HubFile> = named(WEIGHTS).map_or_else(parts, |file| vec![file]);
        match named(PYTORCH).filter(|_| found.is_empty()) {
            Some(file) => (PYTORCH, vec![file]),
            None => (WEIGHTS, found),
        }
    }

    /// Returns the choice with these weights.
    pub fn choice(&self, weights: &str) -> Option<Choice> {
        let mut choices = self.choices().into_iter().flatten();
        choices.find(|choice| choice.weights == weights)
    }

    /// Returns the name of the folder in which the browser keeps the files of a choice.
    pub fn folder(&self, weights: &str) -> String {
        let HubAddress {
            hub, owner, name, ..
        } = &self.address;
        let host = hub.split_once("://").map_or(hub.as_str(), |(_, host)| host);
        let host = host.replace(['/', ':'], "_");
        format!("{host}~{owner}~{name}~{}~{weights}", self.commit)
    }
}

/// A model that the browser keeps, perhaps not all of it yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptModel {
    /// The model as the hub described it.
    pub model: HubModel,
    /// The file with the weights.
    pub weights: String,
    /// The names of the files that are here and checked.
    pub checked: Vec<String>,
    /// The number of bytes that are here.
    pub here_bytes: u64,
    /// The time of the last use in milliseconds since 1970.
    pub used_ms: f64,
    /// The id under which addresses name the model, once it was opened.
    pub id: Option<String>,
}

impl KeptModel {
    /// Returns the name of the model's folder.
    pub fn folder(&self) -> String {
        self.model.folder(&self.weights)
    }

    /// Returns the files of the model.
    pub fn files(&self) -> Vec<HubFile> {
        let choice = self.model.choice(&self.weights);
        choice.map(|choice| choice.files).unwrap_or_default()
    }

    /// Returns true if every file is here and checked.
    pub fn is_complete(&self) -> bool {
        let files = self.files();
        !files.is_empty() && files.iter().all(|file| self.checked.contains(&file.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(names: &[&str], file: Option<&str>) -> HubModel {
        let mut address = HubAddress::parse("a/b", "").unwrap();
        address.file = file.map(str::to_owned);
        let file = |name: &&str| HubFile {
            name: (*name).to_owned(),
            bytes: 5,
            sha256: None,
        };
        HubModel {
            address,
            commit: "c0ffee".to_owned(),
            files: names.iter().map(file).collect(),
            model_type: None,
            licence: None,
            parameters: None,
        }
    }

    #[test]
    fn a_model_of_pictures_needs_no_tokenizer() {
        let names = [
            "config.json",
            "model.safetensors",
            "preprocessor_config.json",
        ];
        let of_pictures = HubModel {
            model_type: Some("dinov2".to_owned()),
            ..model(&names, None)
        };
        let choices = of_pictures.choices().unwrap();
        assert_eq!(choices[0].files.len(), 3);
        let missing = model(&names, None).choices().unwrap_err().missing;
        assert_eq!(missing, ["tokenizer.json"]);
    }

    #[test]
    fn every_checkpoint_of_a_model_is_a_choice() {
        let names = [
            "README.md",
            "tokenizer.json",
            "x.Q4_0.gguf",
            "config.json",
            "model.safetensors",
            "y.gguf",
        ];
        let weights = |file| {
            let choices = model(&names, file).choices().unwrap();
            choices
                .into_iter()
                .map(|choice| (choice.weights.clone(), choice.bytes()))
                .collect::<Vec<_>>()
        };
        let all = [("model.safetensors", 15), ("x.Q4_0.gguf", 5), ("y.gguf", 5)];
        assert_eq!(
            weights(None),
            all.map(|(name, bytes)| (name.to_owned(), bytes))
        );
        assert_eq!(weights(Some("y.gguf")), [("y.gguf".to_owned(), 5)]);
    }

    #[test]
    fn weights_in_parts_are_one_choice_if_all_are_there() {
        let names = [
            "config.json",
            "tokenizer.json",
            "model-00001-of-00002.safetensors",
        ];
        assert_eq!(
            model(&names, None).choices().unwrap_err().missing,
            ["model.safetensors"]
        );
        let all = [&names[..], &["model-00002-of-00002.safetensors"]].concat();
        let choices = model(&all, None).choices().unwrap();
        assert_eq!(choices.len(), 1);
        assert_eq!(choices[0].files.len(), 4);
    }

    #[test]
    fn weights_of_pytorch_are_a_choice_where_there_are_no_others() {
        let mut names = vec!["config.json", "tokenizer.json", "pytorch_model.bin"];
        let weights = |names: &[&str]| {
            let choices = model(names, None).choices().unwrap();
            choices
                .into_iter()
                .map(|choice| choice.weights)
                .collect::<Vec<_>>()
        };
        assert_eq!(weights(&names), ["pytorch_model.bin"]);
        names.push("model.safetensors");
        assert_eq!(weights(&names), ["model.safetensors"]);
    }

    #[test]
    fn missing_files_are_named() {
        let missing = |names: &[&str]| model(names, None).choices().unwrap_err().missing;
        assert_eq!(
            missing(&["config.json"]),
            ["tokenizer.json", "model.safetensors"]
        );
        assert_eq!(missing(&[]).len(), 3);
    }

    #[test]
    fn a_kept_model_is_complete_once_every_file_is_checked() {
        let mut kept = KeptModel {
            model: model(
                &["config.json", "tokenizer.json", "model.safetensors"],
                None,
            ),
            weights: "model.safetensors".to_owned(),
            checked: vec!["config.json".to_owned(), "tokenizer.json".to_owned()],
            here_bytes: 10,
            used_ms: 0.0,
            id: None,
        };
        assert!(!kept.is_complete());
        kept.checked.push("model.safetensors".to_owned());
        assert!(kept.is_complete());
        assert_eq!(kept.folder(), "huggingface.co~a~b~c0ffee~model.safetensors");
    }
}
