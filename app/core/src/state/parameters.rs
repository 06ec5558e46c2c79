//! Parameters of chapters: settings of a chapter's figures, as plain data, beyond those that all views share.
//!
//! A chapter defines its parameters in its own folder; this module keeps values of any such type, spells them in the
//! address, and resets those that end with a text or a model. [`install`] registers the chapters.

use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{LazyLock, Mutex, OnceLock, PoisonError},
};

use serde::{Serialize, de::DeserializeOwned};

use super::{
    chapters::Chapters, counting::Counted, flat, lacking::Lacking, reader::Reader, view::View,
    writer::Writer,
};

/// The settings of a chapter's figures: serde names the entry of each field. A value at its default is in no address.
pub trait Parameters:
    Clone + fmt::Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The chapter's key in the address.
    const CHAPTER: &'static str;
    /// The entries of the address that count from 1, have bounds, or end before the page does. All others count nothing,
    /// have any value and last.
    const ENTRIES: &'static [Entry] = &[];

    /// Writes what differs from the default.
    fn write(&self, fragment: &mut Writer) {
        flat::write(self, standard::<Self>(), fragment);
    }

    /// Reads entries written by [`write`](Self::write); missing, unknown or invalid ones are at their default.
    fn read(fragment: &Reader) -> Self {
        flat::read(fragment, Self::ENTRIES)
    }

    /// Notes entries that the model on screen, its result or the text lacks.
    fn note_lacking(&self, _lacking: &mut Lacking<'_>) {}
}

/// An entry of the address.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The entry's name in the address.
    pub name: &'static str,
    /// The words of the value that count from 1; `None` if none does.
    pub counted: Option<Counted>,
    /// The bounds of the number, or of each number of a list.
    bounds: Option<Bounds>,
    /// The span for which the value lasts.
    pub span: Span,
}

impl Entry {
    /// Creates an entry that counts nothing and lasts as long as the page.
    pub const fn named(name: &'static str) -> Self {
        Entry {
            name,
            counted: None,
            bounds: None,
            span: Span::Page,
        }
    }

    /// Returns the same entry with words that count from 1.
    pub const fn counting(self, counted: Counted) -> Self {
        Entry {
            counted: Some(counted),
            ..self
        }
    }

    /// Returns the same entry with a number that is refused outside these bounds.
    pub const fn within(self, low: f64, high: f64) -> Self {
        let bounds = Bounds {
            low,
            high,
            is_list: false,
        };
        Entry {
            bounds: Some(bounds),
            ..self
        }
    }

    /// Returns the same entry with a list that is refused if a number is outside these bounds.
    pub const fn each_within(self, low: f64, high: f64) -> Self {
        let bounds = Bounds {
            low,
            high,
            is_list: true,
        };
        Entry {
            bounds: Some(bounds),
            ..self
        }
    }

    /// True if a text spells numbers within the bounds, or there are none.
    pub(super) fn accepts(&self, text: &str) -> bool {
        let Some(Bounds { low, high, is_list }) = self.bounds else {
            return true;
        };
        let is_within = |text: &str| {
            text.parse()
                .is_ok_and(|number: f64| (low..=high).contains(&number))
        };
        match is_list {
            true => text.split('.').all(is_within),
            false => is_within(text),
        }
    }

    /// Returns the same entry with a value that ends earlier.
    pub const fn until(self, span: Span) -> Self {
        Entry { span, ..self }
    }
}

/// The bounds of an entry's numbers, both included.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: f64,
    high: f64,
    /// True for a list of numbers between dots, false for one number, which may have a decimal point.
    is_list: bool,
}

/// The part of a visit for which a value holds; at its end the value is at its default again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// As long as the page is open.
    Page,
    /// Until the model changes.
    Model,
    /// Until the text changes.
    Text,
    /// Until the sentence of the text changes.
    Sentence,
    /// Until the axes of the map on screen change.
    Axes,
    /// Until the decoding step changes.
    Step,
}

impl Span {
    /// True if this span ends with `changed`: a new text has another sentence, other axes and another step.
    fn ends_with(self, changed: Span) -> bool {
        match changed {
            Span::Page => false,
            Span::Model => self != Span::Page,
            Span::Text => !matches!(self, Span::Page | Span::Model),
            Span::Sentence => matches!(self, Span::Sentence | Span::Axes | Span::Step),
            Span::Axes | Span::Step => self == changed,
        }
    }
}

/// The type of a chapter's parameters, in the form that [`install`] takes.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    of: fn() -> TypeId,
    entries: &'static [Entry],
    read: fn(&Reader) -> Option<Box<dyn AnyParameters>>,
    write_standard: fn(&mut Writer),
}

impl Kind {
    /// Returns the kind of these parameters.
    pub const fn of<P: Parameters>() -> Self {
        Kind {
            of: TypeId::of::<P>,
            entries: P::ENTRIES,
            read: |fragment| {
                let read = P::read(fragment);
                (read != *standard::<P>()).then(|| Box::new(read) as _)
            },
            write_standard: |fragment| Parameters::write(standard::<P>(), fragment),
        }
    }
}

/// The chapters known to the address.
pub struct Registry {
    /// The kinds of their parameters, in their order in an address.
    pub kinds: Vec<Kind>,
    /// The chapter that is open if an address names none.
    pub first: &'static str,
    /// The chapter that used to be the first.
    pub first_once: Option<FirstOnce>,
    /// Tabs in earlier addresses whose content is in a chapter now.
    pub former_tabs: &'static [FormerTab],
}

/// A tab that no longer exists.
#[derive(Clone, Copy)]
pub struct FormerTab {
    /// The tab's name in the address.
    pub name: &'static str,
    /// Opens the chapter that has its content.
    pub open: fn(&mut View),
}

/// The former first chapter: the one meant by addresses that name no chapter and have its entries.
#[derive(Clone, Copy)]
pub struct FirstOnce {
    /// The key of the chapter.
    pub chapter: &'static str,
    /// True if an address has such entries.
    pub is_meant: fn(&Reader) -> bool,
    /// True if the address of these chapters would have them.
    pub is_shown: fn(&Chapters) -> bool,
}

static INSTALLED: OnceLock<Registry> = OnceLock::new();
static NONE: Registry = Registry {
    kinds: Vec::new(),
    first: "",
    first_once: None,
    former_tabs: &[],
};

/// Registers the chapters, before the first address is read. Only the first call takes effect.
pub fn install(registry: Registry) {
    INSTALLED.get_or_init(|| registry);
}

pub(super) fn registry() -> &'static Registry {
    INSTALLED.get().unwrap_or(&NONE)
}

/// Returns the counted words of the entry with this name; `None` if no chapter has such an entry that counts.
pub(super) fn counted(name: &str) -> Option<Counted> {
    let mut entries = registry().kinds.iter().flat_map(|kind| kind.entries);
    entries.find(|entry| entry.name == name)?.counted
}

/// Returns the parameters at their default, which live as long as the page.
fn standard<P: Parameters>() -> &'static P {
    type Any = &'static (dyn std::any::Any + Send + Sync);
    static STANDARD: LazyLock<Mutex<HashMap<TypeId, Any>>> = LazyLock::new(Mutex::default);
    let mut standard = STANDARD.lock().unwrap_or_else(PoisonError::into_inner);
    let known = standard
        .entry(TypeId::of::<P>())
        .or_insert_with(|| Box::leak(Box::new(P::default())));
    match known.downcast_ref() {
        Some(parameters) => parameters,
        None => unreachable!("each stands under its own type"),
    }
}

/// Parameters of any type.
trait AnyParameters: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    fn boxed(&self) -> Box<dyn AnyParameters>;
    fn is(&self, other: &dyn Any) -> bool;
    fn is_standard(&self) -> bool;
    fn entries(&self) -> &'static [Entry];
    fn write(&self, fragment: &mut Writer);
    fn without(&self, names: Vec<&'static str>) -> Box<dyn AnyParameters>;
    fn note_lacking(&self, lacking: &mut Lacking<'_>);
}

impl<P: Parameters> AnyParameters for P {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn boxed(&self) -> Box<dyn AnyParameters> {
        Box::new(self.clone())
    }

    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }

    fn is_standard(&self) -> bool {
        self == standard::<P>()
    }

    fn entries(&self) -> &'static [Entry] {
        P::ENTRIES
    }

    fn write(&self, fragment: &mut Writer) {
        Parameters::write(self, fragment);
    }

    fn without(&self, names: Vec<&'static str>) -> Box<dyn AnyParameters> {
        let mut fragment = Writer::without(names);
        Parameters::write(self, &mut fragment);
        Box::new(P::read(&Reader::new(&fragment.finish())))
    }

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        Parameters::note_lacking(self, lacking);
    }
}

/// The parameters of all chapters; those that are not stored are at their default.
#[derive(Default)]
pub struct AllParameters(BTreeMap<TypeId, Box<dyn AnyParameters>>);

impl AllParameters {
    pub fn of<P: Parameters>(&self) -> &P {
        let kept = self.0.get(&TypeId::of::<P>());
        let kept = kept.and_then(|kept| kept.as_any().downcast_ref());
        kept.unwrap_or_else(|| standard::<P>())
    }

    /// Returns the parameters of one type, to be changed.
    pub fn of_mut<P: Parameters>(&mut self) -> &mut P {
        let kept = self.0.entry(TypeId::of::<P>());
        let kept = kept.or_insert_with(|| standard::<P>().boxed());
        match kept.as_any_mut().downcast_mut() {
            Some(parameters) => parameters,
            None => unreachable!("each stands under its own type"),
        }
    }

    /// Resets all values whose span ends with `changed` to their default.
    pub fn leave(&mut self, changed: Span) {
        for parameters in self.0.values_mut() {
            let ending: Vec<_> = ending(parameters.entries(), changed).collect();
            if !ending.is_empty() {
                *parameters = parameters.without(ending);
            }
        }
    }

    /// Copies from `before` the parameters with a value that ends with `changed`.
    pub fn come_back(&mut self, before: &Self, changed: Span) {
        let ends =
            |parameters: &dyn AnyParameters| ending(parameters.entries(), changed).next().is_some();
        self.0.retain(|_, parameters| !ends(&**parameters));
        for (of, parameters) in &before.0 {
            if ends(&**parameters) {
                self.0.insert(*of, parameters.boxed());
            }
        }
    }

    pub(super) fn write(&self, fragment: &mut Writer) {
        for kind in &registry().kinds {
            match self.0.get(&(kind.of)()) {
                Some(parameters) => parameters.write(fragment),
                None => (kind.write_standard)(fragment),
            }
        }
    }

    pub(super) fn read(fragment: &Reader) -> Self {
        let kinds = registry().kinds.iter();
        let read = kinds.filter_map(|kind| Some(((kind.of)(), (kind.read)(fragment)?)));
        AllParameters(read.collect())
    }

    pub(super) fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        for kind in &registry().kinds {
            if let Some(parameters) = self.0.get(&(kind.of)()) {
                parameters.note_lacking(lacking);
            }
        }
    }
}

fn ending(entries: &'static [Entry], changed: Span) -> impl Iterator<Item = &'static str> {
    let ending = move |entry: &&Entry| entry.span.ends_with(changed);
    entries.iter().filter(ending).map(|entry| entry.name)
}

/// Prints the parameters as the address spells them: `Debug` of every type would add code to the main module.
impl fmt::Debug for AllParameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fragment = Writer::new();
        self.0.values().for_each(|kept| kept.write(&mut fragment));
        f.write_str(&fragment.finish())
    }
}

impl Clone for AllParameters {
    fn clone(&self) -> Self {
        let kept = self.0.iter();
        AllParameters(
            kept.map(|(of, parameters)| (*of, parameters.boxed()))
                .collect(),
        )
    }
}

/// Compares the parameters; stored ones at their default are equal to those that are not stored.
impl PartialEq for AllParameters {
    fn eq(&self, other: &Self) -> bool {
        let same = |one: &Self, other: &Self| {
            one.0.iter().all(|(of, parameters)| match other.0.get(of) {
                Some(other) => parameters.is(other.as_any()),
                None => parameters.is_standard(),
            })
        };
        same(self, other) && same(other, self)
    }
}
