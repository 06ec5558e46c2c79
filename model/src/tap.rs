//! The context of one forward pass: recording, editing, and the randomness of dropout in training.

mod dropout;
mod edits;
#[cfg(any(feature = "lessons", feature = "train"))]
mod probes;

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::config::Rope;
use attention_trace::{
    Array, Block, Edit, Halting, Quantities, Quantity, Site, Stack, THUMBNAIL_EDGE, block_starts,
};
use burn::tensor::{Tensor, Transaction};

use self::dropout::Dropout;
use self::edits::Edits;
pub(crate) use self::edits::TakenRows;
#[cfg(any(feature = "lessons", feature = "train"))]
pub(crate) use self::probes::Probe;
#[cfg(any(feature = "lessons", feature = "train"))]
use self::probes::Probes;
use crate::error::ModelError;
use crate::window::Later;

/// The context of a forward pass. Models hand each result over, place by place, and go on with the tensor that is
/// returned.
#[derive(Default)]
pub struct Tap {
    wanted: Wanted,
    sites: Vec<(Site, Vec<usize>)>,
    tensors: Vec<Tensor<1>>,
    edits: Edits,
    dropout: Option<Dropout>,
    /// The cost of each position of a stack; kept only in the training of `attn`: models trained in browsers do not
    /// halt.
    #[cfg(feature = "cli")]
    costs: Option<Vec<(Stack, Tensor<3>)>>,
    #[cfg(any(feature = "lessons", feature = "train"))]
    probes: Option<Probes>,
}

/// The arrays that a pass records.
enum Wanted {
    /// Every array of these quantities.
    Quantities(Quantities),
    /// The arrays of these places.
    Sites(BTreeSet<Site>),
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted::Quantities(Quantities::NONE)
    }
}

impl Tap {
    /// Returns a pass that records nothing and changes nothing.
    pub fn quiet() -> Self {
        Self::default()
    }

    /// Returns a pass over a single sequence that records the `wanted` quantities, and pays for no others.
    pub fn recording(wanted: Quantities) -> Self {
        Tap {
            wanted: Wanted::Quantities(wanted),
            ..Default::default()
        }
    }

    /// Returns a pass over a single sequence that records the arrays of these places.
    pub fn recording_sites(sites: impl IntoIterator<Item = Site>) -> Self {
        Tap {
            wanted: Wanted::Sites(sites.into_iter().collect()),
            ..Default::default()
        }
    }

    /// Returns a training pass: values are dropped with probability `rate`, chosen by `seed`.
    pub fn training(rate: f64, seed: u64) -> Self {
        Tap {
            dropout: Dropout::new(rate, seed),
            #[cfg(feature = "cli")]
            costs: Some(vec![]),
            ..Default::default()
        }
    }

    /// Returns a pass in training that gives the gradients of its final result with respect to every array of these
    /// quantities.
    #[cfg(any(feature = "lessons", feature = "train"))]
    pub fn probing(quantities: &[Quantity]) -> Self {
        Tap {
            probes: Some(Probes::of(quantities)),
            ..Default::default()
        }
    }

    /// Returns the places that a pass made by [`probing`](Self::probing) came through, in order.
    #[cfg(any(feature = "lessons", feature = "train"))]
    pub(crate) fn probes(self) -> Vec<Probe> {
        self.probes.map(Probes::found).unwrap_or_default()
    }

    /// Returns the same pass with these edits, which the model must support: see [`Edit::fault`]. Patches must have
    /// been replaced by their arrays, and orders applied to the tokens.
    pub fn with_edits(self, edits: &[Edit]) -> Self {
        Tap {
            edits: Edits::new(edits),
            ..self
        }
    }

    /// Returns the same pass for a batch in which each sequence takes over its own rows, in the order of the sequences.
    pub(crate) fn with_each(mut self, taken: impl IntoIterator<Item = TakenRows>) -> Self {
        self.edits.take_each(taken);
        self
    }

    /// Reports that a stack continues at position `first`, which is more than 0 behind a cache.
    pub fn enter(&mut self, stack: Stack, first: usize) {
        self.edits.enter(stack, first);
    }

    /// Reports that queries of this attention see no more than so many keys up to their own, and of those after it the
    /// given ones.
    pub fn limit(&mut self, block: Block, window: usize, later: Later) {
        self.edits.limit(block, window, later);
    }

    /// Returns true if the model uses its positions; an edit can remove them.
    pub fn knows_positions(&self) -> bool {
        !self.edits.without_positions()
    }

    /// Returns true if the decoder's queries see no later keys.
    pub fn is_causal(&self) -> bool {
        !self.edits.without_causality()
    }

    /// Returns the RoPE of the pass: the model's own, or the one that an edit sets.
    pub fn rope(&self, own: Rope) -> Rope {
        self.edits.stretched(own)
    }

    /// Returns the halting rule of positions and the most depths to use, in a model with `depths` depths: the model's
    /// own rule, or the one that an edit sets.
    pub fn halting(&self, own: Halting, depths: usize) -> (Halting, usize) {
        match self.edits.halting() {
            Some((epsilon, most)) => (Halting { epsilon, ..own }, most.min(depths)),
            None => (own, depths),
        }
    }

    /// Dropout (Srivastava et al. 2014) in a training pass; elsewhere `x` itself.
    pub fn dropout<const D: usize>(&mut self, x: Tensor<D>) -> Tensor<D> {
        match &mut self.dropout {
            Some(dropout) => dropout.apply(x),
            None => x,
        }
    }

    /// Returns the tensor that the pass goes on with in place of `x`, `[batch, …]`: `x` itself, unless it is edited
    /// here.
    pub fn at<const D: usize>(&mut self, site: Site, x: Tensor<D>) -> Tensor<D> {
        let x = self.part(site, x);
        if self.records(site) {
            self.record(site, x.clone());
        }
        let thumbnail = site.block.at(Quantity::Thumbnail);
        if site.quantity == Quantity::Pattern && self.records(thumbnail) && !self.records(site) {
            let [.., rows, columns] = x.dims()[..] else {
                unreachable!("attention weights have queries and keys");
            };
            let maps = x.clone().reshape([1, -1, rows as i32, columns as i32]);
            self.record(thumbnail, thumbnails(maps));
        }
        x
    }

    /// Does the same for a part of an array, which [`show`](Self::show) records as a whole when all parts are computed:
    /// a recurrent decoder computes row by row.
    pub fn part<const D: usize>(&mut self, site: Site, x: Tensor<D>) -> Tensor<D> {
        let x = self.edits.apply(site, x);
        #[cfg(any(feature = "lessons", feature = "train"))]
        let x = match &mut self.probes {
            Some(probes) => probes.apply(site, x),
            None => x,
        };
        x
    }

    /// Adds a cost for each position of a stack, `[batch, length, 1]`: the depths it used. Training minimises it; other
    /// passes ignore it.
    pub fn charge(&mut self, stack: Stack, cost: Tensor<3>) {
        #[cfg(feature = "cli")]
        if let Some(costs) = &mut self.costs {
            costs.push((stack, cost));
        }
        #[cfg(not(feature = "cli"))]
        let _ = (stack, cost);
    }

    /// Returns the costs that the pass collected.
    #[cfg(feature = "cli")]
    pub(crate) fn costs(self) -> Vec<(Stack, Tensor<3>)> {
        self.costs.unwrap_or_default()
    }

    /// Records a tensor that is computed only to be recorded.
    pub fn show<const D: usize>(&mut self, site: Site, make: impl FnOnce() -> Tensor<D>) {
        if self.records(site) {
            self.record(site, make());
        }
    }

    /// Returns true if the array of that place is recorded.
    pub fn records(&self, site: Site) -> bool {
        match &self.wanted {
            Wanted::Quantities(wanted) => wanted.contains(site.quantity),
            Wanted::Sites(sites) => sites.contains(&site),
        }
    }

    /// Returns true if the array of that place is edited.
    pub fn edits(&self, site: Site) -> bool {
        self.edits.act_on(site)
    }

    /// Returns true if the scores of an attention are recorded, stage by stage.
    pub fn records_scores(&self, block: Block) -> bool {
        SCORES.iter().any(|&stage| self.records(block.at(stage)))
    }

    /// Returns true if the scores of an attention are edited.
    pub fn edits_scores(&self, block: Block) -> bool {
        SCORES.iter().any(|&stage| self.edits(block.at(stage)))
    }

    fn record<const D: usize>(&mut self, site: Site, tensor: Tensor<D>) {
        let dims = tensor.dims();
        debug_assert_eq!(dims[0], 1, "a trace is of one sequence");
        let count = dims.iter().product::<usize>();
        self.sites.push((site, dims[1..].to_vec()));
        self.tensors.push(tensor.reshape([count]));
    }

    /// Reads everything recorded, and `also` with it, in one transaction for each device.
    ///
    /// # Errors
    /// If the device fails while the tensors are read.
    pub async fn read(
        self,
        also: Vec<Tensor<1>>,
    ) -> Result<(BTreeMap<Site, Array>, Vec<Vec<f32>>), ModelError> {
        let recorded = self.tensors.len();
        let mut values = read(self.tensors.into_iter().chain(also).collect()).await?;
        let also = values.split_off(recorded);
        let arrays = self
            .sites
            .into_iter()
            .zip(values)
            .map(|((site, shape), data)| (site, Array { shape, data }))
            .collect();
        Ok((arrays, also))
    }
}

/// Returns the values of tensors, which can be on several devices.
async fn read(tensors: Vec<Tensor<1>>) -> Result<Vec<Vec<f32>>, ModelError> {
    let mut values = vec![vec![]; tensors.len()];
    let mut waiting: Vec<_> = tensors.into_iter().enumerate().collect();
    while let Some((_, first)) = waiting.first() {
        let device = first.device();
        let (here, elsewhere): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|(_, tensor)| tensor.device() == device);
        waiting = elsewhere;
        let (places, here): (Vec<usize>, Vec<_>) = here.into_iter().unzip();
        let transaction = here
            .into_iter()
            .fold(Transaction::default(), Transaction::register);
        let read = transaction.execute_async().await;
        let read = read.map_err(|error| ModelError::Device(error.to_string()))?;
        for (place, data) in places.into_iter().zip(read) {
            let data = data.try_into_vec::<f32>();
            values[place] = data.map_err(|error| ModelError::Device(format!("{error:?}")))?;
        }
    }
    Ok(values)
}

/// Reduces maps `[1, h, n, m]` to the largest weight of each block, as [`Array::thumbnails`] does.
fn thumbnails(maps: Tensor<4>) -> Tensor<4> {
    [2, 3].into_iter().fold(maps, |maps, axis| {
        let length = maps.dims()[axis];
        let starts = block_starts(length, length.min(THUMBNAIL_EDGE));
        let blocks = starts.windows(2).map(|ends| {
            let block = maps.clone().narrow(axis, ends[0], ends[1] - ends[0]);
            block.max_dim(axis)
        });
        Tensor::cat(blocks.collect(), axis)
    })
}

/// The stages of scores before the softmax.
const SCORES: [Quantity; 4] = [
    Quantity::Scores,
    Quantity::ScaledScores,
    Quantity::PositionBias,
    Quantity::MaskedScores,
];
