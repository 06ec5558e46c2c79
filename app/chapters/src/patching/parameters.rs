//! Parameters of chapter "patching".

use attention_core::state::{
    AddressValue, Counted, Entry, Lacking, Parameters, Reader, Span, flat,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{fmt, str::FromStr};

use attention_trace::{Block, Patched, PatchedPlace, Site, Stack, TakenInto};

/// The most patched runs that are kept to be compared.
pub const MOST_KEPT: usize = 12;

/// State of the chapter's figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct PatchingView {
    /// The other sentence; `None` means the partner of the model's first example.
    #[serde(rename = "patch-other")]
    pub other: Option<String>,
    /// The decoding step; `None` means the first at which the two runs write different words.
    #[serde(rename = "patch-step")]
    pub step: Option<usize>,
    /// The word whose logit is compared; `None` means the word of the visitor's run.
    #[serde(rename = "patch-word")]
    pub answer: Option<u32>,
    /// The word that it is compared with; `None` means the word of the other run.
    #[serde(rename = "patch-against")]
    pub against: Option<u32>,
    /// The stack that is patched; `None` means the model's first.
    #[serde(
        rename = "patch-stack",
        serialize_with = "write_stack",
        deserialize_with = "stack"
    )]
    pub stack: Option<Stack>,
    /// The kind of vector that is taken over.
    #[serde(rename = "patch-what", with = "flat::choice")]
    pub patched: Patched,
    /// The run that takes over.
    #[serde(rename = "patch-into", with = "flat::choice")]
    pub into: TakenInto,
    /// The place whose patched run is shown.
    #[serde(
        rename = "patch-place",
        serialize_with = "write_place",
        deserialize_with = "place"
    )]
    pub place: Option<PatchedPlace>,
    /// Patched runs that are kept to be compared, oldest first.
    #[serde(
        rename = "patch-kept",
        serialize_with = "write_kept",
        skip_deserializing
    )]
    pub kept: Vec<KeptPatch>,
    /// True if all places are estimated, and the best of them run.
    #[serde(rename = "patch-all")]
    pub estimates: bool,
}

impl PatchingView {
    /// Resets the choices that depend on the sentence; the other sentence and the places stay.
    pub fn leave_text(&mut self) {
        self.step = None;
        self.answer = None;
        self.against = None;
    }

    /// Chooses a word as one of the two; if it was the other, they change places.
    pub fn choose(&mut self, word: u32, is_answer: bool, (answer, against): (u32, u32)) {
        let (answer, against) = match is_answer {
            true if word == against => (against, answer),
            true => (word, against),
            false if word == answer => (against, answer),
            false => (answer, word),
        };
        (self.answer, self.against) = (Some(answer), Some(against));
    }

    /// Adds a patched run to the list once; at the limit, the oldest is removed.
    pub fn keep(&mut self, patch: KeptPatch) {
        self.kept.retain(|kept| *kept != patch);
        self.kept.push(patch);
        let surplus = self.kept.len().saturating_sub(MOST_KEPT);
        self.kept.drain(..surplus);
    }
}

impl Parameters for PatchingView {
    const CHAPTER: &'static str = "patching";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("patch-other").until(Span::Model),
        Entry::named("patch-step")
            .counting(Counted::All)
            .until(Span::Sentence),
        Entry::named("patch-word").until(Span::Sentence),
        Entry::named("patch-against").until(Span::Sentence),
        Entry::named("patch-stack").until(Span::Model),
        Entry::named("patch-place")
            .counting(Counted::Patches)
            .until(Span::Model),
        Entry::named("patch-kept").counting(Counted::Patches),
    ];

    fn read(fragment: &Reader) -> Self {
        let mut view: PatchingView = flat::read(fragment, Self::ENTRIES);
        let kept = fragment.elements("patch-kept", &[BETWEEN], |patch| patch.parse().ok());
        kept.into_iter().for_each(|patch| view.keep(patch));
        view
    }

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        lacking.index("patch-step", lacking.steps);
        let Some(PatchedPlace { site, head, .. }) = self.place else {
            return;
        };
        let spec = &lacking.meta.spec;
        let stack = site.block.stack().and_then(|stack| spec.stack(stack));
        let is_there = stack.is_some_and(|stack| {
            let has_layer = match site.block {
                Block::Sublayer(_, layer, _) => layer < stack.layers,
                Block::Stack(_) | Block::Model => true,
            };
            has_layer && head.is_none_or(|head| head < stack.heads)
        });
        lacking.note_text("patch-place", is_there);
    }
}

/// A patched run in the visitor's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeptPatch {
    /// The place that is taken over.
    pub place: PatchedPlace,
    /// The run that takes it over.
    pub into: TakenInto,
}

/// The separator between patches in an address.
const BETWEEN: char = '-';
/// The separator between the parts of a patch.
const PARTS: char = '*';
/// The prefix of a head's number.
const HEAD: char = 'h';

fn write_stack<S: Serializer>(stack: &Option<Stack>, to: S) -> Result<S::Ok, S::Error> {
    stack.map(Stack::address_value).serialize(to)
}

fn stack<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Stack>, D::Error> {
    flat::choice::deserialize(from).map(Some)
}

fn write_place<S: Serializer>(place: &Option<PatchedPlace>, to: S) -> Result<S::Ok, S::Error> {
    place.as_ref().map(spelled).serialize(to)
}

fn place<'de, D: Deserializer<'de>>(from: D) -> Result<Option<PatchedPlace>, D::Error> {
    flat::parsed(from, |text| read_place(text).map(Some))
}

fn write_kept<S: Serializer>(kept: &[KeptPatch], to: S) -> Result<S::Ok, S::Error> {
    let kept: Vec<String> = kept.iter().map(KeptPatch::to_string).collect();
    to.serialize_str(&kept.join(&BETWEEN.to_string()))
}

/// Writes a place for the address: `encoder.1.mlp.norm*3.3` for positions, `encoder.0.self.z*h5` for a head.
fn spelled(place: &PatchedPlace) -> String {
    let mut spelled = place.site.to_string();
    if let Some(head) = place.head {
        spelled += &format!("{PARTS}{HEAD}{head}");
    }
    if let Some([from, to]) = place.at {
        spelled += &format!("{PARTS}{from}.{to}");
    }
    spelled
}

fn read_place(spelled: &str) -> Option<PatchedPlace> {
    let mut parts = spelled.split(PARTS);
    let mut place = PatchedPlace {
        site: parts.next()?.parse::<Site>().ok()?,
        head: None,
        at: None,
    };
    for part in parts {
        match (part.strip_prefix(HEAD), part.split_once('.')) {
            (Some(head), _) => place.head = Some(head.parse().ok()?),
            (None, Some((from, to))) => {
                place.at = Some([from.parse().ok()?, to.parse().ok()?]);
            }
            (None, None) => return None,
        }
    }
    Some(place)
}

/// The error of text that is no patched run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no patched run")]
pub struct NoPatch;

impl fmt::Display for KeptPatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&spelled(&self.place))?;
        match self.into {
            TakenInto::Other => Ok(()),
            into => write!(f, "{PARTS}{}", into.address_value()),
        }
    }
}

impl FromStr for KeptPatch {
    type Err = NoPatch;

    fn from_str(text: &str) -> Result<Self, NoPatch> {
        let last = text.rsplit_once(PARTS);
        let (place, into) =
            match last.map(|(place, word)| (place, TakenInto::from_address_value(word))) {
                Some((place, Some(into))) => (place, into),
                _ => (text, TakenInto::Other),
            };
        let place = read_place(place).ok_or(NoPatch)?;
        Ok(KeptPatch { place, into })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use attention_trace::{Block, Quantity, Sublayer};
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    fn place() -> impl Strategy<Value = PatchedPlace> {
        let quantity = prop::sample::select(vec![Quantity::Norm, Quantity::Out, Quantity::Z]);
        let at = proptest::option::of(any::<[usize; 2]>());
        let head = proptest::option::of(any::<usize>());
        (choice::<Stack>(), any::<usize>(), quantity, head, at).prop_map(
            |(stack, layer, quantity, head, at)| PatchedPlace {
                site: Block::Sublayer(stack, layer, Sublayer::SelfAttention).at(quantity),
                head,
                at,
            },
        )
    }

    prop_compose! {
        pub fn patching()(
            other in proptest::option::of(any::<String>()),
            (step, answer, against) in (
                proptest::option::of(any::<usize>()), proptest::option::of(any::<u32>()),
                proptest::option::of(any::<u32>()),
            ),
            stack in proptest::option::of(choice::<Stack>()),
            (patched, into) in (choice::<Patched>(), choice::<TakenInto>()),
            place in proptest::option::of(place()),
            estimates in any::<bool>(),
            kept in prop::collection::hash_set((place(), choice::<TakenInto>()), 0..MOST_KEPT),
        ) -> PatchingView {
            let kept = kept.into_iter().map(|(place, into)| KeptPatch { place, into }).collect();
            PatchingView { other, step, answer, against, stack, patched, into, place, kept, estimates }
        }
    }

    #[test]
    fn patches_are_readable_in_the_address() {
        let address = "patch-place=encoder.1.mlp.norm*3.3&patch-kept=decoder.2.cross.z*h4*clean-encoder.embedding*0.0";
        let view = crate::testing::view(address)
            .chapters
            .of::<PatchingView>()
            .clone();
        assert_eq!(view.place.unwrap().at, Some([3, 3]));
        let [head, position] = view.kept[..] else {
            panic!("two are kept")
        };
        assert_eq!((head.place.head, head.into), (Some(4), TakenInto::Clean));
        assert_eq!(position.to_string(), "encoder.embedding*0.0");
    }

    #[test]
    fn junk_among_the_kept_is_left_out() {
        let kept = "x-encoder.0.self.z*h1-encoder.0.self.z*q-*-encoder.0.self.z*h1";
        let view = crate::testing::view(&format!("patch-kept={kept}"));
        assert_eq!(view.chapters.of::<PatchingView>().kept.len(), 1);
    }

    #[test]
    fn another_text_keeps_the_places_and_lets_go_of_step_and_words() {
        let address = "text=Oui.+Non.&patch-step=2&patch-word=7&patch-place=encoder.0.mlp.norm*9.9&patch-other=Si.";
        let mut view = crate::testing::view(address);
        view.use_text("Non.".to_owned());
        let patching = view.chapters.of::<PatchingView>().clone();
        assert_eq!((patching.step, patching.answer), (None, None));
        assert!(patching.place.is_some() && patching.other.is_some());
        view.use_model("sentences".parse().unwrap());
        assert_eq!(view.chapters.of::<PatchingView>().other, None);
    }

    #[test]
    fn the_oldest_kept_makes_room() {
        let mut view = PatchingView::default();
        let patch = |head| KeptPatch {
            place: PatchedPlace {
                site: "encoder.0.self.z".parse().unwrap(),
                head: Some(head),
                at: None,
            },
            into: TakenInto::Other,
        };
        (0..MOST_KEPT + 2).for_each(|head| view.keep(patch(head)));
        assert_eq!(view.kept.len(), MOST_KEPT);
        assert_eq!(view.kept[0], patch(2));
        view.keep(patch(2));
        assert_eq!(view.kept.last(), Some(&patch(2)));
    }

    #[test]
    fn words_change_places_where_one_is_taken_for_the_other() {
        let mut view = PatchingView::default();
        view.choose(5, true, (3, 5));
        assert_eq!((view.answer, view.against), (Some(5), Some(3)));
        view.choose(9, false, (5, 3));
        assert_eq!((view.answer, view.against), (Some(5), Some(9)));
    }
}
