//! The matrices of one head of self-attention, from the chosen token's query to its output, as several chapters show them.

use attention_figures::matrix::Scale;
use attention_trace::Quantity;
use leptos::prelude::*;

use super::axes;
use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{HeadChoice, SelfAttention, SelfPlace},
    widgets::matrix::{Matrix, MatrixFigure, numbers_described, weights_described},
};

/// A matrix or a row of one head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMatrix {
    /// The chosen token's query, `[1, d_k]`.
    Query,
    /// The keys of all tokens, `[n, d_k]`.
    Keys,
    /// The chosen token's scores, scaled and masked, `[1, n]`.
    Scores,
    /// Its attention weights, `[1, n]`.
    Weights,
    /// The values of all tokens, `[n, d_v]`.
    Values,
    /// The head's output for the chosen token, `[1, d_v]`.
    Output,
}

impl HeadMatrix {
    fn quantity(self) -> Quantity {
        match self {
            Self::Query => Quantity::Query,
            Self::Keys => Quantity::Key,
            Self::Scores => Quantity::MaskedScores,
            Self::Weights => Quantity::Pattern,
            Self::Values => Quantity::Value,
            Self::Output => Quantity::Z,
        }
    }

    /// Returns the letter of the matrix as MathML.
    fn symbol(self) -> &'static str {
        match self {
            Self::Query => "<math><mi>q</mi></math>",
            Self::Keys => "<math><mi>K</mi></math>",
            Self::Scores => "<math><mi>s</mi></math>",
            Self::Weights => "<math><mi>a</mi></math>",
            Self::Values => "<math><mi>V</mi></math>",
            Self::Output => "<math><mi>z</mi></math>",
        }
    }

    /// Returns the name of the matrix; subscribes to a change of the language.
    fn name(self) -> String {
        let i18n = use_i18n();
        let name = match self {
            Self::Query => t_string!(i18n, chapters.name_query),
            Self::Keys => t_string!(i18n, chapters.name_keys),
            Self::Scores => t_string!(i18n, chapters.name_scaled),
            Self::Weights => t_string!(i18n, chapters.name_weights),
            Self::Values => t_string!(i18n, chapters.name_values),
            Self::Output => t_string!(i18n, chapters.name_head_output),
        };
        name.to_owned()
    }

    /// True if the matrix has a row for each token, not only for the chosen one.
    fn is_of_all_tokens(self) -> bool {
        matches!(self, Self::Keys | Self::Values)
    }

    /// The axes of its rows and columns.
    fn axes(self) -> [&'static str; 2] {
        let columns = match self {
            Self::Scores | Self::Weights => axes::KEYS,
            _ => axes::HEAD,
        };
        let rows = if self.is_of_all_tokens() {
            axes::KEYS
        } else {
            ""
        };
        [rows, columns]
    }

    /// Returns the numbers of the matrix; `None` until they are there.
    pub fn of(
        self,
        head: impl Fn(&SelfPlace) -> HeadChoice + Send + Sync + 'static,
    ) -> Memo<Option<Matrix>> {
        let context = SelfAttention::expect();
        let part = context.part(move |place| head(place).excerpt(self.quantity()));
        Memo::new(move |_| {
            let (names, query) = (context.names(), context.query());
            let Part(array) = part.get()?;
            if self.is_of_all_tokens() {
                let &[_, columns] = array.shape.as_slice() else {
                    return None;
                };
                let rows = array.data.get(..names.len() * columns)?;
                return Some(Matrix::new(rows, columns).with_rows(names));
            }
            let row = array.row(&[query])?;
            let matrix = Matrix::new(row, row.len()).with_rows(vec![names.get(query)?.clone()]);
            Some(match self {
                Self::Scores | Self::Weights => matrix.with_columns(names),
                _ => matrix,
            })
        })
    }
}

/// The figure of one of a head's matrices.
#[component]
pub fn HeadFigure(
    /// The id of the figure, which its `data-testid` contains.
    id: &'static str,
    is: HeadMatrix,
    /// The numbers of the matrix; `None` until they are there.
    matrix: Memo<Option<Matrix>>,
    /// The name of the matrix, if the chapter uses another than most.
    #[prop(into, optional)]
    name: Option<Signal<String>>,
    /// The most rows that are shown at once.
    #[prop(default = 6)]
    rows_shown: usize,
    /// Describes a cell beyond its number.
    #[prop(optional)]
    describe: Option<Callback<(usize, usize), AnyView>>,
) -> impl IntoView {
    let [rows, columns] = is.axes();
    let (scale, plain) = match is {
        HeadMatrix::Weights => (Scale::Weights, weights_described(matrix)),
        _ => (Scale::Signed, numbers_described(matrix)),
    };
    view! {
        <MatrixFigure
            id
            symbol=is.symbol()
            name=name.unwrap_or_else(|| Signal::derive(move || is.name()))
            matrix
            rows
            columns
            scale
            rows_shown
            describe=describe.unwrap_or(plain)
        />
    }
}
