// The TikZ files of the page's exports, compiled by LuaLaTeX: what is drawn and written in the PDF has the numbers of
// the CSV files of the same figures. `cargo xtask test --only tex` runs this where a TeX is installed.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { typeset } from "./typeset.mjs";

const exported = fileURLToPath(new URL("../../app/figures/tests/golden/export/", import.meta.url));
/** The width that these files were exported for, in millimetres. */
const COLUMN = 85;
/** Cairo's SVG has about three decimals of a point. */
const NEAR_MM = 0.02;
/** The widest line and the distance of rows in `app/figures/src/export/tikz/lines.rs`, in millimetres. */
const WIDEST_MM = 1.6;
const ROW_MM = 4;
const BLUE = [0, 95, 160];
const MASKED = [227, 215, 202];

let directory;
before(() => (directory = mkdtempSync(join(tmpdir(), "tikz-"))));
after(() => rmSync(directory, { recursive: true }));

const source = (name) => readFileSync(join(exported, name), "utf8");

/** A picture that fits its column and has these labels. */
function compiled(name, labels, tex) {
  const picture = typeset(join(exported, `${name}.tex`), directory, tex);
  assert.ok(picture.width > COLUMN / 2 && picture.width <= COLUMN + 0.36, `${name} is ${picture.width} mm wide`);
  for (const label of labels) assert.ok(picture.text.includes(label.replaceAll(" ", "")), `${label} in ${picture.text}`);
  return picture;
}

function csv(name) {
  const records = source(name).trimEnd().split(/\r?\n/);
  return records.map((record) =>
    [...record.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain),
  );
}

function near(actual, expected, within, what) {
  assert.ok(Math.abs(actual - expected) <= within, `${what}: ${actual} in place of ${expected}`);
}

const same = (one, other, within = 1) => one?.every((channel, place) => Math.abs(channel - other[place]) <= within) ?? false;

/** Left, top, right and bottom of a shape. */
function box({ points }) {
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) };
}

/** The largest black frame: that of the axes. */
function frame(shapes) {
  const black = shapes.filter(({ fill, stroke }) => !fill && same(stroke, [0, 0, 0])).map(box);
  return black.reduce((one, other) => (area(one) > area(other) ? one : other));
}

const area = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

/** The colour that is drawn last in the middle of each cell; a cell's own rectangle is as large as it. */
function cells({ shapes }, rows, columns) {
  const axes = frame(shapes);
  const [wide, high] = [(axes.right - axes.left) / columns, (axes.bottom - axes.top) / rows];
  const colors = [];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [x, y] = [axes.left + (column + 0.5) * wide, axes.top + (row + 0.5) * high];
      const over = shapes.filter((shape) => {
        const { left, top, right, bottom } = box(shape);
        return shape.fill && left < x && x < right && top < y && y < bottom;
      });
      const drawn = over.at(-1);
      assert.ok(drawn, `nothing is drawn in row ${row}, column ${column}`);
      const size = box(drawn);
      near(size.right - size.left, wide, NEAR_MM, "the width of a cell");
      near(size.bottom - size.top, high, NEAR_MM, "the height of a cell");
      colors.push(drawn.fill);
    }
  }
  return { colors, wide, high };
}

/** The number that a colour stands for, by the colour map of the file; `undefined` for a colour that is not of it. */
function valueOf(color, tikz) {
  const stops = [...tikz.matchAll(/rgb255=\((\d+),(\d+),(\d+)\)/g)].map(([, ...stop]) => stop.map(Number));
  const [, low, high] = /point meta min=(\S+), point meta max=(\S+),/.exec(tikz).map(Number);
  assert.equal(stops.length, 17);
  let best = { distance: 3 };
  for (let place = 0; place + 1 < stops.length; place += 1) {
    for (let part = 0; part <= 64; part += 1) {
      const between = stops[place].map((from, channel) => from + ((stops[place + 1][channel] - from) * part) / 64);
      const distance = Math.hypot(...between.map((value, channel) => value - color[channel]));
      if (distance < best.distance) best = { distance, value: low + ((high - low) * (place + part / 64)) / (stops.length - 1) };
    }
  }
  return best.value;
}

test("a heatmap has a cell of its size for each number of the CSV, in the number's colour", () => {
  const [[corner, ...keys], ...lines] = csv("map.csv");
  const labels = [...corner.split(" \\ "), ...keys, ...lines.map(([query]) => query), "Attention weight"];
  const { colors, wide, high } = cells(compiled("map", labels), lines.length, keys.length);
  near(wide, 7, NEAR_MM, "a cell's width in mm");
  near(high, 7, NEAR_MM, "a cell's height in mm");
  const weights = lines.flatMap(([, ...row]) => row);
  assert.equal(weights.length, 16);
  weights.forEach((weight, place) => {
    const value = valueOf(colors[place], source("map.tex"));
    if (weight === "") assert.ok(same(colors[place], MASKED), `the masked cell ${place} is ${colors[place]}`);
    else near(value, Number(weight), 0.01, `cell ${place}`);
  });
});

test("the head in the paper of the guide is drawn by pdfLaTeX", () => {
  const path = fileURLToPath(new URL("../../docs/examples/paper/heatmap.tex", import.meta.url));
  const picture = typeset(path, directory, "pdflatex");
  assert.ok(picture.width <= COLUMN, `it is ${picture.width} mm wide`);
  const { colors } = cells(picture, 13, 13);
  const tokens = ["The", "animal", "didn", "’t", "cross", "the", "street", "because", "it", "was", "too", "tired", "."];
  assert.ok(picture.text.includes(tokens.join("")), picture.text);
  const weight = valueOf(colors[13 * tokens.indexOf("it") + tokens.indexOf("animal")], readFileSync(path, "utf8"));
  near(weight, 0.75, 0.01, "the weight that the paper names");
});

test("signed numbers have the colours of both directions", () => {
  const { colors } = cells(compiled("signed", ["Query", "Key", "q·k", "学生"]), 4, 4);
  // The numbers of `app/figures/tests/export.rs`.
  colors.forEach((color, place) => near(valueOf(color, source("signed.tex")), (place - 7.5) / 2, 0.06, `cell ${place}`));
});

test("lines are as wide as the weights of the CSV, from the row of the query to that of the key", () => {
  const [[, ...keys], ...rows] = csv("map.csv");
  const { shapes } = compiled("lines", ["Query", "Key", ...keys]);
  const lines = shapes.filter(({ fill, stroke }) => !fill && same(stroke, BLUE));
  const top = Math.min(...lines.flatMap(({ points }) => points.map(([, y]) => y)));
  const drawn = rows.map(() => keys.map(() => ""));
  for (const { points, width } of lines) {
    const [query, key] = [points[0], points.at(-1)].map(([, y]) => Math.round((y - top) / ROW_MM));
    drawn[query][key] = (width / WIDEST_MM).toFixed(2);
  }
  assert.deepEqual(drawn, rows.map(([, ...row]) => row.map((weight) => (weight === "" ? "" : Number(weight).toFixed(2)))));
});

test("curves pass the points of the CSV", () => {
  const [[, ...names], ...points] = csv("curves.csv");
  // A curve without a label has its number in the CSV.
  const labels = new Set(points.map(([curve]) => curve).filter((curve) => curve !== "3"));
  const { shapes } = compiled("curves", [...names, ...labels]);
  const axes = frame(shapes);
  const place = ([, x, y]) => [
    axes.left + (Number(x) / 29) * (axes.right - axes.left),
    axes.bottom - ((Number(y) + 1) / 2) * (axes.bottom - axes.top),
  ];
  // Axes and ticks are grey, and the legend's samples are short.
  const isCurve = (shape) => shape.stroke && new Set(shape.stroke).size > 1 && box(shape).right > axes.right - 1;
  const curves = shapes.filter(isCurve);
  assert.equal(curves.length, 3);
  assert.equal(points.length, 3 * 30);
  points.forEach((point, number) => {
    const curve = curves[Math.floor(number / 30)];
    const off = distance(place(point), curve.points);
    assert.ok(off <= NEAR_MM, `point ${number}, ${point}, is ${off} mm beside its curve`);
  });
});

/** The distance of a place from a polyline, whose points on straight stretches Cairo leaves out. */
function distance([x, y], line) {
  const distances = line.slice(1).map(([toX, toY], place) => {
    const [fromX, fromY] = line[place];
    const [dx, dy] = [toX - fromX, toY - fromY];
    const part = ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy || 1);
    const within = Math.min(1, Math.max(0, part));
    return Math.hypot(x - fromX - within * dx, y - fromY - within * dy);
  });
  return Math.min(...distances);
}

test("bars are as high as the numbers of the CSV", () => {
  const [, ...rows] = csv("bars.csv");
  const { shapes } = compiled("bars", ["p", "0.2", "0.8", ...rows.map(([name]) => name)]);
  const axes = frame(shapes);
  const [bars] = shapes.filter(({ fill }) => same(fill, BLUE));
  // A bar is a rectangle of four corners and its end.
  const tops = rows.map((_, place) => box({ points: bars.points.slice(5 * place, 5 * place + 5) }));
  rows.forEach(([name, value], place) => {
    near((tops[place].bottom - tops[place].top) / (axes.bottom - axes.top), Number(value), 0.002, name);
    near(tops[place].bottom, axes.bottom, NEAR_MM, `the foot of ${name}`);
  });
});

for (const tex of ["lualatex", "pdflatex"]) {
  test(`dots stand at the numbers of the CSV (${tex})`, () => {
    const [[, ...names], ...rows] = csv("dots.csv");
    // A dot without a number is not drawn.
    const dots = rows.filter(([, ...at]) => at.every((value) => value !== ""));
    const { shapes } = compiled("dots", [...names, ...dots.map(([name]) => name)], tex);
    const middles = shapes.filter(({ fill }) => same(fill, BLUE)).map(box);
    assert.equal(middles.length, dots.length);
    const axes = frame(shapes);
    const at = middles.map(({ left, right, top, bottom }) => [(left + right) / 2 - axes.left, axes.bottom - (top + bottom) / 2]);
    // Both axes begin with 0, so places are as far from their corner as the numbers.
    for (const axis of [0, 1]) {
      const [first, second] = dots.map((dot) => Number(dot[axis + 1]));
      near(at[1][axis] / at[0][axis], second / first, 0.002, names[axis]);
    }
  });
}
