//! Gradients of what a pass ends in with respect to what it computes on its way.

use attention_trace::{Quantity, Site};
use burn::prelude::*;
use burn::tensor::Gradients;

/// The places of one quantity that a pass came through.
pub struct Probes {
    quantity: Quantity,
    found: Vec<Probe>,
}

/// One place: what was computed there, and a zero that was added to it. The gradient of the zero is that of what it was
/// added to; burn keeps gradients of leaves alone.
pub struct Probe {
    /// Where.
    pub site: Site,
    /// What was computed, `[batch, …]`.
    pub shape: Vec<usize>,
    value: Tensor<1>,
    zero: Tensor<1>,
}

impl Probes {
    /// Those of a pass that has not begun.
    pub fn of(quantity: Quantity) -> Self {
        Probes {
            quantity,
            found: vec![],
        }
    }

    /// `x` with a zero added to it, if it is of the quantity.
    pub fn apply<const D: usize>(&mut self, site: Site, x: Tensor<D>) -> Tensor<D> {
        if site.quantity != self.quantity {
            return x;
        }
        let shape = x.dims();
        let count = shape.iter().product::<usize>();
        let zero = Tensor::<1>::zeros([count], &x.device()).require_grad();
        self.found.push(Probe {
            site,
            shape: shape.to_vec(),
            value: x.clone().detach().reshape([count]),
            zero: zero.clone(),
        });
        x + zero.reshape(shape)
    }

    /// The places, in the order of the pass.
    pub fn found(self) -> Vec<Probe> {
        self.found
    }
}

impl Probe {
    /// What was computed, and the gradient with respect to it, flattened; no gradient where the end of the pass does not
    /// depend on it.
    pub fn read(self, gradients: &Gradients) -> (Tensor<1>, Option<Tensor<1>>) {
        (self.value.inner(), self.zero.grad(gradients))
    }
}
