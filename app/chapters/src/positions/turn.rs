//! A query and a key of two dimensions, turned by hand.

use crate::positions::parameters::Encodings;
use std::f32::consts::TAU;

use attention_figures::{
    Rgb, Theme,
    color::{self, categorical, furniture},
    export::{Content, Marks, Weighted},
    plane::{Mark, Plane},
    sentence::current_color,
};
use attention_trace::positions::{relative_rotation, rotation_matrix};
use leptos::{ev::KeyboardEvent, prelude::*};

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        Expected, FigureButton, KeyHint, PlaneField, Prompt, Prose, ScrollRegion, Slider, Taken,
        eased,
        numbers::decimal,
        player::{Player, Transport},
    },
};

/// RoPE's base in the figures of this chapter, that of its paper.
pub const BASE: f32 = 10_000.0;
/// The query before it is turned.
pub const QUERY: [f32; 2] = [1.6, 0.5];
/// The key before rotation.
const KEY: [f32; 2] = [0.9, 1.4];
/// The extent of the plane from its centre.
const EXTENT: f64 = 2.0;
/// The number of places by which the prompt moves both vectors.
const FURTHER: usize = 3;

/// A matrix `[2, 2]` times a vector.
fn times(matrix: &[f32], [x, y]: [f32; 2]) -> [f32; 2] {
    match *matrix {
        [a, b, c, d] => [a * x + b * y, c * x + d * y],
        _ => [x, y],
    }
}

fn dot([a, b]: [f32; 2], [c, d]: [f32; 2]) -> f32 {
    a * c + b * d
}

fn angle([x, y]: [f32; 2]) -> f32 {
    y.atan2(x)
}

/// The query and the key, rotated to their positions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turned {
    m: usize,
    n: usize,
}

impl Turned {
    fn query(self) -> [f32; 2] {
        times(&rotation_matrix(self.m as isize, 2, BASE), QUERY)
    }

    fn key(self) -> [f32; 2] {
        times(&rotation_matrix(self.n as isize, 2, BASE), KEY)
    }

    /// Returns the score `(R(m)q)·(R(n)k)`.
    fn score(self) -> f32 {
        dot(self.query(), self.key())
    }

    /// Returns the score `q·R(n − m)k`.
    fn relative_score(self) -> f32 {
        dot(QUERY, times(&self.of_difference(), KEY))
    }

    /// Returns the matrix `R(m)ᵀR(n)`.
    fn product(self) -> Vec<f32> {
        relative_rotation(self.m as isize, self.n as isize, 2, BASE)
    }

    /// Returns the matrix `R(n − m)`.
    fn of_difference(self) -> Vec<f32> {
        rotation_matrix(self.n as isize - self.m as isize, 2, BASE)
    }

    fn moved(self, by: usize) -> Self {
        Turned {
            m: self.m + by,
            n: self.n + by,
        }
    }
}

/// The position whose query points nearest to `point`.
fn place_towards(point: [f32; 2]) -> usize {
    let away = |place: usize| {
        let between = angle(Turned { m: place, n: 0 }.query()) - angle(point);
        let between = between.rem_euclid(TAU);
        between.min(TAU - between)
    };
    let (first, last) = Encodings::PLACES;
    (first..=last)
        .min_by(|&a, &b| away(a).total_cmp(&away(b)))
        .unwrap_or(first)
}

/// Rotates the query by an angle in radians: by one for each position.
fn rotated(radians: f64) -> [f32; 2] {
    let (sine, cosine) = radians.sin_cos();
    let (sine, cosine) = (sine as f32, cosine as f32);
    times(&[cosine, -sine, sine, cosine], QUERY)
}

/// Draws both vectors, the query on its way to its position, with faint lines where it has been.
fn marks(turned: Turned, radians: f64, theme: Theme) -> Vec<Mark> {
    let (query, key) = (current_color(theme), categorical(0, theme));
    let line = |to: [f32; 2], color: Rgb| Mark::Line {
        from: [0.0, 0.0],
        to,
        color,
        width: 1.0,
    };
    let arrow = |to: [f32; 2], color: Rgb, label: String| Mark::Arrow { to, color, label };
    let faint = color::blend(query, furniture(theme).page, 0.35);
    let passed = (1..turned.m).map(|m| Mark::Line {
        from: [0.0, 0.0],
        to: rotated(m as f64),
        color: faint,
        width: 0.75,
    });
    let vectors = [
        line(QUERY, query),
        line(KEY, key),
        arrow(turned.key(), key, format!("R({})k", turned.n)),
        arrow(rotated(radians), query, format!("R({})q", turned.m)),
    ];
    passed.chain(vectors).collect()
}

/// The figure, its numbers and the question about them.
#[component]
pub fn Turn() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let turned = state.select(|view| Turned {
        m: view.chapters.of::<Encodings>().query,
        n: view.chapters.of::<Encodings>().key,
    });
    let expected = Signal::derive(move || {
        let (here, later) = (turned.get(), turned.get().moved(FURTHER));
        Some(Expected::Truth((later.score() - here.score()).abs() > 1e-3))
    });
    let values = Signal::derive(move || {
        let (here, later) = (turned.get(), turned.get().moved(FURTHER));
        Some(vec![
            ("m", here.m.to_string()),
            ("n", here.n.to_string()),
            ("here", decimal(here.score(), 3)),
            ("later_m", later.m.to_string()),
            ("later_n", later.n.to_string()),
            ("there", decimal(later.score(), 3)),
        ])
    });
    view! {
        <Prose part="turn" />
        <section class="lesson-figure" data-testid="turn">
            <div class="planes">
                <TurnedPlane turned />
                <figure class="plane turn-numbers">
                    <QueryPlace test_id="turn-query" />
                    <KeyPlace />
                    <Numbers turned />
                </figure>
            </div>
            <p class="hint">
                {t!(i18n, encodings.turn_hint)}
                <KeyHint>{t!(i18n, encodings.turn_keys)}</KeyHint>
            </p>
        </section>
        <Prompt
            question="ask-shift"
            answer="answer-shift"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.score).to_owned())
            expected
        />
    }
}

#[component]
fn TurnedPlane(turned: Memo<Turned>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let appearance = Appearance::expect();
    let plane = move || Plane {
        extent: EXTENT,
        theme: appearance.get(),
    };
    let set = move |place: usize| {
        state.update_chapters(|chapters| chapters.of_mut::<Encodings>().query = place);
    };
    let name = Signal::derive(move || t_string!(i18n, encodings.turn_plane).to_owned());
    let shown = eased(Memo::new(move |_| turned.get().m as f64));
    let (first, last) = Encodings::PLACES;
    let player = Player::new(
        move || turned.get().m - first,
        move || last - first + 1,
        move |step| set(first + step),
    );
    let words = Signal::derive(move || {
        let Turned { m, n } = turned.get();
        let score = decimal(turned.get().score(), 3);
        t_string!(i18n, encodings.turn_words, m = m, n = n, score = score)
    });
    let label = Signal::derive(move || {
        let Turned { m, n } = turned.get();
        let score = decimal(turned.get().score(), 3);
        t_string!(i18n, encodings.turn_label, m = m, n = n, score = score)
    });
    let take = move || {
        let here = turned.get();
        let marks = marks(here, here.m as f64, Theme::Light).into_iter();
        let content = Content::Marks(Marks {
            extent: EXTENT,
            marks: marks.map(|mark| Weighted { mark, weight: None }).collect(),
        });
        Some(Taken::new(name.get(), content))
    };
    view! {
        <figure class="plane">
            <figcaption class="figure-name">
                <span class="panel-title">{name}</span>
                <FigureButton name take />
            </figcaption>
            <Transport player label=name words has_keys=false is_compact=true />
            <PlaneField
                test_id="turn-plane"
                label
                plane=Signal::derive(plane)
                drawing=Signal::derive(move || plane().svg(&marks(turned.get(), shown.get(), appearance.get())))
                drag=move |point| set(place_towards(point))
                key=move |event| stepped(event, turned.get_untracked().m).map(set).is_some()
            />
        </figure>
    }
}

/// Returns the position that a key of the keyboard leads to.
fn stepped(event: &KeyboardEvent, place: usize) -> Option<usize> {
    let (first, last) = Encodings::PLACES;
    match event.key().as_str() {
        "ArrowRight" | "ArrowUp" => Some((place + 1).min(last)),
        "ArrowLeft" | "ArrowDown" => Some(place.saturating_sub(1).max(first)),
        "Home" => Some(first),
        "End" => Some(last),
        _ => None,
    }
}

/// The slider of the query's position.
#[component]
pub fn QueryPlace(
    /// The `data-testid` of the slider.
    test_id: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Place
            name=Signal::derive(move || t_string!(i18n, encodings.query_place).to_owned())
            test_id
            place=|encodings| &mut encodings.query
        />
    }
}

#[component]
fn KeyPlace() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Place
            name=Signal::derive(move || t_string!(i18n, encodings.key_place).to_owned())
            test_id="turn-key"
            place=|encodings| &mut encodings.key
        />
    }
}

#[component]
fn Place(
    name: Signal<String>,
    test_id: &'static str,
    place: fn(&mut Encodings) -> &mut usize,
) -> impl IntoView {
    let state = ViewState::expect();
    let value = state.select(move |view| *place(&mut view.chapters.of::<Encodings>().clone()));
    view! {
        <Slider
            name
            test_id
            range=Encodings::PLACES
            value
            words=Signal::derive(move || value.get().to_string())
            set=move |to| state.update_chapters(|chapters| *place(chapters.of_mut::<Encodings>()) = to)
        />
    }
}

/// Both matrices and both products, which agree.
#[component]
fn Numbers(turned: Memo<Turned>) -> impl IntoView {
    let i18n = use_i18n();
    let scores = move || (turned.get().score(), turned.get().relative_score());
    view! {
        <ScrollRegion
            class="lesson-table"
            test_id="turn-numbers"
            name=Signal::derive(move || t_string!(i18n, encodings.turn_numbers).to_owned())
        >
            <table aria-label=move || t_string!(i18n, encodings.turn_numbers).to_owned()>
                <thead>
                    <tr>
                        <td></td>
                        <th scope="col">"R(m)ᵀR(n)"</th>
                        <th scope="col">"R(n − m)"</th>
                    </tr>
                </thead>
                <tbody>
                    <tr>
                        <th scope="row">{t!(i18n, encodings.first_row)}</th>
                        <td class="number">{move || row(&turned.get().product(), 0)}</td>
                        <td class="number">{move || row(&turned.get().of_difference(), 0)}</td>
                    </tr>
                    <tr>
                        <th scope="row">{t!(i18n, encodings.second_row)}</th>
                        <td class="number">{move || row(&turned.get().product(), 1)}</td>
                        <td class="number">{move || row(&turned.get().of_difference(), 1)}</td>
                    </tr>
                    <tr>
                        <th scope="row">"q · k"</th>
                        <td class="number" data-testid="turned-score">
                            {move || decimal(scores().0, 3)}
                        </td>
                        <td class="number" data-testid="relative-score">
                            {move || decimal(scores().1, 3)}
                        </td>
                    </tr>
                </tbody>
            </table>
        </ScrollRegion>
    }
}

/// A row of a matrix of two columns.
fn row(matrix: &[f32], row: usize) -> String {
    let values = matrix.chunks(2).nth(row).unwrap_or_default();
    let words: Vec<_> = values.iter().map(|value| decimal(*value, 3)).collect();
    words.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_the_score_agree_and_only_the_difference_counts() {
        for (m, n) in [(0, 0), (2, 5), (9, 1), (12, 12)] {
            let turned = Turned { m, n };
            assert!((turned.score() - turned.relative_score()).abs() < 1e-5);
            assert!((turned.score() - turned.moved(FURTHER).score()).abs() < 1e-5);
        }
    }

    #[test]
    fn a_turn_is_anticlockwise_by_the_sums_of_angles() {
        let [x, y] = QUERY;
        let (r, phi) = (x.hypot(y), angle(QUERY));
        for m in Encodings::PLACES.0..=Encodings::PLACES.1 {
            // The first pair turns by a radian a position.
            let theta = m as f32;
            let by_angles = [r * (phi + theta).cos(), r * (phi + theta).sin()];
            let by_formula = [
                x * theta.cos() - y * theta.sin(),
                x * theta.sin() + y * theta.cos(),
            ];
            let turned = Turned { m, n: 0 }.query();
            for axis in 0..2 {
                assert!((turned[axis] - by_angles[axis]).abs() < 1e-4, "{m}");
                assert!((turned[axis] - by_formula[axis]).abs() < 1e-4, "{m}");
            }
        }
    }

    #[test]
    fn on_its_way_the_query_passes_every_position() {
        for m in Encodings::PLACES.0..=Encodings::PLACES.1 {
            let (way, place) = (rotated(m as f64), Turned { m, n: 0 }.query());
            for axis in 0..2 {
                assert!((way[axis] - place[axis]).abs() < 1e-4, "{m}");
            }
        }
        assert_eq!(marks(Turned { m: 4, n: 1 }, 4.0, Theme::Light).len(), 7);
    }

    #[test]
    fn dragging_finds_the_place_whose_query_points_there() {
        for place in Encodings::PLACES.0..=Encodings::PLACES.1 {
            assert_eq!(place_towards(Turned { m: place, n: 0 }.query()), place);
        }
    }

    #[test]
    fn rows_are_written_with_true_minus_signs() {
        assert_eq!(row(&rotation_matrix(1, 2, BASE), 0), "0.540  −0.841");
    }
}
