//! Checks of the chosen files before the worker loads them, so that a model that cannot run does not replace the one
//! that does.

use attention_protocol::{FilesFault, integrity::describe, tokenizer_files};
use attention_trace::{
    card::sort_tensors,
    config::{MODEL_TYPES, keeps_stored, reads_pictures},
};
use js_sys::{ArrayBuffer, Uint8Array};
use serde_json::{Map, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use super::{
    About, gguf,
    layout::{CONFIG, GGUF, Layout, PYTORCH, WEIGHTS, layout, layout_of_pictures},
    pytorch,
    recorded::{Recorded, recorded},
    weights::{LENGTH_BYTES, Types, check_size, header_bytes},
};
use crate::state::MineId;

/// The number of bytes at the end of the weights that distinguish two models of the same configuration.
const END_BYTES: u64 = 1 << 16;
/// The size in bytes of the largest `config.json` that is read.
const LARGEST_CONFIG: u64 = 1 << 24;

/// A file that was chosen or dropped.
#[derive(Clone, Debug)]
pub struct Picked {
    /// The path of the file, starting with the folder that was chosen.
    pub path: String,
    /// The file from the visitor's disk.
    pub file: File,
}

/// A checkpoint that passed all checks.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub(super) about: About,
    pub(super) files: Vec<(&'static str, Blob)>,
    /// The recorded pass, if that was chosen in place of a model.
    pub(super) recorded: Option<Recorded>,
}

impl Chosen {
    /// Finds a checkpoint among files and reads the parts that are cheap to read: its configuration, and the header and
    /// the end of its weights; of a GGUF file, the header and the end.
    ///
    /// # Errors
    /// A missing or unreadable file, or an architecture that is not implemented.
    pub async fn of(picked: &[Picked]) -> Result<Self, FilesFault> {
        if let Some((about, recorded)) = recorded(picked).await? {
            return Ok(Chosen {
                about,
                files: Vec::new(),
                recorded: Some(recorded),
            });
        }
        let paths: Vec<String> = picked.iter().map(|picked| picked.path.clone()).collect();
        let found = match (layout(&paths), layout_of_pictures(&paths)) {
            (Err(fault), Ok(found)) => match of_pictures(picked, &found).await? {
                true => Ok(found),
                false => Err(fault),
            },
            (found, _) => found,
        };
        let Layout { name, files } = found?;
        let file = |(name, place): (&'static str, usize)| {
            let file: Blob = picked.get(place)?.file.clone().into();
            Some((name, file))
        };
        let files: Vec<_> = files.into_iter().filter_map(file).collect();
        let about = match files.as_slice() {
            [(role @ GGUF, file)] => gguf::about(name, &Part { name: role, file }).await?,
            files => about(name, files).await?,
        };
        Ok(Chosen {
            about,
            files,
            recorded: None,
        })
    }

    /// Returns the id that names the model in addresses.
    pub fn id(&self) -> MineId {
        self.about.id
    }

    /// Returns the facts about the model.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Returns the name of the model.
    pub fn name(&self) -> &str {
        &self.about.name
    }

    /// Names the model as a hub does, and adds the licence if the files name none.
    #[must_use]
    pub fn of_hub(mut self, name: String, licence: Option<String>) -> Self {
        self.about.name = name;
        self.about.licence = self.about.licence.or(licence);
        self
    }
}

/// Returns true if the configuration of a checkpoint without a tokenizer is that of a model of pictures.
async fn of_pictures(picked: &[Picked], found: &Layout) -> Result<bool, FilesFault> {
    let place = found.files.iter().find(|(name, _)| *name == CONFIG);
    let Some(config) = place.and_then(|&(_, place)| picked.get(place)) else {
        return Ok(false);
    };
    let file: Blob = config.file.clone().into();
    let part = Part {
        name: CONFIG,
        file: &file,
    };
    let config = part.read(0, part.bytes().min(LARGEST_CONFIG)).await?;
    Ok(reads_pictures(&described(&config)?.model_type))
}

async fn about(folder: String, files: &[(&'static str, Blob)]) -> Result<About, FilesFault> {
    let named = |name: &str| {
        let found = files.iter().find(|(known, _)| *known == name);
        let missing = || FilesFault::Missing {
            names: vec![name.to_owned()],
            instead: vec![],
        };
        found
            .map(|(name, file)| Part { name, file })
            .ok_or_else(missing)
    };
    let config = named(CONFIG)?;
    let config = config.read(0, config.bytes().min(LARGEST_CONFIG)).await?;
    let Described { model_type, name } = described(&config)?;
    let mut identifying = vec![config];
    for name in tokenizer_files(|name| named(name).is_ok()) {
        identifying.push(named(name)?.bytes().to_le_bytes().to_vec());
    }
    let mut bytes = 0_u64;
    let mut types = Types::default();
    let mut tensors = Vec::new();
    let parts = files.iter().filter(|(known, _)| *known == WEIGHTS);
    for weights in parts.map(|(name, file)| Part { name, file }) {
        let size = weights.bytes();
        let length = header_bytes(&weights.read(0, LENGTH_BYTES.min(size)).await?, size)?;
        let header = weights.read(LENGTH_BYTES, LENGTH_BYTES + length).await?;
        tensors.extend(types.add_header(&header)?);
        bytes = bytes.saturating_add(size);
        identifying.extend([header, weights.end().await?]);
    }
    let of_pytorch = files.iter().find(|(known, _)| *known == PYTORCH);
    if let Some((name, file)) = of_pytorch {
        let weights = Part { name, file };
        (types, tensors) = pytorch::types(&weights).await?;
        bytes = weights.bytes();
        let beginning = weights.read(0, bytes.min(END_BYTES)).await?;
        identifying.extend([beginning, weights.end().await?]);
    }
    let loaded_bytes = types.loaded_bytes(keeps_stored(&model_type));
    check_size(loaded_bytes)?;
    sort_tensors(&mut tensors);
    let identifying: Vec<&[u8]> = identifying.iter().map(Vec::as_slice).collect();
    Ok(About {
        id: MineId::of(&identifying),
        name: if folder.is_empty() { name } else { folder },
        model_type,
        licence: None,
        bytes,
        loaded_bytes,
        types,
        tensors: tensors.into(),
        served: None,
    })
}

/// A file and its role in the checkpoint.
pub(super) struct Part<'a> {
    pub name: &'a str,
    pub file: &'a Blob,
}

impl Part<'_> {
    pub fn bytes(&self) -> u64 {
        self.file.size() as u64
    }

    /// Reads the end of the file, which distinguishes two models of the same header.
    pub async fn end(&self) -> Result<Vec<u8>, FilesFault> {
        let bytes = self.bytes();
        self.read(bytes.saturating_sub(END_BYTES), bytes).await
    }

    pub async fn read(&self, from: u64, to: u64) -> Result<Vec<u8>, FilesFault> {
        let read = async {
            let part = self.file.slice_with_f64_and_f64(from as f64, to as f64)?;
            let buffer: ArrayBuffer = JsFuture::from(part.array_buffer()).await?.dyn_into()?;
            Ok::<_, JsValue>(Uint8Array::new(&buffer).to_vec())
        };
        read.await.map_err(|error| FilesFault::Unreadable {
            name: self.name.to_owned(),
            reason: describe(&error),
        })
    }
}

/// Entries of `config.json` that name a model.
#[derive(Debug, PartialEq, Eq)]
struct Described {
    model_type: String,
    /// The name or path that the model was loaded from when it was saved; empty if absent.
    name: String,
}

fn described(config: &[u8]) -> Result<Described, FilesFault> {
    let config: Map<String, Value> =
        serde_json::from_slice(config).map_err(|error| FilesFault::Json {
            name: CONFIG.to_owned(),
            reason: error.to_string(),
        })?;
    let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default();
    let found = text("model_type");
    if !MODEL_TYPES.contains(&found) {
        return Err(FilesFault::Architecture {
            found: found.to_owned(),
        });
    }
    let path = text("_name_or_path").trim_end_matches(['/', '\\']);
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    Ok(Described {
        model_type: found.to_owned(),
        name: name.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_names_its_model() {
        let config = br#"{"model_type": "llama", "_name_or_path": "/data/SmolLM2-135M/"}"#;
        let expected = Described {
            model_type: "llama".to_owned(),
            name: "SmolLM2-135M".to_owned(),
        };
        assert_eq!(described(config), Ok(expected));
    }

    #[test]
    fn what_is_not_implemented_is_named() {
        let refused = |config: &str| described(config.as_bytes()).unwrap_err();
        let architecture = |found: &str| FilesFault::Architecture {
            found: found.to_owned(),
        };
        assert_eq!(refused(r#"{"model_type": "mamba"}"#), architecture("mamba"));
        assert_eq!(refused("{}"), architecture(""));
        assert!(matches!(refused("{"), FilesFault::Json { name, .. } if name == CONFIG));
        assert!(matches!(refused("[]"), FilesFault::Json { .. }));
    }
}
