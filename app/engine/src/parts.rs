//! Parts of a result that were not recorded, and of the checkpoint's parameters.

use std::collections::BTreeSet;

use attention_protocol::Failure;
use attention_trace::{Array, ArrayName, Edit, Excerpt, Site, Slice, TraceMeta};

use crate::{Engine, Found, failure};

impl Engine {
    /// Returns parts of the checkpoint's parameters, and of arrays of the pass over a run's result, which is computed
    /// again: once for all excerpts with the same edits. `None` for each excerpt that does not exist.
    ///
    /// # Errors
    /// If the parts do not fit in memory together, or the device fails.
    pub async fn parts(
        &self,
        found: &Found,
        meta: Option<&TraceMeta>,
        wanted: &[Excerpt],
    ) -> Result<Vec<Option<Array>>, Failure> {
        let spec = self.checkpoint.spec();
        let read = self.checkpoint.encode_input(&found.text);
        let read = read.map_err(failure::from_model)?.len();
        let whole = wanted
            .iter()
            .filter(|excerpt| excerpt.slice == Slice::Whole);
        let maps = whole.filter_map(|excerpt| match excerpt.array {
            ArrayName::Site(site) => Some(spec.maps(site)),
            ArrayName::Parameter(_) => None,
        });
        let limit = spec.longest_recorded(maps.sum());
        if read > limit {
            let tokens = read;
            return Err(Failure::InputTooLong { tokens, limit });
        }
        let written = found.sequences.first();
        let written = written.map_or(0, |sequence| sequence.tokens.len());
        let tokens = match spec.reads_source() {
            true => read.max(written),
            false => read + written,
        };
        let mut parts = vec![None; wanted.len()];
        for (part, excerpt) in parts.iter_mut().zip(wanted) {
            if let ArrayName::Parameter(parameter) = excerpt.array {
                let parameter = self.checkpoint.parameter(parameter, excerpt.slice).await;
                *part = parameter.map_err(failure::from_model)?;
            }
        }
        for edits in different(wanted) {
            let of_pass = |excerpt: &Excerpt| match excerpt.array {
                ArrayName::Site(site) if excerpt.edits == edits => Some(site),
                _ => None,
            };
            let sites: BTreeSet<Site> = wanted.iter().filter_map(of_pass).collect();
            let (text, sequences) = (&found.text, &found.sequences);
            let all = [found.edits.as_slice(), edits].concat();
            for sites in spec.passes(&sites, tokens) {
                let arrays = self
                    .checkpoint
                    .arrays(text, sequences, &sites, &all, &self.chosen.device)
                    .await
                    .map_err(failure::from_model)?;
                for (part, excerpt) in parts.iter_mut().zip(wanted) {
                    let Some(site) = of_pass(excerpt) else {
                        continue;
                    };
                    let Some(array) = arrays.get(&site) else {
                        continue;
                    };
                    *part = match excerpt.slice {
                        Slice::Thumbnails(display) => {
                            meta.and_then(|meta| meta.thumbnails(site, array, display))
                        }
                        slice => array.slice(slice),
                    };
                }
            }
        }
        Ok(parts)
    }
}

/// Returns the distinct lists of edits of the wanted arrays.
fn different(wanted: &[Excerpt]) -> Vec<&[Edit]> {
    let mut lists: Vec<&[Edit]> = vec![];
    for excerpt in wanted {
        let is_of_pass = matches!(excerpt.array, ArrayName::Site(_));
        if is_of_pass && !lists.contains(&excerpt.edits.as_slice()) {
            lists.push(&excerpt.edits);
        }
    }
    lists
}
