//! Names of settings, runs and their faults in the page's language.

use attention_protocol::training::{TrainingDevice, TrainingFailure};
use attention_trace::training::{
    Architecture, CheckedPart, ExampleFault, Number, Shape, Side, TrainingFault, TrainingSettings,
};
use leptos_i18n::I18nContext;

use attention_core::{
    i18n::{Locale, t_string},
    names::{attention_name, encoding_name, task_name},
    training::{Phase, RunProblem},
    widgets::numbers::{apart, grouped},
};

/// Returns the name of a number in the settings.
pub fn number_name(i18n: I18nContext<Locale>, number: Number) -> &'static str {
    match number {
        Number::Layers => t_string!(i18n, training.layers),
        Number::Heads => t_string!(i18n, training.heads),
        Number::Width => t_string!(i18n, training.width),
        Number::Letters => t_string!(i18n, training.letters),
        Number::Shortest => t_string!(i18n, training.shortest),
        Number::Longest => t_string!(i18n, training.longest),
        Number::Places => t_string!(i18n, training.places),
        Number::Digits => t_string!(i18n, training.digits),
        Number::Brackets => t_string!(i18n, training.brackets),
        Number::Batch => t_string!(i18n, training.batch),
        Number::Steps => t_string!(i18n, training.steps),
        Number::WarmupSteps => t_string!(i18n, training.warmup),
    }
}

/// A run's settings in a line.
pub fn summary(i18n: I18nContext<Locale>, settings: &TrainingSettings) -> String {
    let task = task_name(i18n, settings.task.kind());
    let rate = t_string!(
        i18n,
        training.rate_and_seed,
        rate = settings.optimizer.schedule.peak,
        seed = settings.seed
    );
    [vec![task], shape_words(i18n, settings.shape), vec![rate]]
        .concat()
        .join(" · ")
}

/// Returns a model's features, each in a few words.
fn shape_words(i18n: I18nContext<Locale>, shape: Shape) -> Vec<String> {
    let stacks = match shape.architecture {
        Architecture::DecoderOnly => t_string!(i18n, training.decoder_only),
        Architecture::EncoderDecoder => t_string!(i18n, training.encoder_decoder),
        Architecture::Recurrent(attention) => {
            return vec![
                t_string!(i18n, training.recurrent).to_owned(),
                attention_name(i18n, attention).to_owned(),
                format!("d {}", shape.width),
            ];
        }
    };
    let sizes = t_string!(
        i18n,
        training.sizes,
        layers = shape.layers,
        heads = shape.heads,
        width = shape.width
    );
    let mut words = vec![
        stacks.to_owned(),
        sizes,
        encoding_name(i18n, shape.positions),
    ];
    if shape.architecture == Architecture::DecoderOnly && shape.head_norm {
        words.push(t_string!(i18n, training.qk_norm).to_owned());
    }
    words
}

pub fn device_name(i18n: I18nContext<Locale>, device: TrainingDevice) -> &'static str {
    match device {
        TrainingDevice::Cpu => t_string!(i18n, engine.cpu),
        TrainingDevice::WebGpu {
            allow_software: false,
        } => t_string!(i18n, engine.webgpu),
        TrainingDevice::WebGpu {
            allow_software: true,
        } => t_string!(i18n, engine.webgpu_software),
    }
}

/// Returns the reason why the CPU trains a run that was meant for WebGPU.
pub fn gave_up_words(i18n: I18nContext<Locale>, problem: &RunProblem) -> String {
    let reason = match problem {
        RunProblem::Died(reason) => {
            t_string!(i18n, training.webgpu_died, reason = reason.clone())
        }
        RunProblem::Silent => t_string!(i18n, training.webgpu_silent).to_owned(),
        RunProblem::Failure(failure) => failure_words(i18n, failure),
    };
    t_string!(i18n, training.on_cpu, reason = reason)
}

pub fn phase_words(i18n: I18nContext<Locale>, phase: &Phase) -> &'static str {
    match phase {
        Phase::Starting => t_string!(i18n, training.starting),
        Phase::Training => t_string!(i18n, training.in_training),
        Phase::Pausing => t_string!(i18n, training.pausing),
        Phase::Paused => t_string!(i18n, training.paused),
        Phase::Finished => t_string!(i18n, training.finished),
        Phase::Failed(_) => t_string!(i18n, training.ended),
    }
}

/// Returns the reason why a run ended.
pub fn problem_words(i18n: I18nContext<Locale>, problem: &RunProblem) -> String {
    match problem {
        RunProblem::Died(reason) => t_string!(i18n, training.died, reason = reason.clone()),
        RunProblem::Silent => t_string!(i18n, training.silent).to_owned(),
        RunProblem::Failure(failure) => failure_words(i18n, failure),
    }
}

fn failure_words(i18n: I18nContext<Locale>, failure: &TrainingFailure) -> String {
    match failure {
        TrainingFailure::Settings { fault } => fault_words(i18n, fault),
        TrainingFailure::Example { fault } => example_words(i18n, fault),
        TrainingFailure::Diverged { step } => {
            t_string!(i18n, training.diverged, step = grouped(*step as u64))
        }
        TrainingFailure::Checkpoint { reason } => {
            t_string!(i18n, training.bad_checkpoint, reason = reason.clone())
        }
        TrainingFailure::NotStarted => t_string!(i18n, training.not_started).to_owned(),
        TrainingFailure::NoWebGpu => t_string!(i18n, training.no_webgpu).to_owned(),
        TrainingFailure::WrongNumbers { part, difference } => {
            let part = part_name(i18n, *part);
            match difference {
                Some(difference) => t_string!(
                    i18n,
                    training.wrong_numbers,
                    part = part,
                    difference = apart(*difference)
                ),
                None => t_string!(i18n, training.not_numbers, part = part),
            }
        }
        TrainingFailure::DeviceLost { reason } => {
            t_string!(i18n, training.device_lost, reason = reason.clone())
        }
        TrainingFailure::Engine { reason } => {
            t_string!(i18n, training.engine_failed, reason = reason.clone())
        }
        TrainingFailure::Protocol { reason } => {
            t_string!(i18n, lessons.protocol, reason = reason.clone())
        }
    }
}

fn part_name(i18n: I18nContext<Locale>, part: CheckedPart) -> &'static str {
    match part {
        CheckedPart::Loss => t_string!(i18n, training.part_loss),
        CheckedPart::Gradients => t_string!(i18n, training.part_gradients),
        CheckedPart::Steps => t_string!(i18n, training.part_steps),
        CheckedPart::Examination => t_string!(i18n, training.part_examination),
    }
}

/// Returns the reason why a run cannot begin, with a remedy.
pub fn fault_words(i18n: I18nContext<Locale>, fault: &TrainingFault) -> String {
    match fault {
        &TrainingFault::Range {
            number,
            value,
            least,
            most,
        } => t_string!(
            i18n,
            training.out_of_range,
            name = number_name(i18n, number),
            value = value,
            least = least,
            most = most
        ),
        TrainingFault::Rate { least, most, .. } => {
            t_string!(i18n, training.bad_rate, least = *least, most = *most)
        }
        &TrainingFault::Heads { width, heads } => {
            t_string!(i18n, training.uneven_heads, width = width, heads = heads)
        }
        &TrainingFault::Directions { width } => {
            t_string!(i18n, training.uneven_directions, width = width)
        }
        TrainingFault::Positions => t_string!(i18n, training.bad_positions).to_owned(),
        TrainingFault::DecoderOnly { task } => {
            t_string!(
                i18n,
                training.needs_decoder_only,
                task = task_name(i18n, *task)
            )
        }
        &TrainingFault::Lengths { shortest, longest } => t_string!(
            i18n,
            training.bad_lengths,
            shortest = shortest,
            longest = longest
        ),
        &TrainingFault::TooFarBack { places, shortest } => t_string!(
            i18n,
            training.too_far_back,
            places = places,
            shortest = shortest
        ),
        &TrainingFault::Different { letters } => {
            t_string!(i18n, training.different_letters, letters = letters)
        }
        TrainingFault::NoExamples => t_string!(i18n, training.no_examples).to_owned(),
        &TrainingFault::TooManyExamples { count, most } => {
            t_string!(i18n, training.too_many_examples, count = count, most = most)
        }
        &TrainingFault::EmptySide { example, side } => match side {
            Side::Input => t_string!(i18n, training.no_input, example = example),
            Side::Output => t_string!(i18n, training.no_output, example = example),
        },
        &TrainingFault::TooLong {
            example,
            characters,
            most,
        } => t_string!(
            i18n,
            training.too_long,
            example = example,
            characters = characters,
            most = most
        ),
        &TrainingFault::TooManyCharacters { count, most } => t_string!(
            i18n,
            training.too_many_characters,
            count = count,
            most = most
        ),
    }
}

/// Returns the reason why an input cannot be watched.
pub fn example_words(i18n: I18nContext<Locale>, fault: &ExampleFault) -> String {
    match *fault {
        ExampleFault::Empty => t_string!(i18n, training.input_empty).to_owned(),
        ExampleFault::Character { character } => {
            t_string!(i18n, training.input_character, character = character)
        }
        ExampleFault::TooLong { characters, most } => t_string!(
            i18n,
            training.input_too_long,
            characters = characters,
            most = most
        ),
        ExampleFault::NoSum => t_string!(i18n, training.input_no_sum).to_owned(),
        ExampleFault::NothingOpen => t_string!(i18n, training.input_nothing_open).to_owned(),
        ExampleFault::NoNumeral => t_string!(i18n, training.input_no_numeral).to_owned(),
        ExampleFault::UnknownInput => t_string!(i18n, training.input_unknown).to_owned(),
    }
}
