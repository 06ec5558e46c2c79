//! Models on a host that has a hub's files under a hub's addresses and does not describe them, such as a mirror in an
//! intranet. The names of a checkpoint's files are known; the host is asked for the size of each.

use std::collections::{BTreeMap, BTreeSet};

use attention_protocol::hub::{
    CONFIG, HubAddress, HubFailure, HubFile, HubModel, INDEX, file_names,
};
use serde::Deserialize;

use crate::asking::Asking;

/// The part of an index that lists the files with the weights.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// The part of `config.json` that names the architecture.
#[derive(Deserialize)]
struct Config {
    model_type: Option<String>,
}

/// Finds the files of a checkpoint at its revision. They have no digests: a download is checked by its length.
///
/// # Errors
/// If the host does not answer, or refuses a request. A model without files is described as one.
pub async fn find(address: HubAddress, asking: &Asking) -> Result<HubModel, HubFailure> {
    let mut names: BTreeSet<String> = file_names().map(str::to_owned).collect();
    names.extend(address.file.clone());
    let mut files = described(&address, names, asking).await?;
    let parts = parts(&address, &files, asking).await?;
    files.extend(described(&address, parts, asking).await?);
    let url = address.resolve(&address.revision, CONFIG);
    let config = match files.iter().any(|file| file.name == CONFIG) {
        true => asking.text(&url).await?,
        false => String::new(),
    };
    // A broken file is refused where it is opened.
    let config = serde_json::from_str::<Config>(&config).ok();
    Ok(HubModel {
        commit: address.revision.clone(),
        address,
        files,
        model_type: config.and_then(|config| config.model_type),
        licence: None,
        parameters: None,
    })
}

/// Returns those of the files that the host has, with their sizes.
async fn described(
    address: &HubAddress,
    names: BTreeSet<String>,
    asking: &Asking,
) -> Result<Vec<HubFile>, HubFailure> {
    let mut files = vec![];
    for name in names {
        let url = address.resolve(&address.revision, &name);
        if let Some(bytes) = asking.size(&url).await? {
            files.push(HubFile {
                name,
                bytes,
                sha256: None,
            });
        }
    }
    Ok(files)
}

/// Returns the files with the weights that an index lists, if there is one.
async fn parts(
    address: &HubAddress,
    files: &[HubFile],
    asking: &Asking,
) -> Result<BTreeSet<String>, HubFailure> {
    if files.iter().all(|file| file.name != INDEX) {
        return Ok(BTreeSet::new());
    }
    let url = address.resolve(&address.revision, INDEX);
    let text = asking.text(&url).await?;
    let index: Index = serde_json::from_str(&text).map_err(|error| HubFailure::Listing {
        url,
        reason: error.to_string(),
    })?;
    let is_beside = |name: &String| !name.contains(['/', '\\']) && !name.starts_with('.');
    Ok(index.weight_map.into_values().filter(is_beside).collect())
}
