//! The maps beside each other: the weights, and what is derived from them.

use std::sync::Arc;

use attention_figures::{
    color::{css_gradient, diverging_legend_stops, legend_stops},
    matrix::Scale,
};
use attention_trace::{
    Array,
    derived::{JointMap, value_weighted},
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::context::{DerivedContext, Refused, gradient_refused, matrix_in};
use crate::{follow::axes, needs::TranslatorLink};
use attention_core::{
    appearance::Appearance,
    engine::{LensRead, Part},
    i18n::{Locale, t_string, use_i18n},
    lessons::LessonNotice,
    problems::failure_words,
    widgets::{
        Finding, Prose,
        inspector::{Inspected, Inspector},
        matrix::{Marks, Matrix, MatrixFigure},
        numbers::{percent, share_of_one, significant},
    },
};

/// A map of the chapter.
#[derive(Clone, Copy)]
struct Map {
    /// The map's id in the inspector and in its `data-testid`.
    id: &'static str,
    /// The symbol of the map as a formula; trusted HTML.
    symbol: &'static str,
    name: fn(I18nContext<Locale>) -> String,
    /// The part of the text that says what the map shows and what it does not.
    label: &'static str,
    /// The scale of the colours.
    scale: Scale,
    /// The numbers of the map; `None` until they are there.
    matrix: Memo<Option<Matrix>>,
    /// The reason why there is no such map.
    refused: Memo<Option<Refused>>,
    /// The failure that took the place of the numbers.
    failed: Memo<Option<LensRead>>,
}

fn maps(context: DerivedContext) -> [Map; 5] {
    let never = Memo::new(|_| None);
    let none = Memo::new(|_| None);
    let head = move || context.place.with(|place| Some(place.as_ref()?.head.head));
    let named = move |array: Option<Arc<Array>>| {
        let array = array?;
        let columns = *array.shape.last()?;
        let (queries, keys) = (context.queries.get(), context.keys.get());
        // The axes are of another text until its numbers are here.
        let fits = array.shape == [queries.len(), keys.len()];
        fits.then(|| {
            Matrix::new(array.data.as_slice(), columns)
                .with_rows(queries)
                .with_columns(keys)
        })
    };
    let joint = move |read: Memo<Option<LensRead>>| {
        Memo::new(move |_| {
            // The failure is shown in the map's place.
            let answer = read.get()?.ok()?;
            named(matrix_in(&answer).cloned().map(Arc::new))
        })
    };
    let raw = Memo::new(move |_| named(context.pattern.get().map(|Part(array)| array)));
    let weighted = Memo::new(move |_| {
        let Part(pattern) = context.pattern.get()?;
        // The failure is shown in the map's place.
        let answer = context.lengths.get()?.ok()?;
        let lengths = matrix_in(&answer)?.row(&[head()?])?;
        named(value_weighted(&pattern, lengths).map(Arc::new))
    });
    let gradient = Memo::new(move |_| {
        let answer = context.gradient.answer.get()?;
        let &[_, rows, columns] = answer.product.shape.as_slice() else {
            return None;
        };
        let of_head = Array {
            shape: vec![rows, columns],
            data: answer.product.matrix(head()?)?.to_vec(),
        };
        named(Some(Arc::new(of_head)))
    });
    let map = |id, symbol, name, label, scale, matrix, refused, failed| Map {
        id,
        symbol,
        name,
        label,
        scale,
        matrix,
        refused,
        failed,
    };
    [
        map(
            "derived-weights",
            "<math><msub><mi>α</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></math>",
            |i18n| t_string!(i18n, derived.weights).to_owned(),
            "is-weights",
            Scale::Weights,
            raw,
            never,
            none,
        ),
        map(
            "derived-lengths",
            "<math><mo>‖</mo><msub><mi>α</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><msub><mi>v</mi><mi>j</mi></msub><msup><mi>W</mi><mi>O</mi></msup><mo>‖</mo></math>",
            |i18n| t_string!(i18n, derived.lengths).to_owned(),
            "is-lengths",
            Scale::Largest,
            weighted,
            context.refused(|place| place.lengths().map(|_| ())),
            context.lengths,
        ),
        map(
            "derived-rollout",
            "<math><mover><mi>A</mi><mo>~</mo></mover></math>",
            |i18n| t_string!(i18n, derived.rollout).to_owned(),
            "is-rollout",
            Scale::Weights,
            joint(context.rollout),
            context.refused(|place| place.joint(JointMap::Rollout).map(|_| ())),
            context.rollout,
        ),
        map(
            "derived-flow",
            "<math><mi>F</mi></math>",
            |i18n| t_string!(i18n, derived.flow).to_owned(),
            "is-flow",
            Scale::Weights,
            joint(context.flow),
            context.refused(|place| place.joint(JointMap::Flow).map(|_| ())),
            context.flow,
        ),
        map(
            "derived-gradient",
            "<math><msub><mi>α</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub><mfrac><mrow><mi>∂</mi><mi>y</mi></mrow><mrow><mi>∂</mi><msub><mi>α</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub></mrow></mfrac></math>",
            |i18n| t_string!(i18n, derived.gradient).to_owned(),
            "is-gradient",
            Scale::Signed,
            gradient,
            context.refused(gradient_refused),
            none,
        ),
    ]
}

/// All derived maps, with one cell inspected in all.
#[component]
pub fn DerivedMaps() -> impl IntoView {
    let i18n = use_i18n();
    let context = DerivedContext::expect();
    let maps = maps(context);
    let [weights, others @ ..] = maps;
    Finding::tell(move || {
        // Flow has no shares, gradients have signs.
        let derived = others[..2]
            .iter()
            .find(|map| map.refused.read().is_none())?;
        let found = move |map: Map| {
            let (key, share) = map.matrix.with(|matrix| most_of(matrix.as_ref()?))?;
            Some((context.keys.read().get(key)?.clone(), percent(share, 0)))
        };
        let ((raw, raw_share), (other, share)) = (found(weights)?, found(*derived)?);
        Some(t_string!(
            i18n,
            derived.found,
            raw = raw,
            raw_share = raw_share,
            map = (derived.name)(i18n),
            other = other,
            share = share
        ))
    });
    view! {
        <Inspected>
            <Shared maps context />
        </Inspected>
    }
}

/// The column with the largest part of a map's sum, and how large that is.
fn most_of(matrix: &Matrix) -> Option<(usize, f32)> {
    let mut sums = vec![0.0_f32; matrix.columns];
    for row in matrix.values.chunks_exact(matrix.columns.max(1)) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
    }
    let all: f32 = sums.iter().sum();
    let largest = sums
        .into_iter()
        .enumerate()
        .max_by(|one, other| one.1.total_cmp(&other.1));
    let (column, sum) = largest.filter(|_| all > 0.0)?;
    Some((column, sum / all))
}

#[component]
fn Shared(maps: [Map; 5], context: DerivedContext) -> impl IntoView {
    let i18n = use_i18n();
    let inspector = Inspector::expect();
    let marks = Memo::new(move |_| {
        let cell = inspector.get();
        cell.map_or_else(Marks::default, |cell| Marks {
            row: Some(cell.row),
            column: Some(cell.column),
        })
    });
    // A cell says what every map has there.
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let pair = move || {
            let query = context.queries.read().get(row)?.clone();
            let key = context.keys.read().get(column)?.clone();
            Some(t_string!(i18n, derived.pair, query = query, key = key))
        };
        let value = move |map: Map| {
            let words = move || {
                let value = map
                    .matrix
                    .with(|matrix| matrix.as_ref()?.value(row, column));
                value.map_or_else(|| "–".to_owned(), |value| share_of_one(value, 4))
            };
            view! {
                <dt>{move || (map.name)(i18n)}</dt>
                <dd class="number" data-value=map.id>{words}</dd>
            }
        };
        view! {
            <p>{pair}</p>
            <dl class="lesson-facts">{maps.map(value).into_iter().collect_view()}</dl>
        }
        .into_any()
    });
    view! {
        <div class="map-pair derived-maps">
            {maps
                .into_iter()
                .map(|map| view! { <OneMap map marks describe context /> })
                .collect_view()}
        </div>
    }
}

#[component]
fn OneMap(
    map: Map,
    marks: Memo<Marks>,
    describe: Callback<(usize, usize), AnyView>,
    context: DerivedContext,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || (map.name)(i18n));
    let is_gradient = map.id == "derived-gradient";
    let shown = move || match map.refused.get() {
        Some(refused) => view! {
            <p class="matrix-name">{name}</p>
            <p class="notice" data-testid="derived-refused">
                {move || refused_words(i18n, refused)}
                {refused.is_the_models().then(|| view! { <TranslatorLink /> })}
            </p>
        }
        .into_any(),
        None => view! {
            <MatrixFigure
                id=map.id
                symbol=map.symbol
                name
                matrix=map.matrix
                scale=map.scale
                rows_shown=64
                rows=axes::QUERIES
                columns=axes::KEYS
                marks
                describe
            />
            <ScaleLegend map />
            {is_gradient.then(|| view! { <LessonNotice asked=context.gradient /> })}
            {move || {
                let failure = map.failed.get()?.err()?;
                Some(view! {
                    <p class="notice problem" role="alert">{failure_words(i18n, &failure)}</p>
                })
            }}
        }
        .into_any(),
    };
    view! {
        <section class="derived-map">
            {shown}
            <Prose part=map.label is_caption=true />
        </section>
    }
}

/// The colours and the numbers at their ends.
#[component]
fn ScaleLegend(map: Map) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let largest = Memo::new(move |_| {
        map.matrix.with(|matrix| {
            let values = matrix.as_ref()?.values.iter();
            Some(values.fold(0.0_f32, |largest, value| largest.max(value.abs())))
        })
    });
    let gradient = move || {
        let theme = appearance.get();
        let stops = match map.scale {
            Scale::Signed => diverging_legend_stops(17, theme),
            Scale::Weights | Scale::Largest => legend_stops(16, theme),
        };
        format!("background: {}", css_gradient(&stops))
    };
    let ends = move || {
        let largest = largest.get()?;
        Some(match map.scale {
            Scale::Weights => ["0".to_owned(), "1".to_owned()],
            Scale::Largest => ["0".to_owned(), significant(largest)],
            Scale::Signed => [significant(-largest), significant(largest)],
        })
    };
    let [low, high] = [0, 1]
        .map(|which| move || ends().map_or_else(|| "…".to_owned(), |ends| ends[which].clone()));
    let kind = move || match map.scale {
        Scale::Weights => t_string!(i18n, derived.absolute),
        Scale::Largest | Scale::Signed => t_string!(i18n, derived.own),
    };
    view! {
        <p class="derived-legend" data-testid="derived-legend">
            <span class="number">{low}</span>
            <span class="derived-scale" style=gradient></span>
            <span class="number">{high}</span>
            <span class="hint">{kind}</span>
        </p>
    }
}

fn refused_words(i18n: I18nContext<Locale>, refused: Refused) -> String {
    match refused {
        Refused::NoChain => t_string!(i18n, derived.no_chain).to_owned(),
        Refused::NoOutputMatrix => t_string!(i18n, derived.no_output_matrix).to_owned(),
        Refused::NoOutput => t_string!(i18n, derived.no_output).to_owned(),
        Refused::FromDisk => t_string!(i18n, derived.from_disk).to_owned(),
        Refused::TooLong => t_string!(i18n, derived.too_long, most = super::context::MOST_TOKENS),
        Refused::FlowTooLong => t_string!(i18n, derived.flow_too_long).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_with_most_of_the_sum_is_found() {
        let found = most_of(&Matrix::new([0.2, 0.8, 0.5, 0.5].as_slice(), 2));
        let (column, share) = found.unwrap();
        assert_eq!(column, 1);
        assert!((share - 0.65).abs() < 1e-6);
        assert_eq!(most_of(&Matrix::new([0.0, 0.0].as_slice(), 2)), None);
    }
}
