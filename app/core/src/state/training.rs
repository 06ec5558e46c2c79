//! Training settings in the address.

use attention_trace::{
    RecurrentAttention,
    training::{
        Architecture, Decay, Number, OptimizerKind, OptimizerSettings, Schedule, Sequences, Shape,
        Task, TaskKind, TrainingSettings,
    },
};

use super::{reader::Reader, values::AddressValue, writer::Writer};

/// The first pairs shown to a visitor who chooses to write some.
const PAIRS: &str = "one = un\ntwo = deux\nthree = trois\nfour = quatre\nfive = cinq\nsix = six";
/// The first lines shown to a visitor who chooses to write some.
const LINES: &str = "the cat sat on the mat\nthe dog sat on the log\nthe cow lay in the hay";

/// Spells the settings in the form of a query.
pub fn spelled_settings(settings: &TrainingSettings) -> String {
    let mut fragment = Writer::new();
    write_settings(settings, &mut fragment);
    fragment.finish()
}

/// The inverse of [`spelled_settings`]; whatever is missing or unknown is at its default.
pub fn settings_from(spelled: &str) -> TrainingSettings {
    read_settings(&Reader::new(spelled))
}

/// Returns a task of another kind, over the same letters if both have letters.
pub fn switched(task: &Task, kind: TaskKind) -> Task {
    let mut switched = standard(kind);
    if let (Some(sequences), Some(before)) = (sequences_mut(&mut switched), sequences(task)) {
        *sequences = before;
    }
    switched
}

/// Returns a number of the settings by its name; `None` if neither the task nor the model has one of that name.
pub fn number_mut(settings: &mut TrainingSettings, number: Number) -> Option<&mut usize> {
    let TrainingSettings {
        task,
        shape,
        optimizer,
        ..
    } = settings;
    let is_recurrent = shape.architecture.recurrence().is_some();
    Some(match (number, task) {
        (Number::Layers | Number::Heads, _) if is_recurrent => return None,
        (Number::Layers, _) => &mut shape.layers,
        (Number::Heads, _) => &mut shape.heads,
        (Number::Width, _) => &mut shape.width,
        (Number::Batch, _) => &mut optimizer.batch,
        (Number::Steps, _) => &mut optimizer.steps,
        (Number::WarmupSteps, _) => &mut optimizer.schedule.warmup_steps,
        (Number::Letters, task) => &mut sequences_mut(task)?.letters,
        (Number::Shortest, task) => &mut sequences_mut(task)?.shortest,
        (Number::Longest, task) => &mut sequences_mut(task)?.longest,
        (Number::Places, Task::Back { places, .. }) => places,
        (Number::Digits, Task::Addition { digits } | Task::Numerals { digits }) => digits,
        (Number::Brackets, Task::Brackets { longest }) => longest,
        (Number::Places | Number::Digits | Number::Brackets, _) => return None,
    })
}

/// Returns the default task of a kind.
fn standard(kind: TaskKind) -> Task {
    let sequences = Sequences::default();
    match kind {
        TaskKind::Back => Task::Back {
            places: 3,
            sequences: Sequences {
                shortest: 4,
                ..sequences
            },
        },
        TaskKind::Repeat => Task::Repeat {
            sequences: Sequences {
                letters: 16,
                longest: 12,
                ..sequences
            },
        },
        TaskKind::Copy => Task::Copy { sequences },
        TaskKind::Reverse => Task::Reverse { sequences },
        TaskKind::Sort => Task::Sort { sequences },
        TaskKind::Addition => Task::Addition { digits: 2 },
        TaskKind::Brackets => Task::Brackets { longest: 8 },
        TaskKind::Numerals => Task::Numerals { digits: 2 },
        TaskKind::Lines => Task::Lines {
            text: LINES.to_owned(),
        },
        TaskKind::Pairs => Task::Pairs {
            text: PAIRS.to_owned(),
        },
    }
}

/// Returns the sequences of a task, if it has any.
fn sequences(task: &Task) -> Option<Sequences> {
    match *task {
        Task::Back { sequences, .. }
        | Task::Repeat { sequences }
        | Task::Copy { sequences }
        | Task::Reverse { sequences }
        | Task::Sort { sequences } => Some(sequences),
        _ => None,
    }
}

fn sequences_mut(task: &mut Task) -> Option<&mut Sequences> {
    match task {
        Task::Back { sequences, .. }
        | Task::Repeat { sequences }
        | Task::Copy { sequences }
        | Task::Reverse { sequences }
        | Task::Sort { sequences } => Some(sequences),
        _ => None,
    }
}

/// Writes what differs from the default.
pub fn write_settings(settings: &TrainingSettings, fragment: &mut Writer) {
    let first = TrainingSettings::default();
    let TrainingSettings {
        task,
        shape,
        optimizer,
        seed,
    } = settings;
    fragment.choice("train-task", task.kind(), first.task.kind());
    write_task(task, fragment);
    fragment.choice("train-stacks", shape.architecture, first.shape.architecture);
    fragment.choice("train-positions", shape.positions, first.shape.positions);
    fragment.number("train-layers", shape.layers, first.shape.layers);
    fragment.number("train-heads", shape.heads, first.shape.heads);
    fragment.number("train-d", shape.width, first.shape.width);
    let (network, standard) = (shape.feed_forward, first.shape.feed_forward);
    fragment.number("train-mlp", u8::from(network), u8::from(standard));
    let digit = |shape: Shape| u8::from(shape.head_norm);
    fragment.number("train-qk-norm", digit(*shape), digit(first.shape));
    let (schedule, standard) = (&optimizer.schedule, &first.optimizer.schedule);
    fragment.choice("train-optimizer", optimizer.kind, first.optimizer.kind);
    fragment.number("train-rate", schedule.peak, standard.peak);
    fragment.number("train-warmup", schedule.warmup_steps, standard.warmup_steps);
    fragment.choice("train-decay", schedule.decay, standard.decay);
    fragment.number("train-batch", optimizer.batch, first.optimizer.batch);
    fragment.number("train-steps", optimizer.steps, first.optimizer.steps);
    fragment.number("train-seed", *seed, first.seed);
}

fn write_task(task: &Task, fragment: &mut Writer) {
    let first = standard(task.kind());
    if let (Some(own), Some(first)) = (sequences(task), sequences(&first)) {
        fragment.number("train-letters", own.letters, first.letters);
        fragment.number("train-shortest", own.shortest, first.shortest);
        fragment.number("train-longest", own.longest, first.longest);
    }
    match (task, &first) {
        (Task::Back { places: own, .. }, Task::Back { places, .. }) => {
            fragment.number("train-back", own, places);
        }
        (Task::Addition { digits: own }, Task::Addition { digits })
        | (Task::Numerals { digits: own }, Task::Numerals { digits }) => {
            fragment.number("train-digits", own, digits);
        }
        (Task::Brackets { longest: own }, Task::Brackets { longest }) => {
            fragment.number("train-brackets", own, longest);
        }
        (Task::Lines { text: own }, Task::Lines { text })
        | (Task::Pairs { text: own }, Task::Pairs { text }) => {
            fragment.text("train-text", own, text);
        }
        _ => {}
    }
}

/// Reads settings written by [`write_settings`].
pub fn read_settings(fragment: &Reader) -> TrainingSettings {
    let first = TrainingSettings::default();
    let number = |name: &str, standard: usize| fragment.number(name).unwrap_or(standard);
    let (shape, optimizer, schedule) = (first.shape, first.optimizer, first.optimizer.schedule);
    let rate = fragment.parsed("train-rate", |rate| {
        rate.parse().ok().filter(|rate: &f64| rate.is_finite())
    });
    TrainingSettings {
        task: read_task(fragment, first.task.kind()),
        shape: Shape {
            architecture: fragment
                .choice("train-stacks")
                .unwrap_or(shape.architecture),
            positions: fragment
                .choice("train-positions")
                .unwrap_or(shape.positions),
            layers: number("train-layers", shape.layers),
            heads: number("train-heads", shape.heads),
            width: number("train-d", shape.width),
            feed_forward: fragment.flag("train-mlp").unwrap_or(shape.feed_forward),
            head_norm: fragment.flag("train-qk-norm").unwrap_or(shape.head_norm),
        },
        optimizer: OptimizerSettings {
            kind: fragment.choice("train-optimizer").unwrap_or(optimizer.kind),
            schedule: Schedule {
                peak: rate.unwrap_or(schedule.peak),
                warmup_steps: number("train-warmup", schedule.warmup_steps),
                decay: fragment.choice("train-decay").unwrap_or(schedule.decay),
            },
            batch: number("train-batch", optimizer.batch),
            steps: number("train-steps", optimizer.steps),
        },
        seed: fragment.number("train-seed").unwrap_or(first.seed),
    }
}

fn read_task(fragment: &Reader, first: TaskKind) -> Task {
    // Each task has some of them.
    fragment.know(&[
        "train-letters",
        "train-shortest",
        "train-longest",
        "train-back",
        "train-digits",
        "train-brackets",
        "train-text",
    ]);
    let mut task = standard(fragment.choice("train-task").unwrap_or(first));
    let take = |name: &str, number: &mut usize| {
        *number = fragment.number(name).unwrap_or(*number);
    };
    if let Some(sequences) = sequences_mut(&mut task) {
        take("train-letters", &mut sequences.letters);
        take("train-shortest", &mut sequences.shortest);
        take("train-longest", &mut sequences.longest);
    }
    match &mut task {
        Task::Back { places, .. } => take("train-back", places),
        Task::Addition { digits } | Task::Numerals { digits } => take("train-digits", digits),
        Task::Brackets { longest } => take("train-brackets", longest),
        Task::Lines { text } | Task::Pairs { text } => {
            if let Some(own) = fragment.get("train-text") {
                own.clone_into(text);
            }
        }
        Task::Repeat { .. } | Task::Copy { .. } | Task::Reverse { .. } | Task::Sort { .. } => {}
    }
    task
}

impl AddressValue for TaskKind {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (TaskKind::Copy, "copy"),
            (TaskKind::Reverse, "reverse"),
            (TaskKind::Sort, "sort"),
            (TaskKind::Addition, "addition"),
            (TaskKind::Brackets, "brackets"),
            (TaskKind::Numerals, "numerals"),
            (TaskKind::Back, "back"),
            (TaskKind::Repeat, "repeat"),
            (TaskKind::Lines, "lines"),
            (TaskKind::Pairs, "pairs"),
        ]
    }
}

impl AddressValue for Architecture {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (Architecture::DecoderOnly, "decoder"),
            (Architecture::EncoderDecoder, "encoder-decoder"),
            (
                Architecture::Recurrent(RecurrentAttention::None),
                "recurrent-fixed",
            ),
            (
                Architecture::Recurrent(RecurrentAttention::Bahdanau),
                "recurrent-bahdanau",
            ),
            (Architecture::LUONG, "recurrent-luong"),
        ]
    }
}

impl AddressValue for OptimizerKind {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (OptimizerKind::Adam, "adam"),
            (OptimizerKind::AdamW, "adamw"),
            (OptimizerKind::Sgd, "sgd"),
        ]
    }
}

impl AddressValue for Decay {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (Decay::None, "none"),
            (Decay::Cosine, "cosine"),
            (Decay::InverseSquareRoot, "inverse-square-root"),
        ]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use attention_trace::positions::PositionalEncoding;
    use proptest::prelude::*;

    use super::*;
    use crate::state::tests::choice;

    fn task() -> impl Strategy<Value = Task> {
        let parts = (choice::<TaskKind>(), any::<[usize; 4]>(), any::<String>());
        parts.prop_map(|(kind, [letters, shortest, longest, other], own)| {
            let mut task = standard(kind);
            if let Some(sequences) = sequences_mut(&mut task) {
                *sequences = Sequences {
                    letters,
                    shortest,
                    longest,
                };
            }
            match &mut task {
                Task::Back { places: number, .. }
                | Task::Addition { digits: number }
                | Task::Numerals { digits: number }
                | Task::Brackets { longest: number } => *number = other,
                Task::Lines { text } | Task::Pairs { text } => *text = own,
                _ => {}
            }
            task
        })
    }

    prop_compose! {
        /// Generates arbitrary settings, valid or not.
        pub fn settings()(
            task in task(),
            (architecture, positions) in (choice::<Architecture>(), choice::<PositionalEncoding>()),
            [layers, heads, width] in any::<[usize; 3]>(),
            feed_forward in any::<bool>(),
            head_norm in any::<bool>(),
            (kind, decay) in (choice::<OptimizerKind>(), choice::<Decay>()),
            peak in -1e9f64..1e9,
            [warmup_steps, batch, steps] in any::<[usize; 3]>(),
            seed in any::<u32>(),
        ) -> TrainingSettings {
            TrainingSettings {
                task,
                shape: Shape { architecture, positions, layers, heads, width, feed_forward, head_norm },
                optimizer: OptimizerSettings {
                    kind,
                    schedule: Schedule { peak, warmup_steps, decay },
                    batch,
                    steps,
                },
                seed,
            }
        }
    }

    proptest! {
        #[test]
        fn settings_are_read_as_they_are_spelled(settings in settings()) {
            prop_assert_eq!(settings_from(&spelled_settings(&settings)), settings);
        }
    }

    #[test]
    fn every_task_that_is_offered_can_be_trained_at_once() {
        for kind in TaskKind::ALL {
            let settings = TrainingSettings {
                task: standard(kind),
                ..TrainingSettings::default()
            };
            assert_eq!(settings.task.kind(), kind);
            assert_eq!(settings.check(), Ok(()), "{kind:?}");
            assert_eq!(
                TaskKind::from_address_value(kind.address_value()),
                Some(kind)
            );
        }
    }

    #[test]
    fn a_number_is_found_where_the_task_has_it() {
        let mut settings = TrainingSettings::default();
        *number_mut(&mut settings, Number::Longest).unwrap() = 5;
        assert_eq!(sequences(&settings.task).unwrap().longest, 5);
        *number_mut(&mut settings, Number::Layers).unwrap() = 3;
        assert_eq!(settings.shape.layers, 3);
        assert_eq!(number_mut(&mut settings, Number::Digits), None);
        settings.task = standard(TaskKind::Addition);
        assert_eq!(number_mut(&mut settings, Number::Digits), Some(&mut 2));
        assert_eq!(number_mut(&mut settings, Number::Letters), None);
        settings.shape.architecture = Architecture::LUONG;
        assert_eq!(number_mut(&mut settings, Number::Layers), None);
        assert_eq!(number_mut(&mut settings, Number::Width), Some(&mut 32));
    }

    #[test]
    fn another_task_keeps_the_letters() {
        let few = Sequences {
            letters: 3,
            shortest: 5,
            longest: 6,
        };
        let reverse = switched(&Task::Copy { sequences: few }, TaskKind::Reverse);
        assert_eq!(reverse, Task::Reverse { sequences: few });
        let addition = switched(&reverse, TaskKind::Addition);
        assert_eq!(addition, Task::Addition { digits: 2 });
    }

    #[test]
    fn every_architecture_that_is_offered_has_a_value_in_the_address() {
        for architecture in Architecture::ALL {
            let value = architecture.address_value();
            let read = Architecture::from_address_value(value);
            assert_eq!(read, Some(architecture), "{value}");
        }
    }

    #[test]
    fn a_rate_that_is_no_number_is_not_taken() {
        let rate = |spelled| settings_from(spelled).optimizer.schedule.peak;
        let standard = TrainingSettings::default().optimizer.schedule.peak;
        assert_eq!(rate("train-rate=NaN"), standard);
        assert_eq!(rate("train-rate=inf"), standard);
        assert_eq!(rate("train-rate=0.5"), 0.5);
    }
}
