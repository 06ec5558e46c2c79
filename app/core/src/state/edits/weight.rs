//! Weights of attention that the visitor gives, and their spelling in the address.

use std::{fmt, str::FromStr};

use attention_trace::{Edit, ModelSpec, TraceMeta};

use super::{
    GivenEdit,
    given::{EditKind, Given, Passes},
};
use crate::state::{
    counting::Counted,
    head::{HeadChoice, NoHead},
};

/// Layer, head, query and key count from 1; the weight follows.
pub(super) const KIND: EditKind = EditKind {
    entry: "weights",
    counted: Counted::AfterKind(4),
    most: 64,
    is_switched: true,
    read: |text| text.parse().ok().map(GivenEdit::Weight),
};

/// The word for all queries in an address.
const ALL: &str = "all";

/// A place in a head's map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightPlace {
    /// The head that computes the weight.
    pub head: HeadChoice,
    /// The position of the query; `None` for all queries.
    pub query: Option<usize>,
    /// The position of the key.
    pub key: usize,
}

impl WeightPlace {
    /// Returns the place with a weight of so many thousandths.
    pub fn given(self, thousandths: u16) -> GivenWeight {
        GivenWeight {
            place: self,
            thousandths,
        }
    }
}

/// A weight that the visitor sets at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenWeight {
    /// The place of the weight.
    pub place: WeightPlace,
    /// The weight in thousandths; for all queries together it can only be 0, which masks the key.
    pub thousandths: u16,
}

impl GivenWeight {
    /// The largest weight, in thousandths.
    pub const ONE: u16 = 1000;

    /// Returns the weight, from 0 to 1.
    pub fn weight(self) -> f32 {
        f32::from(self.thousandths) / f32::from(Self::ONE)
    }

    /// Returns the edit that sets the weight.
    pub fn edit(self) -> Edit {
        let WeightPlace { head, query, key } = self.place;
        let HeadChoice { attention, head } = head;
        match query {
            Some(query) => Edit::SetWeight {
                attention,
                head,
                query,
                key,
                weight: self.weight(),
            },
            None => Edit::ScaleKey {
                attention,
                head: Some(head),
                key,
                factor: 0.0,
            },
        }
    }
}

impl From<GivenWeight> for GivenEdit {
    fn from(weight: GivenWeight) -> Self {
        GivenEdit::Weight(weight)
    }
}

impl Given for GivenWeight {
    fn is_in(&self, spec: &ModelSpec) -> bool {
        self.place.head.is_in(spec)
    }

    fn is_there(&self, meta: &TraceMeta) -> bool {
        let WeightPlace { head, query, key } = self.place;
        let (queries, keys) = meta.axes(head.attention.kind);
        let has_query = query.is_none_or(|query| query < queries.len());
        self.is_in(&meta.spec) && has_query && key < keys.len()
    }

    fn part(&self) -> String {
        self.place.to_string()
    }

    fn edits(&self, _: Passes<'_>) -> Vec<Edit> {
        vec![self.edit()]
    }
}

/// Spells the place as in an address that counts from 0: `cross.1.3.2.0`, layer, head, query, key.
impl fmt::Display for WeightPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WeightPlace { head, query, key } = self;
        match query {
            Some(query) => write!(f, "{head}.{query}.{key}"),
            None => write!(f, "{head}.{ALL}.{key}"),
        }
    }
}

/// Spells the weight as in an address that counts from 0: `cross.1.3.2.0.750`, the place, then the weight in thousandths.
impl fmt::Display for GivenWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.place, self.thousandths)
    }
}

/// A text that does not spell a weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoWeight;

impl From<NoHead> for NoWeight {
    fn from(_: NoHead) -> Self {
        NoWeight
    }
}

impl FromStr for GivenWeight {
    type Err = NoWeight;

    fn from_str(text: &str) -> Result<Self, NoWeight> {
        let words: Vec<&str> = text.split('.').collect();
        let [kind, layer, head, query, key, thousandths] = words[..] else {
            return Err(NoWeight);
        };
        let number = |digits: &str| digits.parse::<usize>().map_err(|_| NoWeight);
        let query = match query {
            ALL => None,
            digits => Some(number(digits)?),
        };
        let thousandths: u16 = thousandths.parse().map_err(|_| NoWeight)?;
        if thousandths > GivenWeight::ONE || query.is_none() && thousandths > 0 {
            return Err(NoWeight);
        }
        let place = WeightPlace {
            head: format!("{kind}.{layer}.{head}").parse()?,
            query,
            key: number(key)?,
        };
        Ok(place.given(thousandths))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::head::tests::heads;

    /// Generates weights of any head and place.
    pub fn weights() -> impl Strategy<Value = GivenWeight> {
        let place = (heads(), prop::option::of(any::<usize>()), any::<usize>());
        let weight = (place, 0..=GivenWeight::ONE);
        weight.prop_map(|((head, query, key), thousandths)| {
            let thousandths = if query.is_some() { thousandths } else { 0 };
            WeightPlace { head, query, key }.given(thousandths)
        })
    }

    proptest! {
        #[test]
        fn a_weight_survives_the_address(weight in weights()) {
            prop_assert_eq!(weight.to_string().parse(), Ok(weight));
        }
    }
}
