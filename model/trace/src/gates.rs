//! Gated recurrent units with a single number as their state, small enough to check by hand: the plain recurrent unit
//! (Elman 1990), the LSTM (Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000) and the GRU (Cho et
//! al. 2014); and what is left of a derivative on its way back through time.
//!
//! The weight of the input is 1 everywhere, and the weight of the state is the same in every gate.

mod dual;

use self::dual::Dual;

/// The numbers of a unit that are learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatedUnit {
    /// The weight of the state, `u`.
    pub state_weight: f64,
    /// The biases of the gates. LSTM: input, forget, output. GRU: update, reset; the third is not used.
    pub biases: [f64; 3],
}

/// A step of an LSTM.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LstmStep {
    /// The input gate `i = σ(x + u·h + b)`.
    pub input_gate: f64,
    /// The forget gate `f`.
    pub forget_gate: f64,
    /// The output gate `o`.
    pub output_gate: f64,
    /// The candidate `g = tanh(x + u·h)`.
    pub candidate: f64,
    /// The next cell `f·c + i·g`.
    pub cell: f64,
    /// The next state `o·tanh c`.
    pub state: f64,
}

/// A step of a GRU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GruStep {
    /// The update gate `z = σ(x + u·h + b)`; it is the share of the old state that stays.
    pub update_gate: f64,
    /// The reset gate `r`.
    pub reset_gate: f64,
    /// The candidate `n = tanh(x + u·r·h)`.
    pub candidate: f64,
    /// The next state `z·h + (1 − z)·n`.
    pub state: f64,
}

/// The derivative of a unit's memory by its first value, after each step: the part of an early change that is left. The
/// first input is 1, all others are 0, and the memory begins at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Fading {
    /// The plain recurrent unit: `∂h_t/∂h_0`.
    pub plain: Vec<f64>,
    /// The LSTM: `∂c_t/∂c_0`, on all paths, those through its state and its gates included.
    pub lstm: Vec<f64>,
    /// The LSTM's path along the cell alone: the product of its forget gates.
    pub forget_gates: Vec<f64>,
    /// The state of the GRU: `∂h_t/∂h_0`.
    pub gru: Vec<f64>,
}

impl GatedUnit {
    /// Returns the next state of the plain unit, `tanh(x + u·h)`.
    pub fn plain(self, x: f64, h: f64) -> f64 {
        self.plain_of(Dual::constant(x), Dual::constant(h)).value
    }

    /// Returns the LSTM's step from the input `x`, the state `h` and the cell `c`.
    pub fn lstm(self, x: f64, h: f64, c: f64) -> LstmStep {
        let [x, h, c] = [x, h, c].map(Dual::constant);
        let made = self.lstm_of(x, h, c);
        LstmStep {
            input_gate: made.gates[0].value,
            forget_gate: made.gates[1].value,
            output_gate: made.gates[2].value,
            candidate: made.candidate.value,
            cell: made.cell.value,
            state: made.state.value,
        }
    }

    /// Returns the GRU's step from the input `x` and the state `h`.
    pub fn gru(self, x: f64, h: f64) -> GruStep {
        let made = self.gru_of(Dual::constant(x), Dual::constant(h));
        GruStep {
            update_gate: made.gates[0].value,
            reset_gate: made.gates[1].value,
            candidate: made.candidate.value,
            state: made.state.value,
        }
    }

    /// Returns what is left of a change at the first step, after each of `steps` steps.
    pub fn fading(self, steps: usize) -> Fading {
        let input = |step: usize| Dual::constant(if step == 0 { 1.0 } else { 0.0 });
        let mut fading = Fading {
            plain: Vec::with_capacity(steps),
            lstm: Vec::with_capacity(steps),
            forget_gates: Vec::with_capacity(steps),
            gru: Vec::with_capacity(steps),
        };
        let first = Dual::variable(0.0);
        let (mut plain, mut gru) = (first, first);
        let (mut cell, mut state, mut kept) = (first, Dual::constant(0.0), 1.0);
        for step in 0..steps {
            plain = self.plain_of(input(step), plain);
            gru = self.gru_of(input(step), gru).state;
            let made = self.lstm_of(input(step), state, cell);
            (cell, state) = (made.cell, made.state);
            kept *= made.gates[1].value;
            fading.plain.push(plain.slope);
            fading.lstm.push(cell.slope);
            fading.forget_gates.push(kept);
            fading.gru.push(gru.slope);
        }
        fading
    }

    fn plain_of(self, x: Dual, h: Dual) -> Dual {
        (x + h * self.state_weight).tanh()
    }

    fn gate(self, x: Dual, h: Dual, index: usize) -> Dual {
        (x + h * self.state_weight + Dual::constant(self.biases[index])).sigmoid()
    }

    fn lstm_of(self, x: Dual, h: Dual, c: Dual) -> Made {
        let gates = [0, 1, 2].map(|index| self.gate(x, h, index));
        let [enter, forget, leave] = gates;
        let candidate = self.plain_of(x, h);
        let cell = forget * c + enter * candidate;
        Made {
            gates,
            candidate,
            cell,
            state: leave * cell.tanh(),
        }
    }

    fn gru_of(self, x: Dual, h: Dual) -> Made {
        let gates = [0, 1, 2].map(|index| self.gate(x, h, index));
        let [update, reset, _] = gates;
        let candidate = self.plain_of(x, reset * h);
        let state = update * h + (Dual::constant(1.0) - update) * candidate;
        Made {
            gates,
            candidate,
            cell: state,
            state,
        }
    }
}

/// A step with derivatives.
struct Made {
    gates: [Dual; 3],
    candidate: Dual,
    cell: Dual,
    state: Dual,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Case {
        u: f64,
        biases: [f64; 3],
        steps: Vec<ExpectedStep>,
        fading: ExpectedFading,
    }

    #[derive(Deserialize)]
    struct ExpectedStep {
        x: f64,
        h: f64,
        c: f64,
        lstm: [f64; 2],
        gru: f64,
        rnn: f64,
    }

    #[derive(Deserialize)]
    struct ExpectedFading {
        lstm: Vec<f64>,
        gru: Vec<f64>,
        rnn: Vec<f64>,
    }

    fn close(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-12
    }

    #[test]
    fn steps_and_derivatives_are_those_of_pytorch() {
        let text = include_str!("../../../tests/fixtures/gates.json");
        let cases: Vec<Case> = serde_json::from_str(text).unwrap();
        assert_eq!(cases.len(), 3);
        for case in cases {
            let unit = GatedUnit {
                state_weight: case.u,
                biases: case.biases,
            };
            for step in &case.steps {
                let lstm = unit.lstm(step.x, step.h, step.c);
                assert!(close(lstm.state, step.lstm[0]) && close(lstm.cell, step.lstm[1]));
                assert!(close(unit.gru(step.x, step.h).state, step.gru));
                assert!(close(unit.plain(step.x, step.h), step.rnn));
            }
            let fading = unit.fading(case.fading.lstm.len());
            for (found, expected) in [
                (&fading.lstm, &case.fading.lstm),
                (&fading.gru, &case.fading.gru),
                (&fading.plain, &case.fading.rnn),
            ] {
                let mut pairs = found.iter().zip(expected);
                assert!(pairs.all(|(found, expected)| close(*found, *expected)));
            }
        }
    }

    #[test]
    fn gates_at_their_ends_keep_or_replace() {
        let with = |biases: [f64; 3]| GatedUnit {
            state_weight: 0.5,
            biases,
        };
        // Forget gate open, input gate closed: the cell stays.
        let kept = with([-50.0, 50.0, 0.0]).lstm(1.0, 0.3, 0.7);
        assert!(close(kept.cell, 0.7));
        // The other way round the cell is the candidate.
        let replaced = with([50.0, -50.0, 0.0]).lstm(1.0, 0.3, 0.7);
        assert!(close(replaced.cell, replaced.candidate));
        // A GRU's update gate does both at once.
        assert!(close(with([50.0, 0.0, 0.0]).gru(1.0, 0.3).state, 0.3));
        let new = with([-50.0, 0.0, 0.0]).gru(1.0, 0.3);
        assert!(close(new.state, new.candidate));
    }

    proptest! {
        #[test]
        fn a_plain_unit_whose_weight_is_at_most_one_fades_and_the_cell_keeps_what_its_gates_keep(
            u in -1.0f64..=1.0, forget in -4.0f64..4.0
        ) {
            let unit = GatedUnit { state_weight: u, biases: [0.0, forget, 0.0] };
            let fading = unit.fading(20);
            for pair in fading.plain.windows(2) {
                prop_assert!(pair[1].abs() <= pair[0].abs() + 1e-15);
            }
            for pair in fading.forget_gates.windows(2) {
                prop_assert!(0.0 < pair[1] && pair[1] < pair[0]);
            }
        }
    }
}
