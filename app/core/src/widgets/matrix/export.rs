//! A matrix as it is exported: the part in sight, in the colours of the whole.

use attention_figures::{
    export::{Cells, Content, Map, Scale as Ends},
    matrix::Scale,
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{data::Matrix, figure::Figure};
use crate::{
    i18n::{Locale, t_string},
    widgets::{Taken, map_side},
};

/// Returns the matrix on screen; `None` until there is one.
pub(super) fn taken(
    i18n: I18nContext<Locale>,
    figure: Figure,
    name: Signal<String>,
    scale: Scale,
) -> Option<Taken> {
    let window = figure.sight.window()?;
    let name = name.get();
    figure.matrix.with(|matrix| {
        let matrix = matrix.as_ref()?;
        let rows = window.rows.clone().map(|row| matrix.row(row));
        let seen = rows.filter_map(|row| row.get(window.columns.clone()));
        let values: Vec<f32> = seen.flatten().copied().collect();
        let mut taken = Taken::new(
            name.clone(),
            Content::Map(Map {
                values,
                words: Vec::new(),
                rows: map_side("", &matrix.row_labels, &window.rows),
                columns: map_side("", &matrix.column_labels, &window.columns),
                value: name,
                masked: t_string!(i18n, export.masked).to_owned(),
                scale: ends(matrix, scale),
                cells: Cells::Numbers,
            }),
        );
        let (rows, columns) = (matrix.rows(), matrix.columns);
        if (window.rows.len(), window.columns.len()) != (rows, columns) {
            taken.sentences.push(t_string!(
                i18n,
                export.part,
                first_row = window.rows.start + 1,
                last_row = window.rows.end,
                rows = rows,
                first_column = window.columns.start + 1,
                last_column = window.columns.end,
                columns = columns
            ));
        }
        Some(taken)
    })
}

/// Returns the values at the ends of the colour scale, those of the page.
fn ends(matrix: &Matrix, scale: Scale) -> Ends {
    let finite = matrix.values.iter().filter(|value| value.is_finite());
    let limit = finite.fold(0.0_f32, |limit, value| limit.max(value.abs()));
    let limit = if limit > 0.0 { limit } else { 1.0 };
    match scale {
        Scale::Weights => Ends::Sequential {
            low: 0.0,
            high: 1.0,
        },
        Scale::Signed => Ends::Diverging { limit },
        Scale::Largest => Ends::Sequential {
            low: 0.0,
            high: limit,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_scale_are_those_of_the_page() {
        let matrix = Matrix::new(vec![-2.0, 0.5, f32::NEG_INFINITY], 3);
        let sequential = |high| Ends::Sequential { low: 0.0, high };
        assert_eq!(ends(&matrix, Scale::Weights), sequential(1.0));
        assert_eq!(ends(&matrix, Scale::Signed), Ends::Diverging { limit: 2.0 });
        assert_eq!(ends(&matrix, Scale::Largest), sequential(2.0));
        let nothing = Matrix::new(vec![0.0], 1);
        assert_eq!(
            ends(&nothing, Scale::Signed),
            Ends::Diverging { limit: 1.0 }
        );
    }
}
