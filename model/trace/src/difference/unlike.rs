//! The reason why two models cannot be compared head by head.

use thiserror::Error;

use crate::{ModelSpec, Stack, StackSpec, Token, TraceMeta};

/// A field in which two models, or the tokens that they read, differ.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field} is {} in the first model and {} in the second", values[0], values[1])]
pub struct Unlike {
    /// The name of the field, such as `decoder.heads`; that of a token has its position, `target.3`.
    pub field: String,
    /// The value of each model.
    pub values: [String; 2],
}

impl Unlike {
    /// Creates the difference in a field; `None` if the values are the same.
    fn of<T: PartialEq + ToString>(field: impl Into<String>, values: [T; 2]) -> Option<Self> {
        (values[0] != values[1]).then(|| Unlike {
            field: field.into(),
            values: values.map(|value| value.to_string()),
        })
    }
}

/// Returns the first field of the shape in which two models differ: what they generate, width, vocabulary, and the layers,
/// heads and widths of their stacks. Facts that leave every array its shape may differ.
pub fn unlike_models(models: [&ModelSpec; 2]) -> Option<Unlike> {
    let generates = models.map(|spec| format!("{:?}", spec.generates));
    Unlike::of("generates", generates)
        .or_else(|| Unlike::of("width", models.map(|spec| spec.width)))
        .or_else(|| Unlike::of("vocabulary", models.map(|spec| spec.vocabulary)))
        .or_else(|| {
            let mut stacks = [Stack::Encoder, Stack::Decoder].into_iter();
            stacks.find_map(|stack| unlike_stacks(stack, models.map(|spec| spec.stack(stack))))
        })
}

/// A stack that is absent has no layers.
fn unlike_stacks(stack: Stack, stacks: [Option<&StackSpec>; 2]) -> Option<Unlike> {
    type Size = fn(&StackSpec) -> usize;
    let sizes: [(&str, Size); 6] = [
        ("layers", |stack| stack.layers),
        ("heads", |stack| stack.heads),
        ("key_value_heads", |stack| stack.key_value_heads),
        ("head_width", |stack| stack.head_width),
        ("cross_attention", |stack| stack.cross_attention.into()),
        ("feed_forward.width", |stack| {
            stack.feed_forward.map_or(0, |network| network.width)
        }),
    ];
    sizes.into_iter().find_map(|(name, size)| {
        let values = stacks.map(|stack| stack.map_or(0, size));
        Unlike::of(format!("{stack}.{name}"), values)
    })
}

/// Returns the first token in which two passes differ: its number, or its piece.
pub fn unlike_tokens(passes: [&TraceMeta; 2]) -> Option<Unlike> {
    let mut stacks = [("source", Stack::Encoder), ("target", Stack::Decoder)].into_iter();
    stacks.find_map(|(name, stack)| {
        let [one, other] = passes.map(|meta| meta.tokens(stack));
        let count = one.len().max(other.len());
        let written = |token: Option<&Token>| match token {
            Some(token) => format!("“{}” (#{})", token.text, token.id),
            None => "–".to_owned(),
        };
        (0..count).find_map(|at| {
            Unlike::of(
                format!("{name}.{at}"),
                [one, other].map(|tokens| written(tokens.get(at))),
            )
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::MarianConfig;

    fn meta(source: &[(u32, &str)]) -> TraceMeta {
        let token = |&(id, text): &(u32, &str)| Token {
            id,
            text: text.to_owned(),
            unknown: false,
        };
        TraceMeta {
            spec: MarianConfig::default().spec(),
            source: source.iter().map(token).collect(),
            target: vec![],
            pieces: crate::Pieces::default(),
        }
    }

    #[test]
    fn the_first_field_that_differs_is_named() {
        let spec = MarianConfig::default().spec();
        assert_eq!(unlike_models([&spec, &spec]), None);
        let unlike = |change: fn(&mut ModelSpec)| {
            let mut other = spec.clone();
            change(&mut other);
            unlike_models([&spec, &other]).map(|unlike| unlike.field)
        };
        let named = |field: &str| Some(field.to_owned());
        assert_eq!(unlike(|spec| spec.width += 1), named("width"));
        assert_eq!(unlike(|spec| spec.vocabulary += 1), named("vocabulary"));
        assert_eq!(unlike(|spec| spec.encoder = None), named("encoder.layers"));
        let heads = |spec: &mut ModelSpec| spec.decoder.as_mut().unwrap().heads *= 2;
        assert_eq!(unlike(heads), named("decoder.heads"));
        let wider = |spec: &mut ModelSpec| {
            let network = &mut spec.decoder.as_mut().unwrap().feed_forward;
            network.as_mut().unwrap().width += 1;
        };
        assert_eq!(unlike(wider), named("decoder.feed_forward.width"));
        let other_limit = |spec: &mut ModelSpec| {
            spec.max_tokens = None;
            spec.model_type = "other".to_owned();
        };
        assert_eq!(unlike(other_limit), None);
    }

    #[test]
    fn the_first_token_that_differs_is_named() {
        let one = meta(&[(1, "a"), (2, "b")]);
        assert_eq!(unlike_tokens([&one, &one]), None);
        let other = meta(&[(1, "a"), (3, "b")]);
        let unlike = unlike_tokens([&one, &other]).unwrap();
        assert_eq!(
            unlike.to_string(),
            "source.1 is “b” (#2) in the first model and “b” (#3) in the second"
        );
        let shorter = meta(&[(1, "a")]);
        let unlike = unlike_tokens([&one, &shorter]).unwrap();
        assert_eq!(
            (unlike.field.as_str(), unlike.values[1].as_str()),
            ("source.1", "–")
        );
    }
}
