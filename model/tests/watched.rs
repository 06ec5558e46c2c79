//! Training that is watched: it is the same whenever it is made, it learns, and what it shows is what the trained model
//! computes.

// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::training::watched::{State, Trained, Trainer, WatchError};
use attention_trace::positions::PositionalEncoding;
use attention_trace::training::{
    Architecture, Decay, Observation, OptimizerKind, OptimizerSettings, Schedule, Sequences, Shape,
    Task, TrainingSettings,
};
use attention_trace::{AlignmentScore, AttentionLayer, Edit, Quantity, RecurrentAttention};
use burn::prelude::Device;
use pollster::block_on;
use safetensors::{Dtype, SafeTensors};

/// Copying few letters, by a small model.
fn tiny() -> TrainingSettings {
    TrainingSettings {
        task: Task::Copy {
            sequences: Sequences {
                letters: 4,
                shortest: 2,
                longest: 4,
            },
        },
        shape: Shape {
            architecture: Architecture::DecoderOnly,
            positions: PositionalEncoding::Rope,
            layers: 2,
            heads: 2,
            width: 16,
            feed_forward: true,
            head_norm: false,
        },
        optimizer: OptimizerSettings {
            kind: OptimizerKind::Adam,
            schedule: Schedule {
                peak: 0.01,
                warmup_steps: 20,
                decay: Decay::Cosine,
            },
            batch: 32,
            steps: 400,
        },
        seed: 3,
    }
}

/// The same with an encoder.
fn tiny_pair() -> TrainingSettings {
    let mut settings = tiny();
    settings.shape.architecture = Architecture::EncoderDecoder;
    settings.shape.positions = PositionalEncoding::Sinusoidal;
    settings
}

/// The same without a Transformer.
fn tiny_recurrent(attention: RecurrentAttention) -> TrainingSettings {
    let mut settings = tiny();
    settings.shape.architecture = Architecture::Recurrent(attention);
    settings
}

/// Luong's local attention, which has every parameter that an alignment can have but Bahdanau's.
const LOCAL: RecurrentAttention = RecurrentAttention::Luong {
    score: AlignmentScore::General,
    window: Some(2),
};

fn losses(trainer: &mut Trainer, steps: usize) -> Vec<f32> {
    (0..steps)
        .map(|_| block_on(trainer.step()).unwrap().loss)
        .collect()
}

fn new(settings: TrainingSettings) -> Trainer {
    Trainer::new(settings, None).unwrap()
}

fn loaded(trained: Trained) -> Checkpoint {
    let files = CheckpointFiles {
        config: trained.config.into_bytes(),
        weights: trained.weights.into(),
        tokenizer: trained.tokenizer.into_bytes(),
        ..CheckpointFiles::default()
    };
    Checkpoint::load(files, &Device::flex()).unwrap()
}

#[test]
fn the_first_loss_is_that_of_a_guess() {
    let recurrent = tiny_recurrent(RecurrentAttention::Bahdanau);
    for settings in [tiny(), TrainingSettings::default(), recurrent] {
        let guess = (settings.vocabulary().unwrap().len() as f32).ln();
        let first = block_on(new(settings).step()).unwrap().loss;
        assert!(
            (first - guess).abs() < 0.35 * guess,
            "{first} beside ln V = {guess}"
        );
    }
}

#[test]
fn a_run_made_again_is_the_same_bit_by_bit() {
    let recurrent = tiny_recurrent(RecurrentAttention::Bahdanau);
    for settings in [tiny(), tiny_pair(), recurrent] {
        let again = losses(&mut new(settings.clone()), 12);
        let mut one = new(settings.clone());
        let begun = losses(&mut one, 5);
        // What is looked at on the way changes nothing.
        let looked = (
            block_on(one.evaluate()).unwrap(),
            block_on(one.observe()).unwrap(),
        );
        assert_eq!(
            looked,
            (
                block_on(one.evaluate()).unwrap(),
                block_on(one.observe()).unwrap()
            )
        );
        block_on(one.trained()).unwrap();
        assert_eq!([begun, losses(&mut one, 7)].concat(), again);
        let mut other = settings;
        other.seed += 1;
        assert_ne!(losses(&mut new(other), 12), again);
    }
}

#[test]
fn a_run_goes_on_from_what_it_left() {
    let of_a_kind = |kind| {
        let mut settings = tiny();
        settings.optimizer.kind = kind;
        settings
    };
    let mut all = OptimizerKind::ALL.map(of_a_kind).to_vec();
    all.push(tiny_recurrent(RecurrentAttention::Bahdanau));
    for settings in all {
        let about = (settings.shape.architecture, settings.optimizer.kind);
        let mut unbroken = new(settings.clone());
        losses(&mut unbroken, 6);
        let left = block_on(unbroken.trained()).unwrap();
        let state = |optimizer| State {
            step: 6,
            weights: &left.weights,
            optimizer,
        };
        let mut resumed = Trainer::new(settings.clone(), Some(state(&left.optimizer))).unwrap();
        let mut forgetful = Trainer::new(settings, Some(state(&[]))).unwrap();
        assert_eq!(resumed.steps_made(), 6);
        let expected = losses(&mut unbroken, 6);
        let furthest = |trainer: &mut Trainer| {
            let differences = losses(trainer, 6).into_iter().zip(&expected);
            differences.fold(0.0_f32, |furthest, (loss, of)| {
                furthest.max((loss - of).abs())
            })
        };
        // Matrices that were read from a file lie otherwise in memory, so that sums round otherwise.
        assert!(furthest(&mut resumed) < 1e-4, "{about:?}");
        assert!(furthest(&mut forgetful) > 1e-3, "{about:?}");
    }
}

/// As it runs on a GPU, on the CPU: checked, with the weights moved there and one step for all of them.
fn on_device(settings: TrainingSettings, from: Option<State<'_>>) -> Trainer {
    block_on(Trainer::on_device(settings, from, &Device::flex())).unwrap()
}

#[test]
fn a_device_of_its_own_makes_the_same_run() {
    for kind in OptimizerKind::ALL {
        for mut settings in [tiny(), tiny_pair(), tiny_recurrent(LOCAL)] {
            settings.optimizer.kind = kind;
            let (mut one, mut other) = (new(settings.clone()), on_device(settings, None));
            assert_eq!(losses(&mut one, 8), losses(&mut other, 8), "{kind:?}");
            assert_eq!(
                block_on(one.evaluate()).unwrap(),
                block_on(other.evaluate()).unwrap()
            );
            assert_eq!(
                block_on(one.observe()).unwrap(),
                block_on(other.observe()).unwrap()
            );
            let [one, other] = [one, other].map(|trainer| block_on(trainer.trained()).unwrap());
            assert_eq!(one.config, other.config);
            assert!(one.weights == other.weights, "{kind:?}");
        }
    }
}

#[test]
fn a_run_goes_on_from_one_device_to_another() {
    for kind in OptimizerKind::ALL {
        let mut settings = tiny();
        settings.optimizer.kind = kind;
        type Begin = fn(TrainingSettings, Option<State<'_>>) -> Trainer;
        let cpu: Begin = |settings, from| Trainer::new(settings, from).unwrap();
        for [from, to] in [[cpu, on_device], [on_device, cpu], [on_device, on_device]] {
            let mut unbroken = from(settings.clone(), None);
            losses(&mut unbroken, 6);
            let left = block_on(unbroken.trained()).unwrap();
            let state = State {
                step: 6,
                weights: &left.weights,
                optimizer: &left.optimizer,
            };
            let resumed = losses(&mut to(settings.clone(), Some(state)), 6);
            let expected = losses(&mut unbroken, 6);
            let differences = resumed.iter().zip(&expected).map(|(a, b)| (a - b).abs());
            // Matrices that were read from a file lie otherwise in memory, so that sums round otherwise.
            let furthest = differences.fold(0.0, f32::max);
            assert!(furthest < 1e-4, "{kind:?}: {resumed:?} beside {expected:?}");
        }
    }
}

#[test]
fn a_device_goes_on_from_before_the_first_step() {
    let left = block_on(new(tiny()).trained()).unwrap();
    let state = State {
        step: 0,
        weights: &left.weights,
        optimizer: &left.optimizer,
    };
    let begun = losses(&mut on_device(tiny(), Some(state)), 3);
    let expected = losses(&mut new(tiny()), 3);
    assert!(
        begun
            .iter()
            .zip(&expected)
            .all(|(a, b)| (a - b).abs() < 1e-4)
    );
}

#[test]
fn a_checkpoint_of_another_model_is_refused() {
    let left = block_on(new(tiny()).trained()).unwrap();
    let refused = |settings, weights| {
        let state = State {
            step: 0,
            weights,
            optimizer: &left.optimizer,
        };
        let error = Trainer::new(settings, Some(state)).err();
        assert!(
            matches!(error, Some(WatchError::Checkpoint(_))),
            "{error:?}"
        );
    };
    refused(tiny_pair(), &left.weights);
    refused(tiny(), &left.weights[..100]);
}

#[test]
fn copying_is_learned() {
    let recurrent = tiny_recurrent(RecurrentAttention::Bahdanau);
    for mut settings in [tiny(), tiny_pair(), recurrent] {
        settings.optimizer.steps = 800;
        let mut trainer = new(settings);
        while !trainer.is_finished() {
            block_on(trainer.step()).unwrap();
        }
        let examined = block_on(trainer.evaluate()).unwrap();
        assert!(examined.held_out && examined.examples > 20);
        // Of 198 characters, a model as small as this one has two or three wrong.
        assert!(examined.token_accuracy >= 0.97, "{examined:?}");
    }
}

#[test]
fn every_way_to_know_positions_is_trained() {
    for positions in PositionalEncoding::ALL {
        let mut settings = tiny();
        settings.shape.positions = positions;
        let mut trainer = new(settings);
        let made = losses(&mut trainer, 60);
        let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
        assert!(
            mean(&made[50..]) < mean(&made[..10]),
            "{positions:?}: {made:?}"
        );
        loaded(block_on(trainer.trained()).unwrap());
    }
}

#[test]
fn every_recurrent_decoder_is_trained() {
    for (attention, looks) in [
        (RecurrentAttention::None, 0),
        (RecurrentAttention::Bahdanau, 1),
        (LOCAL, 1),
    ] {
        let mut trainer = new(tiny_recurrent(attention));
        let made = losses(&mut trainer, 60);
        let mean = |losses: &[f32]| losses.iter().sum::<f32>() / losses.len() as f32;
        assert!(
            mean(&made[50..]) < mean(&made[..10]),
            "{attention:?}: {made:?}"
        );
        let observed = block_on(trainer.observe()).unwrap();
        assert_eq!(observed.attention.len(), looks, "{attention:?}");
        let checkpoint = loaded(block_on(trainer.trained()).unwrap());
        let recurrence = checkpoint.spec().recurrence.unwrap();
        assert_eq!(recurrence.attention, attention);
    }
}

#[test]
fn every_task_is_trained() {
    let sequences = Sequences::default();
    let tasks = [
        Task::Back {
            places: 2,
            sequences,
        },
        Task::Reverse { sequences },
        Task::Sort { sequences },
        Task::Addition { digits: 2 },
        Task::Brackets { longest: 8 },
        Task::Numerals { digits: 3 },
        Task::Lines {
            text: "a cat\na dog".to_owned(),
        },
        Task::Pairs {
            text: "cat=chat\ndog\tchien".to_owned(),
        },
    ];
    for task in tasks {
        let recurrent = tiny_recurrent(RecurrentAttention::Bahdanau);
        for settings in [tiny(), tiny_pair(), recurrent] {
            let settings = TrainingSettings {
                task: task.clone(),
                ..settings
            };
            if settings.check().is_err() {
                assert!(!task.has_output() && settings.shape.architecture.has_encoder());
                continue;
            }
            let mut trainer = new(settings);
            assert!(
                losses(&mut trainer, 2).iter().all(|loss| loss.is_finite()),
                "{task:?}"
            );
            let observed = block_on(trainer.observe()).unwrap();
            assert!(!observed.predictions.is_empty() && !observed.attention.is_empty());
        }
    }
}

#[test]
fn too_high_a_rate_is_said() {
    let mut settings = tiny_pair();
    settings.optimizer.kind = OptimizerKind::Sgd;
    settings.optimizer.schedule = Schedule {
        peak: 10.0,
        warmup_steps: 0,
        decay: Decay::None,
    };
    let mut trainer = new(settings);
    let failed = (0..400).find_map(|_| block_on(trainer.step()).err());
    let Some(WatchError::Diverged { step }) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(step, trainer.steps_made() + 1);
    // What is shown of the model says so too, and sends the page no number that is none.
    let examined = block_on(trainer.evaluate());
    assert!(
        matches!(examined, Err(WatchError::Diverged { .. })),
        "{examined:?}"
    );
}

/// The loss of what was observed, as the trained model has it after an edit.
fn loss(checkpoint: &Checkpoint, input: &str, observation: &Observation, edits: &[Edit]) -> f32 {
    let target: Vec<u32> = observation
        .predictions
        .iter()
        .map(|p| p.expected.id)
        .collect();
    let scores = block_on(checkpoint.score(input, &target, edits, &Device::flex())).unwrap();
    -scores.iter().sum::<f32>() / scores.len() as f32
}

#[test]
fn gradients_are_what_the_loss_does_when_weights_change() {
    for (settings, input) in [(tiny(), "abca="), (tiny_pair(), "abca")] {
        let mut trainer = new(settings);
        losses(&mut trainer, 40);
        trainer.watch_input("abca").unwrap();
        let observation = block_on(trainer.observe()).unwrap();
        let checkpoint = loaded(block_on(trainer.trained()).unwrap());
        let same = loss(&checkpoint, input, &observation, &[]);
        assert!(
            (same - observation.loss).abs() < 1e-4,
            "{same} {}",
            observation.loss
        );
        for record in &observation.attention {
            let site = record.layer.at(Quantity::Pattern);
            // The place where the loss asks for most.
            let gradient = &record.gradient.data;
            let place = (0..gradient.len())
                .max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs()))
                .unwrap();
            let moved = |by: f32| {
                let mut array = record.weights.clone();
                array.data[place] += by;
                let edits = [Edit::Replace { site, array }];
                loss(&checkpoint, input, &observation, &edits)
            };
            let slope = (moved(0.005) - moved(-0.005)) / 0.01;
            let error = (slope - gradient[place]).abs();
            assert!(
                error < 2e-3 + 0.05 * slope.abs(),
                "{site}: {slope} {}",
                gradient[place]
            );
        }
    }
}

/// Each row of a recurrent decoder's alignment moves the states after it, and with them the rows after it; Luong's moves
/// none.
#[test]
fn gradients_of_an_alignment_are_what_the_loss_does_when_a_row_changes() {
    for attention in [RecurrentAttention::Bahdanau, LOCAL] {
        let mut trainer = new(tiny_recurrent(attention));
        losses(&mut trainer, 40);
        trainer.watch_input("abca").unwrap();
        let observation = block_on(trainer.observe()).unwrap();
        let checkpoint = loaded(block_on(trainer.trained()).unwrap());
        let [record] = &observation.attention[..] else {
            panic!("one alignment")
        };
        // Five tokens are written, the end too, and as many read.
        assert_eq!(record.weights.shape, [1, 5, 5]);
        assert_eq!(record.gradient.shape, record.weights.shape);
        let moved = |query: usize, key: usize, by: f32| {
            let mut weights = record.weights.row(&[0, query]).unwrap().to_vec();
            weights[key] += by;
            let attention: AttentionLayer = record.layer;
            let edits = [Edit::Pattern {
                attention,
                head: 0,
                query,
                weights,
            }];
            loss(&checkpoint, "abca", &observation, &edits)
        };
        for (place, gradient) in record.gradient.data.iter().enumerate() {
            let (query, key) = (place / 5, place % 5);
            let slope = (moved(query, key, 0.005) - moved(query, key, -0.005)) / 0.01;
            let error = (slope - gradient).abs();
            assert!(
                error < 2e-3 + 0.05 * slope.abs(),
                "{attention:?} {query} {key}: {slope} {gradient}"
            );
        }
    }
}

#[test]
fn the_trained_model_is_a_model_like_others() {
    let recurrent = tiny_recurrent(RecurrentAttention::Bahdanau);
    for (settings, input) in [
        (tiny(), "bcad="),
        (tiny_pair(), "bcad"),
        (recurrent, "bcad"),
    ] {
        let mut trainer = new(settings);
        while !trainer.is_finished() {
            block_on(trainer.step()).unwrap();
        }
        trainer.watch_input("bcad").unwrap();
        let observed = block_on(trainer.observe()).unwrap();
        let best: String = observed
            .predictions
            .iter()
            .map(|p| p.best.text.as_str())
            .collect();
        assert_eq!(best, "bcad</s>");
        for record in &observed.attention {
            assert_eq!(record.weights.shape, record.gradient.shape);
            let rows = record.weights.data.chunks(record.weights.shape[2]);
            for row in rows {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
        }
        let checkpoint = loaded(block_on(trainer.trained()).unwrap());
        let options = attention_model::inference::RunOptions {
            search: attention_trace::Search::Greedy,
            prefix: vec![],
            max_new_tokens: 10,
            quantities: attention_trace::Quantities::NONE,
            edits: vec![],
        };
        let device = Device::flex();
        let decoded = block_on(checkpoint.decode(input, &options, &device, async |_| true));
        let decoded = decoded.unwrap();
        assert_eq!(
            checkpoint.tokenizer.decode(&decoded[0].tokens).unwrap(),
            "bcad"
        );
    }
}

/// Names of the tensors of a file, all of one precision.
fn names(weights: &[u8], dtype: Dtype) -> Vec<String> {
    let file = SafeTensors::deserialize(weights).unwrap();
    assert!(
        file.tensors()
            .iter()
            .all(|(_, tensor)| tensor.dtype() == dtype)
    );
    let mut names: Vec<String> = file.names().into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    names
}

fn entries(config: &[u8]) -> Vec<String> {
    let config: serde_json::Map<String, serde_json::Value> =
        serde_json::from_slice(config).unwrap();
    config.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn files_are_as_those_that_transformers_reads() {
    // These two are compared with what `transformers` makes of them (`tests/parity/src/trained.rs`).
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/models");
    for (mut settings, layers, model) in [
        (tiny(), 2, "positions/rope"),
        (tiny_pair(), 3, "translator"),
        // Which `transformers` does not have: what this page's own model is.
        (
            tiny_recurrent(RecurrentAttention::Bahdanau),
            1,
            "recurrent/bahdanau",
        ),
    ] {
        settings.shape.layers = layers;
        let trained = block_on(new(settings).trained()).unwrap();
        let read = |name: &str| fs::read(shipped.join(model).join(name)).unwrap();
        assert_eq!(
            names(&trained.weights, Dtype::F32),
            names(&read("model.safetensors"), Dtype::F16)
        );
        let own = entries(trained.config.as_bytes());
        assert!(own.iter().any(|name| name == "training"));
        // The task of a recipe, what it keeps apart of its data, and a number of T5's that this one sets and others leave out.
        let particular = ["task", "long_test", "relative_attention_max_distance"];
        for entry in entries(&read("config.json")) {
            let is_there = own.contains(&entry) || particular.contains(&entry.as_str());
            assert!(is_there, "{model}: {entry}");
        }
    }
}

#[test]
fn the_settings_beside_the_recipes_are_allowed() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("recipes/watched");
    let read = |path: &Path| -> TrainingSettings {
        toml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    for entry in fs::read_dir(&directory).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(read(&path).check(), Ok(()), "{}", path.display());
    }
    assert_eq!(
        read(&directory.join("copy.toml")),
        TrainingSettings::default()
    );
}
