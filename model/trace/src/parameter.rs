//! The parameters of a model, in the vocabulary of its places.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};

use crate::Site;
use crate::site::{Block, NameError, read_name, write_name};

/// One kind of parameter. Matrices have a row for each output, `y = Wx + b`, however a checkpoint stores them.
#[derive(
    Clone, Copy, Debug, Display, EnumString, VariantArray, PartialEq, Eq, PartialOrd, Ord, Hash,
)]
#[strum(serialize_all = "snake_case")]
pub enum Weight {
    /// The query matrix `W^Q`.
    #[strum(serialize = "w_q")]
    WQ,
    /// The bias of queries.
    #[strum(serialize = "b_q")]
    BQ,
    /// The key matrix `W^K`.
    #[strum(serialize = "w_k")]
    WK,
    /// The bias of keys.
    #[strum(serialize = "b_k")]
    BK,
    /// The value matrix `W^V`.
    #[strum(serialize = "w_v")]
    WV,
    /// The bias of values.
    #[strum(serialize = "b_v")]
    BV,
    /// The gain of the normalisation of queries: of each head's, as in Qwen3, or of all together, as in OLMo 2.
    QueryNormGain,
    /// The gain of the normalisation of keys.
    KeyNormGain,
    /// The output matrix `W^O`.
    #[strum(serialize = "w_o")]
    WO,
    /// The bias after `W^O`.
    #[strum(serialize = "b_o")]
    BO,
    /// A feed-forward network's first matrix; of a gated one, the gate's.
    WIn,
    /// The bias of the first matrix.
    BIn,
    /// The matrix whose product a gate multiplies.
    WLinear,
    /// The bias of that matrix.
    BLinear,
    /// A feed-forward network's second matrix.
    WOut,
    /// The bias of the second matrix.
    BOut,
    /// The gain of a sub-layer's normalisation, or of the one at the end of a stack.
    NormGain,
    /// The bias of that normalisation.
    NormBias,
    /// The gain of the normalisation of a sub-layer's output.
    OutNormGain,
    /// The gain of the normalisation of embeddings, as in BERT.
    EmbeddingNormGain,
    /// The bias of that normalisation.
    EmbeddingNormBias,
    /// The table of token embeddings, a row for each token.
    TokenTable,
    /// The table of learned positions, a row for each.
    PositionTable,
    /// BERT's table of segments, a row for each.
    SegmentTable,
    /// T5's table, a row for each bucket of distances and a column for each head.
    BiasTable,
    /// The matrix that makes logits, a row for each token; the token table where the two are tied.
    WUnembed,
    /// The bias of the logits.
    BUnembed,
}

/// A parameter of a block: `decoder.0.cross.w_q`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parameter {
    /// The block that has the parameter.
    pub block: Block,
    /// The weight within the block.
    pub weight: Weight,
}

impl Block {
    /// A parameter of it.
    pub fn parameter(self, weight: Weight) -> Parameter {
        Parameter {
            block: self,
            weight,
        }
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_name(f, self.block, self.weight)
    }
}

impl FromStr for Parameter {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Self, NameError> {
        let (block, weight) = read_name(name)?;
        Ok(Parameter { block, weight })
    }
}

/// An array that a page can ask for: of a pass, or of the checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ArrayName {
    /// The place of a pass whose array is computed.
    Site(Site),
    /// A parameter of the model.
    Parameter(Parameter),
}

impl From<Site> for ArrayName {
    fn from(site: Site) -> Self {
        ArrayName::Site(site)
    }
}

impl From<Parameter> for ArrayName {
    fn from(parameter: Parameter) -> Self {
        ArrayName::Parameter(parameter)
    }
}

impl fmt::Display for ArrayName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArrayName::Site(site) => site.fmt(f),
            ArrayName::Parameter(parameter) => parameter.fmt(f),
        }
    }
}

impl TryFrom<String> for ArrayName {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        let site = name.parse().map(ArrayName::Site);
        site.or_else(|_| name.parse().map(ArrayName::Parameter))
    }
}

impl From<ArrayName> for String {
    fn from(name: ArrayName) -> Self {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Quantity;
    use crate::site::tests::blocks;

    proptest! {
        #[test]
        fn a_parameter_is_found_by_its_name(
            block in blocks(),
            weight in prop::sample::select(Weight::VARIANTS),
        ) {
            let parameter = Parameter { block, weight };
            prop_assert_eq!(parameter.to_string().parse(), Ok(parameter));
        }

        #[test]
        fn a_name_that_is_read_is_written_as_it_was(name in "(encoder|decoder)?[.]?[0-9]{0,2}[.]?(self|mlp)?[.]?(z|pattern|w_q)?") {
            if let Ok(parameter) = name.parse::<Parameter>() {
                prop_assert_eq!(parameter.to_string(), name);
            }
        }
    }

    #[test]
    fn no_name_is_both_of_a_quantity_and_of_a_parameter() {
        for weight in Weight::VARIANTS {
            assert!(weight.to_string().parse::<Quantity>().is_err(), "{weight}");
        }
    }

    #[test]
    fn names_of_parameters_are_short() {
        let name = |name: &str| ArrayName::try_from(name.to_owned()).map(String::from);
        for known in [
            "decoder.0.self.w_q",
            "encoder.1.mlp.b_in",
            "w_unembed",
            "decoder.norm_gain",
            "decoder.1.cross.z",
        ] {
            assert_eq!(name(known), Ok(known.to_owned()));
        }
        assert!(name("model.layers.0.self_attn.q_proj.weight").is_err());
    }
}
