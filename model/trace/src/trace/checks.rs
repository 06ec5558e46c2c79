//! Checks of a trace's parts: sizes, shapes against heads and tokens, places against tokens.

use std::ops::RangeInclusive;

use super::{Trace, TraceError, TraceMeta};
use crate::config::{LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST};
use crate::{
    AttentionKind, AttentionLayer, ModelSpec, Quantity, Site, Stack, StackSpec, THUMBNAIL_EDGE,
};

/// Checks that no size of the model is out of reason, by the limits of `config.json`: whoever shows a trace counts
/// through layers and heads. A width may be 0, unknown to the writer, as in traces of HeadVis files.
pub(super) fn check_sizes(spec: &ModelSpec) -> Result<(), TraceError> {
    let stacks = [
        ("encoder", spec.encoder.as_ref()),
        ("decoder", spec.decoder.as_ref()),
    ];
    for (stack, spec) in stacks {
        for (name, size, allowed) in spec.map(sizes_of_stack).into_iter().flatten() {
            check_size(format!("{stack}.{name}"), size, allowed)?;
        }
    }
    check_size("width".into(), spec.width, 0..=WIDEST)?;
    check_size("vocabulary".into(), spec.vocabulary, 0..=LARGEST_TABLE)
}

type Limit = (&'static str, usize, RangeInclusive<usize>);

fn sizes_of_stack(stack: &StackSpec) -> [Limit; 4] {
    [
        ("layers", stack.layers, 1..=MOST_LAYERS),
        ("heads", stack.heads, 1..=MOST_HEADS),
        ("key_value_heads", stack.key_value_heads, 1..=MOST_HEADS),
        ("head_width", stack.head_width, 0..=WIDEST),
    ]
}

fn check_size(name: String, size: usize, allowed: RangeInclusive<usize>) -> Result<(), TraceError> {
    match allowed.contains(&size) {
        true => Ok(()),
        false => Err(TraceError::Size {
            name,
            size,
            least: *allowed.start(),
            most: *allowed.end(),
        }),
    }
}

impl TraceMeta {
    /// Checks the shape of a map against the heads of the model and the tokens; arrays that are no maps pass.
    pub(super) fn check_shape(&self, site: Site, shape: &[usize]) -> Result<(), TraceError> {
        // The bias of ALiBi is one row for all queries.
        let is_map = site.quantity.is_map() && site.quantity != Quantity::PositionBias;
        if !is_map && site.quantity != Quantity::Thumbnail {
            return Ok(());
        }
        let attention = AttentionLayer::try_from(site.block);
        let attention = attention.map_err(|_| TraceError::Layer(site.to_string()))?;
        if attention.layer >= self.spec.layers(attention.kind) {
            return Err(TraceError::Layer(site.to_string()));
        }
        let (queries, keys) = self.axes(attention.kind);
        let edge = match site.quantity {
            Quantity::Thumbnail => THUMBNAIL_EDGE,
            _ => usize::MAX,
        };
        let heads = self.spec.heads(attention.kind);
        let expected = [heads, queries.len().min(edge), keys.len().min(edge)];
        match shape == expected {
            true => Ok(()),
            false => Err(TraceError::Shape {
                array: site.to_string(),
                found: shape.to_vec(),
                expected: expected.to_vec(),
            }),
        }
    }
}

impl Trace {
    /// Checks that what decoding, guesses and lens refer to is there.
    pub(super) fn check_places(&self) -> Result<(), TraceError> {
        let tokens = |stack| self.meta.tokens(stack).len();
        let within = |entry, place: usize, tokens: usize| match place < tokens {
            true => Ok(()),
            false => Err(TraceError::Place {
                entry,
                place,
                tokens,
            }),
        };
        for step in self.decoding.iter().flat_map(|decoding| &decoding.steps) {
            within("decoding", step.row, tokens(Stack::Decoder))?;
        }
        for guess in &self.guesses {
            within("guesses", guess.place, tokens(Stack::Encoder))?;
        }
        let Some(lens) = &self.lens else {
            return Ok(());
        };
        let expected = tokens(self.meta.spec.last_stack());
        let readings = lens.layers.iter().map(Vec::len);
        match readings
            .chain([lens.answers.len()])
            .find(|&found| found != expected)
        {
            None => Ok(()),
            Some(found) => Err(TraceError::Lens {
                found,
                tokens: expected,
            }),
        }
    }

    /// Checks that the attention weights can be shown: those of every layer of each kind of attention that has any, at
    /// least one kind, and finite numbers.
    ///
    /// # Errors
    /// The first array that is missing or has a value that is not finite.
    pub fn check_weights(&self) -> Result<(), TraceError> {
        let mut has_weights = false;
        for kind in AttentionKind::ALL {
            let layers = 0..self.meta.spec.layers(kind);
            let mut sites =
                layers.map(|layer| AttentionLayer { kind, layer }.at(Quantity::Pattern));
            if !sites.clone().any(|site| self.arrays.contains_key(&site)) {
                continue;
            }
            if let Some(missing) = sites.find(|site| !self.arrays.contains_key(site)) {
                return Err(TraceError::Missing(missing.to_string()));
            }
            has_weights = true;
        }
        let is_pattern = |site: &Site| site.quantity == Quantity::Pattern;
        for (site, array) in self.arrays.iter().filter(|(site, _)| is_pattern(site)) {
            if !array.data.iter().all(|value| value.is_finite()) {
                return Err(TraceError::NotFinite(site.to_string()));
            }
        }
        match has_weights {
            true => Ok(()),
            false => Err(TraceError::NoWeights),
        }
    }
}
