// Attention as lines between a column of queries and a column of keys, wider where the weight is larger.

import { SHADES } from "./colors.js";
import { context, element, rove, stepped } from "./dom.js";
import { tokenName } from "./tokens.js";

/** As in the page's figure: the least weight with a line, the most lines, and sizes in CSS pixels. */
const LEAST_WEIGHT = 0.01;
const MOST_LINES = 2000;
const WIDEST = 10;
const ROW = { few: 28, many: 18, manyFrom: 48 };
const MIDDLE = 220;

/** Returns the figure. */
export function lines(state) {
  const canvas = element("canvas.lines-drawing", { role: "img" });
  const queries = element("div.lines-queries", { role: "group" });
  const keys = element("ul.lines-keys");
  const root = element("div.scroll", {}, element("div.lines", {}, queries, canvas, keys));
  const figure = { root, canvas, queries, keys };
  figure.update = () => updateLines(figure, state);
  figure.mark = () => drawLines(figure, state);
  return figure;
}

function updateLines(figure, state) {
  const { queryTokens, keyTokens } = state.kind();
  const longest = Math.max(queryTokens.length, keyTokens.length);
  figure.row = longest >= ROW.manyFrom ? ROW.many : ROW.few;
  figure.root.style.setProperty("--row", `${figure.row}px`);
  figure.queries.setAttribute("aria-label", state.say("choose_query"));
  figure.canvas.setAttribute("aria-label", `${state.say("lines_label")}. ${state.sentence()}`);
  const hadFocus = figure.queries.contains(figure.root.getRootNode().activeElement);
  figure.queries.replaceChildren(...queryTokens.map((token, index) => queryButton(figure, state, token, index)));
  figure.keys.replaceChildren(...keyTokens.map((token) => element("li", {}, tokenName(token, state.say))));
  const [first] = state.selection.tokens;
  rove([...figure.queries.children], first);
  if (hadFocus) figure.queries.children[first]?.focus();
  drawLines(figure, state);
}

function queryButton({ queries }, state, token, index) {
  const isChosen = state.selection.tokens.includes(index);
  const onKey = (event) => {
    const next = stepped(event.key, index, queries.children.length);
    if (next === null) return;
    event.preventDefault();
    state.chooseToken(next, event);
  };
  const on = { click: (event) => state.chooseToken(index, event), keydown: onKey };
  return element("button.token", { type: "button", "aria-pressed": String(isChosen), on }, tokenName(token, state.say));
}

function drawLines(figure, state) {
  const { queryTokens, keyTokens } = state.kind();
  const [rows, columns] = [queryTokens.length, keyTokens.length];
  const longest = Math.max(rows, columns);
  const height = longest * figure.row;
  const drawing = context(figure.canvas, MIDDLE, height);
  const place = (index, count) => ((longest - count) / 2 + index + 0.5) * figure.row;
  const chosen = new Set(state.selection.tokens);
  drawing.strokeStyle = SHADES[state.theme].key;
  for (const { cell, weight } of strongest(state.map())) {
    const [query, key] = [Math.floor(cell / columns), cell % columns];
    const [from, to] = [place(query, rows), place(key, columns)];
    drawing.globalAlpha = Math.sqrt(Math.min(weight, 1)) * (chosen.has(query) ? 1 : 0.2);
    drawing.lineWidth = WIDEST * Math.min(weight, 1);
    drawing.beginPath();
    drawing.moveTo(0, from);
    drawing.bezierCurveTo(MIDDLE / 2, from, MIDDLE / 2, to, MIDDLE, to);
    drawing.stroke();
  }
}

/** The weights that have a line, faint ones first, so that strong ones are drawn over them. */
function strongest(map) {
  const found = [];
  for (const [cell, weight] of map.entries()) {
    if (weight >= LEAST_WEIGHT) found.push({ cell, weight });
  }
  found.sort((one, other) => one.weight - other.weight);
  return found.slice(-MOST_LINES);
}
