//! Files that `attn roles` wrote: read, and compared with the model on screen.

use attention_protocol::{FilesFault, OrLogged, integrity::describe};
use attention_trace::{
    AttentionLayer, ModelSpec,
    roles::{RoleSet, read_role_set},
};
use js_sys::Uint8Array;
use leptos::prelude::untrack;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File};

use crate::{
    assets::{CHECKPOINT, checkpoint, storage::digest},
    kept::KeptModels,
    mine::Mine,
    state::Model,
};

/// The size in bytes of the largest file of weights that is compared: a digest needs it in memory whole.
const LARGEST_COMPARED: f64 = (1_u64 << 30) as f64;

/// The reason why a file of roles is not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetFault {
    /// The file was not written by `attn roles`.
    NotRoles(String),
    /// The roles are those of other weights than the model's.
    OtherWeights,
    /// The model lacks a head of the file.
    OtherHeads,
}

/// Returns true if a file is one of roles, by its first character.
pub fn is_set(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first == Some(&b'{')
}

/// Reads a file of roles for a model with these weights, if their digest is known.
///
/// # Errors
/// If it is no such file, or that of another model.
pub fn read_set(
    bytes: &[u8],
    spec: &ModelSpec,
    weights: Option<&str>,
) -> Result<RoleSet, SetFault> {
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|error| SetFault::NotRoles(error.to_string()))?;
    let set = read_role_set(text).map_err(|error| SetFault::NotRoles(error.to_string()))?;
    if weights.is_some_and(|weights| weights != set.weights) {
        return Err(SetFault::OtherWeights);
    }
    let heads = set.heads.iter().map(|head| (head.attention, head.head));
    match has_heads(spec, heads) {
        true => Ok(set),
        false => Err(SetFault::OtherHeads),
    }
}

/// Returns true if a model has all of these heads.
pub fn has_heads(
    spec: &ModelSpec,
    mut heads: impl Iterator<Item = (AttentionLayer, usize)>,
) -> bool {
    heads.all(|(AttentionLayer { kind, layer }, head)| {
        layer < spec.layers(kind) && head < spec.heads(kind)
    })
}

/// Returns the SHA-256 of a model's weights; `None` if they are in several files, too large to be compared, or the
/// browser computes no digests.
pub async fn weights_digest(model: Model, kept: KeptModels, mine: Mine) -> Option<String> {
    let files = match model {
        Model::Trained(id) => kept.files(id)?,
        Model::Mine(id) => match untrack(|| mine.find(id))?.served {
            Some(digest) => return Some(digest),
            None => return blob_digest(&mine.weights(id)?).await,
        },
        Model::Served(_) => checkpoint(model.directory()?),
    };
    let mut files = files.into_iter();
    let weights = files.find(|file| CHECKPOINT.last() == Some(&file.name.as_str()))?;
    Some(weights.sha256)
}

async fn blob_digest(file: &Blob) -> Option<String> {
    if file.size() > LARGEST_COMPARED {
        return None;
    }
    let buffer = JsFuture::from(file.array_buffer()).await;
    let buffer = buffer.or_logged("reading the weights for a comparison")?;
    let bytes = Uint8Array::new(&buffer);
    digest(&bytes).await.or_logged("comparing the weights")
}

/// Reads the bytes of a file that the visitor gave.
///
/// # Errors
/// If the browser cannot read it.
pub async fn bytes_of(file: &File) -> Result<Vec<u8>, FilesFault> {
    let buffer = JsFuture::from(file.array_buffer()).await;
    let buffer = buffer.map_err(|error| FilesFault::Unreadable {
        name: file.name(),
        reason: describe(&error),
    })?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        AttentionKind,
        config::LlamaConfig,
        roles::{HeadRoles, RoleScores, write_role_set},
    };

    use super::*;

    fn written(head: usize) -> Vec<u8> {
        let set = RoleSet {
            weights: "ab".to_owned(),
            sentences: "cd".to_owned(),
            texts: vec![],
            count: None,
            tokens: vec![],
            induction: None,
            alignment: None,
            heads: vec![HeadRoles {
                attention: AttentionLayer {
                    kind: AttentionKind::DecoderSelf,
                    layer: 0,
                },
                head,
                roles: RoleScores::default(),
                distances: vec![],
                most: Default::default(),
                queries: vec![],
                keys: vec![],
                like: vec![],
            }],
        };
        write_role_set(&set).unwrap().into_bytes()
    }

    #[test]
    fn roles_are_those_of_the_weights_and_heads_on_screen() {
        let spec = LlamaConfig::default().spec();
        assert!(read_set(&written(0), &spec, Some("ab")).is_ok());
        assert!(read_set(&written(0), &spec, None).is_ok());
        let fault = |head, weights| read_set(&written(head), &spec, weights).unwrap_err();
        assert_eq!(fault(0, Some("ef")), SetFault::OtherWeights);
        assert_eq!(fault(500, Some("ab")), SetFault::OtherHeads);
        assert!(matches!(
            read_set(b"{}", &spec, None),
            Err(SetFault::NotRoles(_))
        ));
    }

    #[test]
    fn a_file_of_roles_begins_as_json() {
        assert!(is_set(b" \n{"));
        assert!(!is_set(b"Yes.") && !is_set(b""));
    }
}
