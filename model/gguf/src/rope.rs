//! RoPE: the keys of the metadata, and the ways that files keep as factors of the wavelengths, Llama 3's and LongRoPE.

use serde_json::{Map, Value, json};

use crate::architecture::Architecture;
use crate::error::{GgufError, shown};
use crate::factors::{FACTORS, LONGROPE};
use crate::file::Gguf;
use crate::keys::Keys;

/// The key of the base in layers with a window.
const LOCAL_BASE: &str = "rope.freq_base_swa";

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
    let turned = turned(keys, width)?;
    let mut parameters = match longrope(file, keys)? {
        Some(parameters) => parameters,
        None => scaling(keys)?,
    };
    if let Some(factors) = vector(file, FACTORS)? {
        if parameters.get("rope_type") != Some(&json!("default")) {
            let fault = "beside a scaling in the metadata are not implemented";
            return Err(GgufError::value(FACTORS, "factors", fault));
        }
        if factors.iter().any(|&factor| factor != 1.0) {
            parameters = llama3(&factors, base, width)?;
        }
    }
    parameters.insert("rope_theta".to_owned(), json!(base));
    if turned != width {
        let share = share(turned, width);
        parameters.insert("partial_rotary_factor".to_owned(), json!(share));
    }
    let parameters = Value::Object(parameters);
    match (keys.architecture, keys.real(LOCAL_BASE)?) {
        // The scaling is that of layers without a window.
        (Architecture::Gemma3, local) => Ok(json!({
            "full_attention": parameters,
            "sliding_attention": {
                "rope_type": "default",
                "rope_theta": local.unwrap_or(USUAL_BASE),
            },
        })),
        (_, Some(local)) if local != base => {
            let fault = "differs from rope.freq_base, which is not implemented here";
            Err(GgufError::value(keys.key(LOCAL_BASE), local, fault))
        }
        _ => Ok(parameters),
    }
}

/// Returns the number of a head's dimensions that RoPE rotates, the first ones.
fn turned(keys: &Keys<'_>, width: u64) -> Result<u64, GgufError> {
    use Architecture::{GptNeoX, Phi3};

    let turned = keys.natural("rope.dimension_count")?.unwrap_or(width);
    let may_be_partial = matches!(keys.architecture, Phi3 | GptNeoX);
    let fault = match may_be_partial {
        true if turned <= width => return Ok(turned),
        false if turned == width => return Ok(turned),
        true => format!("is more than the width of a head, {width}"),
        false => {
            format!("is not the width of a head, {width}: turning a part is not implemented here")
        }
    };
    Err(GgufError::value(
        keys.key("rope.dimension_count"),
        turned,
        fault,
    ))
}

/// Returns the share that gives `turned` of `width` dimensions when their product is cut to a whole number.
fn share(turned: u64, width: u64) -> f64 {
    let share = turned as f64 / width as f64;
    match ((width as f64 * share) as u64) < turned {
        true => share.next_up(),
        false => share,
    }
}

/// Returns LongRoPE's parameters if the file has its factors, one for each pair of dimensions, as Phi-3's files do.
fn longrope(file: &Gguf<'_>, keys: &Keys<'_>) -> Result<Option<Map<String, Value>>, GgufError> {
    let [short, long] = LONGROPE.map(|name| vector(file, name));
    let (short, long) = match (short?, long?) {
        _ if keys.architecture != Architecture::Phi3 => return Ok(None),
        (None, None) => return Ok(None),
        (None, Some(_)) => return Err(GgufError::missing(LONGROPE[0])),
        (Some(_), None) => return Err(GgufError::missing(LONGROPE[1])),
        (Some(short), Some(long)) => (short, long),
    };
    let way = keys.text("rope.scaling.type")?;
    if let Some(way) = way.filter(|way| !["none", "longrope"].contains(way)) {
        let fault = "is not implemented beside LongRoPE's factors; longrope is";
        return Err(GgufError::value(keys.key("rope.scaling.type"), way, fault));
    }
    let mut parameters = Map::new();
    parameters.insert("rope_type".to_owned(), json!("longrope"));
    parameters.insert("short_factor".to_owned(), json!(short));
    parameters.insert("long_factor".to_owned(), json!(long));
    if let Some(factor) = keys.real("rope.scaling.attn_factor")? {
        parameters.insert("attention_factor".to_owned(), json!(factor));
    }
    Ok(Some(parameters))
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

/// Returns the values of a vector, if the file has it.
fn vector(file: &Gguf<'_>, name: &str) -> Result<Option<Vec<f64>>, GgufError> {
    let Some(tensor) = file.header.tensor(name) else {
        return Ok(None);
    };
    if tensor.shape.len() != 1 {
        let fault = "is not the shape of a vector";
        return Err(GgufError::value(name, format!("{:?}", tensor.shape), fault));
    }
    let values = tensor
        .encoding
        .widen(file.parameter(name).unwrap_or_default());
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
    fn the_share_gives_back_the_dimensions() {
        for width in 1..=256 {
            for turned in 0..=width {
                let share = share(turned, width);
                assert_eq!((width as f64 * share) as u64, turned, "of {width}");
            }
        }
    }

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
