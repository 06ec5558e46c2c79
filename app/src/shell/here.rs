//! A miniature of the model in the header of every tab, which lights the part displayed on the page.

use attention_chapters::{Topic, topic_of};
use attention_figures::model_map::Rect;
use attention_trace::{AttentionLayer, ModelSpec};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    names::{head_name, kind_name},
    navigation::ViewLink,
    selection::{Drawing, chosen_head},
    state::{Closeup, ViewState},
};

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
    let topic = ViewState::expect().select(topic_of);
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
