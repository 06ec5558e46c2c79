//! Heads as points over any two of their scores; a button lies over each, so that they are clicked, and reached by keyboard.

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::head_name,
    roles::{HeadMeasured, role_name},
    selection::Direction,
    state::{HeadChoice, ImportanceOf, ViewState},
    widgets::{Segmented, Select, numbers::decimal, observed_width},
};
use attention_figures::{
    color::categorical,
    scatter::{Dot, ScatterFrame, dot_places, scatter},
};
use attention_trace::{
    AttentionKind,
    roles::{Role, RoleScore},
};
use leptos::{ev::KeyboardEvent, html, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::context::RolesContext;

/// Height of the figure in CSS pixels.
const HEIGHT: f64 = 360.0;

/// A head by two scores.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    head: HeadChoice,
    at: [RoleScore; 2],
}

impl Point {
    fn weights(&self) -> [f32; 2] {
        self.at.map(|score| score.weight)
    }

    /// Whether it is named in the picture without being chosen.
    fn stands_out(&self) -> bool {
        self.at.iter().any(|score| score.is_clear())
    }
}

/// The heads that have both scores.
fn points(heads: &[HeadMeasured], roles: [Role; 2]) -> Vec<Point> {
    let point = |of: &HeadMeasured| {
        Some(Point {
            head: of.head,
            at: [of.roles.of(roles[0])?, of.roles.of(roles[1])?],
        })
    };
    heads.iter().filter_map(point).collect()
}

/// The point after another one in a direction: the next one to the right, or upwards, by its number there.
fn neighbour(points: &[Point], from: HeadChoice, direction: Direction) -> Option<HeadChoice> {
    let (axis, ahead) = match direction {
        Direction::Left => (0, false),
        Direction::Right => (0, true),
        Direction::Down => (1, false),
        Direction::Up => (1, true),
    };
    let mut order: Vec<&Point> = points.iter().collect();
    // Stable: points with the same number keep their order.
    order.sort_by(|one, other| one.weights()[axis].total_cmp(&other.weights()[axis]));
    let place = order.iter().position(|point| point.head == from)?;
    let next = if ahead {
        place.checked_add(1)
    } else {
        place.checked_sub(1)
    };
    order.get(next?).map(|point| point.head)
}

/// The choice of both scores, and the figure.
#[component]
pub fn Points() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = RolesContext::expect();
    let has_set = Memo::new(move |_| context.fetched.read().is_some());
    let of = state.select(|view| view.roles.of);
    let lab = state.select(|view| view.chapters.roles);
    let axes = Memo::new(move |_| [lab.get().across, lab.get().up]);
    let measured = context.asked();
    // What the model on screen has, and what is chosen.
    let offered = Memo::new(move |_| {
        let measured = measured.read();
        let has = |role: Role| measured.iter().any(|head| head.roles.of(role).is_some());
        let offered = Role::ALL.iter().copied();
        offered
            .filter(|role| has(*role) || axes.get().contains(role))
            .collect::<Vec<_>>()
    });
    let points = Memo::new(move |_| measured.with(|heads| points(heads, axes.get())));
    let names = move || {
        let offered = offered.get().into_iter();
        offered
            .map(|role| role_name(i18n, role, None))
            .collect::<Vec<_>>()
    };
    let place = move |axis: usize| {
        let place = offered
            .read()
            .iter()
            .position(|role| *role == axes.get()[axis]);
        place.unwrap_or_default()
    };
    let choose = move |axis: usize, place: usize| {
        let role = offered.with_untracked(|offered| offered.get(place).copied());
        state.update_chapters(|chapters| {
            let own = match axis {
                0 => &mut chapters.roles.across,
                _ => &mut chapters.roles.up,
            };
            *own = role.unwrap_or(*own);
        });
    };
    view! {
        <div class="position-controls">
            <Show when=move || has_set.get()>
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, roles.measured_on).to_owned())
                    options=Signal::derive(move || vec![
                        (ImportanceOf::Text, t_string!(i18n, roles.of_text).to_owned()),
                        (ImportanceOf::Sentences, t_string!(i18n, roles.of_sentences).to_owned()),
                    ])
                    value=of
                    choose=move |of| state.update_roles(|roles| roles.of = of)
                />
            </Show>
            <Select
                name=Signal::derive(move || t_string!(i18n, roles.across).to_owned())
                test_id="roles-across"
                options=Signal::derive(names)
                chosen=Signal::derive(move || place(0))
                choose=move |place| choose(0, place)
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, roles.up).to_owned())
                test_id="roles-up"
                options=Signal::derive(names)
                chosen=Signal::derive(move || place(1))
                choose=move |place| choose(1, place)
            />
        </div>
        <Drawn points axes />
        <p class="hint">{t!(i18n, roles.points_hint)}</p>
    }
}

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

#[component]
fn Drawn(points: Memo<Vec<Point>>, axes: Memo<[Role; 2]>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = RolesContext::expect();
    let room = NodeRef::<html::Div>::new();
    let width = observed_width(room);
    let frame = Memo::new(move |_| ScatterFrame {
        // The style sheet makes the drawing as wide as its place: of a narrower one, the type is larger.
        width: width.get() / appearance.enlargement(),
        height: HEIGHT,
        names: axes.get().map(|role| role_name(i18n, role, None)),
        theme: appearance.get(),
    });
    let drawing = Memo::new(move |_| {
        let dots = dots(&points.read(), context.head(), appearance.get());
        scatter(&frame.read(), &dots)
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
    view! {
        <div
            class="scatter-figure roles-points"
            node_ref=room
            role="group"
            aria-label=move || t_string!(i18n, roles.points)
            data-testid="roles-points"
        >
            <div inner_html=drawing></div>
            {each}
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
    /// Its place, in shares of width and height.
    at: [f64; 2],
    /// Whether it is what the keyboard comes to where the chosen head is no point.
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
        let [x, y] = point.weights().map(|weight| decimal(weight, 2));
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
    if let Ok(Some(element)) = document().query_selector(&selector)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        // Fails only for an element that is no longer in the document.
        let _ = element.focus();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::roles::RoleScores;

    use super::*;

    fn head(name: &str, previous: f32, end: Option<f32>) -> HeadMeasured {
        let score = |weight: f32| RoleScore {
            weight,
            chance: 0.1,
            queries: 9,
        };
        let mut scores = BTreeMap::from([(Role::Previous, score(previous))]);
        scores.extend(end.map(|end| (Role::End, score(end))));
        HeadMeasured {
            head: name.parse().unwrap(),
            roles: RoleScores {
                scores,
                offset: None,
            },
        }
    }

    fn three() -> Vec<Point> {
        let heads = [
            head("encoder.0.0", 0.9, Some(0.1)),
            head("encoder.0.1", 0.2, Some(0.8)),
            head("encoder.0.2", 0.5, Some(0.3)),
            head("decoder.0.0", 0.5, None),
        ];
        points(&heads, [Role::Previous, Role::End])
    }

    #[test]
    fn heads_without_both_roles_are_no_points() {
        let points = three();
        assert_eq!(points.len(), 3);
        assert_eq!(points[0].weights(), [0.9, 0.1]);
    }

    #[test]
    fn arrow_keys_go_along_an_axis_and_end_there() {
        let points = three();
        let from = |name: &str, direction| {
            let head = neighbour(&points, name.parse().unwrap(), direction);
            head.map(|head| head.to_string())
        };
        let right = from("encoder.0.1", Direction::Right);
        assert_eq!(right.as_deref(), Some("encoder.0.2"));
        let up = from("encoder.0.2", Direction::Up);
        assert_eq!(up.as_deref(), Some("encoder.0.1"));
        assert_eq!(from("encoder.0.0", Direction::Right), None);
        assert_eq!(from("encoder.0.0", Direction::Down), None);
        let left = from("encoder.0.0", Direction::Left);
        assert_eq!(left.as_deref(), Some("encoder.0.2"));
    }
}
