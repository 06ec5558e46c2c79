//! Estimates of patched runs: of every head and every feed-forward network at every position, from two passes and one
//! gradient.

use attention_trace::{
    EstimateQuestion, PatchEstimate, PatchEstimates, PatchedPlace, PatchingEnds, Quantity,
    RunTokens, Site, Sublayer,
};
use burn::prelude::*;

use super::{Differentiable, check_tokens};
use crate::error::ModelError;
use crate::inference::{no_logits, row};
use crate::tap::{Probe, Tap};

/// The quantities that are patched: what heads collect, and what feed-forward networks add.
const PATCHED: [Quantity; 2] = [Quantity::Z, Quantity::Out];

/// One run: the difference of both words' logits after its last token, and the places it came through.
struct Pass {
    difference: Tensor<1>,
    probes: Vec<Probe>,
}

impl Differentiable {
    /// Estimates how the difference of two words' logits would change in the other run, if it took over what the clean one
    /// computed at one place, for all places at once: `(clean − other) · gradient`, the gradient taken in the other run.
    ///
    /// # Errors
    /// If the runs differ in length, or the model has no such tokens or writes none.
    pub async fn estimate_patches(
        &self,
        question: &EstimateQuestion,
    ) -> Result<PatchEstimates, ModelError> {
        let spec = self.spec();
        if !spec.has_patching() {
            return Err(no_logits());
        }
        let EstimateQuestion { clean, other, .. } = question;
        let lengths = |run: &RunTokens| (run.source.len(), run.target.len());
        if lengths(clean) != lengths(other) {
            return Err(ModelError::Unsupported(
                "places are estimated of texts with as many tokens".into(),
            ));
        }
        for run in [clean, other] {
            check_tokens(&spec, &run.source, &run.target)?;
        }
        if [question.answer, question.against]
            .iter()
            .any(|&token| token as usize >= spec.vocabulary)
        {
            return Err(ModelError::Unsupported(
                "the model has no such token".into(),
            ));
        }
        let [clean, other] = [clean, other].map(|run| self.pass(run, question));
        let gradients = other.difference.backward();
        let mut sites = vec![];
        let mut wanted = vec![clean.difference.inner(), other.difference.clone().inner()];
        for (clean, other) in clean.probes.into_iter().zip(other.probes) {
            sites.push((other.site, other.shape[1..].to_vec()));
            let [before, gradient] = other.read(&gradients);
            let [after, _] = clean.read(&gradients);
            wanted.push((after - before) * gradient);
        }
        let (_, read) = Tap::quiet().read(wanted).await?;
        let mut read = read.into_iter();
        let mut next = || read.next().unwrap_or_default();
        let mut end = || next().first().copied().unwrap_or(f32::NAN);
        let ends = PatchingEnds {
            clean: end(),
            other: end(),
        };
        let mut places: Vec<PatchEstimate> = sites
            .into_iter()
            .flat_map(|(site, shape)| estimates(site, &shape, &next()))
            .collect();
        places.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
        Ok(PatchEstimates { ends, places })
    }

    fn pass(&self, run: &RunTokens, question: &EstimateQuestion) -> Pass {
        let side = |tokens: &[u32]| (!tokens.is_empty()).then(|| row(tokens, &self.device));
        let mut tap = Tap::probing(&PATCHED);
        let source = side(&run.source).map(Into::into);
        let states = self.model.read(source, side(&run.target), &mut tap);
        let [_, rows, _] = states.dims();
        let last = states.narrow(1, rows - 1, 1).flatten::<2>(0, 1);
        let logits = self.model.logits(last);
        let logit = |token: u32| logits.clone().narrow(1, token as usize, 1).sum();
        Pass {
            difference: logit(question.answer) - logit(question.against),
            probes: tap.probes(),
        }
    }
}

/// Returns the estimates of a place's positions, and of its heads if it has any, from products `[h, n, d]` or `[n, d]`.
/// Of outputs, those of feed-forward networks alone count: attention's are sums over heads.
fn estimates(site: Site, shape: &[usize], products: &[f32]) -> Vec<PatchEstimate> {
    let is_network = matches!(
        site.block,
        attention_trace::Block::Sublayer(_, _, Sublayer::FeedForward)
    );
    let (positions, width) = match (site.quantity, shape) {
        (Quantity::Z, &[_, positions, width]) => (positions, width),
        (Quantity::Out, &[positions, width]) if is_network => (positions, width),
        _ => return vec![],
    };
    let rows = products.chunks_exact(width.max(1)).enumerate();
    rows.map(|(row, products)| {
        let at = row % positions.max(1);
        PatchEstimate {
            place: PatchedPlace {
                site,
                head: (site.quantity == Quantity::Z).then_some(row / positions.max(1)),
                at: Some([at, at]),
            },
            change: products.iter().sum(),
        }
    })
    .collect()
}
