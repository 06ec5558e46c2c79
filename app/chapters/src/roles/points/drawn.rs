//! The figure of heads as points, with a button over each.

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::head_name,
    roles::role_name,
    selection::Direction,
    state::{HeadChoice, ViewState},
    widgets::{FigureButton, Taken, drawing_width, drawn, numbers::share_of_one},
};
use attention_figures::{
    color::categorical,
    export::{Content, Dots},
    scatter::{self, Dot, dot_places, scatter},
};
use attention_protocol::OrLogged;
use attention_trace::{AttentionKind, roles::Role};
use leptos::{ev::KeyboardEvent, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{
    super::context::RolesContext,
    placed::{Point, neighbour},
};

/// Height of the figure in CSS pixels.
const HEIGHT: f64 = 360.0;

fn dots(points: &[Point], chosen: Option<HeadChoice>, theme: attention_figures::Theme) -> Vec<Dot> {
    let dot = |point: &Point| {
        let is_chosen = chosen == Some(point.head);
        let label = match is_chosen || point.stands_out() {
            true => format!("{}.{}", point.head.attention.layer + 1, point.head.head + 1),
            false => String::new(),
        };
        Dot {
            at: point.weights(),
            label,
            color: categorical(place_of(point.head.attention.kind), theme),
            is_chosen,
        }
    };
    points.iter().map(dot).collect()
}

fn place_of(kind: AttentionKind) -> usize {
    let place = AttentionKind::ALL.iter().position(|&other| other == kind);
    place.unwrap_or_default()
}

/// The figure of heads as points.
#[component]
pub fn Drawn(points: Memo<Vec<Point>>, axes: Memo<[Role; 2]>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = RolesContext::expect();
    let room = NodeRef::<html::Div>::new();
    let width = drawing_width(room, appearance);
    let frame = Memo::new(move |_| {
        let theme = appearance.get();
        let dots = dots(&points.read(), None, theme);
        let names = axes.get().map(|role| role_name(i18n, role, None));
        scatter::frame([width.get(), HEIGHT], names, &dots, theme)
    });
    let drawing = Memo::new(move |_| {
        let dots = dots(&points.read(), context.head(), appearance.get());
        drawn(i18n, scatter(&frame.read(), &dots))
    });
    // Apart from the drawing, so that a button that chooses its head stays, and with it the focus.
    let buttons = Memo::new(move |_| {
        let points = points.read();
        let places = dot_places(&frame.read(), &dots(&points, None, appearance.get()));
        let placed = points.iter().copied().zip(places);
        placed.collect::<Vec<(Point, [f64; 2])>>()
    });
    let each = move || {
        let buttons = buttons.get();
        let first = buttons.first().map(|(point, _)| point.head);
        let views = buttons.into_iter().map(|(point, at)| {
            view! { <PointButton points point at is_first=first == Some(point.head) axes /> }
        });
        views.collect_view()
    };
    let name = Signal::derive(move || t_string!(i18n, roles.points).to_owned());
    let full_name = head_name();
    let take = move || {
        let points = points.read();
        let named = |point: &Point| full_name(point.head.attention, point.head.head);
        let content = Content::Dots(Dots {
            axes: axes.get().map(|role| role_name(i18n, role, None)),
            dots: dots(&points, context.head(), appearance.get()),
            names: points.iter().map(named).collect(),
        });
        Some(Taken::new(name.get(), content))
    };
    view! {
        <div class="figure-beside">
            <div
                class="scatter-figure roles-points"
                node_ref=room
                role="group"
                aria-label=name
                data-testid="roles-points"
            >
                <div inner_html=drawing></div>
                {each}
            </div>
            <FigureButton name take />
        </div>
        <p class="hint" class:is-hidden=move || !points.read().is_empty() role="status">
            {t!(i18n, roles.points_none)}
        </p>
    }
}

/// A point's button: a click chooses its head, arrow keys go to the next point.
#[component]
fn PointButton(
    points: Memo<Vec<Point>>,
    point: Point,
    /// The position, in shares of width and height.
    at: [f64; 2],
    /// True for the point that takes keyboard focus if the chosen head has no point.
    is_first: bool,
    axes: Memo<[Role; 2]>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = RolesContext::expect();
    let name = head_name();
    let head = point.head;
    let is_chosen = Memo::new(move |_| context.head() == Some(head));
    let has_chosen = move || {
        let chosen = context.head();
        points.read().iter().any(|point| Some(point.head) == chosen)
    };
    let is_stop = move || is_chosen.get() || is_first && !has_chosen();
    let words = move || {
        let [across, up] = axes.get().map(|role| role_name(i18n, role, None));
        let [x, y] = point.weights().map(|weight| share_of_one(weight, 2));
        let head = name(head.attention, head.head);
        t_string!(
            i18n,
            roles.point,
            head = head,
            across = across,
            up = up,
            x = x,
            y = y
        )
        .to_string()
    };
    let move_focus = move |event: KeyboardEvent| {
        let Some(direction) = Direction::of_key(&event.key()) else {
            return;
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(next) = points.with_untracked(|points| neighbour(points, head, direction)) {
            focus(next);
        }
    };
    view! {
        <button
            type="button"
            class="point"
            data-testid="roles-point"
            data-head=head.to_string()
            style=format!("left: {:.3}%; top: {:.3}%", 100.0 * at[0], 100.0 * at[1])
            aria-label=words
            title=words
            aria-pressed=move || is_chosen.get().to_string()
            tabindex=move || if is_stop() { "0" } else { "-1" }
            on:click=move |_| state.update(|view| view.use_head(head))
            on:keydown=move_focus
        ></button>
    }
}

fn focus(head: HeadChoice) {
    let selector = format!("[data-testid=roles-point][data-head='{head}']");
    if let Some(Some(element)) = document()
        .query_selector(&selector)
        .or_logged("finding a head")
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        element.focus().or_logged("moving the focus");
    }
}
