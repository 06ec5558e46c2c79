//! Weights of attention that the visitor gives, and their spelling in the address.

use std::{fmt, str::FromStr};

use attention_trace::{Edit, ModelSpec};

use super::off::{HeadChoice, NoHead};

/// The largest number of weights in an address.
const MOST: usize = 64;
/// The longest name, in characters.
const LONGEST_NAME: usize = 40;
/// The word for all queries in an address.
const ALL: &str = "all";
/// The word for a weight that is switched off in an address.
const OFF: &str = "off";

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

    /// True if a model has the head.
    pub fn is_in(self, spec: &ModelSpec) -> bool {
        self.place.head.is_in(spec)
    }
}

/// A weight in the visitor's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWeight {
    /// The weight that is given.
    pub given: GivenWeight,
    /// True if the weight takes effect.
    pub is_on: bool,
    /// The visitor's name for it; empty if it has none.
    pub name: String,
}

/// The visitor's list of weights, each place once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeightList(Vec<ListedWeight>);

impl WeightList {
    /// True if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the list has no room for another weight.
    pub fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    /// Iterates over the list in order.
    pub fn iter(&self) -> impl Iterator<Item = &ListedWeight> {
        self.0.iter()
    }

    /// Returns the weight at a place.
    pub fn at(&self, place: WeightPlace) -> Option<&ListedWeight> {
        self.0.iter().find(|listed| listed.given.place == place)
    }

    /// Returns the weights that take effect.
    pub fn on(&self) -> Vec<GivenWeight> {
        let on = self.0.iter().filter(|listed| listed.is_on);
        on.map(|listed| listed.given).collect()
    }

    /// Sets the weight at a place; an earlier weight there is replaced, and keeps its name.
    pub fn give(&mut self, given: GivenWeight) {
        let is_full = self.is_full();
        let mut known = self.0.iter_mut();
        match known.find(|listed| listed.given.place == given.place) {
            Some(listed) => {
                listed.given = given;
                listed.is_on = true;
            }
            None if is_full => {}
            None => self.0.push(ListedWeight {
                given,
                is_on: true,
                name: String::new(),
            }),
        }
    }

    /// Removes a weight from the list.
    pub fn remove(&mut self, place: WeightPlace) {
        self.0.retain(|listed| listed.given.place != place);
    }

    /// Switches a weight off, or on again.
    pub fn switch(&mut self, place: WeightPlace) {
        self.change(place, |listed| listed.is_on = !listed.is_on);
    }

    /// Gives a weight a name.
    pub fn rename(&mut self, place: WeightPlace, name: &str) {
        let name = short(name);
        self.change(place, |listed| listed.name = name);
    }

    /// Returns the same list with exactly these weights on.
    pub fn with_on(mut self, on: &[GivenWeight]) -> Self {
        for listed in &mut self.0 {
            listed.is_on = false;
        }
        on.iter().for_each(|&given| self.give(given));
        self
    }

    fn change(&mut self, place: WeightPlace, change: impl FnOnce(&mut ListedWeight)) {
        let mut known = self.0.iter_mut();
        if let Some(listed) = known.find(|listed| listed.given.place == place) {
            change(listed);
        }
    }
}

/// Spells the weight as in an address that counts from 0: `cross.1.3.2.0.750`, layer, head, query, key, weight in
/// thousandths; then `off` if it is switched off, and last `_` with its name.
impl fmt::Display for ListedWeight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GivenWeight { place, thousandths } = self.given;
        let query = place.query.map_or(ALL.to_owned(), |at| at.to_string());
        write!(f, "{}.{query}.{}.{thousandths}", place.head, place.key)?;
        if !self.is_on {
            write!(f, ".{OFF}")?;
        }
        match self.name.is_empty() {
            true => Ok(()),
            false => write!(f, ".{}", spelled(&self.name)),
        }
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

impl FromStr for ListedWeight {
    type Err = NoWeight;

    fn from_str(text: &str) -> Result<Self, NoWeight> {
        let words: Vec<&str> = text.split('.').collect();
        let [kind, layer, head, query, key, thousandths, rest @ ..] = words.as_slice() else {
            return Err(NoWeight);
        };
        let number = |digits: &str| digits.parse::<usize>().map_err(|_| NoWeight);
        let query = match *query {
            ALL => None,
            digits => Some(number(digits)?),
        };
        let thousandths: u16 = thousandths.parse().map_err(|_| NoWeight)?;
        if thousandths > GivenWeight::ONE || query.is_none() && thousandths > 0 {
            return Err(NoWeight);
        }
        let (is_on, name) = match *rest {
            [] => (true, ""),
            [OFF] => (false, ""),
            [OFF, name] => (false, name),
            [name] => (true, name),
            _ => return Err(NoWeight),
        };
        Ok(ListedWeight {
            given: GivenWeight {
                place: WeightPlace {
                    head: format!("{kind}.{layer}.{head}").parse()?,
                    query,
                    key: number(key)?,
                },
                thousandths,
            },
            is_on,
            name: read(name).ok_or(NoWeight)?,
        })
    }
}

/// Spells a name with letters, digits and `_` alone, after a `_`, so that it equals no word of an address.
fn spelled(name: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("_{byte:02x}"),
    };
    let bytes = name.bytes().map(byte);
    std::iter::once("_".to_owned()).chain(bytes).collect()
}

/// The inverse of [`spelled`]; `None` if the text is not such a name.
fn read(spelled: &str) -> Option<String> {
    let Some(mut rest) = spelled.strip_prefix('_') else {
        return spelled.is_empty().then(String::new);
    };
    let mut bytes = vec![];
    while let Some(first) = rest.chars().next() {
        let (byte, length) = match first {
            '_' => (u8::from_str_radix(rest.get(1..3)?, 16).ok()?, 3),
            letter if letter.is_ascii_alphanumeric() => (letter as u8, 1),
            _ => return None,
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    Some(short(&String::from_utf8(bytes).ok()?))
}

/// Returns the beginning of a name, trimmed.
fn short(name: &str) -> String {
    let beginning: String = name.trim().chars().take(LONGEST_NAME).collect();
    beginning.trim_end().to_owned()
}

/// Spells the weights one after the other, with characters that need no escape in an address.
impl fmt::Display for WeightList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&listed.join("-"))
    }
}

impl FromIterator<ListedWeight> for WeightList {
    fn from_iter<T: IntoIterator<Item = ListedWeight>>(listed: T) -> Self {
        let mut list = WeightList::default();
        for one in listed {
            if list.at(one.given.place).is_none() && !list.is_full() {
                list.0.push(one);
            }
        }
        list
    }
}

impl WeightList {
    /// Parses the weights in an address; parts that cannot be understood are left out.
    pub fn from_address(text: &str) -> Self {
        let weights = text.split(['-', ',']);
        weights.filter_map(|one| one.parse().ok()).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use attention_trace::{AttentionKind, AttentionLayer};
    use proptest::prelude::*;

    use super::*;

    /// Generates lists of a few weights, of any head and place.
    pub fn weight_lists() -> impl Strategy<Value = WeightList> {
        let kind = prop::sample::select(AttentionKind::ALL.to_vec());
        let head = (kind, any::<usize>(), any::<usize>());
        let head = head.prop_map(|(kind, layer, head)| HeadChoice {
            attention: AttentionLayer { kind, layer },
            head,
        });
        let place = (head, prop::option::of(any::<usize>()), any::<usize>());
        let listed = (place, 0..=GivenWeight::ONE, any::<bool>(), ".{0,12}");
        let listed = listed.prop_map(|((head, query, key), thousandths, is_on, name)| {
            let thousandths = if query.is_some() { thousandths } else { 0 };
            ListedWeight {
                given: GivenWeight {
                    place: WeightPlace { head, query, key },
                    thousandths,
                },
                is_on,
                name: name.trim().to_owned(),
            }
        });
        prop::collection::vec(listed, 0..6).prop_map(WeightList::from_iter)
    }

    fn list(text: &str) -> WeightList {
        WeightList::from_address(text)
    }

    proptest! {
        #[test]
        fn a_list_survives_the_address(weights in weight_lists()) {
            prop_assert_eq!(list(&weights.to_string()), weights);
        }

        #[test]
        fn any_text_is_a_list(text in "([a-z._,-]|[0-9]|cross\\.1\\.2|\\.off|all){0,24}") {
            let weights = list(&text);
            prop_assert_eq!(list(&weights.to_string()), weights);
        }
    }

    #[test]
    fn names_are_of_any_script_and_no_part_of_the_spelling() {
        for name in ["off", "7", "a-b.c,d_e", "对齐 «x»"] {
            let mut weights = list("cross.1.3.2.0.750");
            let place = weights.iter().next().unwrap().given.place;
            weights.rename(place, name);
            let spelled = weights.to_string();
            assert!(
                spelled
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b))
            );
            assert_eq!(list(&spelled).at(place).unwrap().name, name, "{spelled}");
        }
    }

    #[test]
    fn a_place_is_given_one_weight() {
        let mut weights = list("cross.1.3.2.0.750.off._x-cross.1.3.2.0.100");
        assert_eq!(weights.to_string(), "cross.1.3.2.0.750.off._x");
        let place = weights.iter().next().unwrap().given.place;
        assert!(weights.on().is_empty());
        weights.give(GivenWeight {
            place,
            thousandths: 20,
        });
        assert_eq!(weights.to_string(), "cross.1.3.2.0.20._x");
        assert_eq!(weights.on().len(), 1);
        weights.switch(place);
        assert!(weights.on().is_empty());
        weights.remove(place);
        assert!(weights.is_empty());
    }

    #[test]
    fn what_ran_before_is_in_the_list_again() {
        let now = list("cross.1.3.2.0.750-cross.0.0.1.1.500");
        let before = list("cross.0.0.1.1.250-encoder.0.0.all.4.0").on();
        let listed = now.with_on(&before);
        assert_eq!(
            listed.to_string(),
            "cross.1.3.2.0.750.off-cross.0.0.1.1.250-encoder.0.0.all.4.0"
        );
        assert_eq!(listed.on(), before);
    }

    #[test]
    fn junk_is_left_out_weight_by_weight() {
        for junk in [
            "",
            "cross.1.3",
            "cross.1.3.2.0",
            "cross.1.3.2.0.1001",
            "cross.1.3.all.0.500",
            "cross.1.3.2.0.x",
            "mixed.1.3.2.0.500",
            "cross.1.3.2.0.500.name",
            "cross.1.3.2.0.500._x.off",
            "cross.1.3.2.0.500.__ff",
        ] {
            assert_eq!(list(junk), WeightList::default(), "{junk}");
        }
        assert_eq!(list("nope-cross.1.3.2.0.500-"), list("cross.1.3.2.0.500"));
    }
}
