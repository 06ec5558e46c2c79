//! Estimates of patched runs by one gradient equal PyTorch's, and say roughly what the patched runs say.

use std::path::PathBuf;

use attention_model::gradients::Differentiable;
use attention_trace::{EstimateQuestion, PatchEstimates, Quantity, RunTokens};
use pollster::block_on;
use safetensors::SafeTensors;

use crate::fixture::{assert_made_with, expected, fixtures};

const TOLERANCE: f32 = 1e-4;

struct Estimated {
    found: PatchEstimates,
    fixture: Vec<u8>,
}

fn estimated() -> Estimated {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../assets/models/sentences");
    let file = |name: &str| std::fs::read(root.join(name)).unwrap();
    let fixture = std::fs::read(fixtures().join("estimates.safetensors")).unwrap();
    let weights = file("model.safetensors");
    assert_made_with(&fixture, "model", &weights, "estimates.py");
    let tensors = SafeTensors::deserialize(&fixture).unwrap();
    let whole = |name: &str| -> Vec<u32> {
        let numbers = expected(&tensors, name);
        numbers.into_iter().map(|number| number as u32).collect()
    };
    let (ids, words) = (whole("ids"), whole("words"));
    let (clean, other) = ids.split_at(ids.len() / 2);
    let run = |tokens: &[u32]| RunTokens {
        source: vec![],
        target: tokens.to_vec(),
    };
    let question = EstimateQuestion {
        clean: run(clean),
        other: run(other),
        answer: words[0],
        against: words[1],
    };
    let model = Differentiable::load(&file("config.json"), &weights).unwrap();
    let found = block_on(model.estimate_patches(&question)).unwrap();
    let longer = EstimateQuestion {
        other: run(&[other, &[5]].concat()),
        ..question
    };
    assert!(block_on(model.estimate_patches(&longer)).is_err());
    Estimated { found, fixture }
}

#[test]
fn estimates_equal_pytorch() {
    let Estimated { found, fixture } = estimated();
    let tensors = SafeTensors::deserialize(&fixture).unwrap();
    let ends = expected(&tensors, "ends");
    assert!(
        (found.ends.clean - ends[0]).abs() < TOLERANCE,
        "{:?}",
        found.ends
    );
    assert!(
        (found.ends.other - ends[1]).abs() < TOLERANCE,
        "{:?}",
        found.ends
    );
    let (z, mlp) = (expected(&tensors, "z"), expected(&tensors, "mlp"));
    assert_eq!(found.places.len(), z.len() + mlp.len());
    let shape = tensors.tensor("z").unwrap().shape().to_vec();
    let mut largest = 0f32;
    for estimate in &found.places {
        let place = estimate.place;
        let attention_trace::Block::Sublayer(_, layer, _) = place.site.block else {
            unreachable!("sub-layers alone are estimated");
        };
        let [at, _] = place.at.unwrap();
        let expected = match place.site.quantity {
            Quantity::Z => z[(layer * shape[1] + place.head.unwrap()) * shape[2] + at],
            _ => mlp[layer * shape[2] + at],
        };
        largest = largest.max((estimate.change - expected).abs());
    }
    println!("estimates differ by at most {largest:.1e}");
    assert!(largest < TOLERANCE, "{largest}");
    let changes = found.places.windows(2);
    assert!(
        changes
            .into_iter()
            .all(|pair| pair[0].change.abs() >= pair[1].change.abs())
    );
}
