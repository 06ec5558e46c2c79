//! Vision Transformers: [ViT](https://arxiv.org/abs/2010.11929) and [DINOv2](https://arxiv.org/abs/2304.07193), with
//! [registers](https://arxiv.org/abs/2309.16588) or without, in the layout of Hugging Face's
//! [`ViTForImageClassification`](https://huggingface.co/docs/transformers/model_doc/vit) and
//! [`Dinov2Model`](https://huggingface.co/docs/transformers/model_doc/dinov2) checkpoints. The patches of a picture are the
//! tokens of an encoder, after a class token.

mod layouts;
mod positions;

use attention_trace::config::VisionConvention;
pub use attention_trace::config::VitConfig;
use attention_trace::{
    Block, ModelSpec, Nonlinearity, Parameter, PictureGrid, Quantity, Stack, Sublayer, Weight,
};
use burn::module::Param;
use burn::nn::{Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::prelude::*;

use self::positions::Interpolation;
use crate::attention::{Mask, attend, tap_heads};
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::{layer_norm, linear, linear_transposed};
use crate::picture::{Defaults, Gallery, PictureModel, Pixels, Shown};
use crate::sequence::{Control, Memory, SequenceModel, Source, State};
use crate::sublayers::activate;
use crate::tap::Tap;
use crate::weights::{self, FileNames};

/// The values of `model_type` of these checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["vit", "dinov2", "dinov2_with_registers"],
    places_layers: false,
    load: |published, device| {
        let config: VitConfig = published.config()?;
        let names = weights::names(published.weights)?;
        let has_head = names.iter().any(|name| name.starts_with(layouts::HEAD));
        let labels = published.labels()?;
        let config = VitConfig {
            labels: if has_head { labels.len() } else { 0 },
            ..config
        };
        let model = Vit {
            labels,
            unused: layouts::unused(names),
            ..Vit::new(&config, device)?
        };
        let layout = layouts::layout(config.convention);
        let model = weights::load(model, published.weights, &layout)?;
        // Checks of the device make a pass before there is a picture.
        model.show("", &Pixels::test_pattern(config.patch()))?;
        Ok(Box::new(model))
    },
};

/// The whole model, from patches to states, and to the logits of classes if it has a head.
#[derive(Module, Debug)]
pub struct Vit {
    vit: VitModel,
    classifier: Option<Linear>,
    #[module(skip)]
    config: VitConfig,
    /// The names of the classes.
    #[module(skip)]
    labels: Vec<String>,
    /// The names of tensors in the file that belong to heads for other purposes.
    #[module(skip)]
    unused: Vec<String>,
    #[module(skip)]
    gallery: Gallery,
}

#[derive(Module, Debug)]
struct VitModel {
    embeddings: VitEmbeddings,
    layers: Vec<VitLayer>,
    layernorm: LayerNorm,
}

#[derive(Module, Debug)]
struct VitEmbeddings {
    /// The vector of the class token, `[1, 1, width]`.
    cls_token: Param<Tensor<3>>,
    /// The vectors of registers, `[1, registers, width]`.
    register_tokens: Option<Param<Tensor<3>>>,
    /// The vectors of positions, of the class token and of each patch, `[1, 1 + patches, width]`.
    position_embeddings: Param<Tensor<3>>,
    patch_embeddings: VitPatches,
}

#[derive(Module, Debug)]
struct VitPatches {
    projection: VitProjection,
}

/// The matrix that makes a vector of a patch, as a convolution has it.
#[derive(Module, Debug)]
struct VitProjection {
    /// `[width, 3, patch, patch]`
    weight: Param<Tensor<4>>,
    bias: Param<Tensor<1>>,
}

#[derive(Module, Debug)]
struct VitLayer {
    norm1: LayerNorm,
    attention: VitAttention,
    layer_scale1: Option<VitScale>,
    norm2: LayerNorm,
    mlp: VitMlp,
    layer_scale2: Option<VitScale>,
    #[module(skip)]
    epsilon: f64,
}

#[derive(Module, Debug)]
struct VitAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    output: Linear,
    heads: usize,
}

/// The factors of a sub-layer's output.
#[derive(Module, Debug)]
struct VitScale {
    lambda1: Param<Tensor<1>>,
}

/// A feed-forward network, of two matrices or gated.
#[derive(Module, Debug)]
struct VitMlp {
    inner: Option<Linear>,
    outer: Option<Linear>,
    /// The gate and the product that it multiplies, one above the other.
    gated: Option<Linear>,
    joined: Option<Linear>,
    #[module(skip)]
    nonlinearity: Nonlinearity,
}

/// The parts of a new model.
struct Parts<'a> {
    config: &'a VitConfig,
    device: &'a Device,
}

impl Parts<'_> {
    fn normal(&self) -> Initializer {
        Initializer::Normal {
            mean: 0.0,
            std: self.config.initializer_range,
        }
    }

    fn linear(&self, input: usize, output: usize, bias: bool) -> Linear {
        LinearConfig::new(input, output)
            .with_bias(bias)
            .with_initializer(self.normal())
            .init(self.device)
    }

    fn norm(&self) -> LayerNorm {
        LayerNormConfig::new(self.config.hidden_size)
            .with_epsilon(self.config.epsilon())
            .init(self.device)
    }

    fn scale(&self) -> Option<VitScale> {
        let init = || Initializer::Ones.init([self.config.hidden_size], self.device);
        let has_scale = self.config.has_layer_scale();
        has_scale.then(|| VitScale { lambda1: init() })
    }

    fn embeddings(&self) -> VitEmbeddings {
        let VitConfig {
            hidden_size: width,
            num_channels: channels,
            ..
        } = *self.config;
        let (registers, patch) = (self.config.registers(), self.config.patch());
        let [rows, columns] = self.config.grid();
        let vectors = |count: usize| self.normal().init([1, count, width], self.device);
        VitEmbeddings {
            cls_token: vectors(1),
            register_tokens: (registers > 0).then(|| vectors(registers)),
            position_embeddings: vectors(1 + rows * columns),
            patch_embeddings: VitPatches {
                projection: VitProjection {
                    weight: self
                        .normal()
                        .init([width, channels, patch, patch], self.device),
                    bias: Initializer::Zeros.init([width], self.device),
                },
            },
        }
    }

    fn layer(&self) -> VitLayer {
        let VitConfig {
            hidden_size: width,
            qkv_bias,
            ..
        } = *self.config;
        let (inner, is_gated) = (self.config.inner(), self.config.is_gated());
        VitLayer {
            norm1: self.norm(),
            attention: VitAttention {
                query: self.linear(width, width, qkv_bias),
                key: self.linear(width, width, qkv_bias),
                value: self.linear(width, width, qkv_bias),
                output: self.linear(width, width, true),
                heads: self.config.num_attention_heads,
            },
            layer_scale1: self.scale(),
            norm2: self.norm(),
            mlp: VitMlp {
                inner: (!is_gated).then(|| self.linear(width, inner, true)),
                outer: (!is_gated).then(|| self.linear(inner, width, true)),
                gated: is_gated.then(|| self.linear(width, 2 * inner, true)),
                joined: is_gated.then(|| self.linear(inner, width, true)),
                nonlinearity: self.config.hidden_act,
            },
            layer_scale2: self.scale(),
            epsilon: self.config.epsilon(),
        }
    }
}

impl Vit {
    /// Creates a new model with random weights, normally distributed around zero. It must be shown a picture before it
    /// reads.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &VitConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let parts = Parts { config, device };
        let layers = 0..config.num_hidden_layers;
        Ok(Vit {
            vit: VitModel {
                embeddings: parts.embeddings(),
                layers: layers.map(|_| parts.layer()).collect(),
                layernorm: parts.norm(),
            },
            classifier: (config.labels > 0)
                .then(|| parts.linear(config.classified(), config.labels, true)),
            config: config.clone(),
            labels: vec![],
            unused: vec![],
            gallery: Gallery::default(),
        })
    }

    fn norm(&self, x: Tensor<3>) -> Tensor<3> {
        layer_norm(x, &self.vit.layernorm, self.config.epsilon())
    }

    /// Returns the vectors of a grid's patches.
    ///
    /// # Shapes
    /// - out: `[rows * columns, width]`
    fn patches(&self, pixels: &Pixels, [rows, columns]: [usize; 2]) -> Tensor<2> {
        let projection = &self.vit.embeddings.patch_embeddings.projection;
        let weight = projection.weight.val();
        let device = weight.device();
        let (patch, width) = (self.config.patch(), self.config.hidden_size);
        let mut numbers = Vec::with_capacity(rows * columns * self.config.patch_width());
        for place in 0..rows * columns {
            let (top, left) = (place / columns * patch, place % columns * patch);
            for plane in pixels.data.chunks_exact(pixels.width * pixels.height) {
                for y in top..top + patch {
                    numbers.extend_from_slice(&plane[y * pixels.width + left..][..patch]);
                }
            }
        }
        let shape = [rows * columns, self.config.patch_width()];
        let numbers = Tensor::from_data(TensorData::new(numbers, shape), &device);
        let matrix = weight.reshape([width, self.config.patch_width()]);
        linear_transposed(numbers, matrix) + projection.bias.val().unsqueeze()
    }

    /// Returns the vectors of positions of a grid: of the class token, zero for registers, and of the patches.
    ///
    /// # Shapes
    /// - out: `[tokens, width]`
    fn positions(&self, grid: [usize; 2]) -> Tensor<2> {
        let table = self.vit.embeddings.position_embeddings.val().squeeze_dim(0);
        let [rows, width] = table.dims();
        let way = match self.config.convention {
            VisionConvention::Vit | VisionConvention::Dinov2 => Interpolation::Cubic,
            VisionConvention::Dinov2WithRegisters => Interpolation::Antialiased,
        };
        let of_patches = way.apply(
            table.clone().narrow(0, 1, rows - 1),
            self.config.grid(),
            grid,
        );
        let registers = Tensor::zeros([self.config.registers(), width], &table.device());
        Tensor::cat(vec![table.narrow(0, 0, 1), registers, of_patches], 0)
    }
}

impl PictureModel for Vit {
    fn gallery(&self) -> &Gallery {
        &self.gallery
    }

    fn show(&self, name: &str, pixels: &Pixels) -> Result<PictureGrid, ModelError> {
        let patch = self.config.patch();
        let Pixels { width, height, .. } = *pixels;
        let grid = [height / patch, width / patch];
        let is_fixed = !self.config.takes_any_size() && !name.is_empty();
        if is_fixed && [height, width] != self.config.image_size.both() {
            let [own_height, own_width] = self.config.image_size.both();
            return Err(ModelError::Picture(format!(
                "preprocessor_config.json makes it {width} × {height} pixels, but the model reads {own_width} × {own_height} \
                 alone (image_size in config.json)"
            )));
        }
        if grid.contains(&0) {
            return Err(ModelError::Picture(format!(
                "preprocessor_config.json makes it {width} × {height} pixels, which has no whole patch of {patch} × {patch}"
            )));
        }
        let embeddings = &self.vit.embeddings;
        let class = embeddings.cls_token.val().squeeze_dim(0);
        let registers = embeddings.register_tokens.as_ref();
        let registers = registers.map(|registers| registers.val().squeeze_dim(0));
        let patches = self.patches(pixels, grid);
        let vectors = [class].into_iter().chain(registers).chain([patches]);
        let found = PictureGrid {
            rows: grid[0],
            columns: grid[1],
            before: self.config.before(),
            patch_px: patch,
            size_px: pixels.size_px,
            resized_px: pixels.resized_px,
            corner_px: pixels.corner_px,
        };
        self.gallery.add(Shown {
            name: name.to_owned(),
            grid: found.clone(),
            vectors: Tensor::cat(vectors.collect(), 0),
            positions: self.positions(grid),
        });
        Ok(found)
    }

    fn defaults(&self) -> Defaults {
        match self.config.convention {
            VisionConvention::Vit => Defaults::Vit {
                size: self.config.image_size.both(),
            },
            VisionConvention::Dinov2 | VisionConvention::Dinov2WithRegisters => Defaults::Dinov2,
        }
    }

    fn label_logits(&self, states: Tensor<3>) -> Option<Tensor<2>> {
        let classifier = self.classifier.as_ref()?;
        let [_, tokens, _] = states.dims();
        let before = self.config.before();
        let class = states.clone().narrow(1, 0, 1);
        let read = match self.config.convention {
            VisionConvention::Vit => class,
            VisionConvention::Dinov2 | VisionConvention::Dinov2WithRegisters => {
                let patches = states.narrow(1, before, tokens - before);
                Tensor::cat(vec![class, patches.mean_dim(1)], 2)
            }
        };
        Some(linear(read, classifier).squeeze_dim(1))
    }

    fn label(&self, class: u32) -> String {
        let label = self.labels.get(class as usize);
        label.map_or_else(|| format!("LABEL_{class}"), Clone::clone)
    }
}

impl SequenceModel for Vit {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control::default()
    }

    fn file_names(&self) -> FileNames {
        FileNames::of(self, &layouts::layout(self.config.convention))
    }

    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State {
        const STACK: Block = Block::Stack(Stack::Encoder);
        let shown = source.zip(self.gallery.current());
        let memory = shown.map(|(source, shown)| {
            let [batch, length] = source.tokens.dims();
            tap.enter(Stack::Encoder, 0);
            let x = shown.vectors.select(0, source.tokens.flatten(0, 1));
            let x = x.reshape([batch as i32, length as i32, -1]);
            let x = tap.at(STACK.at(Quantity::TokenEmbedding), x);
            let x = match tap.knows_positions() {
                true => x + shown.positions.narrow(0, 0, length).unsqueeze(),
                false => x,
            };
            let mut x = tap.at(STACK.at(Quantity::Embedding), x);
            for (index, layer) in self.vit.layers.iter().enumerate() {
                x = layer.forward(x, tap, index);
            }
            let states = tap.at(STACK.at(Quantity::FinalNorm), self.norm(x));
            Memory { states, mask: None }
        });
        State::new(memory, 0)
    }

    fn advance(&self, _tokens: Tensor<2, Int>, _state: &mut State, _tap: &mut Tap) -> Tensor<3> {
        unreachable!("a model of pictures reads no target")
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        self.norm(states.unsqueeze::<3>()).squeeze_dim(0)
    }

    fn logits(&self, _states: Tensor<2>) -> Tensor<2> {
        unreachable!("a model of pictures makes no logits of words")
    }

    fn pictures(&self) -> Option<&dyn PictureModel> {
        Some(self)
    }

    /// Returns a parameter. The tables of tokens and positions are those of the picture that is read next, and the matrix
    /// and the bias of a sub-layer's output are multiplied by the factors of that output.
    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let Parameter { block, weight } = parameter;
        match block {
            Block::Model | Block::Stack(Stack::Encoder) => self.table(weight),
            Block::Sublayer(Stack::Encoder, layer, sublayer) => {
                let layer = self.vit.layers.get(layer)?;
                match sublayer {
                    Sublayer::SelfAttention => layer.of_attention(weight),
                    Sublayer::FeedForward => layer.of_mlp(weight),
                    Sublayer::CrossAttention => None,
                }
            }
            Block::Stack(Stack::Decoder) | Block::Sublayer(Stack::Decoder, ..) => None,
        }
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn notes(&self) -> Vec<String> {
        match self.unused.as_slice() {
            [] => vec![],
            names => vec![format!("model.safetensors: not used: {}", names.join(", "))],
        }
    }
}

impl Vit {
    /// Returns a parameter that is outside all layers.
    fn table(&self, weight: Weight) -> Option<Tensor<2>> {
        let norm = &self.vit.layernorm;
        match weight {
            Weight::TokenTable => self.gallery.current().map(|shown| shown.vectors),
            Weight::PositionTable => self.gallery.current().map(|shown| shown.positions),
            Weight::NormGain => Some(row(&norm.gamma)),
            Weight::NormBias => norm.beta.as_ref().map(row),
            _ => None,
        }
    }
}

/// Returns a vector as a matrix of one row.
fn row(vector: &Param<Tensor<1>>) -> Tensor<2> {
    vector.val().unsqueeze()
}

/// Returns the matrix of a layer with a row for each output.
fn matrix(layer: &Linear) -> Tensor<2> {
    layer.weight.val().transpose()
}

/// Returns the bias of a layer as a matrix of one row.
fn bias(layer: &Linear) -> Option<Tensor<2>> {
    layer.bias.as_ref().map(row)
}

impl VitLayer {
    /// Maps `[batch, tokens, hidden_size]` to the same shape.
    fn forward(&self, x: Tensor<3>, tap: &mut Tap, layer: usize) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Encoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let normed = layer_norm(x.clone(), &self.norm1, self.epsilon);
        let input = tap.at(own.at(Quantity::Norm), normed);
        let output = self.attention.forward(input, tap, own);
        let output = VitScale::scaled(self.layer_scale1.as_ref(), output);
        let x = x + tap.at(own.at(Quantity::Out), output);
        let x = tap.at(own.at(Quantity::Residual), x);

        let mlp = block(Sublayer::FeedForward);
        let normed = layer_norm(x.clone(), &self.norm2, self.epsilon);
        let input = tap.at(mlp.at(Quantity::Norm), normed);
        let output = self.mlp.forward(input, tap, mlp);
        let output = VitScale::scaled(self.layer_scale2.as_ref(), output);
        let x = x + tap.at(mlp.at(Quantity::Out), output);
        tap.at(mlp.at(Quantity::Residual), x)
    }

    fn of_attention(&self, weight: Weight) -> Option<Tensor<2>> {
        let VitAttention {
            query,
            key,
            value,
            output,
            ..
        } = &self.attention;
        let scale = self.layer_scale1.as_ref();
        match weight {
            Weight::NormGain => Some(row(&self.norm1.gamma)),
            Weight::NormBias => self.norm1.beta.as_ref().map(row),
            Weight::WQ => Some(matrix(query)),
            Weight::WK => Some(matrix(key)),
            Weight::WV => Some(matrix(value)),
            Weight::WO => Some(VitScale::rows(scale, matrix(output))),
            Weight::BQ => bias(query),
            Weight::BK => bias(key),
            Weight::BV => bias(value),
            Weight::BO => bias(output).map(|bias| VitScale::columns(scale, bias)),
            _ => None,
        }
    }

    fn of_mlp(&self, weight: Weight) -> Option<Tensor<2>> {
        let VitMlp {
            inner,
            outer,
            gated,
            joined,
            ..
        } = &self.mlp;
        let scale = self.layer_scale2.as_ref();
        let last = outer.as_ref().or(joined.as_ref())?;
        // Of the matrix of both products, the gate's is the first half.
        let half = |tensor: Tensor<2>, axis: usize, index: usize| {
            let height = tensor.dims()[axis] / 2;
            tensor.narrow(axis, index * height, height)
        };
        match (weight, inner, gated) {
            (Weight::NormGain, ..) => Some(row(&self.norm2.gamma)),
            (Weight::NormBias, ..) => self.norm2.beta.as_ref().map(row),
            (Weight::WIn, Some(inner), _) => Some(matrix(inner)),
            (Weight::BIn, Some(inner), _) => bias(inner),
            (Weight::WIn, _, Some(both)) => Some(half(matrix(both), 0, 0)),
            (Weight::WLinear, _, Some(both)) => Some(half(matrix(both), 0, 1)),
            (Weight::BIn, _, Some(both)) => bias(both).map(|bias| half(bias, 1, 0)),
            (Weight::BLinear, _, Some(both)) => bias(both).map(|bias| half(bias, 1, 1)),
            (Weight::WOut, ..) => Some(VitScale::rows(scale, matrix(last))),
            (Weight::BOut, ..) => bias(last).map(|bias| VitScale::columns(scale, bias)),
            _ => None,
        }
    }
}

impl VitScale {
    /// Multiplies a sub-layer's output by its factors, if there are any.
    fn scaled(scale: Option<&Self>, output: Tensor<3>) -> Tensor<3> {
        match scale {
            Some(scale) => output * scale.lambda1.val().unsqueeze(),
            None => output,
        }
    }

    /// Multiplies the rows of a matrix `[width, in]`.
    fn rows(scale: Option<&Self>, matrix: Tensor<2>) -> Tensor<2> {
        match scale {
            Some(scale) => matrix * scale.lambda1.val().unsqueeze_dim(1),
            None => matrix,
        }
    }

    /// Multiplies the columns of a bias `[1, width]`.
    fn columns(scale: Option<&Self>, bias: Tensor<2>) -> Tensor<2> {
        match scale {
            Some(scale) => bias * row(&scale.lambda1),
            None => bias,
        }
    }
}

impl VitAttention {
    /// Computes attention, projected back to the model's width.
    fn forward(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let [_, _, width] = x.dims();
        let (heads, d_k) = (self.heads, width / self.heads);
        let mut by_heads = |quantity, layer: &Linear| {
            tap_heads(
                tap,
                block.at(quantity),
                linear(x.clone(), layer),
                d_k,
                heads,
            )
        };
        let query = by_heads(Quantity::Query, &self.query);
        let key = by_heads(Quantity::Key, &self.key);
        let value = by_heads(Quantity::Value, &self.value);
        let z = attend([query, key, value], heads, None::<Mask>, tap, block);
        linear(z, &self.output)
    }
}

impl VitMlp {
    /// Computes the network's output before its factors, `[batch, tokens, hidden_size]` to the same: `W_2 φ(W_1 x)`, or
    /// SwiGLU, `W_2 (SiLU(W_1 x) ⊙ W_3 x)` (Shazeer 2020).
    fn forward(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        if let (Some(gated), Some(joined)) = (&self.gated, &self.joined) {
            let both = linear(x, gated);
            let inner = both.dims()[2] / 2;
            let part = |half: usize| both.clone().narrow(2, half * inner, inner);
            let pre = tap.at(block.at(Quantity::Pre), part(0));
            let product = tap.at(block.at(Quantity::PreLinear), part(1));
            let post = activate(Nonlinearity::Silu, pre) * product;
            return linear(tap.at(block.at(Quantity::Post), post), joined);
        }
        let (Some(inner), Some(outer)) = (&self.inner, &self.outer) else {
            unreachable!("a network has two matrices or is gated")
        };
        let pre = tap.at(block.at(Quantity::Pre), linear(x, inner));
        let post = tap.at(block.at(Quantity::Post), activate(self.nonlinearity, pre));
        linear(post, outer)
    }
}
