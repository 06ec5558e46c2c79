//! `pytorch_model.bin` gives the numbers that `transformers` gives with the same weights.

use attention_trace::Quantities;

use crate::files::Files;
use crate::fixture::{Description, Fixture, fixtures};
use crate::run::{Input, run};
use crate::transformers::{Differences, compare_cases};

const MODEL: &str = "padded-vocabulary";

fn bin(name: &str) -> Vec<u8> {
    let directory = fixtures().join("pytorch");
    std::fs::read(directory.join(name)).unwrap()
}

fn with_weights(weights: Vec<u8>) -> Files {
    Files {
        weights,
        ..Files::read(MODEL)
    }
}

#[test]
fn tied_and_transposed_weights_equal_transformers() {
    let checkpoint = with_weights(bin("whole.bin")).load().unwrap();
    let mut differences = Differences::default();
    compare_cases(&checkpoint, MODEL, &mut differences);
    differences.report("whole.bin", &["logits", "attention weights"]);
}

#[test]
fn both_formats_give_the_same_numbers() {
    let checkpoints = [with_weights(bin("whole.bin")), Files::read(MODEL)];
    let [bin, safetensors] = checkpoints.map(|files| files.load().unwrap());
    let fixture = Fixture::<Description>::read(&format!("tiny/{MODEL}/expected.safetensors"));
    for case in fixture.description.cases {
        let input = Input {
            target: case.target,
            ..Input::default()
        };
        let [bin, safetensors] =
            [&bin, &safetensors].map(|checkpoint| run(checkpoint, &input, Quantities::all()));
        assert!(bin.logits == safetensors.logits, "{}", case.name);
        assert!(
            !bin.arrays.is_empty() && bin.arrays == safetensors.arrays,
            "{}",
            case.name
        );
    }
}

#[test]
fn faults_name_the_file_and_the_tensor() {
    for (name, words) in [
        ("f32.bin", "`model.embed_tokens.weight` is missing"),
        ("command.bin", "data.pkl: it asks to call posix.system"),
        ("compressed.bin", "data/0: it is compressed"),
        (
            "module.bin",
            "it asks to call torch.nn.modules.linear.Linear",
        ),
    ] {
        let message = with_weights(bin(name)).load().unwrap_err().to_string();
        assert!(message.starts_with("pytorch_model.bin: "), "{message}");
        assert!(message.contains(words), "{message}");
    }
    let wide = serde_json::json!({"intermediate_size": 48});
    let message = with_weights(bin("whole.bin")).with_config(wide).load();
    let message = message.unwrap_err().to_string();
    assert!(
        message.starts_with(
            "pytorch_model.bin: `model.layers.0.mlp.down_proj.weight` has the shape [24, 40]"
        ),
        "{message}"
    );
}
