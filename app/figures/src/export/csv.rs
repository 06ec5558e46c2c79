//! Numbers as comma-separated values (RFC 4180).

use super::{
    Content,
    diagram::{Grid, Marks, Prefixes, Shares},
    map::{Map, Sheet},
    number::{of_f32, of_f64},
    plot::{BarChart, Curves, Dots},
};
use crate::staged::Staged;

/// Returns a table of the numbers, with a header.
pub(super) fn table(content: &Content) -> String {
    let mut table = Table::default();
    match content {
        Content::Map(map) if !map.words.is_empty() => write_words(&mut table, map),
        Content::Map(map) => write_map(&mut table, map),
        Content::Sheet(sheet) => write_sheet(&mut table, sheet),
        Content::Curves(curves) => write_curves(&mut table, curves),
        Content::Bars(chart) => write_bars(&mut table, chart),
        Content::Dots(dots) => write_dots(&mut table, dots),
        Content::Prefixes(tree) => write_prefixes(&mut table, tree),
        Content::Grid(grid) => write_grid(&mut table, grid),
        Content::Marks(marks) => write_marks(&mut table, marks),
        Content::Shares(shares) => write_shares(&mut table, shares),
        Content::Staged(picture, step) => write_staged(&mut table, picture, *step),
    }
    table.0
}

/// A table being written.
#[derive(Default)]
struct Table(String);

impl Table {
    fn row<T: AsRef<str>>(&mut self, fields: impl IntoIterator<Item = T>) {
        for (place, field) in fields.into_iter().enumerate() {
            if place > 0 {
                self.0.push(',');
            }
            self.0.push_str(&quoted(field.as_ref()));
        }
        self.0.push_str("\r\n");
    }
}

/// Returns a field in quotes if it contains what separates fields or rows, or begins or ends with white space.
fn quoted(field: &str) -> String {
    let separates = |c: char| matches!(c, ',' | '"') || c.is_control();
    if field.contains(separates) || field.trim() != field {
        return format!("\"{}\"", field.replace('"', "\"\""));
    }
    field.to_owned()
}

fn f32_field(value: f32) -> String {
    of_f32(value).unwrap_or_default()
}

fn f64_field(value: f64) -> String {
    of_f64(value).unwrap_or_default()
}

/// The matrix as it is: the columns' labels in the header, the rows' labels in the first column.
fn write_map(table: &mut Table, map: &Map) {
    let corner = format!("{} \\ {}", map.rows.name, map.columns.name);
    let corner = corner.trim_matches([' ', '\\']).to_owned();
    table.row([&corner].into_iter().chain(&map.columns.labels));
    for (label, values) in map.rows.labels.iter().zip(map.lines()) {
        let values = values.iter().copied().map(f32_field);
        table.row([label.clone()].into_iter().chain(values));
    }
}

/// A row for each cell, with its word.
fn write_words(table: &mut Table, map: &Map) {
    let name = |side: &str, otherwise: &str| match side {
        "" => otherwise.to_owned(),
        side => side.to_owned(),
    };
    table.row([
        "row".to_owned(),
        name(&map.rows.name, "row label"),
        "column".to_owned(),
        name(&map.columns.name, "column label"),
        "word".to_owned(),
        name(&map.value, "value"),
    ]);
    let columns = map.columns.labels.len().max(1);
    let label = |labels: &[String], place: usize| labels.get(place).cloned().unwrap_or_default();
    for (cell, &value) in map.values.iter().enumerate() {
        let (row, column) = (cell / columns, cell % columns);
        table.row([
            (map.rows.first + row + 1).to_string(),
            label(&map.rows.labels, row),
            (map.columns.first + column + 1).to_string(),
            label(&map.columns.labels, column),
            label(&map.words, cell),
            f32_field(value),
        ]);
    }
}

/// A row for each cell of each head.
fn write_sheet(table: &mut Table, sheet: &Sheet) {
    table.row([
        "attention",
        "head",
        "row",
        "row label",
        "column",
        "column label",
        "value",
    ]);
    for group in &sheet.groups {
        let columns = group.columns.labels.len().max(1);
        for head in &group.heads {
            for (cell, &value) in head.values.iter().enumerate() {
                let (row, column) = (cell / columns, cell % columns);
                let label = |labels: &[String], place: usize| {
                    labels.get(place).cloned().unwrap_or_default()
                };
                table.row([
                    group.name.clone(),
                    head.name.clone(),
                    (group.rows.first + row + 1).to_string(),
                    label(&group.rows.labels, row),
                    (group.columns.first + column + 1).to_string(),
                    label(&group.columns.labels, column),
                    f32_field(value),
                ]);
            }
        }
    }
}

/// A row for each point.
fn write_curves(table: &mut Table, Curves { x, y, curves }: &Curves) {
    let name = |label: &str, otherwise: &str| match label {
        "" => otherwise.to_owned(),
        label => label.to_owned(),
    };
    table.row(["curve".to_owned(), name(&x.label, "x"), name(&y.label, "y")]);
    for (place, curve) in curves.iter().enumerate() {
        let label = curve.label.clone();
        let label = label.unwrap_or_else(|| (place + 1).to_string());
        for &(x, y) in &curve.points {
            table.row([label.clone(), f64_field(x), f64_field(y)]);
        }
    }
}

/// A row for each name, a column for each series.
fn write_bars(table: &mut Table, chart: &BarChart) {
    let several = chart.series.len() > 1;
    let labels = chart.series.iter().enumerate().map(|(place, series)| {
        let number = match several {
            true => format!("value {}", place + 1),
            false => "value".to_owned(),
        };
        series.label.clone().unwrap_or(number)
    });
    let further = chart.further.iter().map(|column| column.name.clone());
    table.row(["name".to_owned()].into_iter().chain(labels).chain(further));
    for (place, name) in chart.names.iter().enumerate() {
        let series = chart.series.iter().map(|series| &series.values);
        let columns = series.chain(chart.further.iter().map(|column| &column.values));
        let values = columns.map(|values| {
            let value = values.get(place).copied();
            value.map(f32_field).unwrap_or_default()
        });
        table.row([name.clone()].into_iter().chain(values));
    }
}

fn write_dots(table: &mut Table, dots: &Dots) {
    let [x, y] = dots.axes.clone();
    table.row(["name".to_owned(), x, y]);
    for (dot, name) in dots.dots.iter().zip(dots.names()) {
        let [x, y] = dot.at.map(f32_field);
        table.row([name.to_owned(), x, y]);
    }
}

/// A row for each prefix; parents and rows count from 1.
fn write_prefixes(table: &mut Table, tree: &Prefixes) {
    let optional = |value: Option<f32>| value.map(f32_field).unwrap_or_default();
    table.row(["node", "parent", "token", "log p", "score", "fate"]);
    for (place, node) in tree.nodes.iter().enumerate() {
        let parent = node.parent.map(|parent| (parent + 1).to_string());
        table.row([
            (place + 1).to_string(),
            parent.unwrap_or_default(),
            node.name.clone(),
            optional(node.log_probability),
            optional(node.score),
            node.fate.word().to_owned(),
        ]);
    }
}

/// A row for each cell; rows count from 0, the inputs, and columns from 1.
fn write_grid(table: &mut Table, grid: &Grid) {
    table.row(["row", "column", "step", "computed", "input", "path"]);
    let columns = grid.columns.max(1);
    for (place, cell) in grid.cells.iter().enumerate() {
        table.row([
            (place / columns).to_string(),
            (place % columns + 1).to_string(),
            cell.step.to_string(),
            cell.is_done.to_string(),
            cell.is_input.to_string(),
            cell.is_on_path.to_string(),
        ]);
    }
}

/// A row for each number that is drawn at the step; steps and places count from 1.
fn write_staged(table: &mut Table, picture: &Staged, step: usize) {
    table.row(["step", "name", "place", "value"]);
    let mut write = |step: usize, name: &str, place: usize, value: f32| {
        table.row([
            (step + 1).to_string(),
            name.to_owned(),
            place.to_string(),
            f32_field(value),
        ]);
    };
    for mark in picture.at(step) {
        let (name, values) = mark.mark.numbers();
        for (place, &value) in values.iter().enumerate() {
            write(mark.from, name, place + 1, value);
        }
    }
}

fn write_marks(table: &mut Table, Marks { marks, .. }: &Marks) {
    table.row(["mark", "name", "x", "y", "to x", "to y", "weight"]);
    for mark in marks {
        let (kind, name, [x, y], to) = mark.facts();
        let [to_x, to_y] = to.map_or_else(Default::default, |to| to.map(f32_field));
        table.row([
            kind.to_owned(),
            name.to_owned(),
            f32_field(x),
            f32_field(y),
            to_x,
            to_y,
            mark.weight.map(f32_field).unwrap_or_default(),
        ]);
    }
}

fn write_shares(table: &mut Table, whole: &Shares) {
    table.row(["part", &whole.unit, "share"]);
    let shares = crate::stacked::shares(&whole.parts);
    for (part, share) in whole.parts.iter().zip(shares) {
        table.row([part.label.clone(), f64_field(part.value), f64_field(share)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        for (field, expected) in [
            ("plain", "plain"),
            ("<pad>", "<pad>"),
            ("a,b", "\"a,b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            (" before", "\" before\""),
            ("", ""),
        ] {
            assert_eq!(quoted(field), expected);
        }
    }
}
