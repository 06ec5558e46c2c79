//! Maps derived from the attention weights of the pass over a result, beside the weights themselves.

use std::collections::BTreeSet;

use attention_trace::derived::{JointMap, joint_layers};
use attention_trace::{Array, AttentionLayer, Edit, Quantity, Site, Weight};
use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::decoding::Sequence;
use crate::error::ModelError;
use crate::tap::Tap;

impl Checkpoint {
    /// Computes attention rollout or attention flow (Abnar and Zuidema 2020) in the pass over `text` and the tokens of
    /// the first sequence with these edits, from the rows of an attention down to the input of its stack, or of the
    /// encoder; `[n, m]`.
    ///
    /// # Errors
    /// If the model's layers are not such a chain, or a flow is too much work; else as [`trace`](Checkpoint::trace).
    pub async fn joint_map(
        &self,
        text: &str,
        sequences: &[Sequence],
        (map, attention): (JointMap, AttentionLayer),
        edits: &[Edit],
        device: &Device,
    ) -> Result<Array, ModelError> {
        let followed = self.spec().followed(attention).ok_or_else(no_chain)?;
        let sites: BTreeSet<Site> = followed.sites().collect();
        let arrays = self.arrays(text, sequences, &sites, edits, device).await?;
        let layers = joint_layers(&followed, |site| arrays.get(&site)).ok_or_else(no_chain)?;
        map.of(&layers)
            .map_err(|fault| ModelError::Unsupported(fault.to_string()))
    }

    /// Computes `‖v_j W^O‖` of each head and key of an attention in that pass (Kobayashi et al. 2020), `[h, m]`: the
    /// length of the vector that the key would add to the output if it had all the weight of the head. The bias of
    /// values is in `v`; the bias after `W^O`, which is independent of the keys, is left out, and so are the residual
    /// stream and the norm.
    ///
    /// # Errors
    /// If the attention has no values or no `W^O`, as that of recurrent models; else as [`trace`](Checkpoint::trace).
    pub async fn value_lengths(
        &self,
        text: &str,
        sequences: &[Sequence],
        attention: AttentionLayer,
        edits: &[Edit],
        device: &Device,
    ) -> Result<Array, ModelError> {
        let block = attention.block();
        let site = attention.at(Quantity::Value);
        let sites = BTreeSet::from([site]);
        let mut arrays = self.arrays(text, sequences, &sites, edits, device).await?;
        let output = self.model.parameter(block.parameter(Weight::WO));
        let (Some(values), Some(output)) = (arrays.remove(&site), output) else {
            return Err(ModelError::Unsupported(
                "this attention has no matrix that its heads' outputs go through".into(),
            ));
        };
        let &[heads, keys, d_k] = values.shape.as_slice() else {
            return Err(no_chain());
        };
        let values = TensorData::new(values.data, [heads, keys, d_k]);
        let values = Tensor::<3>::from_data(values, device);
        let [width, _] = output.dims();
        // `[width, heads * d_k]`, a row for each output, to `[heads, d_k, width]`.
        let by_head = output.reshape([width, heads, d_k]).permute([1, 2, 0]);
        let added = values.matmul(by_head);
        let lengths = added.powf_scalar(2.0).sum_dim(2).sqrt();
        let (_, mut read) = Tap::quiet()
            .read(vec![lengths.reshape([heads * keys])])
            .await?;
        Ok(Array {
            shape: vec![heads, keys],
            data: read.pop().unwrap_or_default(),
        })
    }
}

fn no_chain() -> ModelError {
    ModelError::Unsupported(
        "the layers of this model are no chain through which weights can be followed".into(),
    )
}
