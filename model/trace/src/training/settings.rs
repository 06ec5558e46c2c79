//! Settings of a training run: the same settings make the same run.

use serde::{Deserialize, Serialize};

use super::config::LearnerConfig;
use super::fault::{Number, TrainingFault};
use super::schedule::{Decay, Schedule};
use super::task::{Sequences, Task};
use super::vocabulary::Vocabulary;
use crate::positions::PositionalEncoding;
use crate::{AlignmentScore, RecurrentAttention};

/// The most tokens that a trained model reads at once.
pub const CONTEXT: usize = 128;

/// The inner width of a feed-forward network as a multiple of the residual stream's width.
pub const FEED_FORWARD_FACTOR: usize = 2;

/// The learning rates that may be chosen; the highest let a visitor watch a run diverge.
pub const RATES: std::ops::RangeInclusive<f64> = 1e-6..=10.0;

/// All settings that determine the computation of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSettings {
    /// The task that is learned.
    pub task: Task,
    /// The shape of the model that learns.
    pub shape: Shape,
    /// The settings of the optimizer that finds the weights.
    pub optimizer: OptimizerSettings,
    /// Seed of the first weights and of the examples.
    pub seed: u32,
}

/// The model's architecture and sizes. Positions, layers and heads are a Transformer's: of a recurrent model they say
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// The stacks of the model.
    pub architecture: Architecture,
    /// The way of encoding positions.
    pub positions: PositionalEncoding,
    /// Layers of each stack.
    pub layers: usize,
    /// Heads of each layer.
    pub heads: usize,
    /// Width of the residual stream; of a recurrent model, of its states and embeddings.
    pub width: usize,
    /// False if the layers of a decoder-only model have attention alone, without feed-forward networks.
    #[serde(default = "yes")]
    pub feed_forward: bool,
    /// True if a decoder-only model normalises queries and keys head by head (QK-norm), as Qwen3 does.
    #[serde(default)]
    pub head_norm: bool,
}

fn yes() -> bool {
    true
}

/// The stacks of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Architecture {
    /// A decoder alone, in Llama's layout.
    DecoderOnly,
    /// An encoder and a decoder, in Marian's layout.
    EncoderDecoder,
    /// A recurrent encoder and decoder, gated recurrent units; how the decoder looks at the encoder's states.
    Recurrent(RecurrentAttention),
}

impl Architecture {
    /// All that are offered.
    pub const ALL: [Architecture; 5] = [
        Architecture::DecoderOnly,
        Architecture::EncoderDecoder,
        Architecture::Recurrent(RecurrentAttention::None),
        Architecture::Recurrent(RecurrentAttention::Bahdanau),
        Architecture::LUONG,
    ];

    /// A recurrent model with Luong's attention, as in the page's own model: every state, by `sᵀWh`.
    pub const LUONG: Self = Architecture::Recurrent(RecurrentAttention::Luong {
        score: AlignmentScore::General,
        window: None,
    });

    /// The ways to know positions that a model of it is trained with: none where it reads one token after another.
    pub fn positions(self) -> &'static [PositionalEncoding] {
        match self {
            Architecture::DecoderOnly => &PositionalEncoding::ALL,
            Architecture::EncoderDecoder => &[PositionalEncoding::Sinusoidal],
            Architecture::Recurrent(_) => &[],
        }
    }

    /// True if an encoder reads the text that the decoder writes from.
    pub fn has_encoder(self) -> bool {
        self != Architecture::DecoderOnly
    }

    /// Returns a recurrent decoder's way of attending to the encoder's states; `None` for a Transformer.
    pub fn recurrence(self) -> Option<RecurrentAttention> {
        match self {
            Architecture::Recurrent(attention) => Some(attention),
            Architecture::DecoderOnly | Architecture::EncoderDecoder => None,
        }
    }
}

/// The settings of the optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizerSettings {
    /// The rule that computes a step from a gradient.
    pub kind: OptimizerKind,
    /// The learning rate over time.
    pub schedule: Schedule,
    /// Examples of a step.
    pub batch: usize,
    /// The number of steps in all.
    pub steps: usize,
}

/// A rule that computes a step from a gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptimizerKind {
    /// Adam (Kingma & Ba 2015) with β₁ 0.9, β₂ 0.98 and ε 10⁻⁹, as in "Attention Is All You Need".
    Adam,
    /// The same with a decoupled weight decay of 0.01 (Loshchilov & Hutter 2019).
    AdamW,
    /// Stochastic gradient descent with a momentum of 0.9.
    Sgd,
}

impl OptimizerKind {
    /// All kinds of optimizers.
    pub const ALL: [OptimizerKind; 3] = [
        OptimizerKind::Adam,
        OptimizerKind::AdamW,
        OptimizerKind::Sgd,
    ];
}

/// Copying, which a model of these sizes learns within a minute or two on one thread.
impl Default for TrainingSettings {
    fn default() -> Self {
        TrainingSettings {
            task: Task::Copy {
                sequences: Sequences::default(),
            },
            shape: Shape::default(),
            optimizer: OptimizerSettings::default(),
            seed: 1,
        }
    }
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            architecture: Architecture::DecoderOnly,
            positions: PositionalEncoding::Rope,
            layers: 2,
            heads: 4,
            width: 32,
            feed_forward: true,
            head_norm: false,
        }
    }
}

impl Default for OptimizerSettings {
    fn default() -> Self {
        OptimizerSettings {
            kind: OptimizerKind::Adam,
            schedule: Schedule {
                peak: 0.005,
                warmup_steps: 50,
                decay: Decay::Cosine,
            },
            batch: 32,
            steps: 1_000,
        }
    }
}

impl TrainingSettings {
    /// Checks that a run can begin with these settings.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), TrainingFault> {
        self.task.check()?;
        self.shape.check()?;
        if self.shape.architecture.has_encoder() && !self.task.has_output() {
            return Err(TrainingFault::DecoderOnly {
                task: self.task.kind(),
            });
        }
        self.optimizer.check()?;
        self.vocabulary().map(drop)
    }

    /// The tokens of the model.
    ///
    /// # Errors
    /// If the visitor's own text has too many different characters.
    pub fn vocabulary(&self) -> Result<Vocabulary, TrainingFault> {
        Vocabulary::of(&self.task, self.shape.architecture)
    }

    /// The configuration of a model with a vocabulary of so many tokens.
    pub fn config(&self, vocabulary: usize) -> LearnerConfig {
        LearnerConfig::of(self.shape, vocabulary)
    }
}

impl Shape {
    fn check(&self) -> Result<(), TrainingFault> {
        check(Number::Width, self.width)?;
        match self.architecture {
            Architecture::Recurrent(attention) => self.check_directions(attention),
            Architecture::DecoderOnly | Architecture::EncoderDecoder => self.check_layers(),
        }
    }

    /// The two directions of Bahdanau's encoder share the width.
    fn check_directions(&self, attention: RecurrentAttention) -> Result<(), TrainingFault> {
        let width = self.width;
        match attention == RecurrentAttention::Bahdanau && !width.is_multiple_of(2) {
            true => Err(TrainingFault::Directions { width }),
            false => Ok(()),
        }
    }

    fn check_layers(&self) -> Result<(), TrainingFault> {
        check(Number::Layers, self.layers)?;
        check(Number::Heads, self.heads)?;
        // Positions pair the dimensions of a head.
        if !self.width.is_multiple_of(2 * self.heads) {
            return Err(TrainingFault::Heads {
                width: self.width,
                heads: self.heads,
            });
        }
        match self.architecture.positions().contains(&self.positions) {
            true => Ok(()),
            false => Err(TrainingFault::Positions),
        }
    }
}

impl OptimizerSettings {
    fn check(&self) -> Result<(), TrainingFault> {
        check(Number::Batch, self.batch)?;
        check(Number::Steps, self.steps)?;
        check(Number::WarmupSteps, self.schedule.warmup_steps)?;
        let peak = self.schedule.peak;
        match RATES.contains(&peak) {
            true => Ok(()),
            false => Err(TrainingFault::Rate {
                value: peak.is_finite().then_some(peak),
                least: *RATES.start(),
                most: *RATES.end(),
            }),
        }
    }
}

/// Refuses a number that is out of its range.
pub(super) fn check(number: Number, value: usize) -> Result<(), TrainingFault> {
    let range = number.range();
    match range.contains(&value) {
        true => Ok(()),
        false => Err(TrainingFault::Range {
            number,
            value,
            least: *range.start(),
            most: *range.end(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::training::TaskKind;

    fn refused(change: fn(&mut TrainingSettings)) -> TrainingFault {
        let mut settings = TrainingSettings::default();
        change(&mut settings);
        settings.check().unwrap_err()
    }

    #[test]
    fn the_first_settings_are_allowed_and_wrong_ones_are_named() {
        assert_eq!(TrainingSettings::default().check(), Ok(()));
        assert!(matches!(
            refused(|settings| settings.shape.heads = 3),
            TrainingFault::Heads {
                width: 32,
                heads: 3
            }
        ));
        assert!(matches!(
            refused(|settings| settings.shape.layers = 7),
            TrainingFault::Range {
                number: Number::Layers,
                value: 7,
                least: 1,
                most: 6
            }
        ));
        assert!(matches!(
            refused(|settings| settings.optimizer.schedule.peak = f64::NAN),
            TrainingFault::Rate { value: None, .. }
        ));
        assert_eq!(
            refused(|settings| settings.shape.architecture = Architecture::EncoderDecoder),
            TrainingFault::Positions
        );
        assert_eq!(
            refused(|settings| {
                settings.shape.architecture = Architecture::EncoderDecoder;
                settings.shape.positions = PositionalEncoding::Sinusoidal;
                settings.task = Task::Lines {
                    text: "a".to_owned(),
                };
            }),
            TrainingFault::DecoderOnly {
                task: TaskKind::Lines
            }
        );
    }

    #[test]
    fn a_recurrent_model_has_a_width_alone() {
        let recurrent = |attention, width| {
            let mut settings = TrainingSettings::default();
            settings.shape.architecture = Architecture::Recurrent(attention);
            // A Transformer's, and wrong ones.
            (settings.shape.layers, settings.shape.heads) = (0, 99);
            settings.shape.width = width;
            settings.check()
        };
        assert_eq!(recurrent(RecurrentAttention::None, 33), Ok(()));
        assert_eq!(recurrent(RecurrentAttention::Bahdanau, 34), Ok(()));
        assert_eq!(
            recurrent(RecurrentAttention::Bahdanau, 33),
            Err(TrainingFault::Directions { width: 33 })
        );
        assert!(matches!(
            recurrent(RecurrentAttention::None, 7),
            Err(TrainingFault::Range {
                number: Number::Width,
                ..
            })
        ));
        let lines = refused(|settings| {
            settings.shape.architecture = Architecture::LUONG;
            settings.task = Task::Lines {
                text: "a".to_owned(),
            };
        });
        assert!(matches!(lines, TrainingFault::DecoderOnly { .. }));
    }

    #[test]
    fn an_architecture_is_read_by_name() {
        for (architecture, json) in [
            (Architecture::DecoderOnly, r#""decoder_only""#),
            (
                Architecture::Recurrent(RecurrentAttention::Bahdanau),
                r#"{"recurrent":{"kind":"bahdanau"}}"#,
            ),
            (
                Architecture::LUONG,
                r#"{"recurrent":{"kind":"luong","score":"general"}}"#,
            ),
        ] {
            let read: Architecture = serde_json::from_str(json).unwrap();
            assert_eq!(read, architecture);
            assert_eq!(serde_json::to_string(&architecture).unwrap(), json);
        }
    }

    #[test]
    fn norms_of_queries_and_keys_add_their_gains_alone() {
        let parameters = |head_norm| {
            let mut settings = TrainingSettings::default();
            settings.shape.head_norm = head_norm;
            settings.config(20).parameters()
        };
        // Two layers, heads of width 8, a gain for each component of queries and of keys.
        assert_eq!(parameters(true), parameters(false) + 2 * 2 * 8);
    }

    #[test]
    fn an_entry_that_is_misspelt_is_refused() {
        let mut settings = serde_json::to_value(TrainingSettings::default()).unwrap();
        let read = |settings: &serde_json::Value| {
            serde_json::from_value::<TrainingSettings>(settings.clone())
        };
        assert!(read(&settings).is_ok());
        settings["shape"]["head_norms"] = true.into();
        assert!(read(&settings).is_err());
    }

    proptest! {
        #[test]
        fn what_is_allowed_can_be_built(
            layers in 0usize..8,
            heads in 0usize..10,
            width in 0usize..300,
            way in 0usize..6,
            architecture in 0usize..5,
            feed_forward in any::<bool>(),
            head_norm in any::<bool>(),
        ) {
            let architecture = Architecture::ALL[architecture];
            let positions = PositionalEncoding::ALL[way];
            let shape = Shape { architecture, positions, layers, heads, width, feed_forward, head_norm };
            let settings = TrainingSettings { shape, ..TrainingSettings::default() };
            if settings.check().is_ok() {
                let config = settings.config(settings.vocabulary().unwrap().len());
                prop_assert_eq!(config.validate(), Ok(()));
                prop_assert!(config.parameters() > 0);
            }
        }

        #[test]
        fn settings_survive_the_way(seed in any::<u32>(), thousandths in 1u32..10_000) {
            let mut settings = TrainingSettings { seed, ..TrainingSettings::default() };
            settings.optimizer.schedule.peak = f64::from(thousandths) / 1_000.0;
            let json = serde_json::to_string(&settings).unwrap();
            prop_assert_eq!(serde_json::from_str::<TrainingSettings>(&json).unwrap(), settings);
        }
    }
}
