//! Halting of positions, and the number of depths that each of them used.

use attention_trace::{
    Block, Edit, Excerpt, Halting, ModelSpec, Ponder, Quantity, ReuseSpec, Slice, Stack, Sublayer,
    Token, Trace,
};
use leptos::prelude::*;

use crate::engine::Live;

/// The reuse of one block at every depth of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reused {
    /// The properties that only a model with a shared block has.
    pub reuse: ReuseSpec,
    /// The largest number of depths of a stack.
    pub depths: usize,
}

impl Reused {
    /// Returns the reuse in a model; `None` if its layers are separate blocks.
    pub fn of(spec: &ModelSpec) -> Option<Self> {
        Some(Reused {
            reuse: spec.reuse?,
            depths: spec.stack(spec.last_stack())?.layers,
        })
    }
}

/// The rule by which positions halt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halts {
    /// The sum of probabilities at which a position halts.
    pub halting: Halting,
    /// The number of depths after which every position halts.
    pub depths: usize,
}

impl Halts {
    /// Returns the halting rule of a model; `None` if its positions do not halt.
    pub fn of(spec: &ModelSpec) -> Option<Self> {
        let reused = Reused::of(spec)?;
        Some(Halts {
            halting: reused.reuse.halting?,
            depths: reused.depths,
        })
    }

    /// Returns the same rule with another `ε` and fewer depths, where they are given.
    pub fn changed(self, epsilon: Option<f32>, depths: Option<usize>) -> Self {
        Halts {
            halting: Halting {
                epsilon: epsilon.unwrap_or(self.halting.epsilon),
                ..self.halting
            },
            depths: depths.unwrap_or(self.depths).min(self.depths),
        }
    }

    /// Returns the edits that give a model with the rule `own` this rule; empty if the rules are equal.
    pub fn edits(self, own: Halts) -> Vec<Edit> {
        let edit = Edit::Halt {
            epsilon: self.halting.epsilon,
            depths: self.depths,
        };
        (self != own).then_some(edit).into_iter().collect()
    }
}

/// A token and its use of the depths.
#[derive(Clone, Debug, PartialEq)]
pub struct UsedBy {
    /// The token at this position.
    pub token: Token,
    /// The halting probability of each depth that may be used.
    pub probabilities: Vec<f32>,
    /// The halting that follows from these probabilities.
    pub ponder: Ponder,
}

/// Returns the tokens that a stack reads.
pub fn stack_tokens(trace: &Trace, stack: Stack) -> &[Token] {
    match stack {
        Stack::Encoder => &trace.meta.source,
        Stack::Decoder => &trace.meta.target,
    }
}

/// Computes the depths that each token of a stack used under the rule `halts`; `None` until the numbers are here. `own`
/// is the rule of the model on screen.
pub fn used_depths(
    stack: Stack,
    own: Signal<Option<Halts>>,
    halts: Signal<Option<Halts>>,
) -> Memo<Option<Vec<UsedBy>>> {
    let live = Live::expect();
    let parts = live.parts(move || {
        let (Some(own), Some(halts)) = (own.get(), halts.get()) else {
            return vec![];
        };
        let excerpt = |depth| {
            let block = Block::Sublayer(stack, depth, Sublayer::FeedForward);
            Excerpt::new(block.at(Quantity::Halting), Slice::Whole).with_edits(halts.edits(own))
        };
        (0..halts.depths).map(excerpt).collect()
    });
    Memo::new(move |_| {
        let (trace, parts) = (live.trace()?, parts.get()?);
        let by_depth: Vec<Vec<f32>> = parts.iter().map(|part| part.0.data.clone()).collect();
        Some(used(
            stack_tokens(&trace, stack),
            &by_depth,
            halts.get()?.halting,
        ))
    })
}

/// Computes the depths that each token used from the halting probabilities of every depth, each `[tokens, 1]`.
fn used(tokens: &[Token], by_depth: &[Vec<f32>], halting: Halting) -> Vec<UsedBy> {
    let of_token = |(position, token): (usize, &Token)| {
        let probabilities: Option<Vec<f32>> = (by_depth.iter())
            .map(|depth| depth.get(position).copied())
            .collect();
        let probabilities = probabilities.filter(|them| !them.is_empty())?;
        Some(UsedBy {
            token: token.clone(),
            ponder: Ponder::of(&probabilities, halting),
            probabilities,
        })
    };
    tokens.iter().enumerate().filter_map(of_token).collect()
}

/// Returns the means of `N` and of `N + R` over the tokens; `None` without tokens.
pub fn means(used: &[UsedBy]) -> Option<(f32, f32)> {
    let mean = |number: fn(&Ponder) -> f32| {
        let numbers = used.iter().map(|it| number(&it.ponder));
        numbers.sum::<f32>() / used.len() as f32
    };
    (!used.is_empty()).then(|| (mean(|ponder| ponder.depth as f32), mean(Ponder::cost)))
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{MarianConfig, UniversalConfig};

    use super::*;

    const HALTING: Halting = Halting {
        epsilon: 0.01,
        ponder_cost: 0.0,
    };

    fn token(text: &str) -> Token {
        Token {
            id: 1,
            text: text.into(),
            unknown: false,
        }
    }

    #[test]
    fn tokens_are_given_their_own_depths() {
        let by_depth = [vec![0.5, 1.0], vec![0.25, 0.5], vec![0.5, 0.5]];
        let found = used(&[token("a"), token("b")], &by_depth, HALTING);
        let depths: Vec<_> = found.iter().map(|it| it.ponder.depth).collect();
        assert_eq!(depths, [3, 1]);
        assert_eq!(found[0].ponder.weights, [0.5, 0.25, 0.25]);
        assert_eq!(means(&found), Some((2.0, 2.0 + 0.625)));
        assert_eq!(means(&[]), None);
    }

    #[test]
    fn a_token_without_numbers_is_left_out() {
        let by_depth = [vec![0.5], vec![0.5]];
        assert_eq!(used(&[token("a"), token("b")], &by_depth, HALTING).len(), 1);
        assert!(used(&[token("a")], &[], HALTING).is_empty());
    }

    #[test]
    fn only_a_model_that_uses_a_block_again_is_said_to() {
        let found = Reused::of(&UniversalConfig::default().spec());
        assert!(found.is_some_and(|it| it.depths == 4 && it.reuse.halting.is_some()));
        assert!(Reused::of(&MarianConfig::default().spec()).is_none());
    }

    #[test]
    fn a_model_that_halts_as_it_does_is_not_edited() {
        let own = Halts::of(&UniversalConfig::default().spec()).unwrap();
        assert_eq!(own.changed(None, None).edits(own), []);
        assert_eq!(own.changed(Some(0.01), Some(9)).edits(own), []);
        let changed = own.changed(Some(0.5), Some(2));
        let edit = Edit::Halt {
            epsilon: 0.5,
            depths: 2,
        };
        assert_eq!(changed.edits(own), [edit]);
        let fixed = UniversalConfig {
            halting: None,
            ..UniversalConfig::default()
        };
        assert_eq!(Halts::of(&fixed.spec()), None);
    }
}
