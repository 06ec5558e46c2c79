//! Recognition of a checkpoint among the chosen files: in Hugging Face's layout, or as one GGUF file.

use attention_protocol::{FilesFault, TOKENIZER, parts_of_weights, tokenizer_files};

/// The file with the model's sizes.
pub const CONFIG: &str = "config.json";
pub const WEIGHTS: &str = "model.safetensors";
/// The weights as PyTorch stores them, read if there is no `model.safetensors`.
pub const PYTORCH: &str = "pytorch_model.bin";
/// The file with the settings of generation, which many checkpoints lack.
pub const GENERATION: &str = "generation_config.json";

/// The files that may hold the template of conversations.
pub const TOKENIZER_CONFIG: &str = "tokenizer_config.json";
pub const TEMPLATE: &str = "chat_template.jinja";

/// The file with the way from a picture to the input of a model, which models of texts lack.
pub const PREPROCESSOR: &str = "preprocessor_config.json";

/// The file of llama.cpp's format, which holds a whole checkpoint.
pub const GGUF: &str = "model.gguf";

/// The ending of the names of GGUF files.
const GGUF_ENDING: &str = ".gguf";
/// Endings of files in other formats of weights.
const OTHER_WEIGHTS: [&str; 7] = [
    ".safetensors",
    ".safetensors.index.json",
    GGUF_ENDING,
    ".bin",
    ".h5",
    ".msgpack",
    ".onnx",
];
/// Names of files in other formats of tokenizers.
const OTHER_TOKENIZERS: [&str; 7] = [
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "vocab.json",
    "vocab.txt",
    "source.spm",
    "merges.txt",
];
/// The largest number of files that are reported as found in place of a missing one.
const NAMED: usize = 3;

/// The files of a checkpoint, as indices into the list that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name of the files' folder, or of a GGUF file without its ending; empty if the files were chosen without a
    /// folder.
    pub name: String,
    /// The role of each file, and its index in the list.
    pub files: Vec<(&'static str, usize)>,
}

/// Finds the checkpoint among files, each with its path from the chosen folder. Of nested folders, the outermost that
/// holds any of the checkpoint's files counts. A GGUF file counts if it is the only one and no other checkpoint is whole.
///
/// # Errors
/// The files that are missing, and the files found in their place.
pub fn layout(paths: &[String]) -> Result<Layout, FilesFault> {
    layout_with(paths, &[CONFIG, TOKENIZER, WEIGHTS])
}

/// Finds the checkpoint of a model of pictures, which has no tokenizer.
///
/// # Errors
/// As `layout`.
pub fn layout_of_pictures(paths: &[String]) -> Result<Layout, FilesFault> {
    layout_with(paths, &[CONFIG, WEIGHTS])
}

fn layout_with(paths: &[String], needed: &[&'static str]) -> Result<Layout, FilesFault> {
    let of_checkpoint = paths.iter().filter(|path| {
        let (_, name) = split(path);
        needed.contains(&name) || name == PYTORCH
    });
    let outermost = of_checkpoint.min_by_key(|path| path.matches('/').count());
    let folder = outermost.map_or("", |path| split(path).0);
    let place = |name: &str| paths.iter().position(|path| split(path) == (folder, name));
    let in_folder: Vec<&str> = paths
        .iter()
        .map(|path| match split(path) {
            (of, name) if of == folder => name,
            _ => "",
        })
        .collect();
    let weights = places_of_weights(&in_folder);
    let tokenizer = tokenizer_files(|name| place(name).is_some());
    let is_missing = |name: &str| match name {
        TOKENIZER => tokenizer.is_empty(),
        WEIGHTS => weights.is_empty() && place(PYTORCH).is_none(),
        name => place(name).is_none(),
    };
    let missing = needed.iter().copied().filter(|name| is_missing(name));
    let missing: Vec<&str> = missing.collect();
    if !missing.is_empty() {
        if let Some(layout) = only_gguf(paths) {
            return Ok(layout);
        }
        return Err(FilesFault::Missing {
            instead: instead(paths, &missing),
            names: missing.into_iter().map(str::to_owned).collect(),
        });
    }
    let rest = [
        WEIGHTS,
        PYTORCH,
        GENERATION,
        TOKENIZER_CONFIG,
        TEMPLATE,
        PREPROCESSOR,
    ];
    let tokenizer = tokenizer.iter().copied();
    let files = [CONFIG].into_iter().chain(tokenizer).chain(rest);
    let (_, name) = split(folder);
    let place = |name| match name {
        WEIGHTS => weights.clone(),
        PYTORCH if !weights.is_empty() => vec![],
        name => place(name).into_iter().collect(),
    };
    Ok(Layout {
        name: name.to_owned(),
        files: files
            .flat_map(|name| place(name).into_iter().map(move |place| (name, place)))
            .collect(),
    })
}

/// Returns the places of the files with the weights: of one file, or of all parts in their order.
fn places_of_weights(names: &[&str]) -> Vec<usize> {
    match names.iter().position(|name| *name == WEIGHTS) {
        Some(place) => vec![place],
        None => parts_of_weights(names),
    }
}

fn only_gguf(paths: &[String]) -> Option<Layout> {
    let name = |path: &str| split(path).1.strip_suffix(GGUF_ENDING).map(str::to_owned);
    let found = paths.iter().enumerate();
    let mut found = found.filter_map(|(place, path)| Some((name(path)?, place)));
    let (name, place) = found.next().filter(|_| found.next().is_none())?;
    Some(Layout {
        name,
        files: vec![(GGUF, place)],
    })
}

/// Returns the files found in place of the missing ones.
fn instead(paths: &[String], missing: &[&str]) -> Vec<String> {
    let is_instead = |name: &str| {
        let of_weights = missing.contains(&WEIGHTS)
            && name != WEIGHTS
            && OTHER_WEIGHTS.iter().any(|end| name.ends_with(end));
        let of_tokenizer = missing.contains(&TOKENIZER) && OTHER_TOKENIZERS.contains(&name);
        of_weights || of_tokenizer
    };
    let names = paths.iter().map(|path| split(path).1);
    let mut found: Vec<String> = names
        .filter(|name| is_instead(name))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found.truncate(NAMED);
    found
}

/// Splits a path into folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(paths: &[&str]) -> Vec<String> {
        paths.iter().map(|&path| path.to_owned()).collect()
    }

    fn missing(names: &[&str], instead: &[&str]) -> Result<Layout, FilesFault> {
        Err(FilesFault::Missing {
            names: paths(names),
            instead: paths(instead),
        })
    }

    #[test]
    fn three_files_are_a_checkpoint() {
        let found = layout(&paths(&[WEIGHTS, CONFIG, TOKENIZER])).unwrap();
        assert_eq!(found.name, "");
        assert_eq!(found.files, [(CONFIG, 1), (TOKENIZER, 2), (WEIGHTS, 0)]);
    }

    #[test]
    fn a_folder_gives_its_name_and_what_lies_deeper_does_not_count() {
        let found = layout(&paths(&[
            "models/SmolLM2/onnx/config.json",
            "models/SmolLM2/README.md",
            "models/SmolLM2/model.safetensors",
            "models/SmolLM2/tokenizer.json",
            "models/SmolLM2/config.json",
            "models/SmolLM2/generation_config.json",
            "models/SmolLM2/tokenizer_config.json",
            "models/SmolLM2/checkpoint-500/model.safetensors",
            "models/SmolLM2/chat_template.jinja",
        ]));
        let found = found.unwrap();
        assert_eq!(found.name, "SmolLM2");
        assert_eq!(
            found.files,
            [
                (CONFIG, 4),
                (TOKENIZER, 3),
                (WEIGHTS, 2),
                (GENERATION, 5),
                (TOKENIZER_CONFIG, 6),
                (TEMPLATE, 8)
            ]
        );
    }

    #[test]
    fn weights_of_pytorch_are_read_where_there_are_no_others() {
        let found = |others: &[&str]| {
            let all = [&["m/config.json", "m/tokenizer.json"], others].concat();
            layout(&paths(&all)).unwrap().files
        };
        let alone = found(&["m/pytorch_model.bin"]);
        assert_eq!(alone, [(CONFIG, 0), (TOKENIZER, 1), (PYTORCH, 2)]);
        let both = found(&["m/pytorch_model.bin", "m/model.safetensors"]);
        assert_eq!(both, [(CONFIG, 0), (TOKENIZER, 1), (WEIGHTS, 3)]);
    }

    #[test]
    fn what_is_missing_is_named_with_what_is_there_instead() {
        assert_eq!(layout(&[]), missing(&[CONFIG, TOKENIZER, WEIGHTS], &[]));
        assert_eq!(
            layout(&paths(&[
                "m/config.json",
                "m/tokenizer.json",
                "m/pytorch_model-00001-of-00002.bin"
            ])),
            missing(&[WEIGHTS], &["pytorch_model-00001-of-00002.bin"])
        );
        assert_eq!(
            layout(&paths(&[
                "m/config.json",
                "m/tokenizer.model",
                "m/model.safetensors"
            ])),
            missing(&[TOKENIZER], &["tokenizer.model"])
        );
        assert_eq!(
            layout(&paths(&["a.Q4_1.gguf", "a.Q8_0.gguf"])),
            missing(
                &[CONFIG, TOKENIZER, WEIGHTS],
                &["a.Q4_1.gguf", "a.Q8_0.gguf"]
            )
        );
        let shards = [
            "config.json",
            "tokenizer.json",
            "model-00001-of-00002.safetensors",
        ];
        assert_eq!(
            layout(&paths(&shards)),
            missing(&[WEIGHTS], &["model-00001-of-00002.safetensors"])
        );
    }

    #[test]
    fn a_model_of_pictures_needs_no_tokenizer() {
        let files = [
            "m/config.json",
            "m/preprocessor_config.json",
            "m/model.safetensors",
        ];
        assert_eq!(layout(&paths(&files)), missing(&[TOKENIZER], &[]));
        let found = layout_of_pictures(&paths(&files)).unwrap().files;
        assert_eq!(found, [(CONFIG, 0), (WEIGHTS, 2), (PREPROCESSOR, 1)]);
        let no_weights = layout_of_pictures(&paths(&files[..2]));
        assert_eq!(no_weights, missing(&[WEIGHTS], &[]));
    }

    #[test]
    fn all_parts_of_weights_are_found_in_their_order() {
        let part = |part| format!("m/model-0000{part}-of-00003.safetensors");
        let mut files = paths(&["m/tokenizer.json", "m/config.json"]);
        files.extend([part(3), part(1), part(2)]);
        let found = layout(&files).unwrap().files;
        let weights = [(WEIGHTS, 3), (WEIGHTS, 4), (WEIGHTS, 2)];
        assert_eq!(
            found,
            [&[(CONFIG, 1), (TOKENIZER, 0)][..], &weights].concat()
        );
    }

    #[test]
    fn one_gguf_file_is_a_checkpoint_unless_another_is_whole() {
        let found = layout(&paths(&["m/README.md", "m/a.Q4_1.gguf"])).unwrap();
        assert_eq!(
            (found.name.as_str(), found.files),
            ("a.Q4_1", vec![(GGUF, 1)])
        );
        let both = [CONFIG, TOKENIZER, WEIGHTS, "a.gguf"];
        assert_eq!(layout(&paths(&both)).unwrap().files.len(), 3);
    }

    #[test]
    fn files_of_different_folders_are_no_checkpoint() {
        let apart = paths(&["a/config.json", "b/tokenizer.json", "b/model.safetensors"]);
        assert_eq!(layout(&apart), missing(&[TOKENIZER, WEIGHTS], &[]));
    }

    proptest! {
        #[test]
        fn a_layout_names_files_of_one_folder(
            paths in proptest::collection::vec(
                "(a/|b/|a/b/)?(config.json|tokenizer.json|model.safetensors|generation_config.json|x.bin|x.gguf)", 0..12,
            )
        ) {
            if let Ok(found) = layout(&paths) {
                let folders = found.files.iter().map(|&(name, place)| {
                    let (folder, own) = split(&paths[place]);
                    assert!(own == name || name == GGUF && own == "x.gguf");
                    folder
                });
                let folders: std::collections::BTreeSet<&str> = folders.collect();
                prop_assert_eq!(folders.len(), 1);
            }
        }
    }
}
