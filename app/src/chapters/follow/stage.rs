//! The stages of one head's way through a layer, as they are in each kind of model.

use attention_trace::{
    AttentionKind, ModelSpec, NormKind, NormPlacement,
    positions::{PositionalEncoding, SinusoidalLayout},
};

/// What decides which stages a head has, and their text and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// How the model knows positions.
    pub positions: PositionalEncoding,
    /// Which columns of the positions' vectors hold sines, where they are sinusoids.
    pub layout: Option<SinusoidalLayout>,
    /// The kind of attention.
    pub kind: AttentionKind,
    /// Where norms stand.
    pub norms: NormPlacement,
    /// What they compute.
    pub norm: NormKind,
    /// Whether positions see no later ones.
    pub causal: bool,
    /// Whether token embeddings are multiplied by a factor.
    pub scales_embeddings: bool,
    /// Whether the feed-forward network has a gate.
    pub gated: bool,
}

impl Setting {
    /// That of attention of this kind; of one that the model lacks, as if it normalised after adding.
    pub fn new(spec: &ModelSpec, kind: AttentionKind) -> Self {
        let stack = spec.attention(kind);
        let norm = stack.map(|stack| stack.norm);
        Setting {
            positions: spec.positions.encoding,
            layout: spec.positions.layout,
            kind,
            norms: norm.map_or(NormPlacement::Post, |norm| norm.placement),
            norm: norm.map_or(NormKind::LayerNorm, |norm| norm.kind),
            causal: stack.is_some_and(|stack| stack.causal) && kind != AttentionKind::Cross,
            scales_embeddings: spec.embedding_factor != 1.0,
            gated: stack.is_some_and(|stack| stack.feed_forward.gated),
        }
    }

    /// Whether sub-layers are given normalised copies of the residual stream.
    pub fn is_pre_norm(self) -> bool {
        self.norms == NormPlacement::Pre
    }

    /// Whether queries and keys are turned by their positions.
    pub fn rotates(self) -> bool {
        self.positions == PositionalEncoding::Rope
    }

    /// Whether keys are masked.
    pub fn masks(self) -> bool {
        self.causal
    }
}

/// A stage, named by the part of the chapter's text that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Token to embedding, and its position where that is added.
    Embed,
    /// The norm before attention, in models that normalise first.
    Norm,
    /// Queries, keys, values.
    Project,
    /// RoPE turns queries and keys.
    Rotate,
    /// The score row.
    Scores,
    /// ÷√d_k.
    Scale,
    /// T5's or ALiBi's bias by distance.
    Bias,
    /// −∞ where attention is forbidden.
    Mask,
    /// The weights.
    Softmax,
    /// Values times weights.
    Weigh,
    /// The head's output.
    Sum,
    /// All heads side by side.
    Concatenate,
    /// Times `W^O`.
    Output,
    /// Added to the residual stream, and normalised where the model does it here.
    Add,
    /// The feed-forward network.
    FeedForward,
    /// Added again.
    AddAgain,
}

impl Stage {
    /// Every stage, in the order of the computation.
    const ALL: [Stage; 16] = [
        Stage::Embed,
        Stage::Norm,
        Stage::Project,
        Stage::Rotate,
        Stage::Scores,
        Stage::Scale,
        Stage::Bias,
        Stage::Mask,
        Stage::Softmax,
        Stage::Weigh,
        Stage::Sum,
        Stage::Concatenate,
        Stage::Output,
        Stage::Add,
        Stage::FeedForward,
        Stage::AddAgain,
    ];

    /// The stages of a head.
    pub fn list(setting: Setting) -> Vec<Stage> {
        let exists = |stage: &Stage| match stage {
            Stage::Norm => setting.is_pre_norm(),
            Stage::Rotate => setting.rotates(),
            Stage::Bias => setting.positions.biases_scores(),
            Stage::Mask => setting.masks(),
            _ => true,
        };
        Self::ALL.into_iter().filter(exists).collect()
    }

    /// The stages of the lecture's worked example, which begins with queries and keys and ends with
    /// the head's output.
    pub fn worked_example() -> Vec<Stage> {
        use Stage::*;
        vec![Scores, Scale, Softmax, Weigh, Sum]
    }

    /// Whether it shows a row with a score or a weight for each key.
    pub fn has_row(self) -> bool {
        use Stage::*;
        matches!(self, Scores | Scale | Bias | Mask | Softmax | Weigh)
    }

    /// The part of the text that explains it.
    pub fn part(self, setting: Setting) -> &'static str {
        let is_pre_norm = setting.is_pre_norm();
        match self {
            Stage::Embed if setting.scales_embeddings => "embed",
            Stage::Embed => embed_part(setting.positions),
            Stage::Norm => "norm",
            Stage::Project if setting.kind == AttentionKind::Cross => "project-cross",
            Stage::Project if is_pre_norm => "project-norm",
            Stage::Project => "project",
            Stage::Rotate => "rotate",
            Stage::Scores => "scores",
            Stage::Scale => "scale",
            Stage::Bias if setting.positions == PositionalEncoding::T5 => "bias-t5",
            Stage::Bias => "bias-alibi",
            Stage::Mask => "mask",
            Stage::Softmax => "softmax",
            Stage::Weigh => "weigh",
            Stage::Sum => "sum",
            Stage::Concatenate => "concatenate",
            Stage::Output => "output",
            Stage::Add if is_pre_norm => "add",
            Stage::Add => "add-norm",
            Stage::FeedForward if setting.gated => "swiglu",
            Stage::FeedForward => "feed-forward",
            Stage::AddAgain if is_pre_norm => "add-again",
            Stage::AddAgain => "add-norm-again",
        }
    }

    /// The stage that a part explains in that setting.
    pub fn of_part(part: &str, setting: Setting) -> Option<Stage> {
        let mut stages = Self::ALL.into_iter();
        stages.find(|stage| stage.part(setting) == part)
    }
}

/// What becomes of a token's embedding, by how the model knows positions.
fn embed_part(positions: PositionalEncoding) -> &'static str {
    match positions {
        PositionalEncoding::Rope => "embed-rope",
        PositionalEncoding::None => "embed-none",
        PositionalEncoding::Learned => "embed-learned",
        PositionalEncoding::Sinusoidal => "embed-sinusoidal",
        PositionalEncoding::T5 | PositionalEncoding::Alibi => "embed-bias",
    }
}

#[cfg(test)]
mod tests {
    use PositionalEncoding::{Alibi, Learned, Rope, Sinusoidal, T5};
    use attention_trace::config::{LlamaConfig, MarianConfig};

    use super::*;

    fn translator(kind: AttentionKind) -> Setting {
        Setting::new(&MarianConfig::default().spec(), kind)
    }

    fn llama(positions: PositionalEncoding) -> Setting {
        let config = LlamaConfig {
            positions,
            ..LlamaConfig::default()
        };
        Setting::new(&config.spec(), AttentionKind::DecoderSelf)
    }

    fn settings() -> Vec<Setting> {
        let translator = AttentionKind::ALL.map(translator);
        let others = [
            Rope,
            PositionalEncoding::None,
            Learned,
            Sinusoidal,
            T5,
            Alibi,
        ];
        translator.into_iter().chain(others.map(llama)).collect()
    }

    #[test]
    fn each_model_has_its_own_stages() {
        let marian = Stage::list(translator(AttentionKind::EncoderSelf));
        for absent in [Stage::Norm, Stage::Rotate, Stage::Bias, Stage::Mask] {
            assert!(!marian.contains(&absent), "{absent:?}");
        }
        let masked = translator(AttentionKind::DecoderSelf);
        assert!(Stage::list(masked).contains(&Stage::Mask));
        let llama = Stage::list(llama(Rope));
        let place = |wanted: Stage| llama.iter().position(|&stage| stage == wanted);
        assert!(place(Stage::Norm) < place(Stage::Project));
        assert!(place(Stage::Norm).is_some() && llama.contains(&Stage::Mask));
    }

    #[test]
    fn positions_come_in_where_the_model_knows_them() {
        for setting in settings() {
            let stages = Stage::list(setting);
            let has = |stage| stages.contains(&stage);
            let positions = setting.positions;
            assert_eq!(has(Stage::Rotate), positions == Rope, "{setting:?}");
            let biased = matches!(positions, T5 | Alibi);
            assert_eq!(has(Stage::Bias), biased, "{setting:?}");
        }
        let biased = Stage::list(llama(Alibi));
        let around = biased.windows(3).find(|stages| stages[1] == Stage::Bias);
        let expected = [Stage::Scale, Stage::Bias, Stage::Mask];
        assert_eq!(around, Some(expected.as_slice()));
    }

    #[test]
    fn the_text_on_embeddings_is_that_of_the_models_positions() {
        let part = |positions| Stage::Embed.part(llama(positions));
        assert_eq!(part(Learned), "embed-learned");
        assert_eq!(part(Sinusoidal), "embed-sinusoidal");
        assert_eq!((part(T5), part(Alibi)), ("embed-bias", "embed-bias"));
        assert_eq!(part(PositionalEncoding::None), "embed-none");
        assert_eq!(Stage::Embed.part(translator(AttentionKind::Cross)), "embed");
        let bias = |positions| Stage::Bias.part(llama(positions));
        assert_eq!((bias(T5), bias(Alibi)), ("bias-t5", "bias-alibi"));
    }

    #[test]
    fn cross_attention_projects_in_its_own_words() {
        let part = |kind| Stage::Project.part(translator(kind));
        assert_eq!(part(AttentionKind::EncoderSelf), "project");
        assert_eq!(part(AttentionKind::DecoderSelf), "project");
        assert_eq!(part(AttentionKind::Cross), "project-cross");
    }

    #[test]
    fn every_stage_is_explained() {
        const TEXT: &str = include_str!("../../../../assets/locales/en/chapters/follow.md");
        for setting in settings() {
            for stage in Stage::list(setting) {
                let heading = format!("{{#{}}}", stage.part(setting));
                assert!(TEXT.contains(&heading), "{heading}");
            }
        }
    }

    #[test]
    fn a_row_of_scores_or_weights_is_there_from_the_scores_to_the_weighing() {
        for setting in settings() {
            let stages = Stage::list(setting);
            let rows: Vec<bool> = stages.iter().map(|stage| stage.has_row()).collect();
            let first = stages.iter().position(|&stage| stage == Stage::Scores);
            let last = stages.iter().position(|&stage| stage == Stage::Weigh);
            let (first, last) = (first.unwrap(), last.unwrap());
            for (index, has_row) in rows.into_iter().enumerate() {
                assert_eq!(has_row, (first..=last).contains(&index), "{setting:?}");
            }
        }
    }

    #[test]
    fn a_part_leads_back_to_its_stage() {
        for setting in settings() {
            for stage in Stage::list(setting) {
                assert_eq!(Stage::of_part(stage.part(setting), setting), Some(stage));
            }
            assert_eq!(Stage::of_part("intro", setting), None);
        }
    }
}
