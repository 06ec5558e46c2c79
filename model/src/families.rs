//! The architectures that can be loaded: the one list of them.

mod fields;

use serde_json::{Map, Value};

use crate::error::ModelError;
use crate::family::{Family, Loaded, Pieces, Published};
use crate::placement::Devices;
use crate::weights::Weights;
use crate::{bert, gpt_neox, gpt2, gru, llama, marian, modernbert, t5, universal, vit};

/// All families that can be loaded.
const FAMILIES: [Family; 11] = [
    marian::FAMILY,
    llama::FAMILY,
    gpt2::FAMILY,
    gpt_neox::FAMILY,
    t5::FAMILY,
    bert::FAMILY,
    bert::DISTILBERT,
    modernbert::FAMILY,
    gru::FAMILY,
    universal::FAMILY,
    vit::FAMILY,
];

/// Types of models of pictures that are recognised but not loaded, and what they are beside those that are.
const OTHER_PICTURES: [(&str, &str); 12] = [
    ("deit", "ViT with a second class token, for distillation"),
    ("beit", "ViT with biases by distance in place of positions"),
    ("vit_mae", "ViT that reads a random part of the patches"),
    ("vit_msn", "ViT trained otherwise"),
    ("dinov3_vit", "ViT with registers and rotary positions"),
    ("clip", "ViT beside an encoder of texts"),
    (
        "clip_vision_model",
        "the ViT of CLIP, with a norm before the first layer",
    ),
    (
        "siglip",
        "ViT without a class token, beside an encoder of texts",
    ),
    (
        "siglip_vision_model",
        "the ViT of SigLIP, without a class token",
    ),
    (
        "siglip2",
        "ViT without a class token, beside an encoder of texts",
    ),
    (
        "swin",
        "a Transformer whose windows of patches shift and merge",
    ),
    (
        "swinv2",
        "a Transformer whose windows of patches shift and merge",
    ),
];

/// Builds the model of a checkpoint.
///
/// # Errors
/// If the architecture is not implemented, or a weight is missing or has another shape than the configuration asks
/// for.
pub fn load<'a>(
    config: &[u8],
    weights: impl Into<Weights<'a>>,
    pieces: Pieces<'a>,
    devices: impl Into<Devices>,
) -> Loaded {
    let config: Map<String, Value> = serde_json::from_slice(config)?;
    fields::check(&config)?;
    let model_type = config.get("model_type").and_then(Value::as_str);
    let model_type = model_type.unwrap_or("(missing)");
    let family = FAMILIES
        .iter()
        .find(|family| family.model_types.contains(&model_type));
    let Some(family) = family else {
        if let Some((_, kind)) = OTHER_PICTURES.iter().find(|(name, _)| *name == model_type) {
            return Err(ModelError::Unsupported(format!(
                "model_type {model_type} ({kind}) is not implemented; the nearest that are read pictures too: {}",
                vit::FAMILY.model_types.join(", ")
            )));
        }
        let known = FAMILIES
            .map(|family| family.model_types)
            .concat()
            .join(", ");
        return Err(ModelError::Unsupported(format!(
            "model_type {model_type} is not one of {known}"
        )));
    };
    if let Some(quantisation) = config.get("quantization_config").filter(|it| !it.is_null()) {
        return Err(quantised(quantisation));
    }
    let devices = devices.into();
    if devices.are_several() && !family.places_layers {
        return Err(on_one_device(model_type));
    }
    let published = Published {
        config,
        weights: weights.into(),
        pieces,
        devices,
    };
    (family.load)(&published, published.devices.main())
}

/// Returns the error for a model whose layers cannot be on several devices.
fn on_one_device(model_type: &str) -> ModelError {
    let placing = FAMILIES.iter().filter(|family| family.places_layers);
    let types: Vec<&str> = placing
        .flat_map(|family| family.model_types)
        .copied()
        .collect();
    ModelError::Unsupported(format!(
        "a model of the type {model_type} is on one device; the layers of {} can be on several",
        types.join(", ")
    ))
}

/// Returns the error for quantised weights, with advice.
fn quantised(quantisation: &Value) -> ModelError {
    let way = quantisation.get("quant_method").and_then(Value::as_str);
    let bits = quantisation.get("bits").and_then(Value::as_u64);
    let bits = bits.map_or_else(String::new, |bits| format!(", {bits} bits"));
    ModelError::Unsupported(format!(
        "quantization_config: the weights are quantised ({}{bits}), which is not implemented: save the model in 16 or 32 \
         bits, with `model.dequantize()` of transformers or from the model that was quantised",
        way.unwrap_or("the way is not named")
    ))
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{MODEL_TYPES, keeps_stored, reads_pictures};
    use burn::prelude::Device;

    use super::*;

    #[test]
    fn the_page_knows_the_architectures_that_can_be_loaded() {
        let known = FAMILIES.map(|family| family.model_types).concat();
        assert_eq!(known, MODEL_TYPES);
        let keeping = MODEL_TYPES.into_iter().filter(|name| keeps_stored(name));
        let of_pictures = MODEL_TYPES.into_iter().filter(|name| reads_pictures(name));
        assert_eq!(of_pictures.collect::<Vec<_>>(), vit::FAMILY.model_types);
        let families = [llama::FAMILY, gpt_neox::FAMILY].map(|family| family.model_types);
        assert_eq!(keeping.collect::<Vec<_>>(), families.concat());
    }

    #[test]
    fn other_models_of_pictures_are_named_with_those_that_are_nearest() {
        let config = br#"{"model_type": "deit"}"#;
        let refused = load(
            config,
            &Vec::<u8>::new(),
            Pieces::default(),
            &Device::flex(),
        );
        assert_eq!(
            refused.unwrap_err().to_string(),
            "config.json: model_type deit (ViT with a second class token, for distillation) is not implemented; the \
             nearest that are read pictures too: vit, dinov2, dinov2_with_registers"
        );
    }
}
