//! The spelling of a [`View`] as the fragment of an address, which browsers send to no server. Layers, heads, steps and
//! places are counted from 1 there, as on the page; [`counting`](super::counting) lists these entries, and describes
//! the mark that distinguishes them from addresses that count from 0.

use std::str::FromStr;

use attention_figures::map_window::Aim;
use attention_trace::{AttentionKind, Display, Search};
use leptos_i18n::Locale as _;

use super::{
    beginning::Beginning,
    beside::beside,
    chapters::Chapters,
    claims::EvidenceList,
    class::Class,
    conversation::Conversation,
    edits::EditList,
    faults::{AddressFault, FaultKind},
    parameters::registry,
    reader::Reader,
    roles::RolesShown,
    sampling::SamplingChoice,
    server::Server,
    values::AddressValue,
    view::{Cell, Closeup, HeadPlace, MOST_NEW_TOKENS, Representation, Tab, View},
    writer::Writer,
};

/// The word for a close-up of the chosen head, in place of a point of the map.
const CLOSE_HEAD: &str = "head";
/// The word for a close-up of the chosen head's block.
const CLOSE_BLOCK: &str = "block";
/// The kind of a head or a cell in an address that does not name a kind.
const OF_NAMED_HEAD: AttentionKind = AttentionKind::Cross;
/// The two former tabs that became one.
const HEADS_TAB: &str = "heads";
const DECODING_TAB: &str = "decoding";
/// The length in bytes of the longest fragment that is read. Browsers refuse addresses of 1 to 2 MB, and the page makes
/// none as long.
pub const LONGEST_FRAGMENT: usize = 1 << 20;
/// The largest beam width that the page offers.
pub const MAX_BEAM_WIDTH: usize = 8;
/// The largest exponent of the length penalty that the page offers.
pub const MAX_LENGTH_PENALTY: f32 = 2.0;
/// The length penalty's exponent if an address names only a beam.
pub const LENGTH_PENALTY: f32 = 0.75;

/// The entry with the largest number of new tokens.
const NEW_TOKENS: &str = "new-tokens";

/// The entries of an address that name a head or a part of its map.
const OF_A_HEAD: [&str; 6] = ["kind", "layer", "head", "with", "cell", "rows"];
/// The layer and head of an address that names only one of them, or only a part of a head's map: the page's first head
/// at the time when addresses left it out.
const FORMER_HEAD: [usize; 2] = [1, 3];

impl View {
    /// Writes the view as a fragment, without `#`, in the form of a query; fields at their default are left out.
    pub fn to_fragment(&self) -> String {
        self.written(Writer::new())
    }

    /// [`to_fragment`](Self::to_fragment) with the fields at their default, for comparing views entry by entry.
    pub fn to_complete_fragment(&self) -> String {
        self.written(Writer::complete())
    }

    fn written(&self, mut fragment: Writer) -> String {
        let standard = View::standard(self.model);
        fragment.number("model", self.model, View::default().model);
        if let super::Model::Mine(_) = self.model {
            fragment.text("folder", &self.folder, "");
            self.beginning.write(&mut fragment);
            let most_new = self.most_new.map(|tokens| tokens.to_string());
            fragment.optional_text(NEW_TOKENS, most_new.as_deref());
        }
        fragment.text("text", &self.text, &standard.text);
        fragment.text("masked", &self.masked.join(" "), "");
        if let Some(conversation) = &self.conversation {
            conversation.write(&mut fragment);
        }
        fragment.number("sentence", self.sentence, standard.sentence);
        write_search(self.search, &mut fragment);
        fragment.list("prefix", &self.prefix);
        self.edits.write(&mut fragment);
        fragment.number("importance", u8::from(self.importance), 0);
        fragment.choice("importance-of", self.importance_of, standard.importance_of);
        fragment.text("importance-at", &self.importance_at, "");
        self.roles.write(&mut fragment);
        if let Some(least) = self.game {
            fragment.list("game", &[least]);
        }
        fragment.choice("tab", self.tab, standard.tab);
        if let Some(kind) = self.kind {
            let unsaid = match self.names_head(&standard) {
                true => OF_NAMED_HEAD.address_value(),
                false => "",
            };
            fragment.text("kind", kind.address_value(), unsaid);
        }
        // Both or neither: one alone, or what belongs to a head without one, is of an address made before.
        if self.kind.is_some() || self.names_head(&standard) {
            fragment.text("layer", &self.layer.to_string(), "");
            fragment.text("head", &self.head.to_string(), "");
        }
        fragment.list("with", &in_pairs(&self.more_heads));
        if let Some(Cell { query: row, key }) = self.cell {
            fragment.list("cell", &[row, key]);
        }
        fragment.list("rows", &self.rows);
        match self.closeup {
            None => {}
            Some(Closeup::Head) => fragment.text("map", CLOSE_HEAD, ""),
            Some(Closeup::Block) => fragment.text("map", CLOSE_BLOCK, ""),
            Some(Closeup::At { zoom, centre }) => {
                fragment.list("map", &[zoom, centre[0], centre[1]]);
            }
        }
        if let Some(Aim { row, column, cell }) = self.window {
            fragment.list("window", &[row, column, cell]);
        }
        fragment.choice("show", self.representation, standard.representation);
        fragment.choice("tool", self.tool, standard.tool);
        fragment.number("normalised", u8::from(self.normalised), 0);
        fragment.number("whole-words", u8::from(self.display.words), 0);
        fragment.number("no-special", u8::from(self.display.no_special), 0);
        fragment.number("no-sink", u8::from(self.display.no_sink), 0);
        fragment.number("step", self.step, standard.step);
        self.chapters.write(&mut fragment);
        self.class.write(&mut fragment);
        if let Some(language) = self.language {
            fragment.text("lang", language.as_str(), "");
        }
        fragment.choice("theme", self.theme, standard.theme);
        fragment.number("large", u8::from(self.large), 0);
        fragment.number("columns", u8::from(self.columns), 0);
        fragment.choice("code", self.library, standard.library);
        fragment.choice("device", self.device, standard.device);
        if let Some(server) = &self.server {
            server.write(&mut fragment);
        }
        self.evidence.write(&mut fragment);
        fragment.finish()
    }

    /// Reads the view from a fragment, with or without `#`. Parts that cannot be understood are at their default.
    pub fn from_fragment(fragment: &str) -> View {
        View::from_address(fragment).0
    }

    /// Does the same as [`from_fragment`](Self::from_fragment), and returns the parts that cannot be understood.
    /// [`View::lacking`] finds faults that depend on the model or its result, such as a layer that does not exist.
    pub fn from_address(fragment: &str) -> (View, Vec<AddressFault>) {
        if fragment.len() > LONGEST_FRAGMENT {
            return (View::default(), vec![too_long(fragment)]);
        }
        let reader = Reader::new(fragment);
        let view = View::read(&reader);
        (view, reader.faults())
    }

    fn read(reader: &Reader) -> View {
        let (tab, former) = reader.tab().unwrap_or((View::default().tab, None));
        let mut view = View::read_fields(reader, tab);
        match former {
            Some(Former::Chapter(open)) => open(&mut view),
            Some(Former::Decoding) => view.representation = Representation::NextWord,
            None => {}
        }
        view
    }

    fn read_fields(reader: &Reader, tab: Tab) -> View {
        let standard = View::standard(reader.number("model").unwrap_or(View::default().model));
        let unsaid = match reader.names_head() {
            true => FORMER_HEAD,
            false => [standard.layer, standard.head],
        };
        View {
            folder: match (reader.text("folder"), standard.model) {
                (Some(folder), super::Model::Mine(_)) => folder.to_owned(),
                _ => String::new(),
            },
            text: reader.text("text").unwrap_or(&standard.text).to_owned(),
            masked: reader
                .text("masked")
                .filter(|words| !words.is_empty())
                .map(|words| words.split(' ').map(str::to_owned).collect())
                .unwrap_or_default(),
            conversation: Conversation::read(reader),
            beginning: match standard.model {
                super::Model::Mine(_) => Beginning::read(reader),
                _ => Beginning::default(),
            },
            most_new: match standard.model {
                super::Model::Mine(_) => reader.parsed(NEW_TOKENS, |text| {
                    // The entry is refused, and the page quotes it.
                    let tokens = text.parse().ok()?;
                    (1..=MOST_NEW_TOKENS).contains(&tokens).then_some(tokens)
                }),
                _ => None,
            },
            sentence: reader.number("sentence").unwrap_or(standard.sentence),
            search: reader.search().unwrap_or(standard.search),
            prefix: reader.list("prefix").unwrap_or_default(),
            edits: EditList::read(reader),
            importance: reader.flag("importance").unwrap_or_default(),
            importance_of: reader
                .choice("importance-of")
                .unwrap_or(standard.importance_of),
            importance_at: reader.parsed("importance-at", beside).unwrap_or_default(),
            roles: RolesShown::read(reader),
            game: reader.within("game", (1, 100)),
            tab,
            kind: reader.kind(),
            layer: reader.number("layer").unwrap_or(unsaid[0]),
            head: reader.number("head").unwrap_or(unsaid[1]),
            more_heads: reader.places("with"),
            cell: reader.cell(),
            rows: reader.list("rows").unwrap_or_default(),
            closeup: reader.closeup(),
            window: reader.window(),
            representation: reader.choice("show").unwrap_or(standard.representation),
            tool: reader.choice("tool").unwrap_or(standard.tool),
            evidence: EvidenceList::read(reader),
            normalised: reader.flag("normalised").unwrap_or_default(),
            display: Display {
                words: reader.flag("whole-words").unwrap_or_default(),
                no_special: reader.flag("no-special").unwrap_or_default(),
                no_sink: reader.flag("no-sink").unwrap_or_default(),
            },
            step: reader.number("step").unwrap_or(standard.step),
            chapters: Chapters::read(reader),
            class: Class::read(reader),
            language: reader.number("lang"),
            theme: reader.choice("theme").unwrap_or(standard.theme),
            large: reader.flag("large").unwrap_or_default(),
            columns: reader.flag("columns").unwrap_or_default(),
            library: reader.choice("code").unwrap_or(standard.library),
            device: reader.choice("device").unwrap_or(standard.device),
            server: Server::read(reader),
            model: standard.model,
        }
    }

    /// True if the view's address names a head or a part of its map, besides the kind.
    fn names_head(&self, standard: &View) -> bool {
        (self.layer, self.head) != (standard.layer, standard.head)
            || !self.more_heads.is_empty()
            || self.cell.is_some()
            || !self.rows.is_empty()
    }

    /// Returns the default view of `model`.
    fn standard(model: super::Model) -> View {
        View {
            model,
            text: model.first_text().to_owned(),
            ..View::default()
        }
    }
}

/// A former tab, whose content is elsewhere now.
enum Former {
    /// A chapter, with the function that opens it.
    Chapter(fn(&mut View)),
    Decoding,
}

fn former_tab(word: &str) -> Option<fn(&mut View)> {
    let mut tabs = registry().former_tabs.iter();
    tabs.find(|tab| tab.name == word).map(|tab| tab.open)
}

/// Returns the fault of a fragment that is not read at all, with its beginning.
fn too_long(fragment: &str) -> AddressFault {
    let name: String = fragment.chars().take(AddressFault::QUOTED).collect();
    AddressFault {
        name,
        value: String::new(),
        kind: FaultKind::TooLong {
            bytes: fragment.len(),
        },
    }
}

/// Returns the layer and head of each place, one after the other.
pub fn in_pairs(heads: &[HeadPlace]) -> Vec<usize> {
    let pairs = heads.iter().map(|place| [place.layer, place.head]);
    pairs.flatten().collect()
}

/// Writes the search for target tokens; greedy search is the default.
fn write_search(search: Search, fragment: &mut Writer) {
    if let Search::Beam {
        width,
        length_penalty,
    } = search
    {
        fragment.append("beam", &width.to_string());
        fragment.number("alpha", length_penalty, LENGTH_PENALTY);
    }
    if let Some(sampling) = SamplingChoice::of(search) {
        fragment.list("sampling", &sampling.numbers());
    }
}

impl Reader {
    /// Returns the kind of the chosen head, if one was chosen.
    fn kind(&self) -> Option<AttentionKind> {
        let kind = self.choice("kind");
        self.names_head().then(|| kind.unwrap_or(OF_NAMED_HEAD))
    }

    /// True if an entry names a head or a part of its map.
    fn names_head(&self) -> bool {
        OF_A_HEAD.iter().any(|name| self.get(name).is_some())
    }

    fn cell(&self) -> Option<Cell> {
        let [query, key] = self.tuple("cell")?;
        Some(Cell { query, key })
    }

    fn closeup(&self) -> Option<Closeup> {
        match self.get("map")? {
            CLOSE_HEAD => Some(Closeup::Head),
            CLOSE_BLOCK => Some(Closeup::Block),
            _ => {
                let [zoom, x, y] = self.tuple("map")?;
                Some(Closeup::At {
                    zoom,
                    centre: [x, y],
                })
            }
        }
    }

    fn window(&self) -> Option<Aim> {
        let [row, column, cell] = self.tuple("window")?;
        Some(Aim { row, column, cell })
    }

    /// Reads the open tab, and the former tab if the name is one that no longer exists.
    fn tab(&self) -> Option<(Tab, Option<Former>)> {
        self.parsed("tab", |word| match word {
            DECODING_TAB => Some((Tab::Explore, Some(Former::Decoding))),
            HEADS_TAB => Some((Tab::Explore, None)),
            word => match former_tab(word) {
                Some(open) => Some((Tab::Learn, Some(Former::Chapter(open)))),
                None => Some((Tab::from_address_value(word)?, None)),
            },
        })
    }

    /// The inverse of [`in_pairs`]; a layer without a head is left out.
    pub fn places(&self, name: &str) -> Vec<HeadPlace> {
        self.groups(name, |[layer, head]| {
            Some(HeadPlace {
                layer: layer.parse().ok()?,
                head: head.parse().ok()?,
            })
        })
    }

    /// Parses the parts of a list of heads.
    pub fn parts<T: FromStr>(&self, name: &str) -> Vec<T> {
        self.elements(name, &['-', ','], |part| part.parse().ok())
    }

    fn search(&self) -> Option<Search> {
        let width = self.within("beam", (2, MAX_BEAM_WIDTH));
        let length_penalty = self.within("alpha", (0.0, MAX_LENGTH_PENALTY));
        let sampling = self.parsed("sampling", |text| {
            let numbers: Option<Vec<u32>> = text.split('.').map(|one| one.parse().ok()).collect();
            SamplingChoice::from_numbers(&numbers?)
        });
        if let Some(sampling) = sampling {
            return Some(sampling.search());
        }
        Some(Search::Beam {
            width: width?,
            length_penalty: length_penalty.unwrap_or(LENGTH_PENALTY),
        })
    }
}

#[cfg(test)]
mod tests;
