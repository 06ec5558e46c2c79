//! The model in small, in the header of every tab: where in it is what the page shows.

use attention_figures::model_map::{Block, Part, Rect};
use attention_trace::{AttentionKind, AttentionLayer, ModelSpec};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::{head_name, kind_name},
    navigation::ViewLink,
    selection::{Drawing, HeadChoice, chosen_head},
    state::{Closeup, Screen, Tab, View, ViewState},
};

/// What the open view is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    /// The chosen head.
    Head,
    /// The chosen head's layer of self-attention; in the place of cross-attention, of what reads the visitor's text.
    Own,
    /// The self-attention of that layer that reads the visitor's text.
    Reading,
    /// All that reads it.
    Reader,
    /// What writes.
    Writer,
    /// The tokens.
    Tokens,
    /// Embeddings and positions.
    Embedding,
    /// A layer's norms and feed-forward network.
    FeedForward,
    /// The model as a whole.
    Whole,
}

impl Topic {
    fn of(view: &View) -> Self {
        match view.tab {
            Tab::Explore => Topic::Head,
            Tab::Learn => Topic::of_chapter(&view.chapters.open, view.chapters.stage),
            Tab::Teach => Topic::Whole,
        }
    }

    /// Chapters by name, and where the chapter goes through the whole model, by stage; the first is open where none
    /// is named.
    fn of_chapter(name: &str, stage: usize) -> Self {
        match name {
            "order" | "positions" => Topic::Embedding,
            "norms" => Topic::FeedForward,
            "sizes" | "training" | "universal" | "patching" => Topic::Whole,
            "recurrent" | "forcing" | "search" | "judging" | "lens" | "alignment" => Topic::Writer,
            "follow" | "scale" | "scores" | "explanation" | "derived" | "compare" | "roles" => {
                Topic::Head
            }
            "hand" => Topic::Reading,
            "heads" | "layers" | "embedding" | "image" | "masks" => Topic::Own,
            _ => Topic::of_screen(Screen::at(stage)),
        }
    }

    fn of_screen(screen: Screen) -> Self {
        match screen {
            Screen::Translate | Screen::Training => Topic::Whole,
            Screen::Tokens => Topic::Tokens,
            Screen::Vectors => Topic::Embedding,
            Screen::Average | Screen::Weights | Screen::Head | Screen::Heads => Topic::Reading,
            Screen::Layers => Topic::Reader,
            Screen::Decoder => Topic::Writer,
        }
    }

    fn includes(
        self,
        block: &Block,
        drawing: &Drawing,
        spec: &ModelSpec,
        head: Option<HeadChoice>,
    ) -> bool {
        let attention = drawing.attention(spec, block.column, block.part);
        let stack = drawing.stacks.get(block.column).copied();
        match self {
            Topic::Head | Topic::Own | Topic::Reading => {
                attention.is_some()
                    && head.is_some_and(|head| attention == self.attention(spec, head))
            }
            Topic::Reader => stack == Some(spec.permuted().stack()),
            Topic::Writer => stack == Some(spec.last_stack()),
            Topic::Tokens => block.part == Part::Tokens,
            Topic::Embedding => block.part == Part::Embedding,
            Topic::FeedForward => matches!(block.part, Part::FeedForward { .. }),
            Topic::Whole => true,
        }
    }

    /// The attention that it is about, where it is one layer's.
    fn attention(self, spec: &ModelSpec, head: HeadChoice) -> Option<AttentionLayer> {
        let AttentionLayer { kind, layer } = head.attention;
        let reading = AttentionLayer {
            kind: spec.permuted(),
            layer: layer.min(spec.layers(spec.permuted()).saturating_sub(1)),
        };
        match self {
            Topic::Head => Some(head.attention),
            Topic::Own if kind != AttentionKind::Cross => Some(head.attention),
            Topic::Own | Topic::Reading => Some(reading),
            _ => None,
        }
    }
}

/// A block of the miniature.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    rect: Rect,
    is_here: bool,
}

/// The miniature; a click opens the map at the lit place.
#[component]
pub fn Here() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let topic = ViewState::expect().select(Topic::of);
    let head = chosen_head();
    let spec = Memo::new(move |_| Some(live.trace()?.meta.spec.clone()));
    let drawing = Memo::new(move |_| spec.read().as_ref().map(Drawing::of));
    let places = Memo::new(move |_| {
        let head = head.get().map(|chosen| chosen.head);
        let (spec, drawing) = (spec.read(), drawing.read());
        let (Some(spec), Some(drawing)) = (spec.as_ref(), drawing.as_ref()) else {
            return Vec::new();
        };
        let blocks = drawing.map.blocks.iter();
        let place = blocks.map(|block| Place {
            rect: block.rect,
            is_here: topic.get().includes(block, drawing, spec, head),
        });
        place.collect()
    });
    let about = Memo::new(move |_| {
        let head = head.get()?.head;
        spec.with(|spec| topic.get().attention(spec.as_ref()?, head))
    });
    let view_box = move || {
        drawing.with(|drawing| {
            let map = &drawing.as_ref()?.map;
            Some(format!("0 0 {} {}", map.width, map.height))
        })
    };
    let (head_name, kind_name) = (head_name(), kind_name());
    let block_name = move |AttentionLayer { kind, layer }| {
        t_string!(i18n, heads.block, kind = kind_name(kind), layer = layer + 1)
    };
    let has_encoder = move || spec.with(|spec| spec.as_ref().is_some_and(ModelSpec::reads_source));
    let name = Memo::new(move |_| match (topic.get(), head.get()) {
        (Topic::Head, Some(chosen)) => head_name(chosen.head.attention, chosen.head.head),
        (Topic::Own | Topic::Reading, Some(_)) => about.get().map(block_name).unwrap_or_default(),
        (Topic::Reader, _) if has_encoder() => t_string!(i18n, glossary.encoder).to_owned(),
        (Topic::Reader | Topic::Writer, _) => t_string!(i18n, glossary.decoder).to_owned(),
        (Topic::Tokens, _) => t_string!(i18n, shell.tokens).to_owned(),
        (Topic::Embedding, _) => t_string!(i18n, heads.embedding_positions).to_owned(),
        (Topic::FeedForward, _) => t_string!(i18n, heads.feed_forward).to_owned(),
        (Topic::Head | Topic::Own | Topic::Reading | Topic::Whole, _) => {
            t_string!(i18n, heads.map).to_owned()
        }
    });
    view! {
        <ViewLink
            class="here"
            test_id="here"
            change=move |view| {
                if let (Some(chosen), Some(about)) = (head.get(), about.get()) {
                    // What is lit is of another kind where the chapter shows self-attention for the chosen head's.
                    if chosen.head.attention.kind != about.kind {
                        view.use_kind(about.kind);
                    }
                }
                view.open_map();
                // The map opens at a head's block; elsewhere all of it tells more.
                view.closeup = about.get().map(|_| Closeup::Block);
            }
        >
            <svg class="here-map" viewBox=view_box aria-hidden="true">
                {move || {
                    let places = places.get().into_iter();
                    places.map(|place| view! { <PlaceView place /> }).collect_view()
                }}
            </svg>
            <span class="visually-hidden">
                {move || t_string!(i18n, shell.here, place = name.get())}
            </span>
        </ViewLink>
    }
}

#[component]
fn PlaceView(place: Place) -> impl IntoView {
    let Rect {
        x,
        y,
        width,
        height,
    } = place.rect;
    view! {
        <rect
            class="here-place"
            class:is-here=place.is_here
            x=x
            y=y
            width=width
            height=height
            rx="8"
        ></rect>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};

    use super::*;
    use attention_chapters::CHAPTERS;

    /// The places that are lit for a topic.
    fn lit(topic: Topic, head: Option<HeadChoice>) -> Vec<Part> {
        let config = MarianConfig {
            encoder_layers: 2,
            decoder_layers: 2,
            ..MarianConfig::default()
        };
        lit_in(config.spec(), topic, head)
    }

    fn lit_in(spec: ModelSpec, topic: Topic, head: Option<HeadChoice>) -> Vec<Part> {
        let drawing = Drawing::of(&spec);
        let blocks = drawing.map.blocks.iter();
        blocks
            .filter(|block| topic.includes(block, &drawing, &spec, head))
            .map(|block| block.part)
            .collect()
    }

    #[test]
    fn the_head_is_in_one_block_and_positions_are_in_both_columns() {
        let head = HeadChoice {
            attention: AttentionLayer {
                kind: AttentionKind::Cross,
                layer: 1,
            },
            head: 0,
        };
        assert_eq!(
            lit(Topic::Head, Some(head)),
            [Part::Attention { layer: 1, place: 1 }]
        );
        assert_eq!(lit(Topic::Head, None), []);
        assert_eq!(lit(Topic::Embedding, None), [Part::Embedding; 2]);
        assert_eq!(lit(Topic::FeedForward, None).len(), 4);
    }

    fn head(kind: AttentionKind, layer: usize) -> HeadChoice {
        HeadChoice {
            attention: AttentionLayer { kind, layer },
            head: 0,
        }
    }

    #[test]
    fn the_way_through_the_model_goes_from_the_reader_to_the_writer() {
        let chosen = Some(head(AttentionKind::Cross, 1));
        let reading = [Part::Attention { layer: 1, place: 0 }];
        assert_eq!(lit(Topic::Reading, chosen), reading);
        assert_eq!(lit(Topic::Own, chosen), reading);
        let own = Some(head(AttentionKind::DecoderSelf, 0));
        assert_eq!(
            lit(Topic::Own, own),
            [Part::Attention { layer: 0, place: 0 }]
        );
        let (reader, writer) = (lit(Topic::Reader, None), lit(Topic::Writer, None));
        assert!(writer.contains(&Part::Words) && !reader.contains(&Part::Words));
        assert_eq!(lit(Topic::Whole, None), [reader, writer].concat());
        assert_eq!(lit(Topic::Tokens, None), [Part::Tokens; 2]);

        let llama = || LlamaConfig::default().spec();
        let own = Some(head(AttentionKind::DecoderSelf, 0));
        assert_eq!(lit_in(llama(), Topic::Reading, own).len(), 1);
        let reader = lit_in(llama(), Topic::Reader, None);
        assert_eq!(reader, lit_in(llama(), Topic::Writer, None));
    }

    #[test]
    fn every_screen_lights_a_place() {
        for screen in Screen::ALL {
            let topic = Topic::of_screen(screen);
            let chosen = Some(head(AttentionKind::Cross, 0));
            assert!(!lit(topic, chosen).is_empty(), "{screen:?}");
        }
    }

    #[test]
    fn every_chapter_is_about_something() {
        let about = |topic| {
            let of = |chapter: &&&attention_chapters::Chapter| {
                Topic::of_chapter(chapter.name, 0) == topic
            };
            CHAPTERS.iter().filter(|chapter| of(&chapter)).count()
        };
        let elsewhere = about(Topic::Embedding) + about(Topic::FeedForward);
        assert_eq!(elsewhere, 3, "names of chapters have changed");
        // The calculator of sizes, training, the block of every depth, patching, and the first screen of the first chapter.
        assert_eq!(about(Topic::Whole), 5);
        assert_eq!(about(Topic::Writer), 6);
    }
}
