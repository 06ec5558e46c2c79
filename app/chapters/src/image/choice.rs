//! The choice of the model's input: a picture of the test set, or one that the visitor draws.

use crate::image::parameters::{ImageLab, PictureTool};
use attention_figures::picture::SquarePicture;
use attention_trace::lessons::Picture;
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{
    context::ImageContext,
    field::{PictureField, Touch, arrow},
    place_name,
    samples::Samples,
    stroke::{between, moved},
};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{KeyHint, Segmented, Slider, keys::has_modifier, numbers::decimal},
};

/// The test pictures, and the chosen picture with its drawing tools.
#[component]
pub fn PictureChoice() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = ImageContext::expect();
    let tool = Memo::new(move |_| context.lab.with(|lab| lab.tool));
    view! {
        <section class="lesson-figure" data-testid="picture">
            <Samples />
            <div class="picture-and-tools">
                <Drawn />
                <div class="picture-tools">
                    <Segmented
                        label=Signal::derive(move || t_string!(i18n, image.tool).to_owned())
                        options=Signal::derive(move || vec![
                            (PictureTool::Look, t_string!(i18n, image.look).to_owned()),
                            (PictureTool::Draw, t_string!(i18n, image.draw).to_owned()),
                        ])
                        value=tool
                        choose=move |tool| state.update_chapters(|chapters| chapters.of_mut::<ImageLab>().tool = tool)
                    />
                    <Show when=move || tool.get() == PictureTool::Draw>
                        <Tools />
                    </Show>
                    <p class="hint">
                        {move || match tool.get() {
                            PictureTool::Look => t_string!(i18n, image.look_hint),
                            PictureTool::Draw => t_string!(i18n, image.draw_hint),
                        }}
                        <KeyHint>
                            {move || match tool.get() {
                                PictureTool::Look => t_string!(i18n, image.look_keys),
                                PictureTool::Draw => t_string!(i18n, image.draw_keys),
                            }}
                        </KeyHint>
                    </p>
                    <p class="lesson-reading" role="status" data-testid="picture-reading">
                        <Reading />
                    </p>
                </div>
            </div>
        </section>
    }
}

/// A line that names the picture and the ink of the chosen cell.
#[component]
fn Reading() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    // One memo, since an effect should not read several that change together.
    let shown = Memo::new(move |_| {
        let (cell, is_drawn) = context.lab.with(|lab| (lab.cell, lab.drawn.is_some()));
        let ink = context
            .picture
            .with(|picture| Some(picture.as_ref()?.levels()[cell]));
        let sample = context
            .sample()
            .map(|sample| (sample.place + 1, sample.digit));
        (cell, is_drawn, ink, sample)
    });
    move || {
        let (cell, is_drawn, ink, sample) = shown.get();
        let source = match sample {
            Some((number, digit)) => {
                t_string!(i18n, image.of_test, number = number, digit = digit)
            }
            None if is_drawn => t_string!(i18n, image.own).to_owned(),
            None => String::new(),
        };
        let place = place_name(i18n, cell);
        let cell = ink.map(|ink| {
            t_string!(
                i18n,
                image.cell,
                place = place,
                ink = ink,
                most = Picture::INK
            )
        });
        format!("{source} {}", cell.unwrap_or_default())
    }
}

#[component]
fn Drawn() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    let appearance = Appearance::expect();
    let shown = Memo::new(move |_| {
        let cell = context.lab.with(|lab| lab.cell);
        (context.picture.get(), cell)
    });
    let drawing = move || {
        let (picture, cell) = shown.get();
        let theme = appearance.get();
        drawn(
            &picture.unwrap_or_else(Picture::blank),
            None,
            Some(cell),
            theme,
        )
    };
    let last = StoredValue::new(0);
    let touch = move |touch: Touch| {
        let is_drawing = context.lab.with_untracked(|lab| lab.tool) == PictureTool::Draw;
        let cells = match touch {
            Touch::Down(cell) => vec![cell],
            Touch::Along(cell) => between(last.get_value(), cell),
        };
        let (Touch::Down(cell) | Touch::Along(cell)) = touch;
        last.set_value(cell);
        if !is_drawing {
            return context.choose(cell);
        }
        if matches!(touch, Touch::Down(_)) {
            context.keep();
        }
        context.paint(&cells, context.lab.with_untracked(|lab| lab.ink));
        context.choose(cell);
    };
    let label = move || {
        let place = place_name(i18n, context.lab.with(|lab| lab.cell));
        t_string!(i18n, image.picture_label, place = place)
    };
    view! {
        <PictureField
            test_id="picture-field"
            label=Signal::derive(label)
            drawing=Signal::derive(drawing)
            holds=Signal::derive(move || context.lab.with(|lab| lab.tool) == PictureTool::Draw)
            touch
            key=move |event| on_key(context, event)
        />
    }
}

/// Returns a picture as SVG, with `weights` as colours and the cell `marked` outlined, if they are given.
pub fn drawn(
    picture: &Picture,
    weights: Option<&[f32]>,
    marked: Option<usize>,
    theme: attention_figures::Theme,
) -> String {
    let ink: Vec<f32> = picture
        .levels()
        .iter()
        .map(|&level| f32::from(level) / f32::from(Picture::INK))
        .collect();
    SquarePicture {
        side: Picture::SIDE,
        ink: &ink,
        weights,
        marked,
        theme,
    }
    .svg()
}

fn on_key(context: ImageContext, event: &KeyboardEvent) -> bool {
    let lab = context.lab.get_untracked();
    if (event.ctrl_key() || event.meta_key()) && event.key() == "z" {
        context.undo();
        return true;
    }
    if has_modifier(event) {
        return false;
    }
    if let Some((right, down)) = arrow(event) {
        context.choose(moved(lab.cell, right, down));
        return true;
    }
    if lab.tool != PictureTool::Draw {
        return false;
    }
    let ink = match event.key().as_str() {
        "Enter" => lab.ink,
        "Delete" | "Backspace" => 0,
        _ => return false,
    };
    context.keep();
    context.paint(&[lab.cell], ink);
    true
}

#[component]
fn Tools() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = ImageContext::expect();
    let ink = Memo::new(move |_| context.lab.with(|lab| lab.ink));
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, image.ink).to_owned())
            test_id="picture-ink"
            range=ImageLab::INKS
            value=ink
            words=Signal::derive(move || decimal(ink.get() as f32, 0))
            set=move |ink| state.update_chapters(|chapters| chapters.of_mut::<ImageLab>().ink = ink)
        />
        <div class="button-row">
            <button
                type="button"
                class="plain-button"
                data-testid="picture-undo"
                prop:disabled=move || context.history.with(|history| history.is_empty())
                on:click=move |_| context.undo()
            >
                {t!(i18n, image.undo)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="picture-clear"
                on:click=move |_| {
                    context.keep();
                    context.show(Some(Picture::blank()));
                }
            >
                {t!(i18n, image.clear)}
            </button>
        </div>
    }
}
