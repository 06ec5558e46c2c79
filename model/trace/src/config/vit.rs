//! The sizes of a vision Transformer in the layout of ViT or DINOv2, with the head that classifies or without it.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_epsilon, check_heads,
    check_positive, check_scale, check_sizes,
};
use crate::Nonlinearity;

/// The conventions of a checkpoint for the facts that `config.json` does not give.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VisionConvention {
    /// `ViTForImageClassification`: the picture has one size, and the class token alone is classified.
    #[default]
    Vit,
    /// `Dinov2ForImageClassification`: positions are interpolated to the picture's size, sub-layers have a scale, and the
    /// class token is classified together with the mean of the patches.
    Dinov2,
    /// `Dinov2WithRegistersForImageClassification`: the same with registers after the class token.
    Dinov2WithRegisters,
}

impl VisionConvention {
    /// The conventions of all three.
    pub const ALL: [VisionConvention; 3] = [
        VisionConvention::Vit,
        VisionConvention::Dinov2,
        VisionConvention::Dinov2WithRegisters,
    ];

    /// Returns the `model_type` of `config.json`.
    pub fn model_type(self) -> &'static str {
        match self {
            VisionConvention::Vit => "vit",
            VisionConvention::Dinov2 => "dinov2",
            VisionConvention::Dinov2WithRegisters => "dinov2_with_registers",
        }
    }
}

/// A size that is one number for both edges, or height and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Edges {
    /// The same for both.
    Square(usize),
    /// The height and the width.
    Both([usize; 2]),
}

impl Edges {
    /// Returns height and width in pixels.
    pub fn both(self) -> [usize; 2] {
        match self {
            Edges::Square(edge) => [edge; 2],
            Edges::Both(edges) => edges,
        }
    }
}

/// `config.json` of a checkpoint of ViT or DINOv2; the fields that shape the model, with the defaults of `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct VitConfig {
    /// The conventions that the checkpoint follows, by its `model_type`.
    #[serde(rename = "model_type")]
    pub convention: VisionConvention,
    /// The number of classes of the head that classifies, 0 without one: a fact of its tensors.
    #[serde(skip)]
    pub labels: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// The number of layers.
    pub num_hidden_layers: usize,
    /// Heads of each layer.
    pub num_attention_heads: usize,
    /// Inner width of ViT's feed-forward networks.
    pub intermediate_size: usize,
    /// Inner width of DINOv2's feed-forward networks, as a multiple of the model's width.
    pub mlp_ratio: f64,
    /// The non-linearity of the feed-forward networks that are not gated.
    pub hidden_act: Nonlinearity,
    /// True if DINOv2's feed-forward networks are gated by SiLU.
    pub use_swiglu_ffn: bool,
    /// The ε of the layer normalisations; `None` for the convention's.
    pub layer_norm_eps: Option<f64>,
    /// Standard deviation of a new model's weights.
    pub initializer_range: f64,
    /// Height and width in pixels of the pictures that the table of positions is for.
    pub image_size: Edges,
    /// The edge of a patch in pixels; `None` for the convention's.
    pub patch_size: Option<usize>,
    /// The number of colours of a pixel; only 3 is implemented.
    pub num_channels: usize,
    /// True if queries, keys and values have a bias.
    pub qkv_bias: bool,
    /// Registers after the class token; only of a convention with registers.
    pub num_register_tokens: usize,
}

/// The base model of [ViT](https://arxiv.org/abs/2010.11929) with patches of 16 × 16 pixels.
impl Default for VitConfig {
    fn default() -> Self {
        VitConfig {
            convention: VisionConvention::Vit,
            labels: 0,
            hidden_size: 768,
            num_hidden_layers: 12,
            num_attention_heads: 12,
            intermediate_size: 3072,
            mlp_ratio: 4.0,
            hidden_act: Nonlinearity::Gelu,
            use_swiglu_ffn: false,
            layer_norm_eps: None,
            initializer_range: 0.02,
            image_size: Edges::Square(224),
            patch_size: None,
            num_channels: 3,
            qkv_bias: true,
            num_register_tokens: 4,
        }
    }
}

/// The most patches along an edge.
const MOST_PATCHES: usize = 256;
/// The colours of a pixel: red, green and blue.
const CHANNELS: usize = 3;

impl VitConfig {
    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.hidden_size / self.num_attention_heads.max(1)
    }

    /// The ε of the layer normalisations.
    pub fn epsilon(&self) -> f64 {
        let usual = match self.convention {
            VisionConvention::Vit => 1e-12,
            VisionConvention::Dinov2 | VisionConvention::Dinov2WithRegisters => 1e-6,
        };
        self.layer_norm_eps.unwrap_or(usual)
    }

    /// The edge of a patch in pixels.
    pub fn patch(&self) -> usize {
        let usual = match self.convention {
            VisionConvention::Vit | VisionConvention::Dinov2WithRegisters => 16,
            VisionConvention::Dinov2 => 14,
        };
        self.patch_size.unwrap_or(usual)
    }

    /// Rows and columns of patches that the table of positions is for; pixels beyond the last whole patch are not read.
    pub fn grid(&self) -> [usize; 2] {
        self.image_size
            .both()
            .map(|edge| edge / self.patch().max(1))
    }

    /// The numbers of a patch.
    pub fn patch_width(&self) -> usize {
        self.num_channels * self.patch() * self.patch()
    }

    /// The number of registers.
    pub fn registers(&self) -> usize {
        match self.convention {
            VisionConvention::Vit | VisionConvention::Dinov2 => 0,
            VisionConvention::Dinov2WithRegisters => self.num_register_tokens,
        }
    }

    /// The number of tokens before the patches: the class token and the registers.
    pub fn before(&self) -> usize {
        1 + self.registers()
    }

    /// True if positions are interpolated to a picture of another size.
    pub fn takes_any_size(&self) -> bool {
        self.convention != VisionConvention::Vit
    }

    /// True if the feed-forward networks are gated.
    pub fn is_gated(&self) -> bool {
        self.convention != VisionConvention::Vit && self.use_swiglu_ffn
    }

    /// Inner width of the feed-forward networks. A gated one keeps two thirds of it, rounded up to a multiple of 8.
    pub fn inner(&self) -> usize {
        if self.convention == VisionConvention::Vit {
            return self.intermediate_size;
        }
        let inner = (self.hidden_size as f64 * self.mlp_ratio) as usize;
        match self.is_gated() {
            true => (inner * 2 / 3).div_ceil(8) * 8,
            false => inner,
        }
    }

    /// True if the output of each sub-layer is multiplied by a vector before it is added.
    pub fn has_layer_scale(&self) -> bool {
        self.convention != VisionConvention::Vit
    }

    /// The numbers that the head reads: the class token, in DINOv2 with the mean of the patches.
    pub fn classified(&self) -> usize {
        match self.convention {
            VisionConvention::Vit => self.hidden_size,
            VisionConvention::Dinov2 | VisionConvention::Dinov2WithRegisters => {
                2 * self.hidden_size
            }
        }
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or a switch that is not implemented.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let [height, width] = self.image_size.both();
        let largest = MOST_PATCHES.saturating_mul(self.patch());
        check_sizes(&[
            ("hidden_size", self.hidden_size, WIDEST),
            ("num_attention_heads", self.num_attention_heads, MOST_HEADS),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
            ("patch_size", self.patch(), MOST_PATCHES),
            ("image_size", height, largest),
            ("image_size", width, largest),
        ])?;
        check_positive("mlp_ratio", self.mlp_ratio)?;
        let inner = match self.convention {
            VisionConvention::Vit => ("intermediate_size", self.intermediate_size, WIDEST),
            _ => ("mlp_ratio times hidden_size", self.inner(), WIDEST),
        };
        check_sizes(&[inner])?;
        if self.num_channels != CHANNELS {
            return Err(ConfigError::Unsupported {
                name: "num_channels",
                value: self.num_channels.to_string(),
                implemented: "3",
            });
        }
        let [rows, columns] = self.grid();
        if rows * columns == 0 {
            return Err(ConfigError::NoPatch {
                patch: self.patch(),
                height,
                width,
            });
        }
        // Interpolation takes the table of positions for a square.
        if self.takes_any_size() && rows != columns {
            return Err(ConfigError::Unsupported {
                name: "image_size",
                value: format!("[{height}, {width}]"),
                implemented: "a square",
            });
        }
        if self.registers() > 0 {
            check_sizes(&[("num_register_tokens", self.registers(), LARGEST_TABLE)])?;
        }
        check_heads(self.hidden_size, self.num_attention_heads)?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("layer_norm_eps", self.epsilon())
    }

    /// The parameters of a model of these sizes, with the head that classifies if there is one. What published files hold
    /// beside them, the pooler and the vector of masked patches, is not counted.
    pub fn parameters(&self) -> Parameters {
        let (d, inner) = (self.hidden_size, self.inner());
        let norm = 2 * d as u64;
        let biases = if self.qkv_bias { 4 } else { 1 };
        let first = if self.is_gated() { 2 * inner } else { inner };
        let scales = if self.has_layer_scale() { d as u64 } else { 0 };
        let [rows, columns] = self.grid();
        let layer = Parameters::default()
            .and(
                Part::Attention,
                4 * matrix(d, d) + biases * d as u64 + scales,
            )
            .and(
                Part::FeedForward,
                matrix(d, first) + matrix(inner, d) + (first + d) as u64 + scales,
            )
            .and(Part::Norms, 2 * norm);
        layer
            .times(self.num_hidden_layers)
            .and(
                Part::Embedding,
                matrix(self.patch_width(), d) + d as u64 + matrix(self.before(), d),
            )
            .and(Part::Positions, matrix(1 + rows * columns, d))
            .and(Part::Norms, norm)
            .and(
                Part::Output,
                matrix(self.classified(), self.labels) + self.labels as u64,
            )
    }

    /// The operations of a forward pass over `tokens`: class token, registers and patches.
    pub fn operations(&self, tokens: usize) -> Operations {
        let (d, layers) = (self.hidden_size, self.num_hidden_layers as u64);
        let products = if self.is_gated() { 3 } else { 2 };
        let inner = matrix(d, self.inner());
        Operations {
            projections: Operations::product(tokens, 4 * matrix(d, d) * layers),
            feed_forward: Operations::product(tokens, products * inner * layers),
            output: Operations::product(1, matrix(self.classified(), self.labels)),
            scores: Operations::attention(tokens, d) * layers as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generates, Site};

    fn dinov2() -> VitConfig {
        VitConfig {
            convention: VisionConvention::Dinov2,
            hidden_size: 384,
            num_attention_heads: 6,
            image_size: Edges::Square(518),
            ..VitConfig::default()
        }
    }

    /// `ViTForImageClassification` with google/vit-base-patch16-224's configuration, and `Dinov2Model` with
    /// facebook/dinov2-small's, less the 384 numbers of its mask token.
    #[test]
    fn published_models_have_the_parameters_of_transformers() {
        let base = VitConfig {
            labels: 1000,
            ..VitConfig::default()
        };
        assert_eq!(base.validate(), Ok(()));
        assert_eq!(base.parameters().total(), 86_567_656);
        assert_eq!(base.spec().generates, Generates::Labels);
        assert_eq!(dinov2().validate(), Ok(()));
        assert_eq!(dinov2().parameters().total(), 22_056_576 - 384);
    }

    #[test]
    fn a_model_of_pictures_makes_no_logits_of_words() {
        let spec = dinov2().spec();
        assert_eq!(spec.generates, Generates::Nothing);
        assert!(!spec.has(Site::LOGITS));
        assert_eq!(spec.patches.map(|patches| patches.size_px), Some(14));
    }

    #[test]
    fn gated_networks_keep_two_thirds_of_the_width() {
        let giant = VitConfig {
            hidden_size: 1536,
            num_attention_heads: 24,
            use_swiglu_ffn: true,
            ..dinov2()
        };
        assert_eq!(giant.inner(), 4096);
        assert!(giant.spec().encoder.unwrap().feed_forward.unwrap().gated);
        assert!(
            !VitConfig {
                use_swiglu_ffn: true,
                ..VitConfig::default()
            }
            .is_gated()
        );
    }

    #[test]
    fn sizes_that_make_no_patches_are_refused() {
        let refused = |change: fn(&mut VitConfig)| {
            let mut config = dinov2();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert_eq!(
            refused(|config| config.image_size = Edges::Square(10)),
            "image_size is 10 × 10, which has no whole patch of 14 × 14 pixels"
        );
        assert!(refused(|config| config.num_channels = 1).contains("num_channels is 1"));
        assert!(refused(|config| config.image_size = Edges::Both([28, 42])).contains("a square"));
        assert!(refused(|config| config.mlp_ratio = -1.0).contains("mlp_ratio"));
        assert!(refused(|config| config.patch_size = Some(0)).contains("patch_size"));
        // The last pixels are not read where patches do not divide the picture.
        let uneven = VitConfig {
            image_size: Edges::Square(517),
            ..dinov2()
        };
        assert_eq!((uneven.validate(), uneven.grid()), (Ok(()), [36, 36]));
    }
}
