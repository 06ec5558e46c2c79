// Every head of the model as a thumbnail: a row for each layer, a column for each head. They are drawn when they come into
// sight, since large models have hundreds.

import { pixels } from "./colors.js";
import { element, rove } from "./dom.js";
import { reduced } from "./selection.js";

/** The most rows and columns of a thumbnail, as in the page. */
const EDGE = 48;

/** Returns the figure, with a part for each kind of attention. */
export function thumbnails(state) {
  const parts = [...state.trace.kinds.values()].map((kind) => partOf(kind, state));
  const root = element("div.thumbnails", {}, ...parts.map((part) => part.root));
  const figure = { root, parts, theme: null };
  const observer = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      drawThumbnail(target, state);
    }
  }, { rootMargin: "300px" });
  figure.update = () => {
    if (figure.theme !== state.theme) {
      figure.theme = state.theme;
      for (const { buttons } of parts) buttons.forEach((button) => observer.observe(button));
    }
    parts.forEach((part) => markChosen(part, state));
  };
  figure.drawAll = () => {
    for (const { buttons } of parts) buttons.forEach((button) => drawThumbnail(button, state));
  };
  figure.mark = () => {};
  figure.destroy = () => observer.disconnect();
  return figure;
}

function partOf({ kind, layers, heads }, state) {
  const { say } = state;
  const buttons = [];
  const table = element("div.heads", { role: "group", "aria-label": `${say(kind)}. ${say("heads_hint")}` });
  table.style.setProperty("--heads", heads);
  for (let layer = layers.length - 1; layer >= 0; layer -= 1) {
    table.append(element("span.layer-name", { "aria-hidden": "true" }, String(layer + 1)));
    for (let head = 0; head < heads; head += 1) {
      const button = headButton({ kind, layer, head }, state);
      buttons.push(button);
      table.append(button);
    }
  }
  const part = { kind, heads, layers: layers.length, buttons };
  table.addEventListener("keydown", (event) => onHeadsKey(event, part, state));
  part.root = element("section.kind", {}, element("h3", {}, say(kind)), element("div.scroll", {}, table));
  return part;
}

function headButton(place, state) {
  const { say } = state;
  const name = say("one_head", { layer: place.layer + 1, head: place.head + 1 });
  const label = say("full_name", { place: name, kind: say(place.kind) });
  const on = { click: (event) => state.chooseHead(place, event) };
  const attributes = { type: "button", "aria-label": label, title: name, on, "data-head": `${place.kind}.${place.layer}.${place.head}` };
  const button = element("button.thumbnail", attributes, element("canvas", { width: 1, height: 1, "aria-hidden": "true" }));
  button.place = place;
  return button;
}

function drawThumbnail(button, state) {
  const { kind, layer, head } = button.place;
  const { layers, queryTokens, keyTokens } = state.trace.kinds.get(kind);
  const [rows, columns] = [queryTokens.length, keyTokens.length];
  if (rows * columns === 0) return;
  const map = layers[layer].subarray(head * rows * columns, (head + 1) * rows * columns);
  const { values, height, width } = reduced(map, rows, columns, EDGE);
  const canvas = button.firstChild;
  [canvas.width, canvas.height] = [width, height];
  canvas.getContext("2d").putImageData(pixels(values, width, height, state.theme), 0, 0);
}

function isChosen({ kind, layer, head }, selection) {
  return kind === selection.kind && layer === selection.layer && selection.heads.includes(head);
}

function markChosen({ buttons }, { selection }) {
  let current = 0;
  buttons.forEach((button, index) => {
    const chosen = isChosen(button.place, selection);
    if (chosen && button.place.head === selection.heads[0]) current = index;
    button.setAttribute("aria-pressed", String(chosen));
  });
  rove(buttons, current);
}

/** Rows are drawn from the last layer down to the first, so that up is a later layer. */
function onHeadsKey(event, { kind, heads, layers, buttons }, state) {
  const moves = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
  const move = moves[event.key];
  const place = event.target.closest("button")?.place;
  if (!move || !place) return;
  event.preventDefault();
  const clamp = (value, count) => Math.min(Math.max(value, 0), count - 1);
  const layer = clamp(place.layer + move[0], layers);
  const head = clamp(place.head + move[1], heads);
  if (layer === place.layer && head === place.head) return;
  state.chooseHead({ kind, layer, head }, event);
  buttons[(layers - 1 - layer) * heads + head].focus();
}
