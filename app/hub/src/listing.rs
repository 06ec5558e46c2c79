//! A hub's description of a model: `GET /api/models/OWNER/NAME/revision/REVISION?blobs=true`.

use attention_protocol::hub::{HubAddress, HubFile, HubModel};
use serde::{Deserialize, de::Error};

#[derive(Deserialize)]
struct Listing {
    sha: String,
    siblings: Vec<Sibling>,
    config: Option<Config>,
    #[serde(rename = "cardData")]
    card: Option<Card>,
    safetensors: Option<Counted>,
    gguf: Option<Counted>,
}

#[derive(Deserialize)]
struct Sibling {
    #[serde(rename = "rfilename")]
    name: String,
    size: Option<u64>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: String,
    size: u64,
}

#[derive(Deserialize)]
struct Config {
    model_type: Option<String>,
}

#[derive(Deserialize)]
struct Card {
    license: Option<Licence>,
}

/// One licence or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Licence {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
struct Counted {
    total: Option<u64>,
    architecture: Option<String>,
}

/// Parses a hub's description of a model. Files in directories and those without a size are left out.
///
/// # Errors
/// If the text lacks the form of a description, or the commit is no name.
pub fn parse(address: HubAddress, listing: &str) -> Result<HubModel, serde_json::Error> {
    let Listing {
        sha,
        siblings,
        config,
        card,
        safetensors,
        gguf,
    } = serde_json::from_str(listing)?;
    // It becomes a part of addresses and of a folder's name.
    if sha.is_empty() || !sha.chars().all(|letter| letter.is_ascii_alphanumeric()) {
        return Err(Error::custom("`sha` is no commit"));
    }
    let licence = card.and_then(|card| card.license);
    let counted = [safetensors.as_ref(), gguf.as_ref()];
    let parameters = counted
        .into_iter()
        .flatten()
        .find_map(|counted| counted.total);
    let model_type = config.and_then(|config| config.model_type);
    Ok(HubModel {
        address,
        commit: sha,
        files: siblings.into_iter().filter_map(file).collect(),
        model_type: model_type.or(gguf.and_then(|gguf| gguf.architecture)),
        licence: licence.map(|licence| match licence {
            Licence::One(licence) => licence,
            Licence::Several(licences) => licences.join(", "),
        }),
        parameters,
    })
}

fn file(sibling: Sibling) -> Option<HubFile> {
    let Sibling { name, size, lfs } = sibling;
    let bytes = lfs.as_ref().map(|lfs| lfs.size).or(size)?;
    let is_here = !name.contains(['/', '\\']) && !name.starts_with('.');
    is_here.then_some(HubFile {
        name,
        bytes,
        sha256: lfs.map(|lfs| lfs.sha256.to_ascii_lowercase()),
    })
}

#[cfg(test)]
mod tests {
    use attention_protocol::hub::Choice;

    use super::*;

    fn address() -> HubAddress {
        HubAddress::parse("owner/name@main", "").unwrap()
    }

    #[test]
    fn files_sizes_and_digests_are_read() {
        let listing = r#"{"_id": "1", "sha": "c0ffee", "gated": false, "tags": ["license:mit"],
            "config": {"architectures": ["LlamaForCausalLM"], "model_type": "llama"},
            "cardData": {"license": ["mit", "apache-2.0"]},
            "safetensors": {"parameters": {"BF16": 5}, "total": 5},
            "siblings": [
                {"rfilename": ".gitattributes", "size": 1},
                {"rfilename": "onnx/model.onnx", "size": 9, "lfs": {"sha256": "aa", "size": 9}},
                {"rfilename": "config.json", "size": 700, "blobId": "x"},
                {"rfilename": "tokenizer.json", "size": 800},
                {"rfilename": "unknown.bin"},
                {"rfilename": "model.safetensors", "size": 3, "lfs": {"sha256": "AB", "size": 1000, "pointerSize": 3}}
            ]}"#;
        let model = parse(address(), listing).unwrap();
        assert_eq!(model.commit, "c0ffee");
        assert_eq!(model.model_type.as_deref(), Some("llama"));
        assert_eq!(model.licence.as_deref(), Some("mit, apache-2.0"));
        assert_eq!(model.parameters, Some(5));
        let choices = model.choices().unwrap();
        let [choice] = choices.as_slice() else {
            panic!("{choices:?}")
        };
        assert_eq!(Choice::bytes(choice), 2500);
        assert_eq!(choice.files[2].sha256.as_deref(), Some("ab"));
    }

    #[test]
    fn what_a_hub_leaves_out_is_unknown() {
        let model = parse(address(), r#"{"sha": "1", "siblings": []}"#).unwrap();
        assert_eq!(
            (model.model_type, model.licence, model.parameters),
            (None, None, None)
        );
        assert!(parse(address(), r#"{"sha": "../x", "siblings": []}"#).is_err());
        assert!(parse(address(), "{}").is_err());
        assert!(parse(address(), "<html>").is_err());
    }
}
