//! Numbers with their words as a JSON document.

use serde::Serialize;

use super::{
    Content, Export,
    diagram::{Grid, Marks, Prefixes, Shares, Weighted},
    map::{HeadGroup, Map, Scale, Sheet, Side},
    plot::{BarChart, Column, Curves, Dots},
};
use crate::staged::Staged;

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
        #[serde(skip_serializing_if = "Vec::is_empty")]
        words: Vec<&'a [String]>,
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
        #[serde(skip_serializing_if = "Vec::is_empty")]
        further: Vec<Numbers<'a>>,
    },
    Dots {
        x: &'a str,
        y: &'a str,
        dots: Vec<Place<'a>>,
    },
    Tree {
        nodes: Vec<Node<'a>>,
    },
    Grid {
        rows: Vec<Vec<Cell<'a>>>,
        connections: Vec<Connected>,
    },
    Plane {
        extent: f64,
        marks: Vec<Marked<'a>>,
    },
    Shares {
        unit: &'a str,
        parts: Vec<Part<'a>>,
    },
    Steps {
        step: usize,
        numbers: Vec<AtStep<'a>>,
    },
}

/// Numbers that a picture shows from a step on; steps count from 1.
#[derive(Serialize)]
struct AtStep<'a> {
    step: usize,
    name: &'a str,
    values: &'a [f32],
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

/// A prefix; its parent counts from 1, as in the table.
#[derive(Serialize)]
struct Node<'a> {
    parent: Option<usize>,
    token: &'a str,
    log_p: Option<f32>,
    score: Option<f32>,
    fate: &'static str,
}

#[derive(Serialize)]
struct Cell<'a> {
    label: &'a str,
    step: usize,
    computed: bool,
    input: bool,
    path: bool,
}

/// Both ends as rows, from 0, and columns, from 1.
#[derive(Serialize)]
struct Connected {
    from: [usize; 2],
    to: [usize; 2],
    path: bool,
}

#[derive(Serialize)]
struct Marked<'a> {
    mark: &'static str,
    name: &'a str,
    at: [f32; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<[f32; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f32>,
}

#[derive(Serialize)]
struct Part<'a> {
    label: &'a str,
    value: f64,
    share: f64,
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
            Content::Prefixes(tree) => Self::of_tree(tree),
            Content::Grid(grid) => Self::of_grid(grid),
            Content::Marks(Marks { extent, marks }) => Figure::Plane {
                extent: *extent,
                marks: marks.iter().map(Marked::from).collect(),
            },
            Content::Shares(whole) => Self::of_shares(whole),
            Content::Staged(picture, step) => Self::of_staged(picture, *step),
            Content::Bars(BarChart {
                names,
                series,
                further,
                ..
            }) => Figure::Bars {
                names,
                series: series
                    .iter()
                    .map(|series| Numbers {
                        label: series.label.as_deref(),
                        values: &series.values,
                    })
                    .collect(),
                further: further.iter().map(Numbers::from).collect(),
            },
            Content::Dots(dots) => Self::of_dots(dots),
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
            words: map.words.chunks(map.columns.labels.len().max(1)).collect(),
        }
    }

    fn of_dots(dots: &'a Dots) -> Self {
        let [x, y] = &dots.axes;
        let places = dots.dots.iter().zip(dots.names());
        let places = places.map(|(dot, label)| Place { label, at: dot.at });
        Figure::Dots {
            x,
            y,
            dots: places.collect(),
        }
    }

    fn of_tree(tree: &'a Prefixes) -> Self {
        let nodes = tree.nodes.iter().map(|node| Node {
            parent: node.parent.map(|parent| parent + 1),
            token: &node.name,
            log_p: node.log_probability,
            score: node.score,
            fate: node.fate.word(),
        });
        Figure::Tree {
            nodes: nodes.collect(),
        }
    }

    fn of_grid(grid: &'a Grid) -> Self {
        let cells = grid.cells.iter().map(|cell| Cell {
            label: &cell.label,
            step: cell.step,
            computed: cell.is_done,
            input: cell.is_input,
            path: cell.is_on_path,
        });
        let mut cells = cells.collect::<Vec<_>>().into_iter();
        let rows = (0..grid.rows).map(|_| cells.by_ref().take(grid.columns).collect());
        let place = |(row, column): (usize, usize)| [row, column + 1];
        let connections = grid.connections.iter().map(|connection| Connected {
            from: place(connection.from),
            to: place(connection.to),
            path: connection.is_on_path,
        });
        Figure::Grid {
            rows: rows.collect(),
            connections: connections.collect(),
        }
    }

    fn of_shares(whole: &'a Shares) -> Self {
        let shares = crate::stacked::shares(&whole.parts);
        let parts = whole.parts.iter().zip(shares).map(|(part, share)| Part {
            label: &part.label,
            value: part.value,
            share,
        });
        Figure::Shares {
            unit: &whole.unit,
            parts: parts.collect(),
        }
    }

    fn of_staged(picture: &'a Staged, step: usize) -> Self {
        let numbers = picture.at(step).filter_map(|mark| {
            let (name, values) = mark.mark.numbers();
            (!values.is_empty()).then_some(AtStep {
                step: mark.from + 1,
                name,
                values,
            })
        });
        Figure::Steps {
            step: step + 1,
            numbers: numbers.collect(),
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

impl<'a> From<&'a Column> for Numbers<'a> {
    fn from(column: &'a Column) -> Self {
        Numbers {
            label: Some(&column.name),
            values: &column.values,
        }
    }
}

impl<'a> From<&'a Weighted> for Marked<'a> {
    fn from(weighted: &'a Weighted) -> Self {
        let (mark, name, at, to) = weighted.facts();
        Marked {
            mark,
            name,
            at,
            to,
            weight: weighted.weight,
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
