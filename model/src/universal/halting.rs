//! Adaptive Computation Time of each position ([Graves 2016](https://arxiv.org/abs/1603.08983), section 2), over depths
//! in place of steps.
//!
//! After a depth, a position halts with the probability `p = σ(wᵀs + b)` of its state there. It goes on until these
//! probabilities sum to `1 − ε`, or to the last depth; its output is the sum of its states, each weighted by its `p`,
//! the last one by the remainder. All depths are computed for all positions: a halted position keeps its state, which
//! others still attend to.

use attention_trace::{Block, Halting, Quantity, Stack, Sublayer};
use burn::nn::Linear;
use burn::prelude::*;
use burn::tensor::activation::sigmoid;

use crate::kernels::linear;
use crate::tap::Tap;

/// The halting state of all positions, and their outputs so far.
pub struct Halted<'a> {
    linear: &'a Linear,
    halting: Halting,
    depths: usize,
    stack: Stack,
    /// A mask of the positions that have not halted: 1 for those, else 0, `[batch, length, 1]`.
    running: Tensor<3>,
    /// The sum of the probabilities of earlier depths, `[batch, length, 1]`.
    sum: Tensor<3>,
    /// `N + R` so far, `[batch, length, 1]`.
    cost: Tensor<3>,
    /// The sum of states, each times its weight, `[batch, length, width]`.
    handed_on: Tensor<3>,
}

impl<'a> Halted<'a> {
    /// Creates the state before the first depth, in which no position has halted; at most `depths` depths are used, and
    /// `states` are `[batch, length, width]`.
    pub fn none(
        linear: &'a Linear,
        halting: Halting,
        depths: usize,
        stack: Stack,
        states: &Tensor<3>,
    ) -> Self {
        let [batch, length, width] = states.dims();
        let device = states.device();
        Halted {
            linear,
            halting,
            depths,
            stack,
            running: Tensor::ones([batch, length, 1], &device),
            sum: Tensor::zeros([batch, length, 1], &device),
            cost: Tensor::zeros([batch, length, 1], &device),
            handed_on: Tensor::zeros([batch, length, width], &device),
        }
    }

    /// Returns the states after a depth: those that it `made`, and `before` for positions that had halted.
    pub fn pass(
        &mut self,
        before: Tensor<3>,
        made: Tensor<3>,
        depth: usize,
        tap: &mut Tap,
    ) -> Tensor<3> {
        let block = Block::Sublayer(self.stack, depth, Sublayer::FeedForward);
        let running = self.running.clone();
        let halted = running.clone().neg().add_scalar(1.0);
        let states = made * running.clone() + before * halted;
        let states = tap.at(block.at(Quantity::State), states);
        let halting = block.at(Quantity::Halting);
        let probability = tap.at(halting, sigmoid(linear(states.clone(), self.linear)));
        let next = self.sum.clone() + probability.clone();
        let halts = match depth + 1 == self.depths {
            true => running.clone(),
            false => {
                let is_full = next.greater_equal_elem(self.halting.threshold());
                running.clone() * is_full.float()
            }
        };
        let goes_on = running.clone() - halts.clone();
        let remainder = halts * self.sum.clone().neg().add_scalar(1.0);
        let weight = goes_on.clone() * probability + remainder.clone();
        self.sum = self.sum.clone() + weight.clone();
        self.cost = self.cost.clone() + running + remainder;
        self.running = goes_on;
        let weight = tap.at(block.at(Quantity::DepthWeight), weight);
        self.handed_on = self.handed_on.clone() + states.clone() * weight;
        states
    }

    /// Returns the output of the stack.
    pub fn finish(self, tap: &mut Tap) -> Tensor<3> {
        tap.charge(self.stack, self.cost);
        let site = Block::Stack(self.stack).at(Quantity::State);
        tap.at(site, self.handed_on)
    }
}
