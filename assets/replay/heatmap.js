// The map of one head, or of the mean of several: a canvas with the tokens on its axes.

import { SHADES, pixels } from "./colors.js";
import { context, element } from "./dom.js";
import { tokenName } from "./tokens.js";

/** Sizes in CSS pixels. */
const CELL = { least: 3, most: 36, gridFrom: 10, labelFrom: 15 };
const LABEL = { font: 13, most: 116, gap: 6, slope: Math.PI / 4 };

/** Returns the figure; `state.point` takes the cell that is pointed at, `state.choose` the query that is chosen. */
export function heatmap(state) {
  const canvas = element("canvas.map", { tabindex: 0, role: "application" });
  const root = element("div.scroll", {}, canvas);
  const figure = { root, canvas, layout: null, picture: null };
  const at = (event) => cellAt(figure, state, event);
  canvas.addEventListener("pointermove", (event) => state.point(at(event)));
  canvas.addEventListener("pointerleave", () => state.point(null));
  canvas.addEventListener("click", (event) => {
    const cell = at(event);
    if (cell) state.chooseToken(cell.query, event);
  });
  canvas.addEventListener("keydown", (event) => onMapKey(event, state));
  figure.update = () => updateMap(figure, state);
  figure.mark = () => drawMap(figure, state);
  return figure;
}

function onMapKey(event, state) {
  const { queryTokens, keyTokens } = state.kind();
  const cell = state.cell ?? { query: state.selection.tokens[0], key: 0 };
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const move = moves[event.key];
  if (move) {
    const clamp = (value, count) => Math.min(Math.max(value, 0), count - 1);
    const [rows, columns] = state.cell ? move : [0, 0];
    state.point({
      query: clamp(cell.query + rows, queryTokens.length),
      key: clamp(cell.key + columns, keyTokens.length),
    });
  } else if (event.key === "Enter" || event.key === " ") {
    state.chooseToken(cell.query, event);
  } else if (event.key === "Escape") {
    state.point(null);
  } else {
    return;
  }
  event.preventDefault();
}

function cellAt({ canvas, layout }, state, event) {
  if (!layout) return null;
  const box = canvas.getBoundingClientRect();
  const { queryTokens, keyTokens } = state.kind();
  const key = Math.floor((event.clientX - box.left - layout.left) / layout.cell);
  const query = Math.floor((event.clientY - box.top - layout.top) / layout.cell);
  const isInside = key >= 0 && query >= 0 && key < keyTokens.length && query < queryTokens.length;
  return isInside ? { query, key } : null;
}

function updateMap(figure, state) {
  const { queryTokens, keyTokens } = state.kind();
  const names = (tokens) => tokens.map((token) => tokenName(token, state.say));
  figure.names = { queries: names(queryTokens), keys: names(keyTokens) };
  figure.picture = pictureOf(state.map(), queryTokens.length, keyTokens.length, state.theme);
  const values = { name: state.name(), queries: queryTokens.length, keys: keyTokens.length };
  figure.canvas.setAttribute("aria-label", state.say("map_label", values));
  figure.layout = layoutOf(figure, state);
  drawMap(figure, state);
  showRow(figure, state.selection.tokens[0]);
}

/** Scrolls a long map to the chosen query, if it is out of sight. */
function showRow({ root, layout: { top, cell } }, query) {
  const place = top + query * cell;
  const isInSight = place >= root.scrollTop && place + cell <= root.scrollTop + root.clientHeight;
  if (!isInSight) root.scrollTop = place - root.clientHeight / 2;
}

function pictureOf(map, queries, keys, theme) {
  const picture = document.createElement("canvas");
  [picture.width, picture.height] = [Math.max(keys, 1), Math.max(queries, 1)];
  if (map.length > 0) picture.getContext("2d").putImageData(pixels(map, keys, queries, theme), 0, 0);
  return picture;
}

function layoutOf({ root, canvas, names }, state) {
  const drawing = canvas.getContext("2d");
  // Chosen labels are bold.
  drawing.font = fontOf(true);
  const longest = (texts) => Math.max(0, ...texts.map((text) => drawing.measureText(text).width));
  const widest = (texts) => Math.min(longest(texts), LABEL.most);
  const left = Math.ceil(Math.max(widest(names.queries), longest([state.say("query"), state.say("key")]))) + LABEL.gap;
  const lean = Math.ceil(widest(names.keys) * Math.SQRT1_2) + LABEL.font;
  const top = Math.max(lean, 3.2 * LABEL.font);
  const room = (root.clientWidth || 600) - left - lean;
  const cell = Math.min(Math.max(Math.floor(room / names.keys.length), CELL.least), CELL.most);
  return { left, top, cell, width: left + cell * names.keys.length + lean, height: top + cell * names.queries.length + 2 };
}

function fontOf(isBold) {
  return `${isBold ? "600 " : ""}${LABEL.font}px system-ui, sans-serif`;
}

function drawMap(figure, state) {
  const { canvas, layout, picture, names } = figure;
  if (!layout) return;
  const { left, top, cell, width, height } = layout;
  const [rows, columns] = [names.queries.length, names.keys.length];
  const drawing = context(canvas, width, height);
  drawing.imageSmoothingEnabled = false;
  drawing.drawImage(picture, left, top, cell * columns, cell * rows);
  if (cell >= CELL.gridFrom) drawGrid(drawing, layout, rows, columns, state.colors.line);
  drawLabels(drawing, figure, state);
  drawChosen(drawing, layout, state, columns);
  if (state.cell) drawCell(drawing, layout, state);
}

function drawGrid(drawing, { left, top, cell }, rows, columns, color) {
  drawing.strokeStyle = color;
  drawing.globalAlpha = 0.6;
  drawing.lineWidth = 1;
  drawing.beginPath();
  for (let row = 0; row <= rows; row += 1) {
    drawing.moveTo(left, top + row * cell);
    drawing.lineTo(left + columns * cell, top + row * cell);
  }
  for (let column = 0; column <= columns; column += 1) {
    drawing.moveTo(left + column * cell, top);
    drawing.lineTo(left + column * cell, top + rows * cell);
  }
  drawing.stroke();
  drawing.globalAlpha = 1;
}

/** Labels of all tokens where there is room for them; of every second, third … where there is not. */
function drawLabels(drawing, { layout, names }, state) {
  const { left, top, cell } = layout;
  const { query, key, ink } = state.colors;
  const every = Math.ceil(CELL.labelFrom / cell);
  const chosen = new Set(state.selection.tokens);
  const isShown = (index, isMarked) => isMarked || index % every === 0;
  drawing.textBaseline = "middle";
  drawing.textAlign = "right";
  names.queries.forEach((name, index) => {
    const isMarked = state.cell?.query === index || (!state.cell && chosen.has(index));
    if (!isShown(index, isMarked)) return;
    drawLabel(drawing, name, isMarked ? query : ink, isMarked, [left - LABEL.gap, top + (index + 0.5) * cell, 0]);
  });
  drawing.textAlign = "left";
  names.keys.forEach((name, index) => {
    const isMarked = state.cell?.key === index;
    if (!isShown(index, isMarked)) return;
    drawLabel(drawing, name, isMarked ? key : ink, isMarked, [left + (index + 0.5) * cell, top - LABEL.gap, -LABEL.slope]);
  });
  drawing.textAlign = "right";
  drawLabel(drawing, state.say("key"), key, true, [left - LABEL.gap, top - 2.3 * LABEL.font, 0]);
  drawLabel(drawing, state.say("query"), query, true, [left - LABEL.gap, top - 1.1 * LABEL.font, 0]);
}

function drawLabel(drawing, text, color, isBold, [x, y, turn]) {
  drawing.save();
  drawing.translate(x, y);
  drawing.rotate(turn);
  drawing.font = fontOf(isBold);
  drawing.fillStyle = color;
  drawing.fillText(text, 0, 0, LABEL.most);
  drawing.restore();
}

function drawChosen(drawing, { left, top, cell }, state, columns) {
  drawing.fillStyle = SHADES[state.theme].query;
  for (const token of state.selection.tokens) {
    drawing.fillRect(left, top + token * cell - 1, columns * cell, 2);
    drawing.fillRect(left, top + (token + 1) * cell - 1, columns * cell, 2);
  }
}

function drawCell(drawing, { left, top, cell }, state) {
  const { query, key } = state.cell;
  drawing.strokeStyle = state.colors.ink;
  drawing.lineWidth = 3;
  drawing.strokeRect(left + key * cell - 1, top + query * cell - 1, cell + 2, cell + 2);
}
