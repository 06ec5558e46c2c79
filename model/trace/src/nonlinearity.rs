//! Non-linearities of feed-forward networks by the names that configurations give them.

use serde::{Deserialize, Serialize};

/// A feed-forward network's non-linearity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Nonlinearity {
    /// The rectifier, `max(0, x)`.
    Relu,
    /// `x·Φ(x)`, Φ by the error function.
    #[serde(alias = "gelu_python")]
    Gelu,
    /// The same with `½(1 + tanh(√(2/π)(x + 0.044715x³)))` for Φ, as GPT-2 and T5 v1.1 have it.
    #[serde(
        alias = "gelu_pytorch_tanh",
        alias = "gelu_python_tanh",
        alias = "gelu_fast"
    )]
    GeluNew,
    /// The sigmoid linear unit, `x·σ(x)`.
    #[serde(alias = "swish")]
    Silu,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_name_is_read_and_others_are_refused() {
        let read = |name: &str| serde_json::from_value::<Nonlinearity>(name.into());
        assert_eq!(read("gelu").unwrap(), Nonlinearity::Gelu);
        assert_eq!(read("gelu_new").unwrap(), Nonlinearity::GeluNew);
        assert_eq!(read("gelu_pytorch_tanh").unwrap(), Nonlinearity::GeluNew);
        assert_eq!(read("swish").unwrap(), Nonlinearity::Silu);
        assert!(read("mish").unwrap_err().to_string().contains("mish"));
    }
}
