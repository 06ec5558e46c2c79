//! The feed-forward network as two matrices and as two convolutions of width 1, on a corner of the
//! model's own weights.

use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array, Weight,
    lessons::{FedForward, FeedForwardWeights},
};
use leptos::prelude::*;

use crate::follow::{Derivation, FollowContext, Numbers, Operation, Products, Sites, explained};
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    widgets::{
        Prose, Values,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::largest_difference,
    },
};

/// Dimensions of the corner: small enough that every number can be read.
const D: usize = 6;
/// Inner dimensions of the corner.
const F: usize = 12;
/// The most positions of each of the two sequences.
const MOST_POSITIONS: usize = 4;

/// The activations' corner `[b, n, d]` and the weights'.
#[derive(Clone, Debug, PartialEq)]
struct Corner {
    x: Array,
    weights: FeedForwardWeights,
}

/// The first positions and dimensions of `x`, `[tokens, width]`, as two sequences, or one of one.
fn corner_of(x: &Array) -> Option<Array> {
    let &[tokens, width] = x.shape.as_slice() else {
        return None;
    };
    let sequences = tokens.clamp(1, 2);
    let positions = (tokens / sequences).min(MOST_POSITIONS);
    let width = width.min(D);
    let mut data = Vec::with_capacity(sequences * positions * width);
    for row in 0..sequences * positions {
        data.extend_from_slice(&x.row(&[row])?[..width]);
    }
    Some(Array {
        shape: vec![sequences, positions, width],
        data,
    })
}

/// The first `inputs` × `outputs` weights of a checkpoint's `[out, in]`, as `[in, out]`.
fn weights_of(weights: &Array, inputs: usize, outputs: usize) -> Option<Array> {
    let mut data = Vec::with_capacity(inputs * outputs);
    for input in 0..inputs {
        for output in 0..outputs {
            data.push(*weights.row(&[output])?.get(input)?);
        }
    }
    Some(Array {
        shape: vec![inputs, outputs],
        data,
    })
}

#[derive(Clone, Copy)]
struct Sources {
    x: Numbers,
    w1: Numbers,
    b1: Numbers,
    w2: Numbers,
    b2: Numbers,
    is_biased: Signal<bool>,
}

impl Sources {
    fn of(context: FollowContext) -> Self {
        let parameter = |weight| context.whole(move |sites| sites.feed_forward().parameter(weight));
        // Of a gated network, what the gate multiplies.
        let inner = |gated, plain| {
            context.whole(move |sites| {
                let block = sites.feed_forward();
                block.parameter(if sites.is_gated() { gated } else { plain })
            })
        };
        Sources {
            x: context.whole(Sites::feed_forward_input),
            w1: inner(Weight::WLinear, Weight::WIn),
            b1: inner(Weight::BLinear, Weight::BIn),
            w2: parameter(Weight::WOut),
            b2: parameter(Weight::BOut),
            is_biased: Signal::derive(move || {
                context.with_place(|place| place.sites().is_biased()) == Some(true)
            }),
        }
    }

    fn corner(self) -> Option<Corner> {
        let bias = |numbers: Numbers, length: usize| match self.is_biased.get() {
            true => Some(numbers.row(0)?.get(..length)?.to_vec()),
            false => Some(vec![0.0; length]),
        };
        let x = self.x.with(corner_of)??;
        let d = x.shape[2];
        Some(Corner {
            weights: FeedForwardWeights {
                w1: self.w1.with(|array| weights_of(array, d, F))??,
                b1: bias(self.b1, F)?,
                w2: self.w2.with(|array| weights_of(array, F, d))??,
                b2: bias(self.b2, d)?,
            },
            x,
        })
    }
}

/// The same numbers, twice.
#[component]
pub fn Convolution() -> impl IntoView {
    let sources = Sources::of(FollowContext::expect());
    let corner = Memo::new(move |_| sources.corner());
    let asked = Lessons::expect().ask(
        move || {
            let Corner { x, weights } = corner.get()?;
            Some(Question::FeedForward {
                activations: x,
                weights,
            })
        },
        |answer| match answer {
            Answer::FedForward(fed) => Some(fed.clone()),
            _ => None,
        },
    );
    let values = Signal::derive(move || shapes(&corner.get()?, asked.answer.read().as_ref()?));
    view! {
        <section class="chapter-section" data-testid="convolution">
            <Prose part="convolution" />
            <LessonNotice asked />
            <Inspected>
                <Matrices corner asked />
            </Inspected>
            <Prose part="convolution-result" values />
        </section>
    }
}

/// Returns the shapes along the way, and the distance between the two results.
fn shapes(corner: &Corner, fed: &FedForward) -> Option<Values> {
    let &[b, n, d] = corner.x.shape.as_slice() else {
        return None;
    };
    let f = corner.weights.b1.len();
    let difference = largest_difference(&fed.by_matrices.data, &fed.by_convolution.data);
    let shape = |sizes: &[usize]| {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        format!("({})", sizes.join(", "))
    };
    let shapes = [
        shape(&[b, n, d]),
        shape(&[b * n, d]),
        shape(&[b * n, f]),
        shape(&[b * n, d]),
        shape(&[b, n, d]),
    ];
    Some(vec![
        ("way", shapes.join(" → ")),
        ("difference", difference),
    ])
}

#[component]
fn Matrices(corner: Memo<Option<Corner>>, asked: Asked<FedForward>) -> impl IntoView {
    let i18n = use_i18n();
    let flat = |array: &Array| {
        let columns = array.shape.last().copied().unwrap_or(1);
        let rows = array.data.len() / columns.max(1);
        Matrix::new(array.data.as_slice(), columns).with_rows(
            (0..rows)
                .map(|row| format!("{}", row + 1))
                .collect::<Vec<_>>(),
        )
    };
    let x = Signal::derive(move || Some(flat(&corner.read().as_ref()?.x)));
    let of = move |part: fn(&FedForward) -> &Array| {
        Signal::derive(move || Some(flat(part(asked.answer.read().as_ref()?))))
    };
    let hidden = of(|fed| &fed.hidden);
    let (by_matrices, by_convolution) = (of(|fed| &fed.by_matrices), of(|fed| &fed.by_convolution));
    let given = move |matrix: Signal<Option<Matrix>>| {
        explained(move |row, column| {
            Some(Derivation {
                place: vec![format!("{} · {}", row + 1, column + 1)],
                value: matrix.read().as_ref()?.value(row, column)?,
                operation: Operation::Given,
            })
        })
    };
    let product = move |from: Signal<Option<Matrix>>, to: Signal<Option<Matrix>>, second: bool| {
        explained(move |row, column| {
            let Corner { weights, .. } = corner.get()?;
            let (matrix, bias) = if second {
                (&weights.w2, &weights.b2)
            } else {
                (&weights.w1, &weights.b1)
            };
            let of_column: Option<Vec<f32>> = (0..matrix.shape[0])
                .map(|input| matrix.row(&[input])?.get(column).copied())
                .collect();
            let from = from.get()?;
            let products = Products::new(
                ("x", from.row(row)),
                ("W", &of_column?),
                bias.get(column).copied(),
            );
            Some(Derivation {
                place: vec![format!("{} · {}", row + 1, column + 1)],
                value: to.read().as_ref()?.value(row, column)?,
                operation: Operation::Products(products),
            })
        })
    };
    view! {
        <div class="equation">
            <MatrixFigure
                id="corner"
                symbol="<math><mi>X</mi></math>"
                name=Signal::derive(move || t_string!(i18n, norms.corner).to_owned())
                matrix=x
                describe=given(x)
            />
            <MatrixFigure
                id="corner-hidden"
                symbol="<math><mi>max</mi><mo>(</mo><mn>0</mn><mo>,</mo><mi>X</mi><msub><mi>W</mi><mn>1</mn></msub><mo>+</mo><msub><mi>b</mi><mn>1</mn></msub><mo>)</mo></math>"
                name=Signal::derive(move || t_string!(i18n, norms.hidden).to_owned())
                matrix=hidden
                describe=product(x, hidden, false)
            />
            <MatrixFigure
                id="by-matrices"
                symbol="<math><mi>Y</mi></math>"
                name=Signal::derive(move || t_string!(i18n, norms.by_matrices).to_owned())
                matrix=by_matrices
                describe=product(hidden, by_matrices, true)
            />
            <MatrixFigure
                id="by-convolution"
                symbol="<math><mi>Y</mi></math>"
                name=Signal::derive(move || t_string!(i18n, norms.by_convolution).to_owned())
                matrix=by_convolution
                describe=product(hidden, by_convolution, true)
            />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: [usize; 2]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: (0..shape[0] * shape[1]).map(|value| value as f32).collect(),
        }
    }

    #[test]
    fn positions_become_two_sequences_where_there_are_two() {
        let corner = corner_of(&array([5, 8])).unwrap();
        assert_eq!(corner.shape, [2, 2, D]);
        assert_eq!(corner.data[..D], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(corner.data[D], 8.0);
        assert_eq!(corner_of(&array([1, 8])).unwrap().shape, [1, 1, D]);
    }

    #[test]
    fn weights_are_turned_from_the_checkpoints_layout() {
        // [out, in] = [3, 4]: output 1, input 2 is 6.
        let weights = weights_of(&array([3, 4]), 3, 2).unwrap();
        assert_eq!(weights.shape, [3, 2]);
        assert_eq!(weights.data, [0.0, 4.0, 1.0, 5.0, 2.0, 6.0]);
        assert_eq!(weights_of(&array([3, 4]), 5, 2), None);
    }
}
