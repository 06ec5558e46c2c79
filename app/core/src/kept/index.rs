//! The list of kept models, as the browser's storage holds it.

use std::borrow::Cow;

use attention_protocol::ServedFile;
use attention_trace::training::TrainingSettings;
use form_urlencoded::Serializer;

use crate::{
    assets,
    state::{TrainedId, settings_from, spelled_settings},
};

/// A model that was trained on this page and that this browser keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptModel {
    /// The id that names the model's folder.
    pub id: TrainedId,
    /// The settings of its training, with the task.
    pub settings: TrainingSettings,
    /// The number of training steps.
    pub step: usize,
    /// A first text that the model can read.
    pub text: String,
    /// The files of the model, without their addresses, which follow from its id.
    pub files: Vec<KeptFile>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptFile {
    /// Its name in the checkpoint.
    pub name: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of its contents, in hexadecimal.
    pub sha256: String,
}

impl KeptModel {
    /// Returns the model's files with their addresses for the engine.
    pub fn served(&self) -> Vec<ServedFile> {
        let files = self.files.iter();
        let served = |file: &KeptFile| ServedFile {
            name: file.name.clone(),
            url: file.address(self.id),
            bytes: file.bytes,
            sha256: file.sha256.clone(),
            packed: None,
        };
        files.map(served).collect()
    }
}

impl KeptFile {
    /// Returns the address of the file in the engine's storage; no server has such a file.
    pub fn address(&self, id: TrainedId) -> String {
        assets::absolute(&format!("{}{}", directory(id), self.name))
    }
}

/// The directory of a model's files, relative to the page. The service worker leaves what lies below `trained/` alone.
pub fn directory(id: TrainedId) -> String {
    format!("trained/{id}/")
}

/// Writes the list as it is stored: in the form of a query whose values are queries too.
pub fn spelled(list: &[KeptModel]) -> String {
    let mut spelled = Serializer::new(String::new());
    for model in list {
        spelled.append_pair(&model.id.to_string(), &spelled_model(model));
    }
    spelled.finish()
}

/// Parses a stored list; entries that cannot be understood are left out.
pub fn parsed(kept: &str) -> Vec<KeptModel> {
    let pairs = form_urlencoded::parse(kept.as_bytes());
    let model = |(id, model): (Cow<str>, Cow<str>)| parsed_model(id.parse().ok()?, &model);
    pairs.filter_map(model).collect()
}

fn spelled_model(model: &KeptModel) -> String {
    let mut spelled = Serializer::new(String::new());
    spelled.append_pair("settings", &spelled_settings(&model.settings));
    spelled.append_pair("step", &model.step.to_string());
    spelled.append_pair("text", &model.text);
    for file in &model.files {
        let file = format!("{}:{}:{}", file.name, file.bytes, file.sha256);
        spelled.append_pair("file", &file);
    }
    spelled.finish()
}

fn parsed_model(id: TrainedId, kept: &str) -> Option<KeptModel> {
    let entries: Vec<(String, String)> = form_urlencoded::parse(kept.as_bytes())
        .into_owned()
        .collect();
    let get = |name: &str| {
        let (_, value) = entries.iter().find(|(known, _)| known == name)?;
        Some(value.as_str())
    };
    let files = entries.iter().filter(|(name, _)| name == "file");
    let file = |(_, file): &(String, String)| {
        let mut parts = file.splitn(3, ':');
        Some(KeptFile {
            name: parts.next()?.to_owned(),
            bytes: parts.next()?.parse().ok()?,
            sha256: parts.next()?.to_owned(),
        })
    };
    Some(KeptModel {
        id,
        settings: settings_from(get("settings")?),
        step: get("step")?.parse().ok()?,
        text: get("text")?.to_owned(),
        files: files.map(file).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;
    use crate::state::tests::{settings, trained_id};

    prop_compose! {
        fn file()(
            name in "[a-z.]{1,12}", bytes in any::<u64>(), sha256 in "[0-9a-f]{64}",
        ) -> KeptFile {
            KeptFile { name, bytes, sha256 }
        }
    }

    prop_compose! {
        fn model()(
            id in trained_id(), settings in settings(), step in any::<usize>(), text in any::<String>(),
            files in vec(file(), 0..4),
        ) -> KeptModel {
            KeptModel { id, settings, step, text, files }
        }
    }

    proptest! {
        #[test]
        fn the_list_is_read_as_it_was_kept(list in vec(model(), 0..4)) {
            prop_assert_eq!(parsed(&spelled(&list)), list);
        }

        #[test]
        fn whatever_is_kept_is_read(kept in any::<String>()) {
            parsed(&kept);
        }
    }

    #[test]
    fn what_was_kept_by_another_build_does_no_harm() {
        assert!(parsed("").is_empty());
        assert!(parsed("0a1b2c3d4e5f=&nobody=step%3D3&0a1b2c3d4e5f=step%3D3").is_empty());
    }
}
