//! Tests that the parameters of every model with possible sizes are counted exactly.

use attention_core::state::Reader;
use proptest::{prelude::*, test_runner::TestCaseError};

use super::*;

/// Returns sizes of every order of magnitude, which seldom give a valid model.
pub fn sizes() -> impl Strategy<Value = Sizes> {
    let number = (any::<usize>(), 0..usize::BITS).prop_map(|(number, shift)| number >> shift);
    let one_of_each = prop::array::uniform7(number);
    from_numbers(one_of_each)
}

/// Returns sizes of valid models, from the smallest to the largest.
fn possible() -> impl Strategy<Value = Sizes> {
    let power = |most: u32| (0..=most).prop_map(|power| 1_usize << power);
    let numbers = (
        1..=256_usize,
        power(10),
        power(10),
        power(5),
        1..=65_536_usize,
    )
        .prop_flat_map(|(layers, heads, groups, dimension, inner)| {
            let width = heads * 2 * dimension;
            let tables = (1..=1_usize << 20, 0..=1_usize << 20);
            tables.prop_map(move |(vocabulary, learned)| {
                let groups = groups.min(heads);
                [layers, heads, groups, width, inner, vocabulary, learned]
            })
        });
    from_numbers(numbers)
}

fn from_numbers(numbers: impl Strategy<Value = [usize; 7]>) -> impl Strategy<Value = Sizes> {
    let architecture = prop::sample::select(vec![
        Architecture::EncoderDecoder,
        Architecture::DecoderOnly,
        Architecture::Qwen3,
        Architecture::Gpt2,
        Architecture::Bert,
    ]);
    let all = (architecture, numbers, any::<bool>(), 1..=Sizes::MOST_TOKENS);
    all.prop_map(|(architecture, numbers, tied, tokens)| {
        let [layers, heads, groups, width, inner, vocabulary, learned] = numbers;
        Sizes {
            architecture,
            layers,
            heads,
            groups,
            width,
            inner,
            vocabulary,
            learned: match architecture {
                // They have no formula in their place.
                Architecture::Gpt2 | Architecture::Bert => learned.max(1),
                Architecture::Qwen3 => 0,
                _ => learned,
            },
            tied,
            tokens,
        }
    })
}

/// The parameters, counted in numbers that nothing overflows, by the tables of both papers.
fn counted(sizes: &Sizes) -> u128 {
    let Sizes {
        layers,
        heads,
        groups,
        width,
        inner,
        vocabulary,
        learned,
        ..
    } = *sizes;
    let [l, h, g, d, f, v, n] =
        [layers, heads, groups, width, inner, vocabulary, learned].map(|size| size as u128);
    match sizes.architecture {
        Architecture::EncoderDecoder => {
            let attention = 4 * d * d + 4 * d;
            let feed_forward = 2 * d * f + f + d;
            l * (3 * attention + 2 * feed_forward + 5 * 2 * d) + v * d + v
        }
        Architecture::DecoderOnly => {
            let attention = 2 * d * d + 2 * d * (d / h) * g;
            let output = if sizes.tied { 0 } else { v * d };
            l * (attention + 3 * d * f + 2 * d) + d + v * d + n * d + output
        }
        Architecture::Qwen3 => {
            // Heads are 128 wide, whatever the model's width; each layer has a gain for queries and one for keys.
            let attention = 2 * d * 128 * h + 2 * d * 128 * g;
            let output = if sizes.tied { 0 } else { v * d };
            l * (attention + 3 * d * f + 2 * d + 2 * 128) + d + v * d + output
        }
        Architecture::Gpt2 => {
            let attention = 4 * d * d + 4 * d;
            let feed_forward = 2 * d * f + f + d;
            let output = if sizes.tied { 0 } else { v * d };
            l * (attention + feed_forward + 4 * d) + 2 * d + v * d + n * d + output
        }
        Architecture::Bert => {
            let attention = 4 * d * d + 4 * d;
            let feed_forward = 2 * d * f + f + d;
            // Words, positions, two segments, and the norm of their sum.
            let embedding = v * d + n * d + 2 * d + 2 * d;
            // A matrix, its bias and a norm, then a bias for each word.
            let output_layer = d * d + d + 2 * d + v;
            let output = if sizes.tied { 0 } else { v * d };
            l * (attention + feed_forward + 4 * d) + embedding + output_layer + output
        }
    }
}

fn check(sizes: &Sizes) -> Result<(), TestCaseError> {
    let config = sizes.config();
    prop_assert_eq!(u128::from(config.parameters().total()), counted(sizes));
    let operations = config.operations(sizes.tokens);
    prop_assert!(operations.total().is_finite() && operations.total() > 0.0);
    prop_assert!(operations.crossover(sizes.tokens) > 0.0);
    Ok(())
}

proptest! {
    #[test]
    fn every_model_that_can_be_built_is_counted_to_the_last_parameter(sizes in possible()) {
        prop_assert_eq!(sizes.config().validate(), Ok(()));
        check(&sizes)?;
    }

    #[test]
    fn no_sizes_are_too_much_to_be_judged(sizes in sizes()) {
        if sizes.config().validate().is_ok() {
            check(&sizes)?;
        }
    }
}

#[test]
fn known_models_are_recognised_and_count_the_same() {
    for preset in Known::ALL {
        let sizes = Sizes::of(&preset.config(), 7);
        assert_eq!(sizes.preset(), Some(preset));
        assert_eq!(sizes.config().validate(), Ok(()));
        assert_eq!(sizes.config().parameters(), preset.config().parameters());
        assert_eq!(
            Known::from_address_value(preset.address_value()),
            Some(preset)
        );
    }
    let changed = Sizes {
        layers: 7,
        ..Sizes::default()
    };
    assert_eq!(changed.preset(), None);
}

#[test]
fn heads_take_their_keys_and_values_along_where_each_has_its_own() {
    let mut sizes = Sizes::default();
    sizes.set_heads(16);
    assert_eq!((sizes.heads, sizes.groups), (16, 16));
    sizes.use_preset(Known::Llama3);
    sizes.set_heads(64);
    assert_eq!((sizes.heads, sizes.groups), (64, 8));
    sizes.set_architecture(Architecture::EncoderDecoder);
    assert_eq!((sizes.groups, sizes.tied), (64, true));
}

#[test]
fn gpt_2s_layout_has_learned_positions_and_a_head_of_keys_for_each_of_queries() {
    let mut sizes = Sizes::default();
    sizes.use_preset(Known::Llama3);
    sizes.set_architecture(Architecture::Gpt2);
    assert_eq!((sizes.groups, sizes.learned), (32, 1024));
    assert_eq!(sizes.config().validate(), Ok(()));
}

#[test]
fn berts_layout_learns_positions_and_qwen3s_has_a_formula() {
    let mut sizes = Sizes::default();
    sizes.use_preset(Known::Llama3);
    sizes.set_architecture(Architecture::Bert);
    assert_eq!((sizes.groups, sizes.learned), (32, 512));
    sizes.set_architecture(Architecture::Qwen3);
    assert_eq!(sizes.learned, 0);
    assert_eq!(sizes.config().validate(), Ok(()));
}

#[test]
fn an_address_of_gpt_2s_sizes_in_llamas_layout_is_still_that() {
    let before = "sizes-family=decoder&sizes-layers=12&sizes-heads=12&sizes-groups=12&sizes-d=768\
                  &sizes-vocab=50257&sizes-learned=1024";
    let sizes = Sizes::read(&Reader::new(before));
    assert_eq!(sizes.architecture, Architecture::DecoderOnly);
    assert_eq!(sizes.config().parameters().total(), 124_337_664);
}
