//! Numbers with their words as a JSON document.

use serde::Serialize;

use super::{
    Content, Export,
    map::{HeadGroup, Map, Scale, Sheet, Side},
    plot::{BarChart, Curves, Dots},
};

/// Returns the document, with a line break after it.
pub(super) fn document(export: &Export) -> Result<String, serde_json::Error> {
    let document = Document {
        title: &export.title,
        caption: &export.caption,
        figure: Figure::from(&export.content),
    };
    Ok(serde_json::to_string(&document)? + "\n")
}

#[derive(Serialize)]
struct Document<'a> {
    title: &'a str,
    caption: &'a str,
    #[serde(flatten)]
    figure: Figure<'a>,
}

#[derive(Serialize)]
#[serde(tag = "figure", rename_all = "snake_case")]
enum Figure<'a> {
    Map {
        value: &'a str,
        scale: [f32; 2],
        rows: Labels<'a>,
        columns: Labels<'a>,
        values: Vec<&'a [f32]>,
    },
    Sheet {
        value: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        scale: Option<[f32; 2]>,
        groups: Vec<Group<'a>>,
    },
    Curves {
        x: &'a str,
        y: &'a str,
        curves: Vec<Line<'a>>,
    },
    Bars {
        names: &'a [String],
        series: Vec<Numbers<'a>>,
    },
    Dots {
        x: &'a str,
        y: &'a str,
        dots: Vec<Place<'a>>,
    },
}

/// The labels of a side; positions count from 1.
#[derive(Serialize)]
struct Labels<'a> {
    name: &'a str,
    first: usize,
    labels: &'a [String],
}

#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
    rows: Labels<'a>,
    columns: Labels<'a>,
    heads: Vec<One<'a>>,
}

#[derive(Serialize)]
struct One<'a> {
    name: &'a str,
    values: Vec<&'a [f32]>,
}

#[derive(Serialize)]
struct Line<'a> {
    label: Option<&'a str>,
    points: &'a [(f64, f64)],
}

#[derive(Serialize)]
struct Numbers<'a> {
    label: Option<&'a str>,
    values: &'a [f32],
}

#[derive(Serialize)]
struct Place<'a> {
    label: &'a str,
    at: [f32; 2],
}

impl<'a> From<&'a Content> for Figure<'a> {
    fn from(content: &'a Content) -> Self {
        match content {
            Content::Map(map) => Self::of_map(map),
            Content::Sheet(sheet) => Self::of_sheet(sheet),
            Content::Curves(Curves { x, y, curves }) => Figure::Curves {
                x: &x.label,
                y: &y.label,
                curves: curves
                    .iter()
                    .map(|curve| Line {
                        label: curve.label.as_deref(),
                        points: &curve.points,
                    })
                    .collect(),
            },
            Content::Bars(BarChart { names, series, .. }) => Figure::Bars {
                names,
                series: series
                    .iter()
                    .map(|series| Numbers {
                        label: series.label.as_deref(),
                        values: &series.values,
                    })
                    .collect(),
            },
            Content::Dots(Dots { axes: [x, y], dots }) => Figure::Dots {
                x,
                y,
                dots: dots
                    .iter()
                    .map(|dot| Place {
                        label: &dot.label,
                        at: dot.at,
                    })
                    .collect(),
            },
        }
    }
}

impl<'a> Figure<'a> {
    fn of_map(map: &'a Map) -> Self {
        Figure::Map {
            value: &map.value,
            scale: map.scale.ends(),
            rows: Labels::from(&map.rows),
            columns: Labels::from(&map.columns),
            values: map.lines().collect(),
        }
    }

    fn of_sheet(sheet: &'a Sheet) -> Self {
        Figure::Sheet {
            value: &sheet.value,
            scale: sheet.scale.map(Scale::ends),
            groups: sheet.groups.iter().map(Group::from).collect(),
        }
    }
}

impl<'a> From<&'a Side> for Labels<'a> {
    fn from(side: &'a Side) -> Self {
        Labels {
            name: &side.name,
            first: side.first + 1,
            labels: &side.labels,
        }
    }
}

impl<'a> From<&'a HeadGroup> for Group<'a> {
    fn from(group: &'a HeadGroup) -> Self {
        let columns = group.columns.labels.len().max(1);
        let heads = group.heads.iter().map(|head| One {
            name: &head.name,
            values: head.values.chunks(columns).collect(),
        });
        Group {
            name: &group.name,
            rows: Labels::from(&group.rows),
            columns: Labels::from(&group.columns),
            heads: heads.collect(),
        }
    }
}
