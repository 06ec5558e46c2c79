//! The mean output of heads over the positions of a text.

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::{Array, Edit, Quantity, Site};
use burn::prelude::*;

use super::Checkpoint;
use crate::error::ModelError;
use crate::tap::Tap;

/// The outputs of heads on texts: for each text and its target, an array for each attention.
pub type Outputs<'a> = BTreeMap<(&'a str, &'a [u32]), BTreeMap<Site, Array>>;

impl Checkpoint {
    /// Returns the outputs that the means among `edits` need: one pass without edits for each text, regardless of the
    /// number of heads.
    ///
    /// # Errors
    /// As [`trace`](Checkpoint::trace), for a text that an edit names.
    pub(super) async fn means<'a>(
        &self,
        edits: &'a [Edit],
        device: &Device,
    ) -> Result<Outputs<'a>, ModelError> {
        let spec = self.spec();
        let mut sites: BTreeMap<(&str, &[u32]), BTreeSet<Site>> = BTreeMap::new();
        for edit in edits.iter().filter(|edit| edit.fault(&spec).is_none()) {
            if let Edit::MeanHead {
                attention,
                text,
                target,
                ..
            } = edit
            {
                let of_text = sites.entry((text, target)).or_default();
                of_text.insert(attention.at(Quantity::Z));
            }
        }
        let mut outputs = Outputs::new();
        for ((text, target), sites) in sites {
            self.check_tokens(target)?;
            let sides = self.sides(self.encode_input(text)?, target)?;
            let mut tap = Tap::recording_sites(sites);
            self.forward(&sides, device, &mut tap)?;
            outputs.insert((text, target), tap.read(vec![]).await?.0);
        }
        Ok(outputs)
    }
}

/// Returns the edit that sets a head's output to its mean; `None` for another kind of edit.
pub fn set_head(edit: &Edit, outputs: &Outputs<'_>) -> Option<Edit> {
    let Edit::MeanHead {
        attention,
        head,
        text,
        target,
    } = edit
    else {
        return None;
    };
    let of_text = outputs.get(&(text.as_str(), target.as_slice()))?;
    Some(Edit::SetHead {
        attention: *attention,
        head: *head,
        z: mean_row(of_text.get(&attention.at(Quantity::Z))?, *head)?,
    })
}

/// Computes the mean of a head's rows in `[heads, rows, width]`, summed in double precision, so that the order of the
/// rows does not matter. `None` if there are no rows.
fn mean_row(z: &Array, head: usize) -> Option<Vec<f32>> {
    let &[_, rows, width] = z.shape.as_slice() else {
        return None;
    };
    let of_head = z.data.chunks_exact((rows * width).max(1)).nth(head)?;
    let mut sums = vec![0.0_f64; width];
    for row in of_head.chunks_exact(width) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += f64::from(*value);
        }
    }
    let mean = |sum: f64| (sum / rows as f64) as f32;
    Some(sums.into_iter().map(mean).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_that_of_one_heads_rows() {
        let z = Array {
            shape: vec![2, 3, 2],
            data: (0..12).map(|value| value as f32).collect(),
        };
        assert_eq!(mean_row(&z, 0), Some(vec![2.0, 3.0]));
        assert_eq!(mean_row(&z, 1), Some(vec![8.0, 9.0]));
        assert_eq!(mean_row(&z, 2), None);
    }
}
