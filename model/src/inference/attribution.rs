//! A logit as the sum of the contributions of the model's parts (direct logit attribution, Elhage et al. 2021).
//!
//! **Pre-norm.** The residual stream ends as `x = x_0 + Σ o_b`: the embedding and the output of every sub-layer `b`. Of
//! the last norm, `y = g ⊙ (x − μ(x)) / σ + β` (RMSNorm has neither μ nor β), only the scale σ depends on `x` in a way
//! that is not linear. With σ frozen at its value in this pass, the logit `u·y + c` is linear in `x`:
//!
//! ```text
//! u·y + c = Σ_parts v·part + u·β + c      where v = C(g ⊙ u) / σ, C z = z − mean(z)
//! ```
//!
//! The parts sum to the logit exactly, since σ is the one that the pass computed.
//!
//! **Post-norm.** Each sub-layer ends with `x_b = g_b ⊙ C(x_{b−1} + o_b) / σ_b + β_b`. With every σ_b frozen the way
//! from any part to the logit is linear too, and `u` is carried backwards through the norms that come later:
//! `v_{b−1} = C(g_b ⊙ v_b) / σ_b`, so that sub-layer `b` adds `v_{b−1}·o_b`, its norm's bias `v_b·β_b`, the embedding
//! `v_0·x_0`. These sum to the logit as well. But each later norm divides by a σ_b that the part itself influences, so
//! a share differs more from the real change without the part than in a pre-norm model, where one σ is frozen.
//!
//! **Norms of outputs.** Where the output of a sub-layer is normalised before it is added, `x_b = x_{b−1} + g_b ⊙ o_b / σ_b`,
//! the direction for `o_b` is `v` carried backwards through that norm, with σ_b frozen too, and the stream beside it keeps
//! `v`.
//!
//! In all, a share is the *direct* one: a part's effects through later attention and feed-forward networks are in
//! their shares. A head's output is `z_h` times its columns of `W^O`, since `W^O [z_1; …; z_h]` is the sum of these
//! products.
//!
//! The scale of a norm is computed from its input and its output, so that its ε is not needed here.

mod frozen_norm;

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::{
    Array, AttentionLayer, Attribution, Block, Edit, ModelSpec, NormKind, NormPlacement, NormSpec,
    Parameter, Part, Quantity, Share, Site, Wanted, Weight,
};
use burn::prelude::*;

use self::frozen_norm::{FrozenNorm, Vector, add, dot};
use crate::checkpoint::Checkpoint;
use crate::decoding::Sequence;
use crate::error::ModelError;
use crate::tap::Tap;

impl Checkpoint {
    /// Returns a logit of the pass over `text` and the tokens of the first sequence with these edits, or the difference
    /// of two logits, as a sum over the parts of the model.
    ///
    /// # Errors
    /// If the model's logits are not such a sum, or there is no such row or token; else as
    /// [`trace`](Checkpoint::trace).
    pub async fn attribute(
        &self,
        text: &str,
        sequences: &[Sequence],
        wanted: Wanted,
        edits: &[Edit],
        device: &Device,
    ) -> Result<Attribution, ModelError> {
        let spec = self.spec();
        if !spec.has_attribution() {
            return Err(ModelError::Unsupported(
                "its logits are no sum over the model's parts: a non-linear layer stands before them, they are soft-capped, or it is recurrent".into(),
            ));
        }
        self.check_wanted(wanted)?;
        let sites = sites(&spec);
        let arrays = self.arrays(text, sequences, &sites, edits, device).await?;
        let logit = logit_in(&arrays, wanted)?;
        let parameters = self.parameters_for(&spec, wanted).await?;
        let pass = Frozen {
            spec: &spec,
            arrays,
            parameters,
            row: wanted.row,
        };
        let backward = pass.backward()?;
        let by_head = self.by_head(&backward, device).await?;
        Ok(Attribution {
            logit,
            shares: pass.shares(&backward, &by_head)?,
        })
    }

    /// Returns the same number from a pass in which a head is switched off as well: the model's output without it, with
    /// the effects on later layers.
    ///
    /// # Errors
    /// As [`attribute`](Checkpoint::attribute), and if the model has no such head.
    pub async fn logit_without(
        &self,
        text: &str,
        sequences: &[Sequence],
        wanted: Wanted,
        (attention, head): (AttentionLayer, usize),
        edits: &[Edit],
        device: &Device,
    ) -> Result<f32, ModelError> {
        self.check_wanted(wanted)?;
        let off = Edit::ScaleHead {
            attention,
            head,
            factor: 0.0,
        };
        let edits = [edits, &[off]].concat();
        let sites = BTreeSet::from([Site::LOGITS]);
        let arrays = self.arrays(text, sequences, &sites, &edits, device).await?;
        logit_in(&arrays, wanted)
    }

    /// Makes sure that the tokens are the model's.
    fn check_wanted(&self, wanted: Wanted) -> Result<(), ModelError> {
        let tokens: Vec<u32> = [wanted.token].into_iter().chain(wanted.against).collect();
        self.check_tokens(&tokens)
    }

    /// Returns the vectors of parameters that shares are computed from, by name, and the row of the output matrix for
    /// the token, or the difference of two rows.
    async fn parameters_for(
        &self,
        spec: &ModelSpec,
        wanted: Wanted,
    ) -> Result<Parameters, ModelError> {
        let stack = Block::Stack(spec.last_stack());
        let blocks = spec.lens_blocks().into_iter().chain([stack]);
        let vectors = [
            Weight::NormGain,
            Weight::NormBias,
            Weight::OutNormGain,
            Weight::BO,
        ];
        let names = blocks.flat_map(|block| vectors.map(|weight| block.parameter(weight)));
        let found = names.filter_map(|name| Some((name, self.model.parameter(name)?)));
        let (names, mut tensors): (Vec<Parameter>, Vec<Tensor<2>>) = found.unzip();
        let unembedding = self
            .model
            .parameter(Block::Model.parameter(Weight::WUnembed));
        let bias = self
            .model
            .parameter(Block::Model.parameter(Weight::BUnembed));
        let tokens = [wanted.token].into_iter().chain(wanted.against);
        for token in tokens.map(|token| token as usize) {
            tensors.extend(unembedding.clone().map(|table| table.narrow(0, token, 1)));
            tensors.extend(bias.clone().map(|bias| bias.narrow(1, token, 1)));
        }
        let mut vectors = read(tensors).await?.into_iter();
        let by_name = names.into_iter().zip(vectors.by_ref()).collect();
        let mut output = vec![0.0; spec.width];
        let mut output_bias = bias.is_some().then_some(0.0);
        let mut sign = 1.0;
        while let Some(row) = vectors.next() {
            add(&mut output, &row, sign * f64::from(spec.output_factor));
            if let Some(sum) = &mut output_bias {
                let of_token = vectors.next().unwrap_or_default();
                *sum += sign * of_token.first().copied().unwrap_or_default();
            }
            sign = -1.0;
        }
        Ok(Parameters {
            vectors: by_name,
            output,
            output_bias,
        })
    }

    /// Returns `v W^O` of each attention: the direction for the concatenated outputs of the heads.
    async fn by_head(
        &self,
        backward: &Backward,
        device: &Device,
    ) -> Result<BTreeMap<Block, Vector>, ModelError> {
        let mut blocks = vec![];
        let mut products = vec![];
        for (block, direction) in &backward.before {
            let Some(matrix) = self.model.parameter(block.parameter(Weight::WO)) else {
                continue;
            };
            let values: Vec<f32> = direction.iter().map(|&value| value as f32).collect();
            let row = TensorData::new(values, [1, direction.len()]);
            products.push(Tensor::<2>::from_data(row, device).matmul(matrix));
            blocks.push(*block);
        }
        Ok(blocks.into_iter().zip(read(products).await?).collect())
    }
}

/// The parameters of the computation, which do not depend on the text.
struct Parameters {
    /// The gains and biases of norms and sub-layers.
    vectors: BTreeMap<Parameter, Vector>,
    /// The direction that the last states are multiplied by.
    output: Vector,
    /// The bias added to the logit, if the model has one.
    output_bias: Option<f64>,
}

/// A pass with its norms frozen.
struct Frozen<'a> {
    spec: &'a ModelSpec,
    arrays: BTreeMap<Site, Array>,
    parameters: Parameters,
    row: usize,
}

/// The direction of the logit, carried backwards through the norms.
struct Backward {
    /// The direction for the output of each sub-layer, and for the stream beside it, in the order of the computation.
    before: Vec<(Block, Vector)>,
    /// The contributions of the norms' biases.
    biases: BTreeMap<Block, f64>,
    /// The direction that the embedding is multiplied by.
    embedding: Vector,
}

impl Frozen<'_> {
    /// Returns a row of an array `[n, d]` of the pass.
    fn row_of(&self, site: Site) -> Result<Vector, ModelError> {
        let row = self
            .arrays
            .get(&site)
            .and_then(|array| array.row(&[self.row]));
        row.map(widened).ok_or_else(no_such_row)
    }

    /// Returns the direction before a norm, and the contribution of the norm's bias.
    fn through(
        &self,
        block: Block,
        places: (Site, Site),
        direction: &[f64],
    ) -> Result<(Vector, Option<f64>), ModelError> {
        let vector = |weight| self.parameters.vectors.get(&block.parameter(weight));
        let norm = self.frozen(places, vector(Weight::NormGain), vector(Weight::NormBias))?;
        let bias = vector(Weight::NormBias).map(|bias| dot(bias, direction));
        Ok((norm.pulled_back(direction), bias))
    }

    /// Returns the norm between two places.
    fn frozen(
        &self,
        (input, output): (Site, Site),
        gain: Option<&Vector>,
        bias: Option<&Vector>,
    ) -> Result<FrozenNorm, ModelError> {
        let kind = self.norm().map_or(NormKind::LayerNorm, |norm| norm.kind);
        let (input, output) = (self.row_of(input)?, self.row_of(output)?);
        Ok(FrozenNorm::of(kind, &input, &output, gain, bias))
    }

    /// Returns the direction for the output of a sub-layer, given that for what it adds to the stream.
    fn before_addition(&self, block: Block, direction: &Vector) -> Result<Vector, ModelError> {
        let (output, added) = (block.at(Quantity::Out), self.spec.added(block));
        if output == added {
            return Ok(direction.clone());
        }
        let gain = block.parameter(Weight::OutNormGain);
        let gain = self.parameters.vectors.get(&gain);
        let norm = self.frozen((output, added), gain, None)?;
        Ok(norm.pulled_back(direction))
    }

    /// Returns the norm at the end of the stack that gives the logits.
    fn norm(&self) -> Option<NormSpec> {
        self.spec.stack(self.spec.last_stack())?.norm
    }

    fn backward(&self) -> Result<Backward, ModelError> {
        let stack = self.spec.last_stack();
        let norm = self.norm();
        let mut direction = self.parameters.output.clone();
        let mut biases = BTreeMap::new();
        if norm.is_some_and(|norm| norm.is_last) {
            let block = Block::Stack(stack);
            let end = self.spec.lens_sites().pop().ok_or_else(no_such_row)?;
            let places = (end, block.at(Quantity::FinalNorm));
            let (before, bias) = self.through(block, places, &direction)?;
            direction = before;
            biases.extend(bias.map(|bias| (block, bias)));
        }
        let is_post = norm.is_some_and(|norm| norm.placement == NormPlacement::Post);
        let mut before = vec![];
        for block in self.spec.lens_blocks().into_iter().rev() {
            if is_post {
                let places = (block.at(Quantity::Residual), block.at(Quantity::Norm));
                let (carried, bias) = self.through(block, places, &direction)?;
                direction = carried;
                biases.extend(bias.map(|bias| (block, bias)));
            }
            before.push((block, self.before_addition(block, &direction)?));
        }
        before.reverse();
        Ok(Backward {
            before,
            biases,
            embedding: direction,
        })
    }

    /// Returns all shares, in the order of the computation.
    fn shares(
        &self,
        backward: &Backward,
        by_head: &BTreeMap<Block, Vector>,
    ) -> Result<Vec<Share>, ModelError> {
        let share = |part, value: f64| Share {
            part,
            value: value as f32,
        };
        let mut shares = self.of_embedding(&backward.embedding)?;
        for (block, direction) in &backward.before {
            let Block::Sublayer(_, layer, sublayer) = *block else {
                continue;
            };
            match AttentionLayer::try_from(*block) {
                Ok(attention) => {
                    let heads = self.of_heads(*block, by_head.get(block))?;
                    let heads = heads.into_iter().enumerate();
                    shares.extend(
                        heads.map(|(head, value)| share(Part::Head { attention, head }, value)),
                    );
                    let bias = self.parameters.vectors.get(&block.parameter(Weight::BO));
                    let bias = bias.map(|bias| dot(bias, direction));
                    shares.extend(bias.map(|value| share(Part::OutputBias { attention }, value)));
                }
                Err(_) => {
                    let output = self.row_of(block.at(Quantity::Out))?;
                    shares.push(share(Part::FeedForward { layer }, dot(&output, direction)));
                }
            }
            let bias = backward.biases.get(block);
            shares.extend(bias.map(|&value| share(Part::NormBias { layer, sublayer }, value)));
        }
        let last = backward.biases.get(&Block::Stack(self.spec.last_stack()));
        shares.extend(last.map(|&value| share(Part::LastNormBias, value)));
        let bias = self.parameters.output_bias;
        shares.extend(bias.map(|value| share(Part::LogitBias, value)));
        Ok(shares)
    }

    /// Returns the shares of the token and, if they are added, of positions.
    fn of_embedding(&self, direction: &[f64]) -> Result<Vec<Share>, ModelError> {
        let stack = self.spec.last_stack();
        let whole = dot(
            &self.row_of(Block::Stack(stack).at(Quantity::Embedding))?,
            direction,
        );
        let token = dot(&self.row_of(self.spec.token_embedding(stack))?, direction);
        let mut shares = vec![Share {
            part: Part::Token,
            value: token as f32,
        }];
        if self.spec.positions.encoding.adds_vectors() {
            shares.push(Share {
                part: Part::Position,
                value: (whole - token) as f32,
            });
        }
        Ok(shares)
    }

    /// Computes the contribution of each head of an attention: `z_h` times its part of `v W^O`.
    fn of_heads(&self, block: Block, direction: Option<&Vector>) -> Result<Vector, ModelError> {
        let z = self
            .arrays
            .get(&block.at(Quantity::Z))
            .ok_or_else(no_such_row)?;
        let &[heads, _, width] = z.shape.as_slice() else {
            return Err(no_such_row());
        };
        let of = |head: usize| {
            let row = z.row(&[head, self.row]).map(widened)?;
            let part = direction?.get(head * width..(head + 1) * width)?;
            Some(dot(&row, part))
        };
        (0..heads)
            .map(|head| of(head).ok_or_else(no_such_row))
            .collect()
    }
}

fn widened(row: &[f32]) -> Vector {
    row.iter().copied().map(f64::from).collect()
}

/// Returns the logit of a pass, or the difference of two.
fn logit_in(arrays: &BTreeMap<Site, Array>, wanted: Wanted) -> Result<f32, ModelError> {
    let row = arrays
        .get(&Site::LOGITS)
        .and_then(|logits| logits.row(&[wanted.row]));
    let row = row.ok_or_else(no_such_row)?;
    let logit = |token: u32| row.get(token as usize).copied().unwrap_or(0.0);
    Ok(logit(wanted.token) - wanted.against.map_or(0.0, logit))
}

fn no_such_row() -> ModelError {
    ModelError::Unsupported("the pass made no such row".into())
}

/// Returns the places of the pass that shares are computed from.
fn sites(spec: &ModelSpec) -> BTreeSet<Site> {
    let last = spec.last_stack();
    let stack = Block::Stack(last);
    let norm = spec.stack(last).and_then(|stack| stack.norm);
    let is_post = norm.is_some_and(|norm| norm.placement == NormPlacement::Post);
    let of_block = |block: Block| {
        let written = match AttentionLayer::try_from(block) {
            Ok(_) => Quantity::Z,
            Err(_) => Quantity::Out,
        };
        let norm = [Quantity::Residual, Quantity::Norm].into_iter();
        let quantities = norm
            .filter(move |_| is_post)
            .chain([written, Quantity::Out]);
        let places = quantities.map(move |quantity| block.at(quantity));
        places.chain([spec.added(block)])
    };
    let of_stack = [Quantity::Embedding, Quantity::FinalNorm].map(|quantity| stack.at(quantity));
    let sites = spec.lens_blocks().into_iter().flat_map(of_block);
    let sites = sites
        .chain(of_stack)
        .chain([spec.token_embedding(last), Site::LOGITS]);
    let end = spec.lens_sites().pop();
    sites.chain(end).filter(|&site| spec.has(site)).collect()
}

/// Tensors as rows of numbers, read in one transaction.
async fn read(tensors: Vec<Tensor<2>>) -> Result<Vec<Vector>, ModelError> {
    let flat = tensors
        .into_iter()
        .map(|tensor| tensor.flatten(0, 1))
        .collect();
    let (_, rows) = Tap::quiet().read(flat).await?;
    Ok(rows.iter().map(|row| widened(row)).collect())
}
