//! The head's figures and the map of the model as they are exported.

use attention_figures::{
    export::{Cells, Content, Head, HeadGroup, Map, Scale, Sheet},
    heatmap::{self, Scale as Ends},
};
use attention_trace::{AttentionLayer, ShownAxes, Token, python::Number};
use leptos_i18n::I18nContext;

use super::context::{HeadsContext, Sight};
use attention_core::{
    i18n::{Locale, t_string, use_i18n},
    names::{head_name, kind_name, token_name},
    widgets::{Taken, map_side},
};

/// Returns a function that describes the head on screen, or the mean of several: the part of its map in sight, or all of
/// it, in the drawing on screen.
pub fn head_taken() -> impl Fn(Cells, Option<Sight>) -> Option<Taken> + Copy + Send + Sync + 'static
{
    let i18n = use_i18n();
    let (context, name, head, kind) = (
        HeadsContext::expect(),
        token_name(),
        head_name(),
        kind_name(),
    );
    move |cells, sight| {
        let heads = context.heads();
        let first = heads.first()?;
        let title = match heads.as_slice() {
            [one] => head(one.attention, one.head),
            several => {
                let kind = kind(first.attention.kind);
                t_string!(i18n, export.mean_of, count = several.len(), kind = kind)
            }
        };
        let (content, part) = context.with_map(|map| {
            let (rows, columns) = (map.queries.len(), map.keys.len());
            let (seen_rows, seen_columns) = sight.clone().unwrap_or((0..rows, 0..columns));
            let names = |tokens: &[Token]| tokens.iter().map(name).collect::<Vec<_>>();
            let line = |row: usize| map.row(row)?.get(seen_columns.clone());
            let values = seen_rows.clone().filter_map(line);
            let (low, high) = heatmap::range(map.weights, context.scale());
            let content = Content::Map(Map {
                values: values.flatten().copied().collect(),
                words: Vec::new(),
                rows: map_side(
                    t_string!(i18n, heads.query),
                    &names(map.queries),
                    &seen_rows,
                ),
                columns: map_side(t_string!(i18n, heads.key), &names(map.keys), &seen_columns),
                value: t_string!(i18n, heads.weight).to_owned(),
                masked: t_string!(i18n, export.masked).to_owned(),
                scale: Scale::Sequential { low, high },
                cells,
            });
            let is_part = (seen_rows.len(), seen_columns.len()) != (rows, columns);
            let part = is_part.then(|| {
                t_string!(
                    i18n,
                    export.part,
                    first_row = seen_rows.start + 1,
                    last_row = seen_rows.end,
                    rows = rows,
                    first_column = seen_columns.start + 1,
                    last_column = seen_columns.end,
                    columns = columns
                )
            });
            (content, part)
        })?;
        let is_one_layer = heads.iter().all(|head| head.attention == first.attention);
        let number = is_one_layer.then(|| Number::Pattern {
            attention: first.attention,
            heads: heads.iter().map(|head| head.head).collect(),
        });
        Some(Taken {
            sentences: part
                .into_iter()
                .chain([scale_words(i18n, context)])
                .collect(),
            number,
            ..Taken::new(title, content)
        })
    }
}

/// Returns a function that describes the maps of all heads, as the map of the model shows them.
pub fn model_taken() -> impl Fn() -> Option<Taken> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (context, name, kind) = (HeadsContext::expect(), token_name(), kind_name());
    move || {
        let trace = context.trace()?;
        let spec = &trace.meta.spec;
        let mut is_reduced = false;
        let mut group = |attention: AttentionLayer| {
            let axes = ShownAxes::of(context.display(), &trace.meta, attention.kind);
            context.with_thumbnails(attention, |rows, columns, maps| {
                let head = |head: usize| {
                    Some(Head {
                        name: (head + 1).to_string(),
                        values: maps.matrix(head)?.to_vec(),
                    })
                };
                let mut side = |of: &str, tokens: &[Token], count: usize| {
                    let is_whole = tokens.len() == count;
                    is_reduced |= !is_whole;
                    let labels: Vec<String> = match is_whole {
                        true => tokens.iter().map(name).collect(),
                        false => Vec::new(),
                    };
                    map_side(of, &labels, &(0..count))
                };
                HeadGroup {
                    name: t_string!(
                        i18n,
                        export.head_of,
                        kind = kind(attention.kind),
                        layer = attention.layer + 1
                    ),
                    rows: side(t_string!(i18n, heads.query), axes.queries.tokens(), rows),
                    columns: side(t_string!(i18n, heads.key), axes.keys.tokens(), columns),
                    heads: (0..spec.heads(attention.kind)).filter_map(head).collect(),
                }
            })
        };
        let attentions = spec.kinds().into_iter().flat_map(|kind| {
            (0..spec.layers(kind)).map(move |layer| AttentionLayer { kind, layer })
        });
        let groups = attentions.map(&mut group).collect::<Option<Vec<_>>>()?;
        let scale = match context.scale() {
            Ends::Absolute => Some(Scale::Sequential {
                low: 0.0,
                high: 1.0,
            }),
            Ends::PerMap => None,
        };
        let content = Content::Sheet(Sheet {
            groups,
            value: t_string!(i18n, heads.weight).to_owned(),
            masked: t_string!(i18n, export.masked).to_owned(),
            scale,
        });
        let reduced = is_reduced.then(|| t_string!(i18n, export.reduced).to_owned());
        Some(Taken {
            sentences: reduced
                .into_iter()
                .chain([scale_words(i18n, context)])
                .collect(),
            number: Some(Number::Patterns),
            ..Taken::new(t_string!(i18n, export.all_heads), content)
        })
    }
}

fn scale_words(i18n: I18nContext<Locale>, context: HeadsContext) -> String {
    match context.scale() {
        Ends::Absolute => t_string!(i18n, export.common_scale),
        Ends::PerMap => t_string!(i18n, export.own_scale),
    }
    .to_owned()
}
