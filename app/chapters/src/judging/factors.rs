//! The factors of a text's probability, as plain data.

use attention_trace::judging::Chain;

use super::written::from_log2;
use crate::{forcing::ReadToken, judging::parameters::Direction};
use attention_core::widgets::numbers::decimal;

/// The most tokens that are written after the `|` of a factor.
const MOST_GIVEN: usize = 3;

/// A factor of a text's probability, formatted for the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// The factor's notation, `p(token | given)`.
    pub name: String,
    /// The factor's value, its `−log₂`, and the product of the factors up to it; `None` if the model does not compute
    /// them.
    pub values: Option<[String; 3]>,
    /// True if the other text has a different token here.
    pub differs: bool,
}

/// Returns the factors of a text in a direction, written with its tokens' names. The model only computes the factors
/// from left to right.
pub fn factors(
    names: &[String],
    chain: &Chain,
    direction: Direction,
    differs: Option<usize>,
) -> Vec<Factor> {
    let factor = |place: usize| Factor {
        name: match given(names, place, direction) {
            given if given.is_empty() => format!("p({})", names[place]),
            given => format!("p({} | {given})", names[place]),
        },
        values: match direction {
            Direction::LeftToRight => values(chain, place),
            Direction::RightToLeft => None,
        },
        differs: differs == Some(place),
    };
    match direction {
        Direction::LeftToRight => (0..names.len()).map(factor).collect(),
        Direction::RightToLeft => (0..names.len()).rev().map(factor).collect(),
    }
}

fn values(chain: &Chain, place: usize) -> Option<[String; 3]> {
    let (&bits, &product) = (chain.bits.get(place)?, chain.products.get(place)?);
    Some([
        from_log2(-bits),
        decimal(bits as f32, 2),
        from_log2(product),
    ])
}

/// Returns the tokens that a factor is conditioned on, at most the nearest [`MOST_GIVEN`].
fn given(names: &[String], place: usize, direction: Direction) -> String {
    match direction {
        Direction::LeftToRight => {
            let before = &names[..place];
            let near = before[before.len().saturating_sub(MOST_GIVEN)..].join(" ");
            match before.len() > MOST_GIVEN {
                true => format!("… {near}"),
                false => near,
            }
        }
        Direction::RightToLeft => {
            let after = &names[place + 1..];
            let near = after[..after.len().min(MOST_GIVEN)].join(" ");
            match after.len() > MOST_GIVEN {
                true => format!("{near} …"),
                false => near,
            }
        }
    }
}

/// Returns the chain of a text's factors; `None` if the text has no tokens.
pub fn chain(text: &[ReadToken]) -> Option<Chain> {
    let logs: Vec<f32> = text.iter().map(|token| token.log_probability).collect();
    Chain::of(&logs)
}

/// Returns the first place where two texts have different tokens; `None` if one text begins with all of the other.
pub fn first_difference(one: &[ReadToken], other: &[ReadToken]) -> Option<usize> {
    one.iter()
        .zip(other)
        .position(|(one, other)| one.token.id != other.token.id)
}

/// Returns the tokens of each text after the only token in which they differ; `None` if they do not differ in exactly
/// one token, or if no token follows it.
pub fn after_change<'a>(
    one: &'a [ReadToken],
    other: &'a [ReadToken],
) -> Option<(&'a [ReadToken], &'a [ReadToken])> {
    let place = first_difference(one, other)?;
    let (one, other) = (one.get(place + 1..)?, other.get(place + 1..)?);
    let is_same = one.len() == other.len() && first_difference(one, other).is_none();
    (is_same && !one.is_empty()).then_some((one, other))
}

/// True if any token's probability differs between two texts, to three decimals of `ln p`.
pub fn has_changed(one: &[ReadToken], other: &[ReadToken]) -> bool {
    one.iter()
        .zip(other)
        .any(|(one, other)| (one.log_probability - other.log_probability).abs() > 5e-4)
}

#[cfg(test)]
mod tests {
    use attention_trace::Token;

    use super::*;

    fn text(tokens: &[(&str, f32)]) -> Vec<ReadToken> {
        let read = |&(text, probability): &(&str, f32)| ReadToken {
            token: Token {
                id: text.bytes().map(u32::from).sum(),
                text: text.to_owned(),
                unknown: false,
            },
            log_probability: probability.ln(),
            rank: Some(1),
            best: None,
        };
        tokens.iter().map(read).collect()
    }

    fn names() -> Vec<String> {
        ["I", "like", "bread", "and", "butter"]
            .map(str::to_owned)
            .to_vec()
    }

    fn even(tokens: usize) -> Chain {
        Chain::of(&vec![0.5f32.ln(); tokens]).unwrap()
    }

    #[test]
    fn from_left_to_right_each_token_is_given_those_before_it() {
        let factors = factors(&names(), &even(5), Direction::LeftToRight, Some(4));
        assert_eq!(factors[0].name, "p(I)");
        assert_eq!(factors[1].name, "p(like | I)");
        assert_eq!(factors[4].name, "p(butter | … like bread and)");
        let [p, bits, product] = factors[2].values.clone().unwrap();
        assert_eq!(
            [p.as_str(), bits.as_str(), product.as_str()],
            ["0.5000", "1.00", "0.1250"]
        );
        let differs: Vec<bool> = factors.iter().map(|factor| factor.differs).collect();
        assert_eq!(differs, [false, false, false, false, true]);
    }

    #[test]
    fn from_right_to_left_the_model_says_none_of_them() {
        let factors = factors(&names(), &even(5), Direction::RightToLeft, None);
        assert_eq!(factors[0].name, "p(butter)");
        assert_eq!(factors[3].name, "p(like | bread and butter)");
        assert_eq!(factors[4].name, "p(I | like bread and …)");
        assert!(factors.iter().all(|factor| factor.values.is_none()));
    }

    #[test]
    fn what_follows_the_changed_token_is_compared() {
        let one = text(&[("I", 0.5), ("butter", 0.2), (".", 0.25)]);
        let other = text(&[("I", 0.5), ("socks", 0.1), (".", 0.75)]);
        assert_eq!(first_difference(&one, &other), Some(1));
        let (left, right) = after_change(&one, &other).unwrap();
        assert_eq!((left.len(), right[0].token.text.as_str()), (1, "."));
        assert!(has_changed(left, right));
        assert!(!has_changed(left, left));
        assert_eq!(after_change(&one, &one), None);
        assert_eq!(after_change(&one, &other[..2]), None);
        assert_eq!(after_change(&one[..2], &other[..2]), None);
    }
}
