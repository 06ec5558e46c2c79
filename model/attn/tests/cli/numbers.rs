//! Numbers that are not finite: refused by name, on the command line and in a recipe.

use std::fs;

use crate::training::TinyRun;
use crate::{attn, model, text};

#[test]
fn a_length_penalty_must_be_finite() {
    for alpha in ["inf", "-inf", "NaN", "1e30", "wide"] {
        let output = attn(
            &[
                "translate",
                "--model",
                &model("translator"),
                "--beam",
                "2",
                "--alpha",
                alpha,
            ],
            "Bonjour.\n",
        );
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{alpha}: {message}");
        assert!(message.contains("--alpha"), "{message}");
        assert!(message.contains("between -5 and 5"), "{message}");
    }
}

#[test]
fn a_length_penalty_may_be_negative() {
    let output = attn(
        &[
            "translate",
            "--model",
            &model("translator"),
            "--beam",
            "2",
            "--alpha",
            "-0.5",
        ],
        "Bonjour.\n",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn a_recipes_numbers_must_be_finite() {
    for (entry, value, name) in [
        ("peak = 0.01", "peak = inf", "peak"),
        ("peak = 0.01", "peak = nan", "peak"),
        ("peak = 0.01", "peak = -0.01", "peak"),
        (
            "label_smoothing = 0.1",
            "label_smoothing = nan",
            "label_smoothing",
        ),
        (
            "label_smoothing = 0.1",
            "label_smoothing = 1.5",
            "label_smoothing",
        ),
        ("dropout = 0.1", "dropout = nan", "dropout"),
    ] {
        let run = TinyRun::new("not-finite");
        let recipe = fs::read_to_string(run.recipe()).unwrap();
        assert!(recipe.contains(entry));
        fs::write(run.recipe(), recipe.replace(entry, value)).unwrap();
        let output = run.train("out", &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{value}: {message}");
        assert!(message.contains(name), "{value}: {message}");
        assert!(!run.out("out").join("model.safetensors").exists());
    }
}
