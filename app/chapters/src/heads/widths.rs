//! The figure of heads by hand: their weights and outputs, side by side, and mixed by `W^O`.

use attention_figures::matrix::Scale;
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{Array, lessons::HandSteps};
use leptos::prelude::*;

use super::by_hand::{Counts, WIDTH, WORDS, input, output_matrix, product, side_by_side};
use crate::{
    follow::{Derivation, Operation, Products, explained},
    heads::parameters::Heads,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    state::ViewState,
    widgets::{
        Check, Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described, weights_described},
    },
};

/// The names of the heads' matrices on the page: weights and outputs.
const IDS: [[&str; 2]; Heads::COUNTS.1] = [
    ["widths-a1", "widths-o1"],
    ["widths-a2", "widths-o2"],
    ["widths-a3", "widths-o3"],
];

/// The controls, the heads and what becomes of their outputs.
#[component]
pub fn HeadsByHand() -> impl IntoView {
    let i18n = use_i18n();
    let heads = ViewState::expect().select(|view| *view.chapters.of::<Heads>());
    let steps: [Asked<HandSteps>; Heads::COUNTS.1] = std::array::from_fn(|head| {
        let question = move || {
            let heads = heads.get();
            (head < heads.count).then(|| Question::ByHand(Box::new(input(heads, head))))
        };
        Lessons::expect().ask(question, |answer| match answer {
            Answer::ByHand(steps) => Some(HandSteps::clone(steps)),
            _ => None,
        })
    });
    let outputs = Memo::new(move |_| {
        let count = heads.read().count;
        let of = |asked: &Asked<HandSteps>| Some(asked.answer.get()?.output);
        steps[..count]
            .iter()
            .map(of)
            .collect::<Option<Vec<Array>>>()
    });
    let joined = Memo::new(move |_| outputs.with(|outputs| side_by_side(outputs.as_ref()?)));
    let mixed = Memo::new(move |_| {
        let matrix = output_matrix(heads.get());
        joined.with(|joined| product(joined.as_ref()?, &matrix))
    });
    let counts = move || {
        let counts = Counts::of(heads.get());
        t_string!(
            i18n,
            many_heads.widths_counts,
            queries = counts.queries,
            keys = counts.keys,
            values = counts.values,
            output = counts.output,
            total = counts.total()
        )
    };
    let joined_matrix = shown(joined);
    let described = explained(move |row, column| {
        let (joined, heads) = (joined.get()?, heads.get());
        let weights = output_matrix(heads);
        let column_of: Vec<f32> = (0..*weights.shape.first()?)
            .filter_map(|at| weights.row(&[at])?.get(column).copied())
            .collect();
        Some(Derivation {
            place: vec![word(row), (column + 1).to_string()],
            value: *mixed.get()?.row(&[row])?.get(column)?,
            operation: Operation::Products(Products::new(
                ("o", joined.row(&[row])?),
                ("W", &column_of),
                None,
            )),
        })
    });
    view! {
        <section class="lesson-figure" data-testid="heads-by-hand">
            <Controls heads />
            <LessonNotice asked=steps[0] />
            <Inspected>
                {steps
                    .into_iter()
                    .enumerate()
                    .map(|(head, asked)| view! {
                        <Show when=move || head < heads.read().count>
                            <Head head asked />
                        </Show>
                    })
                    .collect_view()}
                <div class="equation">
                    <MatrixFigure
                        id="widths-joined"
                        symbol="<math><mi>o</mi></math>"
                        name=Signal::derive(move || t_string!(i18n, many_heads.joined).to_owned())
                        matrix=joined_matrix
                        describe=numbers_described(joined_matrix)
                    />
                    <MatrixFigure
                        id="widths-mixed"
                        symbol="<math><mi>o</mi><msup><mi>W</mi><mi>O</mi></msup></math>"
                        name=Signal::derive(move || t_string!(i18n, many_heads.mixed).to_owned())
                        matrix=shown(mixed)
                        describe=described
                    />
                </div>
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="widths-counts">{counts}</p>
        </section>
    }
}

#[component]
fn Controls(heads: Memo<Heads>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let slider = move |name: &'static str,
                       test_id: &'static str,
                       range: (usize, usize),
                       field: fn(&mut Heads) -> &mut usize| {
        let now = Memo::new(move |_| *field(&mut heads.get()));
        view! {
            <Slider
                name=Signal::derive(move || name.to_owned())
                test_id
                range
                value=now
                words=Signal::derive(move || now.get().to_string())
                set=move |value| state.update_chapters(|chapters| {
                    *field(chapters.of_mut::<Heads>()) = value;
                })
            />
        }
    };
    view! {
        <div class="position-controls">
            {slider("M", "heads-m", Heads::COUNTS, |heads| &mut heads.count)}
            {slider("pₖ", "heads-pk", Heads::WIDTHS, |heads| &mut heads.key_width)}
            {slider("pᵥ", "heads-pv", Heads::WIDTHS, |heads| &mut heads.value_width)}
            <Check
                name=Signal::derive(move || t_string!(i18n, many_heads.shared).to_owned())
                test_id="heads-shared"
                on=Signal::derive(move || heads.read().shared)
                set=move |shared| state.update_chapters(|chapters| {
                    chapters.of_mut::<Heads>().shared = shared;
                })
            />
        </div>
    }
}

/// The weights and the output of one head.
#[component]
fn Head(head: usize, asked: Asked<HandSteps>) -> impl IntoView {
    let i18n = use_i18n();
    let [weights_id, output_id] = IDS[head];
    let weights = Memo::new(move |_| {
        let matrix = matrix_of(&asked.answer.get()?.weights)?;
        Some(matrix.with_columns(words()))
    });
    let output = shown(Memo::new(move |_| Some(asked.answer.get()?.output)));
    let described = explained(move |row, column| {
        let steps = asked.answer.get()?;
        let values: Vec<f32> = (0..WORDS)
            .filter_map(|word| steps.value.row(&[word])?.get(column).copied())
            .collect();
        Some(Derivation {
            place: vec![word(row), (column + 1).to_string()],
            value: *steps.output.row(&[row])?.get(column)?,
            operation: Operation::Products(Products::new(
                ("a", steps.weights.row(&[row])?),
                ("v", &values),
                None,
            )),
        })
    });
    view! {
        <div class="hand-matrices" data-testid="widths-head">
            <MatrixFigure
                id=weights_id
                symbol=numbered("a", head)
                name=Signal::derive(move || t_string!(i18n, many_heads.head_weights, head = head + 1))
                matrix=weights
                scale=Scale::Weights
                describe=weights_described(weights)
            />
            <MatrixFigure
                id=output_id
                symbol=numbered("o", head)
                name=Signal::derive(move || t_string!(i18n, many_heads.head_output, head = head + 1))
                matrix=output
                describe=described
            />
        </div>
    }
}

fn numbered(symbol: &str, head: usize) -> String {
    format!(
        "<math><msup><mi>{symbol}</mi><mrow><mo>(</mo><mn>{}</mn><mo>)</mo></mrow></msup></math>",
        head + 1
    )
}

fn word(row: usize) -> String {
    format!("x{}", ["₁", "₂", "₃"].get(row).copied().unwrap_or_default())
}

fn words() -> Vec<String> {
    (0..WORDS).map(word).collect()
}

fn matrix_of(array: &Array) -> Option<Matrix> {
    let columns = *array.shape.last()?;
    Some(Matrix::new(array.data.as_slice(), columns).with_rows(words()))
}

fn shown(array: Memo<Option<Array>>) -> Memo<Option<Matrix>> {
    Memo::new(move |_| array.with(|array| matrix_of(array.as_ref()?)))
}

// The result has the width of the words, whatever the heads' own widths.
const _: () = assert!(WIDTH == Heads::WIDTHS.1);
