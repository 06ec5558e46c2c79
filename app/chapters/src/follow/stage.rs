//! The stages of one head's way through a layer, as they are in each kind of model.

use attention_trace::{
    AttentionKind, AttentionLayer, ModelSpec, Nonlinearity, NormKind, NormPlacement,
    positions::{PositionalEncoding, SinusoidalLayout},
};

/// The properties of a model that decide which stages a head has, with their texts and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    pub positions: PositionalEncoding,
    /// The columns that hold sines in the position vectors, if these are sinusoids.
    pub layout: Option<SinusoidalLayout>,
    pub kind: AttentionKind,
    /// The placement of norms, before or after a sub-layer.
    pub norms: NormPlacement,
    pub norm: NormKind,
    /// False if the layer's attention reads the residual stream as it is, although that of other layers does not.
    pub is_normed: bool,
    /// True if positions see no later ones.
    pub causal: bool,
    /// True if token embeddings are multiplied by a factor.
    pub scales_embeddings: bool,
    /// True if a vector of the token's segment is added to its embedding.
    pub segments: bool,
    /// True if the sum of embeddings is normalised.
    pub embedding_norm: bool,
    /// True if queries and keys are normalised, each head by itself.
    pub head_norm: bool,
    /// True if queries and keys are normalised, all heads together.
    pub whole_norm: bool,
    /// False if RoPE leaves the layer's queries and keys as they are.
    pub is_rotated: bool,
    /// True if scores are divided by `√d_k`.
    pub scales_scores: bool,
    /// True if the feed-forward network has a gate.
    pub gated: bool,
    /// The feed-forward network's non-linearity.
    pub activation: Nonlinearity,
}

impl Setting {
    /// Returns the setting of attention of this kind; for a kind that the model lacks, with norms after the addition.
    pub fn new(spec: &ModelSpec, kind: AttentionKind) -> Self {
        let stack = spec.attention(kind);
        let norm = stack.and_then(|stack| stack.norm);
        let network = stack.and_then(|stack| stack.feed_forward);
        let is_own = kind != AttentionKind::Cross;
        Setting {
            positions: spec.positions.encoding,
            layout: spec.positions.layout,
            kind,
            norms: norm.map_or(NormPlacement::Post, |norm| norm.placement),
            norm: norm.map_or(NormKind::LayerNorm, |norm| norm.kind),
            is_normed: true,
            causal: stack.is_some_and(|stack| stack.causal) && is_own,
            scales_embeddings: spec.embedding_factor != 1.0,
            segments: spec.segments > 0,
            embedding_norm: spec.embedding_norm,
            head_norm: stack.is_some_and(|stack| stack.head_norm) && is_own,
            whole_norm: stack.is_some_and(|stack| stack.whole_norm) && is_own,
            is_rotated: true,
            scales_scores: spec.scales_scores,
            gated: network.is_some_and(|network| network.gated),
            activation: network.map_or(Nonlinearity::Relu, |network| network.activation),
        }
    }

    /// Returns the setting of attention in one layer.
    pub fn in_layer(spec: &ModelSpec, AttentionLayer { kind, layer }: AttentionLayer) -> Self {
        let stack = spec.attention(kind);
        Setting {
            is_rotated: stack.is_none_or(|stack| stack.attention_in(layer).rotates),
            is_normed: stack.is_none_or(|stack| stack.attention_in(layer).normalises),
            ..Setting::new(spec, kind)
        }
    }

    /// True if sub-layers read normalised copies of the residual stream.
    pub fn is_pre_norm(self) -> bool {
        self.norms.is_on_input()
    }

    /// True if the sum of a sub-layer's output and the residual stream is normalised.
    pub fn is_post_norm(self) -> bool {
        self.norms == NormPlacement::Post
    }

    /// True if queries and keys are rotated by their positions.
    pub fn rotates(self) -> bool {
        self.is_rotated && self.rotates_any()
    }

    /// True if some layers rotate queries and keys.
    fn rotates_any(self) -> bool {
        self.positions == PositionalEncoding::Rope
    }

    /// Returns the name of the feed-forward network's non-linearity, the same in every language.
    pub fn activation_name(self) -> &'static str {
        match self.activation {
            Nonlinearity::Relu => "ReLU",
            Nonlinearity::Gelu => "GELU",
            Nonlinearity::GeluNew => "GELU (tanh)",
            Nonlinearity::Silu => "SiLU",
        }
    }

    /// True if a bias by distance is added to the scores, as never in cross-attention.
    pub fn biases(self) -> bool {
        self.positions.biases_scores() && self.kind != AttentionKind::Cross
    }

    /// True if later keys are masked.
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
    /// The projection to queries, keys and values.
    Project,
    /// Queries and keys, normalised head by head.
    HeadNorm,
    /// RoPE turns queries and keys.
    Rotate,
    /// The row of scores of the query.
    Scores,
    /// The scores divided by √d_k.
    Scale,
    /// T5's or ALiBi's bias by distance.
    Bias,
    /// −∞ where attention is forbidden.
    Mask,
    /// The softmax, which makes weights of the scores.
    Softmax,
    /// The values times their weights.
    Weigh,
    /// The sum of the weighted values, which is the head's output.
    Sum,
    /// All heads side by side.
    Concatenate,
    /// The concatenation times `W^O`.
    Output,
    /// Added to the residual stream, and normalised where the model does it here.
    Add,
    /// The feed-forward network, with its inner activations.
    FeedForward,
    /// The network's output, added to the residual stream.
    AddAgain,
}

impl Stage {
    /// Every stage, in the order of the computation.
    const ALL: [Stage; 17] = [
        Stage::Embed,
        Stage::Norm,
        Stage::Project,
        Stage::HeadNorm,
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

    pub fn list(setting: Setting) -> Vec<Stage> {
        let exists = |stage: &Stage| match stage {
            Stage::Norm => setting.is_pre_norm() && setting.is_normed,
            Stage::HeadNorm => setting.head_norm,
            Stage::Rotate => setting.rotates(),
            Stage::Scale => setting.scales_scores,
            Stage::Bias => setting.biases(),
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

    /// True for the six stages that are shown before the others are unfolded.
    pub fn is_main(self) -> bool {
        use Stage::*;
        matches!(self, Embed | Project | Scores | Softmax | Sum | Output)
    }

    /// True if the stage shows a row with a score or a weight for each key.
    pub fn has_row(self) -> bool {
        use Stage::*;
        matches!(self, Scores | Scale | Bias | Mask | Softmax | Weigh)
    }

    /// The part of the text that explains it.
    pub fn part(self, setting: Setting) -> &'static str {
        let (is_pre_norm, is_post_norm) = (setting.is_pre_norm(), setting.is_post_norm());
        let is_scaled = setting.scales_scores;
        match self {
            Stage::Embed if setting.segments => "embed-segments",
            Stage::Embed if setting.scales_embeddings && setting.rotates_any() => {
                "embed-rope-scaled"
            }
            Stage::Embed if setting.scales_embeddings => "embed",
            Stage::Embed => embed_part(setting.positions),
            Stage::Norm if setting.norm == NormKind::LayerNorm => "norm-layer",
            Stage::Norm => "norm",
            Stage::Project => project_part(setting.kind, is_pre_norm && setting.is_normed),
            Stage::HeadNorm => "head-norm",
            Stage::Rotate => "rotate",
            Stage::Scores if is_scaled => "scores",
            Stage::Scores => "scores-unscaled",
            Stage::Scale => "scale",
            Stage::Bias if setting.positions == PositionalEncoding::Alibi => "bias-alibi",
            Stage::Bias if is_scaled => "bias-t5",
            Stage::Bias => "bias-t5-unscaled",
            Stage::Mask if is_scaled => "mask",
            Stage::Mask => "mask-unscaled",
            Stage::Softmax if is_scaled => "softmax",
            Stage::Softmax => "softmax-unscaled",
            Stage::Weigh if is_scaled => "weigh",
            Stage::Weigh => "weigh-unscaled",
            Stage::Sum => "sum",
            Stage::Concatenate => "concatenate",
            Stage::Output => "output",
            Stage::Add if !is_post_norm => "add",
            Stage::Add => "add-norm",
            Stage::FeedForward if !setting.gated && is_pre_norm => "feed-forward-norm",
            Stage::FeedForward if !setting.gated => "feed-forward",
            Stage::FeedForward if setting.activation == Nonlinearity::Silu => "swiglu",
            Stage::FeedForward => "gated",
            Stage::AddAgain if !is_post_norm => "add-again",
            Stage::AddAgain => "add-norm-again",
        }
    }

    /// The stage that a part explains in that setting.
    pub fn of_part(part: &str, setting: Setting) -> Option<Stage> {
        let mut stages = Self::ALL.into_iter();
        stages.find(|stage| stage.part(setting) == part)
    }
}

/// Returns the part on the rows that queries, keys and values are projected from.
fn project_part(kind: AttentionKind, is_pre_norm: bool) -> &'static str {
    match (kind, is_pre_norm) {
        (AttentionKind::Cross, true) => "project-cross-norm",
        (AttentionKind::Cross, false) => "project-cross",
        (_, true) => "project-norm",
        (_, false) => "project",
    }
}

/// Returns the part on a token's embedding, by the encoding of positions.
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
    use attention_trace::config::{
        BertConfig, Convention, FeedForward, Gpt2Config, LlamaConfig, MarianConfig,
        ModernBertConfig, T5Config,
    };

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

    fn t5(kind: AttentionKind) -> Setting {
        Setting::new(&T5Config::default().spec(), kind)
    }

    fn bert() -> Setting {
        Setting::new(&BertConfig::default().spec(), AttentionKind::EncoderSelf)
    }

    fn gpt2() -> Setting {
        Setting::new(&Gpt2Config::default().spec(), AttentionKind::DecoderSelf)
    }

    fn qwen3() -> Setting {
        llama_like(Convention::Qwen3)
    }

    fn llama_like(convention: Convention) -> Setting {
        let config = LlamaConfig {
            convention,
            ..LlamaConfig::default()
        };
        Setting::new(&config.spec(), AttentionKind::DecoderSelf)
    }

    fn t5_v1_1(kind: AttentionKind) -> Setting {
        let config = T5Config {
            feed_forward_proj: FeedForward {
                activation: Nonlinearity::GeluNew,
                gated: true,
            },
            ..T5Config::default()
        };
        Setting::new(&config.spec(), kind)
    }

    fn settings() -> Vec<Setting> {
        let translator = AttentionKind::ALL.map(translator);
        let t5s = AttentionKind::ALL.map(t5).into_iter();
        let t5s = t5s.chain(AttentionKind::ALL.map(t5_v1_1));
        let others = [
            Rope,
            PositionalEncoding::None,
            Learned,
            Sinusoidal,
            T5,
            Alibi,
        ];
        let others = others.map(llama).into_iter().chain(t5s);
        let others = others.chain([bert(), gpt2(), qwen3()]);
        let conventions = [Convention::Olmo2, Convention::Gemma2, Convention::SmolLM3];
        let others = others.chain(conventions.map(llama_like));
        translator.into_iter().chain(others).collect()
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
            let is_own = setting.kind != AttentionKind::Cross;
            let biased = matches!(positions, T5 | Alibi) && is_own;
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
    fn each_familys_own_steps_are_stages() {
        let stages = |setting| Stage::list(setting);
        let place = |stages: &[Stage], wanted| stages.iter().position(|&one| one == wanted);
        let qwen3 = stages(qwen3());
        let norm = place(&qwen3, Stage::HeadNorm);
        assert!(place(&qwen3, Stage::Project) < norm && norm < place(&qwen3, Stage::Rotate));
        assert!(!stages(llama(Rope)).contains(&Stage::HeadNorm));
        assert!(!stages(t5(AttentionKind::EncoderSelf)).contains(&Stage::Scale));
        assert_eq!(Stage::Embed.part(bert()), "embed-segments");
        let modern = ModernBertConfig::default().spec();
        let first = |layer| {
            let kind = AttentionKind::EncoderSelf;
            let setting = Setting::in_layer(&modern, AttentionLayer { kind, layer });
            (
                Stage::list(setting).contains(&Stage::Norm),
                Stage::Project.part(setting),
            )
        };
        assert_eq!(
            [first(0), first(1)],
            [(false, "project"), (true, "project-norm")]
        );
        assert_eq!(Stage::Norm.part(gpt2()), "norm-layer");
        assert_eq!(Stage::FeedForward.part(gpt2()), "feed-forward-norm");
        let own = AttentionKind::DecoderSelf;
        assert_eq!(Stage::FeedForward.part(t5(own)), "feed-forward-norm");
        assert_eq!(Stage::FeedForward.part(t5_v1_1(own)), "gated");
        assert_eq!(Stage::FeedForward.part(llama(Rope)), "swiglu");
        let gemma = llama_like(Convention::Gemma2);
        assert_eq!(Stage::Embed.part(gemma), "embed-rope-scaled");
        assert!(stages(gemma).contains(&Stage::Norm));
        let olmo2 = llama_like(Convention::Olmo2);
        assert!(!stages(olmo2).contains(&Stage::Norm));
        assert_eq!(Stage::Add.part(olmo2), "add");
        assert_eq!(Stage::Project.part(olmo2), "project");
        let cross = t5(AttentionKind::Cross);
        assert_eq!(Stage::Project.part(cross), "project-cross-norm");
        assert_eq!(Stage::Softmax.part(cross), "softmax-unscaled");
    }

    #[test]
    fn the_non_linearity_has_the_checkpoints_name() {
        let named = |setting: Setting| setting.activation_name();
        assert_eq!(named(translator(AttentionKind::EncoderSelf)), "ReLU");
        assert_eq!(named(bert()), "GELU");
        assert_eq!(named(gpt2()), "GELU (tanh)");
        const TEXT: &str = include_str!("en/text.md");
        for setting in [bert(), gpt2(), t5_v1_1(AttentionKind::EncoderSelf)] {
            let heading = format!("{{#{}}}", Stage::FeedForward.part(setting));
            let (_, part) = TEXT.split_once(&heading).unwrap();
            let (part, _) = part.split_once("\n## ").unwrap();
            assert!(
                part.contains("f(") && part.contains("{{activation}}"),
                "{heading}"
            );
        }
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
        const TEXT: &str = include_str!("en/text.md");
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
