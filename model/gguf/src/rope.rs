//! RoPE's scaling: the keys of the metadata, and Llama 3's, which files keep as factors of the wavelengths.

use serde_json::{Map, Value, json};

use crate::error::{GgufError, shown};
use crate::file::Gguf;
use crate::keys::Keys;

/// The tensor of the factors of the wavelengths.
pub const FACTORS: &str = "rope_freqs.weight";

/// The base of RoPE in files that do not give it.
const USUAL_BASE: f64 = 10_000.0;
/// The keys under `rope.scaling.` that are translated.
const SCALING: [&str; 6] = [
    "type",
    "factor",
    "original_context_length",
    "finetuned",
    "yarn_beta_fast",
    "yarn_beta_slow",
];
/// Powers of two among which Llama 3's length in training is sought.
const LENGTHS: std::ops::Range<u32> = 4..24;
/// The largest relative difference between a factor and Llama 3's formula. Converters compute wavelengths with 32 bits, and
/// where a factor begins to change, their rounding grows by as much as the factor.
const ROUNDING: f64 = 1e-4;

/// Returns `rope_parameters` of `config.json` for heads of `width` dimensions.
///
/// # Errors
/// If a way or a key is not implemented, or the factors are not those of Llama 3's formula.
pub fn parameters(file: &Gguf<'_>, keys: &Keys<'_>, width: u64) -> Result<Value, GgufError> {
    let base = keys.real("rope.freq_base")?.unwrap_or(USUAL_BASE);
    let turned = keys.natural("rope.dimension_count")?.unwrap_or(width);
    if turned != width {
        let fault =
            format!("is not the width of a head, {width}: turning a part is not implemented");
        return Err(GgufError::value(
            keys.key("rope.dimension_count"),
            turned,
            fault,
        ));
    }
    let mut parameters = scaling(keys)?;
    if let Some(factors) = factors(file)? {
        if parameters.get("rope_type") != Some(&json!("default")) {
            let fault = "beside a scaling in the metadata are not implemented";
            return Err(GgufError::value(FACTORS, "factors", fault));
        }
        if factors.iter().any(|&factor| factor != 1.0) {
            parameters = llama3(&factors, base, width)?;
        }
    }
    parameters.insert("rope_theta".to_owned(), json!(base));
    Ok(Value::Object(parameters))
}

fn scaling(keys: &Keys<'_>) -> Result<Map<String, Value>, GgufError> {
    let prefix = keys.key("rope.scaling.");
    let is_other = |key: &&str| {
        let scaling = key.strip_prefix(&prefix);
        scaling.is_some_and(|key| !SCALING.contains(&key))
    };
    if let Some((key, value)) = keys.metadata.iter().find(|(key, _)| is_other(key)) {
        return Err(GgufError::value(shown(key), value, "is not implemented"));
    }
    let old = keys.key("rope.scale_linear");
    let old_factor = keys.metadata.real(&old)?.filter(|factor| *factor != 1.0);
    let way = match (keys.text("rope.scaling.type")?, old_factor) {
        (Some(way), _) => way,
        (None, Some(_)) => "linear",
        (None, None) => "none",
    };
    let mut parameters = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            parameters.insert(name.to_owned(), value);
        }
    };
    match way {
        "none" => set("rope_type", Some(json!("default"))),
        "linear" | "yarn" => {
            set("rope_type", Some(json!(way)));
            let factor = keys.real("rope.scaling.factor")?.or(old_factor);
            set("factor", factor.map(Value::from));
            let trained = keys.natural("rope.scaling.original_context_length")?;
            let trained = trained.filter(|_| way == "yarn");
            set("original_max_position_embeddings", trained.map(Value::from));
            for name in ["beta_fast", "beta_slow"] {
                let turns = keys.real(&format!("rope.scaling.yarn_{name}"))?;
                set(name, turns.map(Value::from));
            }
        }
        other => {
            let fault = "is not implemented; none, linear and yarn are";
            return Err(GgufError::value(
                keys.key("rope.scaling.type"),
                other,
                fault,
            ));
        }
    }
    Ok(parameters)
}

/// Returns the factors of the wavelengths, if the file has them.
fn factors(file: &Gguf<'_>) -> Result<Option<Vec<f64>>, GgufError> {
    let Some(tensor) = file.header.tensor(FACTORS) else {
        return Ok(None);
    };
    if tensor.shape.len() != 1 {
        let fault = "is not the shape of a vector";
        return Err(GgufError::value(
            FACTORS,
            format!("{:?}", tensor.shape),
            fault,
        ));
    }
    let values = tensor.encoding.widen(file.bytes(tensor));
    Ok(Some(values.into_iter().map(f64::from).collect()))
}

/// Returns the parameters of Llama 3's formula with these factors. The length in training is not in the file; it is the
/// power of two whose factors are all equal to the file's.
fn llama3(factors: &[f64], base: f64, width: u64) -> Result<Map<String, Value>, GgufError> {
    let largest = factors.iter().copied().fold(1.0, f64::max);
    let is_equal = |trained: f64| {
        let formula = formula(base, width, largest, trained);
        let pairs = formula.zip(factors);
        let mut differences = pairs.map(|(formula, factor)| (formula - factor).abs() / formula);
        // A comparison with NaN is false.
        differences.all(|difference| difference <= ROUNDING)
    };
    let pairs = usize::try_from(width / 2).ok();
    let found = LENGTHS
        .map(|bits| 1_u64 << bits)
        .filter(|_| pairs == Some(factors.len()))
        .find(|&trained| is_equal(trained as f64));
    let Some(trained) = found else {
        let fault = "are not those of Llama 3's formula, which alone is implemented";
        return Err(GgufError::value(FACTORS, "factors", fault));
    };
    let mut parameters = Map::new();
    for (name, value) in [
        ("rope_type", json!("llama3")),
        ("factor", json!(largest)),
        ("low_freq_factor", json!(1.0)),
        ("high_freq_factor", json!(4.0)),
        ("original_max_position_embeddings", json!(trained)),
    ] {
        parameters.insert(name.to_owned(), value);
    }
    Ok(parameters)
}

/// Llama 3's factor of the wavelength of each pair of dimensions: 1 for those that turn more than four times in training,
/// `largest` for those that turn less than once.
fn formula(base: f64, width: u64, largest: f64, trained: f64) -> impl Iterator<Item = f64> {
    (0..width / 2).map(move |pair| {
        let wavelength = std::f64::consts::TAU * base.powf(2.0 * pair as f64 / width as f64);
        let turns = trained / wavelength;
        let between = ((turns - 1.0) / 3.0).clamp(0.0, 1.0);
        1.0 / ((1.0 - between) / largest + between)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn llama3s_parameters_are_found_from_its_factors() {
        for (factor, trained, width) in [(8.0, 8192, 128), (32.0, 8192, 64), (4.0, 64, 12)] {
            let factors: Vec<f64> = formula(500_000.0, width, factor, f64::from(trained))
                .map(|factor| f64::from(factor as f32))
                .collect();
            let found = llama3(&factors, 500_000.0, width).unwrap();
            assert_eq!(found["factor"], factor);
            assert_eq!(found["original_max_position_embeddings"], trained);
            let mut other = factors.clone();
            other[2] *= 1.001;
            assert!(llama3(&other, 500_000.0, width).is_err());
            assert!(llama3(&factors[1..], 500_000.0, width).is_err());
        }
        assert!(llama3(&[f64::NAN, 2.0], 10_000.0, 4).is_err());
    }
}
