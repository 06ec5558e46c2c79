//! The toy memory on two planes: keys and the query, which can be dragged; values and the output.

use crate::scores::parameters::{Read, Scores};
use attention_figures::{
    Rgb, Theme,
    color::{categorical, furniture},
    export::{Content, Marks, Weighted},
    plane::{Mark, Plane},
};
use attention_trace::lessons::Attended;
use leptos::{ev::KeyboardEvent, prelude::*};

use super::{functions::name, memory::ScoresSelection, toy};
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    lessons::LessonNotice,
    state::ViewState,
    widgets::{FigureButton, PlaneField, Prose, Segmented, Taken, numbers::decimal},
};

/// The extent of the planes from their centre.
const EXTENT: f64 = Scores::QUERIES.1 as f64 / 10.0;

/// Both planes, and the vectors that are read.
#[component]
pub fn Planes(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let read = Memo::new(move |_| selection.view.get().read);
    let function = move || name(selection.view.get().function)();
    view! {
        <Prose part="memory" />
        <div class="lesson-figure" data-testid="toy">
            <div class="planes">
                <KeyPlane selection />
                <ValuePlane selection />
            </div>
            <p class="lesson-reading number" role="status" data-testid="output">
                {move || selection.read().map(|made| t_string!(
                    i18n,
                    scores.output,
                    function = function(),
                    query = point(&selection.view.get().point()),
                    output = point(&made.read.soft)
                ))}
            </p>
            <LessonNotice asked=selection.asked />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, scores.read).to_owned())
                options=Signal::derive(move || vec![
                    (Read::Values, t_string!(i18n, scores.read_values).to_owned()),
                    (Read::Keys, t_string!(i18n, scores.read_keys).to_owned()),
                ])
                value=read
                choose=move |read| state.update_chapters(|chapters| chapters.of_mut::<Scores>().read = read)
            />
        </div>
    }
}

/// A point as it is written.
pub fn point(coordinates: &[f32]) -> String {
    let words: Vec<_> = coordinates.iter().map(|value| decimal(*value, 2)).collect();
    format!("({})", words.join(", "))
}

/// Returns the radius of a dot whose area grows with its weight.
fn radius(weight: f32) -> f64 {
    4.0 + 16.0 * f64::from(weight).max(0.0).sqrt()
}

/// The red of queries all over the page.
fn query_color(theme: Theme) -> Rgb {
    attention_figures::sentence::current_color(theme)
}

/// Describes a plane for export: its marks, the sizes of which show weights.
fn taken(title: String, marks: Vec<Mark>, made: Option<&Attended>) -> Taken {
    let weights = made.map_or(&[][..], |made| &made.weights);
    // Lines and dots are in the order of the keys.
    let (mut line, mut dot) = (weights.iter(), weights.iter());
    let weighted = |mark: Mark| {
        let weight = match &mark {
            Mark::Line { .. } => line.next(),
            Mark::Dot { .. } => dot.next(),
            Mark::Arrow { .. } => None,
        };
        let weight = weight.copied();
        Weighted { mark, weight }
    };
    let content = Content::Marks(Marks {
        extent: EXTENT,
        marks: marks.into_iter().map(weighted).collect(),
    });
    Taken::new(title, content)
}

#[component]
fn KeyPlane(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let plane = move || Plane {
        extent: EXTENT,
        theme: appearance.get(),
    };
    let drawing = move || {
        let query = selection.view.get().point();
        plane().svg(&key_marks(
            query,
            selection.read().as_ref(),
            appearance.get(),
        ))
    };
    let name = Signal::derive(move || t_string!(i18n, scores.keys).to_owned());
    let take = move || {
        let (query, made) = (selection.view.get().point(), selection.read());
        let marks = key_marks(query, made.as_ref(), Theme::Light);
        Some(taken(name.get(), marks, made.as_ref()))
    };
    let move_to = move |point: [f32; 2]| {
        state.update_chapters(|chapters| chapters.of_mut::<Scores>().move_to(point));
    };
    view! {
        <figure class="plane">
            <figcaption class="figure-name">
                <span class="panel-title">{name}</span>
                <FigureButton name take />
            </figcaption>
            <PlaneField
                test_id="query-plane"
                label=Signal::derive(move || t_string!(
                    i18n, scores.plane_label, query = point(&selection.view.get().point())
                ))
                plane=Signal::derive(plane)
                drawing=Signal::derive(drawing)
                drag=move_to
                key=move |event| {
                    let to = stepped(event, selection.view.get_untracked().point());
                    to.map(move_to).is_some()
                }
            />
        </figure>
    }
}

#[component]
fn ValuePlane(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let drawing = move || {
        let theme = appearance.get();
        let plane = Plane {
            extent: EXTENT,
            theme,
        };
        plane.svg(&value_marks(
            selection.view.get().read,
            selection.read().as_ref(),
            theme,
        ))
    };
    let name = Signal::derive(move || t_string!(i18n, scores.values).to_owned());
    let take = move || {
        let (read, made) = (selection.view.get().read, selection.read());
        let marks = value_marks(read, made.as_ref(), Theme::Light);
        Some(taken(name.get(), marks, made.as_ref()))
    };
    let words = move || {
        let output = selection.read().map(|made| point(&made.read.soft));
        t_string!(
            i18n,
            scores.values_label,
            output = output.unwrap_or_default()
        )
    };
    view! {
        <figure class="plane">
            <figcaption class="figure-name">
                <span class="panel-title">{name}</span>
                <FigureButton name take />
            </figcaption>
            <div class="plane-field" role="img" aria-label=words inner_html=drawing></div>
        </figure>
    }
}

fn key_marks(query: [f32; 2], made: Option<&Attended>, theme: Theme) -> Vec<Mark> {
    let weight = |index: usize| made.and_then(|made| made.weights.get(index)).copied();
    let names = toy::names('k');
    let keys = toy::KEYS
        .iter()
        .zip(names)
        .enumerate()
        .map(|(index, (&at, label))| Mark::Dot {
            at,
            radius: radius(weight(index).unwrap_or(0.0)),
            color: categorical(index, theme),
            label,
            ringed: false,
        });
    let query = Mark::Arrow {
        to: query,
        color: query_color(theme),
        label: "q".to_owned(),
    };
    keys.chain([query]).collect()
}

fn value_marks(read: Read, made: Option<&Attended>, theme: Theme) -> Vec<Mark> {
    let values = toy::values(read);
    let names = toy::names(match read {
        Read::Values => 'v',
        Read::Keys => 'k',
    });
    let weight = |index: usize| made.and_then(|made| made.weights.get(index)).copied();
    let output = made.and_then(|made| <[f32; 2]>::try_from(made.read.soft.as_slice()).ok());
    let lines = values.iter().enumerate().filter_map(|(index, &from)| {
        Some(Mark::Line {
            from,
            to: output?,
            color: categorical(index, theme),
            width: 6.0 * f64::from(weight(index)?),
        })
    });
    let dots = values
        .iter()
        .zip(names)
        .enumerate()
        .map(|(index, (&at, label))| Mark::Dot {
            at,
            radius: 6.0,
            color: categorical(index, theme),
            label,
            ringed: made.is_some_and(|made| made.read.largest == index),
        });
    let output = output.map(|at| Mark::Dot {
        at,
        radius: 8.0,
        color: furniture(theme).ink,
        label: "o".to_owned(),
        ringed: false,
    });
    lines.chain(dots).chain(output).collect()
}

/// A step by arrow key: a tenth, or half a unit with Shift.
fn stepped(event: &KeyboardEvent, [x, y]: [f32; 2]) -> Option<[f32; 2]> {
    let by = if event.shift_key() { 0.5 } else { 0.1 };
    match event.key().as_str() {
        "ArrowLeft" => Some([x - by, y]),
        "ArrowRight" => Some([x + by, y]),
        "ArrowUp" => Some([x, y + by]),
        "ArrowDown" => Some([x, y - by]),
        "Home" => Some([0.0, 0.0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::{ReadOut, ScoreFunction};

    use super::*;

    fn attended() -> Attended {
        Attended {
            function: ScoreFunction::Dot,
            scores: vec![0.0; 5],
            hidden: None,
            weights: vec![0.64, 0.36, 0.0, 0.0, 0.0],
            read: ReadOut {
                soft: vec![1.0, 2.0],
                largest: 0,
                draws: Vec::new(),
                mean: Vec::new(),
            },
        }
    }

    #[test]
    fn the_area_of_a_dot_grows_with_its_weight() {
        let made = attended();
        let marks = key_marks([0.0, 0.0], Some(&made), Theme::Light);
        let radii: Vec<f64> = marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Dot { radius, .. } => Some(*radius),
                _ => None,
            })
            .collect();
        assert!((radii[0] - 16.8).abs() < 1e-5 && (radii[1] - 13.6).abs() < 1e-5);
        assert_eq!(radii[2], 4.0);
    }

    #[test]
    fn without_an_answer_there_is_no_output() {
        let count = |made: Option<&Attended>| value_marks(Read::Values, made, Theme::Light).len();
        assert_eq!(count(None), 5);
        assert_eq!(count(Some(&attended())), 11);
    }

    #[test]
    fn an_exported_plane_has_the_weights_of_its_marks() {
        let made = attended();
        let marks = value_marks(Read::Values, Some(&made), Theme::Light);
        let Content::Marks(exported) = taken(String::new(), marks, Some(&made)).content else {
            panic!("a plane");
        };
        let weights: Vec<_> = exported.marks.iter().map(|mark| mark.weight).collect();
        let own: Vec<_> = made.weights.iter().copied().map(Some).collect();
        // A line and a dot for each value, and the output.
        assert_eq!(weights, [&own[..], &own[..], &[None]].concat());
    }

    #[test]
    fn points_are_written_with_two_digits() {
        assert_eq!(point(&[1.0, -0.456]), "(1.00, −0.46)");
    }
}
