//! Parameters of chapters: plain data that a chapter's figures show, beyond what all views share.
//!
//! A chapter defines its parameters in its own folder; this room keeps values of whatever type, spells them in the
//! address, and resets what ends with a text or a model. [`install`] says which chapters there are.

use std::{
    any::{Any, TypeId},
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{LazyLock, Mutex, OnceLock, PoisonError},
};

use super::{
    chapters::Chapters, counting::Counted, lacking::Lacking, reader::Reader, view::View,
    writer::Writer,
};

/// The settings of a chapter's figures. A value at its default is in no address.
pub trait Parameters: Clone + fmt::Debug + Default + PartialEq + Send + Sync + 'static {
    /// The chapter's key in the address.
    const CHAPTER: &'static str;
    /// Entries of the address that count from 1, or end before the page does. All others count nothing and last.
    const ENTRIES: &'static [Entry] = &[];

    /// Writes what differs from the default.
    fn write(&self, fragment: &mut Writer);

    /// Reads what [`write`](Self::write) wrote; whatever is missing, unknown or out of bounds is at its default.
    fn read(fragment: &Reader) -> Self;

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
    /// The span for which the value lasts.
    pub span: Span,
}

impl Entry {
    /// An entry that counts nothing and lasts as long as the page.
    pub const fn named(name: &'static str) -> Self {
        Entry {
            name,
            counted: None,
            span: Span::Page,
        }
    }

    /// The same with words that count from 1.
    pub const fn counting(self, counted: Counted) -> Self {
        Entry {
            counted: Some(counted),
            ..self
        }
    }

    /// The same with a value that ends earlier.
    pub const fn until(self, span: Span) -> Self {
        Entry { span, ..self }
    }
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
    /// The sentence of the text.
    Sentence,
    /// The axes of the map on screen.
    Axes,
    /// Until the decoding step changes.
    Step,
}

impl Span {
    /// True if this span ends where `changed` does: a text that changes has another sentence, other axes, another step.
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

/// Parameters of a chapter, by type, as [`install`] takes them.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    of: fn() -> TypeId,
    entries: &'static [Entry],
    read: fn(&Reader) -> Option<Box<dyn AnyParameters>>,
    write_standard: fn(&mut Writer),
}

impl Kind {
    /// The kind of these parameters.
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

/// The chapters, as the address knows them.
pub struct Registry {
    /// Their parameters, in the order in which an address has them.
    pub kinds: Vec<Kind>,
    /// The chapter that is open where an address names none.
    pub first: &'static str,
    /// The chapter that was the first before.
    pub first_once: Option<FirstOnce>,
    /// Tabs of addresses made before whose content is in a chapter now.
    pub former_tabs: &'static [FormerTab],
}

/// A tab that there was once.
#[derive(Clone, Copy)]
pub struct FormerTab {
    /// Its name in the address.
    pub name: &'static str,
    /// Opens the chapter that has its content.
    pub open: fn(&mut View),
}

/// A chapter that addresses mean which name none and have entries from the time when it was the first.
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

/// Says which chapters there are, before the first address is read. What is installed first stays.
pub fn install(registry: Registry) {
    INSTALLED.get_or_init(|| registry);
}

pub(super) fn registry() -> &'static Registry {
    INSTALLED.get().unwrap_or(&NONE)
}

/// Counting of the entry of this name; `None` if no chapter has an entry of that name that counts.
pub(super) fn counted(name: &str) -> Option<Counted> {
    let mut entries = registry().kinds.iter().flat_map(|kind| kind.entries);
    entries.find(|entry| entry.name == name)?.counted
}

/// Parameters at their default, which live as long as the page.
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

/// Parameters of whatever type.
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

/// Parameters of all chapters; those that are not kept are at their default.
#[derive(Default)]
pub struct AllParameters(BTreeMap<TypeId, Box<dyn AnyParameters>>);

impl AllParameters {
    /// Those of one type.
    pub fn of<P: Parameters>(&self) -> &P {
        let kept = self.0.get(&TypeId::of::<P>());
        let kept = kept.and_then(|kept| kept.as_any().downcast_ref());
        kept.unwrap_or_else(|| standard::<P>())
    }

    /// Those of one type, to be changed.
    pub fn of_mut<P: Parameters>(&mut self) -> &mut P {
        let kept = self.0.entry(TypeId::of::<P>());
        let kept = kept.or_insert_with(|| standard::<P>().boxed());
        match kept.as_any_mut().downcast_mut() {
            Some(parameters) => parameters,
            None => unreachable!("each stands under its own type"),
        }
    }

    /// Has all values at their default whose span ends with `changed`.
    pub fn leave(&mut self, changed: Span) {
        for parameters in self.0.values_mut() {
            let ending: Vec<_> = ending(parameters.entries(), changed).collect();
            if !ending.is_empty() {
                *parameters = parameters.without(ending);
            }
        }
    }

    /// Takes over from `before` the parameters of which something ends with `changed`.
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

/// As the address spells them: `Debug` of every type would be code of the main module.
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

/// Kept parameters at their default are equal to those that are not kept.
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
