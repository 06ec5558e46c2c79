//! The made-up task: training, and scores inside and beyond the lengths it was learned from.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::{attn, model, scratch, text};

const SIX: [&str; 6] = ["none", "learned", "sinusoidal", "t5", "rope", "alibi"];
/// The tasks that six models each have learned, and lengths to score them at: inside and beyond training.
const TASKS: [(&str, [u64; 2]); 2] = [("positions", [32, 64]), ("poems", [5, 7])];

#[test]
fn the_six_recipes_of_a_task_differ_in_how_positions_are_known_alone() {
    for (task, _) in TASKS {
        let recipes = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../recipes")
            .join(task);
        let rest = |name: &str| {
            let recipe = fs::read_to_string(recipes.join(name).with_extension("toml")).unwrap();
            let line = format!("positions = \"{name}\"\n");
            assert_eq!(recipe.matches(&line).count(), 1, "{task}/{name}");
            recipe.replace(&line, "")
        };
        for name in SIX {
            assert_eq!(rest(name), rest("rope"), "{task}/{name}");
        }
    }
}

fn eval_lengths(model: &str, lengths: &str, json: &Path) -> Output {
    let json = json.display().to_string();
    let options = [
        "eval",
        "--model",
        model,
        "--lengths",
        lengths,
        "--json",
        &json,
    ];
    attn(&options, "")
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// `attn eval` repeats the published scores of the six models of a task.
#[test]
fn published_scores_are_repeated() {
    for (task, lengths) in TASKS {
        let out = scratch(&format!("lengths-{task}")).join("results.json");
        let published = json(Path::new(&model(&format!("{task}/results.json"))));
        for name in SIX {
            let asked = lengths.map(|length| length.to_string()).join(",");
            let output = eval_lengths(&model(&format!("{task}/{name}")), &asked, &out);
            assert!(output.status.success(), "{}", text(&output.stderr));
            let found = json(&out);
            for (index, length) in lengths.into_iter().enumerate() {
                let scores = published[name].as_array().unwrap();
                let expected = scores.iter().find(|s| s["length"] == length).unwrap();
                for score in ["loss", "accuracy"] {
                    let found = found[name][index]["all"][score].as_f64().unwrap();
                    let expected = expected["all"][score].as_f64().unwrap();
                    // Another processor sums in another order, and may decide a draw otherwise.
                    assert!(
                        (found - expected).abs() < 0.002,
                        "{task}/{name}, {length}: {score} {found}"
                    );
                }
            }
        }
        // The file keeps the scores of every model.
        assert_eq!(json(&out).as_object().unwrap().len(), SIX.len());
    }
}

#[test]
fn lengths_that_cannot_be_scored_are_refused() {
    let out = scratch("lengths-refused").join("results.json");
    for (model, lengths, words) in [
        (model("sentences"), "16", "--pairs"),
        (model("positions/learned"), "256", "more than the 256"),
        (model("positions/rope"), "3", "nothing to name"),
    ] {
        let output = eval_lengths(&model, lengths, &out);
        assert_eq!(output.status.code(), Some(1), "{model}");
        assert!(
            text(&output.stderr).contains(words),
            "{}",
            text(&output.stderr)
        );
        assert!(!out.exists());
    }
}

/// A task is made up by its seed, so that a run that is stopped ends where another one does.
#[test]
fn a_made_up_task_is_learned_and_training_resumes() {
    let directory = scratch("task");
    let recipe = |steps: usize, task: &str| {
        format!(
            r#"
            seed = 7
            {task}
            [model]
            family = "llama"
            positions = "t5"
            vocab_size = 29
            hidden_size = 16
            intermediate_size = 16
            num_hidden_layers = 1
            num_attention_heads = 2
            rms_norm_eps = 1e-5
            max_position_embeddings = 32
            tie_word_embeddings = true
            bos_token_id = 1
            eos_token_id = 1
            initializer_range = 0.1
            [optimization]
            steps = {steps}
            batch_tokens = 256
            checkpoint_every = 20
            max_tokens = 30
            schedule = {{ peak = 0.01, warmup_steps = 5, decay = "inverse-square-root" }}
            "#
        )
    };
    let task = "task = { back = 1, shortest = 2, longest = 8, examples = 400 }";
    let train = |name: &str, recipe: String, more: &[&str]| {
        let path = directory.join(format!("{name}.toml"));
        fs::write(&path, recipe).unwrap();
        let out = directory.join(name);
        let (path, out_path) = (path.display().to_string(), out.display().to_string());
        let arguments = [&["train", &path, "--out", &out_path], more].concat();
        (attn(&arguments, ""), out)
    };
    let (output, through) = train("through", recipe(40, task), &[]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("length-16"),
        "{}",
        text(&output.stderr)
    );
    // This one stops after a step.
    train("stopped", recipe(40, task), &["--minutes", "0"]);
    let (output, stopped) = train("stopped", recipe(40, task), &[]);
    assert!(text(&output.stderr).contains("going on from step 1"));
    let weights = |out: &Path| fs::read(out.join("model.safetensors")).unwrap();
    assert_eq!(weights(&through), weights(&stopped));

    let scores = directory.join("scores.json");
    let output = eval_lengths(&through.display().to_string(), "8,16", &scores);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let places = json(&scores)["through"][1]["by_place"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(places, 16);

    for (name, task, words) in [
        ("neither", "", "[task]"),
        (
            "short",
            "task = { back = 2, shortest = 2, longest = 8, examples = 9 }",
            "nothing to name",
        ),
        (
            "twice",
            r#"task = { characters = "aba", back = 1, shortest = 2, longest = 8, examples = 9 }"#,
            "one character twice",
        ),
    ] {
        let (output, _) = train(name, recipe(1, task), &[]);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            text(&output.stderr).contains(words),
            "{}",
            text(&output.stderr)
        );
    }
}
