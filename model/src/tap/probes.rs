//! Gradients of a pass's final result with respect to its intermediate results.

use attention_trace::{Quantity, Site};
use burn::prelude::*;
use burn::tensor::Gradients;

/// The places of some quantities that a pass came through.
pub struct Probes {
    quantities: Vec<Quantity>,
    found: Vec<Probe>,
}

/// One place: the shape of its result, and a zero that was added to it. The gradient of the zero equals that of the
/// result; burn keeps gradients of leaves only.
pub struct Probe {
    /// The place in the pass.
    pub site: Site,
    /// The shape of the result, `[batch, …]`.
    pub shape: Vec<usize>,
    parts: Vec<Probed>,
}

/// The numbers computed at once, flattened: all of a place, or a row of a recurrent decoder's.
struct Probed {
    value: Tensor<1>,
    zero: Tensor<1>,
}

impl Probes {
    /// Creates the probes of a pass that has not begun.
    pub fn of(quantities: &[Quantity]) -> Self {
        Probes {
            quantities: quantities.to_vec(),
            found: vec![],
        }
    }

    /// Adds a zero to `x` if its place is of one of the quantities. Further results of the same place are further rows of one
    /// head in one sequence.
    pub fn apply<const D: usize>(&mut self, site: Site, x: Tensor<D>) -> Tensor<D> {
        if !self.quantities.contains(&site.quantity) {
            return x;
        }
        let shape = x.dims();
        let count = shape.iter().product::<usize>();
        let zero = Tensor::<1>::zeros([count], &x.device()).require_grad();
        let probed = Probed {
            value: x.clone().detach().reshape([count]),
            zero: zero.clone(),
        };
        match self.found.last_mut().filter(|probe| probe.site == site) {
            Some(probe) => {
                let rows = shape.len() - 2;
                probe.shape[rows] += shape[rows];
                probe.parts.push(probed);
            }
            None => self.found.push(Probe {
                site,
                shape: shape.to_vec(),
                parts: vec![probed],
            }),
        }
        x + zero.reshape(shape)
    }

    /// Returns the places, in the order of the pass.
    pub fn found(self) -> Vec<Probe> {
        self.found
    }
}

impl Probe {
    /// Returns the result and its gradient, flattened; the gradient is 0 if the end of the pass does not depend on it.
    pub fn read(self, gradients: &Gradients) -> [Tensor<1>; 2] {
        let read = |Probed { value, zero }: Probed| {
            let value = value.inner();
            let gradient = zero.grad(gradients);
            let gradient = gradient.unwrap_or_else(|| value.zeros_like());
            (value, gradient)
        };
        let (values, gradients): (Vec<_>, Vec<_>) = self.parts.into_iter().map(read).unzip();
        [values, gradients].map(|parts| Tensor::cat(parts, 0))
    }
}
