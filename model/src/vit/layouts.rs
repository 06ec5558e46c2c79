//! The names of the parameters in the files of ViT and DINOv2.

use std::collections::BTreeSet;

use attention_trace::config::VisionConvention;

use crate::weights::Layout;

/// The beginning of the names of the head that classifies.
pub const HEAD: &str = "classifier.";

const EXTRA: Layout = Layout {
    is_extra: is_unused,
    may_be_absent: |_| false,
    ..Layout::PATHS
};

/// Returns the files of a convention.
pub fn layout(convention: VisionConvention) -> Layout {
    match convention {
        VisionConvention::Vit => Layout {
            model: Some("ViTForImageClassification"),
            base: "vit.",
            names: |path| vec![vit(path)],
            ..EXTRA
        },
        VisionConvention::Dinov2 => Layout {
            model: Some("Dinov2ForImageClassification"),
            base: "dinov2.",
            names: |path| vec![dinov2(path, "dinov2.")],
            ..EXTRA
        },
        VisionConvention::Dinov2WithRegisters => Layout {
            model: Some("Dinov2WithRegistersForImageClassification"),
            base: "dinov2_with_registers.",
            names: |path| vec![dinov2(path, "dinov2_with_registers.")],
            ..EXTRA
        },
    }
}

/// Returns true for the pooler, the decoder of masked patches, and the vector that masks them.
fn is_unused(name: &str) -> bool {
    let name = ["vit.", "dinov2.", "dinov2_with_registers."]
        .iter()
        .find_map(|base| name.strip_prefix(base))
        .unwrap_or(name);
    let others = ["pooler.", "decoder.", "embeddings.mask_token"];
    others.iter().any(|other| name.starts_with(other))
}

/// Returns the names of a file's tensors that are not used.
pub fn unused(names: BTreeSet<String>) -> Vec<String> {
    names.into_iter().filter(|name| is_unused(name)).collect()
}

fn replaced(path: &str, parts: &[(&str, &str)]) -> String {
    let part = parts.iter().find(|(part, _)| path.contains(part));
    match part {
        Some((part, name)) => path.replace(part, name),
        None => path.to_owned(),
    }
}

fn vit(path: &str) -> String {
    let path = path.replace("vit.layers.", "vit.encoder.layer.");
    replaced(
        &path,
        &[
            (".norm1.", ".layernorm_before."),
            (".norm2.", ".layernorm_after."),
            (".attention.output.", ".attention.output.dense."),
            (".attention.", ".attention.attention."),
            (".mlp.inner.", ".intermediate.dense."),
            (".mlp.outer.", ".output.dense."),
        ],
    )
}

fn dinov2(path: &str, base: &str) -> String {
    let path = path.replace("vit.layers.", "vit.encoder.layer.");
    let path = path.replacen("vit.", base, 1);
    replaced(
        &path,
        &[
            (".attention.output.", ".attention.output.dense."),
            (".attention.", ".attention.attention."),
            (".mlp.inner.", ".mlp.fc1."),
            (".mlp.outer.", ".mlp.fc2."),
            (".mlp.gated.", ".mlp.weights_in."),
            (".mlp.joined.", ".mlp.weights_out."),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_the_names_of_the_files() {
        for (path, of_vit, of_dinov2) in [
            (
                "layers.0.attention.query.bias",
                "encoder.layer.0.attention.attention.query.bias",
                "encoder.layer.0.attention.attention.query.bias",
            ),
            (
                "layers.1.attention.output.weight",
                "encoder.layer.1.attention.output.dense.weight",
                "encoder.layer.1.attention.output.dense.weight",
            ),
            (
                "layers.1.norm1.weight",
                "encoder.layer.1.layernorm_before.weight",
                "encoder.layer.1.norm1.weight",
            ),
            (
                "layers.1.mlp.inner.bias",
                "encoder.layer.1.intermediate.dense.bias",
                "encoder.layer.1.mlp.fc1.bias",
            ),
            ("layernorm.bias", "layernorm.bias", "layernorm.bias"),
        ] {
            let path = format!("vit.{path}");
            assert_eq!(vit(&path), format!("vit.{of_vit}"));
            assert_eq!(dinov2(&path, "dinov2."), format!("dinov2.{of_dinov2}"));
        }
        assert_eq!(dinov2("classifier.weight", "dinov2."), "classifier.weight");
    }

    #[test]
    fn heads_for_other_purposes_are_told_by_their_names() {
        let names = [
            "vit.pooler.dense.weight",
            "decoder.0.bias",
            "classifier.bias",
        ];
        let names = names.map(str::to_owned).into();
        assert_eq!(unused(names), ["decoder.0.bias", "vit.pooler.dense.weight"]);
    }
}
