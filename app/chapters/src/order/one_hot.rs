//! A position as a one-hot vector times `W^P`: the reason why adding positions equals concatenating them.

use attention_trace::{Block, Excerpt, PositionSpec, Quantity, Slice};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::experiment::OrderSelection;
use crate::follow::axes;
use attention_core::{
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    names::token_name,
    selection::Selection,
    state::{Cell, ViewState},
    widgets::{
        Slider,
        inspector::Inspected,
        matrix::{Marks, Matrix, MatrixFigure},
        numbers::decimal,
    },
};

/// The vectors of one token, if the model adds sinusoids to the embeddings.
#[component]
pub fn OneHot(selection: OrderSelection) -> impl IntoView {
    let i18n = use_i18n();
    let positions = Memo::new(move |_| Some(selection.input.get()?.meta().spec.positions.clone()));
    move || match positions.get()? {
        positions if positions.layout.is_some() => {
            Some(view! { <Sum selection positions /> }.into_any())
        }
        positions if positions.encoding.adds_vectors() => {
            Some(view! { <p class="hint">{t!(i18n, order.adds_another)}</p> }.into_any())
        }
        _ => Some(view! { <p class="hint">{t!(i18n, order.adds_nothing)}</p> }.into_any()),
    }
}

/// The numbers of the token at a place.
#[derive(Clone, PartialEq)]
struct Vectors {
    /// The one-hot vector of the position, `[n]`.
    position: Vec<f32>,
    /// The matrix `W^P` with a row for each position, `[n, d]`.
    table: Vec<f32>,
    /// The embedding of the token.
    token: Vec<f32>,
    /// The input of the first layer.
    sum: Vec<f32>,
    place: usize,
}

impl Vectors {
    fn width(&self) -> usize {
        self.token.len()
    }

    /// The position's row of the table.
    fn encoding(&self) -> &[f32] {
        let width = self.width();
        &self.table[self.place * width..(self.place + 1) * width]
    }
}

fn vectors(
    selection: OrderSelection,
    positions: PositionSpec,
    place: Memo<usize>,
) -> Memo<Option<Vectors>> {
    let live = Live::expect();
    let row = move |quantity: Quantity| {
        live.part(move || {
            let place = place.get();
            let stack = selection.input.get()?.head.attention.kind.stack();
            let site = Block::Stack(stack).at(quantity);
            Some(Excerpt::new(site, Slice::Rows(place, place + 1)))
        })
    };
    let (token, sum) = (row(Quantity::TokenEmbedding), row(Quantity::Embedding));
    Memo::new(move |_| {
        let count = selection.input.get()?.order.len();
        let (token, sum, place) = (token.get()?.0, sum.get()?.0, place.get());
        let position = (0..count).map(|row| f32::from(u8::from(row == place)));
        Some(Vectors {
            position: position.collect(),
            table: positions.sinusoids(0..count, token.data.len())?,
            token: token.data.clone(),
            sum: sum.data.clone(),
            place,
        })
    })
}

#[component]
fn Sum(selection: OrderSelection, positions: PositionSpec) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let tokens = Selection::of_page();
    let count = move || {
        selection
            .input
            .get()
            .map_or(1, |input| input.order.len().max(1))
    };
    let place = Memo::new(move |_| tokens.get().query(count(), 0));
    let vectors = vectors(selection, positions, place);
    let name = token_name();
    let words = move || {
        let input = selection.input.get();
        let token = input
            .as_ref()
            .and_then(|input| input.tokens().get(place.get()));
        let token = token.map(name).unwrap_or_default();
        format!("{} {token}", place.get())
    };
    let matrix = move |read: fn(&Vectors) -> (&[f32], usize)| {
        Memo::new(move |_| {
            vectors.with(|vectors| {
                let (values, columns) = read(vectors.as_ref()?);
                Some(Matrix::new(values, columns))
            })
        })
    };
    let describe = move |read: fn(&Vectors, usize, usize) -> Option<[f32; 3]>, is_sum: bool| {
        Callback::new(move |(row, column): (usize, usize)| {
            let numbers = vectors.with(|vectors| read(vectors.as_ref()?, row, column));
            numbers
                .map(|numbers| view! { <p class="number">{in_words(i18n, numbers, is_sum)}</p> })
                .into_any()
        })
    };
    let product = |vectors: &Vectors, _: usize, column: usize| {
        let encoding = *vectors.encoding().get(column)?;
        Some([1.0, encoding, encoding])
    };
    let added = |vectors: &Vectors, _: usize, column: usize| {
        let (a, e) = (vectors.token.get(column)?, vectors.encoding().get(column)?);
        Some([*a, *e, *vectors.sum.get(column)?])
    };
    let marks = Signal::derive(move || Marks {
        row: Some(place.get()),
        column: None,
    });
    view! {
        <section class="lesson-figure" data-testid="one-hot">
            <Slider
                name=Signal::derive(move || t_string!(i18n, order.place).to_owned())
                test_id="order-place"
                range=Signal::derive(move || (0, count() - 1))
                value=place
                words=Signal::derive(words)
                set=move |query| state.set_cell(Some(Cell { query, key: 0 }))
            />
            <Inspected>
                <MatrixFigure
                    id="one-hot-p"
                    symbol="p"
                    name=Signal::derive(move || t_string!(i18n, order.one_hot).to_owned())
                    matrix=matrix(|vectors| (vectors.position.as_slice(), vectors.position.len()))
                    describe=describe(|vectors, _, column| {
                        let value = *vectors.position.get(column)?;
                        Some([value, 1.0, value])
                    }, false)
                />
                <MatrixFigure
                    id="one-hot-table"
                    symbol="W<sup>P</sup>"
                    name=Signal::derive(move || t_string!(i18n, order.table).to_owned())
                    matrix=matrix(|vectors| (vectors.table.as_slice(), vectors.width()))
                    columns=axes::WIDTH
                    marks
                    describe=describe(|vectors, row, column| {
                        let value = *vectors.table.get(row * vectors.width() + column)?;
                        let chosen = *vectors.position.get(row)?;
                        Some([chosen, value, chosen * value])
                    }, false)
                />
                <MatrixFigure
                    id="one-hot-e"
                    symbol="e = W<sup>P</sup> p"
                    name=Signal::derive(move || t_string!(i18n, order.encoding).to_owned())
                    matrix=matrix(|vectors| (vectors.encoding(), vectors.width()))
                    columns=axes::WIDTH
                    describe=describe(product, false)
                />
                <MatrixFigure
                    id="one-hot-a"
                    symbol="a = W<sup>I</sup> x"
                    name=Signal::derive(move || t_string!(i18n, order.token_embedding).to_owned())
                    matrix=matrix(|vectors| (vectors.token.as_slice(), vectors.width()))
                    columns=axes::WIDTH
                    describe=describe(added, true)
                />
                <MatrixFigure
                    id="one-hot-sum"
                    symbol="a + e"
                    name=Signal::derive(move || t_string!(i18n, order.sum).to_owned())
                    matrix=matrix(|vectors| (vectors.sum.as_slice(), vectors.width()))
                    columns=axes::WIDTH
                    describe=describe(added, true)
                />
            </Inspected>
        </section>
    }
}

/// Returns a product or a sum of two numbers with its result, in words.
fn in_words(i18n: I18nContext<Locale>, [a, b, made]: [f32; 3], is_sum: bool) -> String {
    let (a, b, made) = (decimal(a, 4), decimal(b, 4), decimal(made, 4));
    match is_sum {
        true => t_string!(i18n, order.added, a = a, e = b, sum = made),
        false => t_string!(i18n, order.multiplied, p = a, w = b, product = made),
    }
}
