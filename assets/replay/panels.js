// What stands beside the figures: decoding steps, lens, guesses, edits, and where the trace comes from.

import { shade } from "./colors.js";
import { element } from "./dom.js";
import { editText } from "./edits.js";
import { stepsOf } from "./selection.js";
import { shareText, shortened, tokenName, weightText } from "./tokens.js";

/** The most edits that are written out; a list may have hundreds. */
const MOST_EDITS = 64;
const MOST_TEXT = 2000;

const heading = (text) => element("h2", {}, text);

/** Returns the steps of decoding and the output so far; `null` if the target was given without them. */
export function stepBar(state) {
  const steps = stepsOf(state.trace);
  if (steps.length === 0) return null;
  const { say } = state;
  const current = () => state.selection.step ?? 0;
  const to = (step) => state.choose({ step: Math.min(Math.max(step, 0), steps.length - 1) });
  const button = (name, sign, by) =>
    element("button.plain", { type: "button", "aria-label": say(name), on: { click: () => to(current() + by) } }, sign);
  const [previous, next] = [button("previous", "◂", -1), button("next", "▸", 1)];
  const on = { input: () => to(Number(slider.value) - 1) };
  const slider = element("input.slider", { type: "range", min: 1, max: steps.length, step: 1, "aria-label": say("scrub"), on });
  const place = element("span.number");
  const output = element("p.output", { role: "group", "aria-label": say("output") });
  const root = element("div.steps", {}, element("div.step-bar", {}, previous, slider, next, place), output);
  const update = () => {
    const index = current();
    const of = say("step_of", { step: index + 1, count: steps.length });
    slider.value = String(index + 1);
    slider.setAttribute("aria-valuetext", of);
    place.textContent = of;
    previous.disabled = index === 0;
    next.disabled = index === steps.length - 1;
    output.replaceChildren(...outputTokens(steps, index, state));
  };
  return { root, update };
}

/** Returns the alternatives of the step; `null` if the target was given without steps. */
export function stepPanel(state) {
  const steps = stepsOf(state.trace);
  if (steps.length === 0) return null;
  const { say } = state;
  const written = element("p");
  const candidates = element("div");
  const title = heading("");
  const root = element("section.panel", {}, title, written, candidates);
  const update = () => {
    const index = state.selection.step ?? 0;
    const step = steps[index];
    title.textContent = say("step_title", { step: index + 1, count: steps.length });
    const token = tokenName(step.chosen.token, say);
    written.textContent = say(step.forced ? "forced" : "written", { token });
    candidates.replaceChildren(candidatesTable(step.candidates, state, step.chosen.token.id));
  };
  return { root, update };
}

/** The tokens that are written, up to a step in ink, those after it faint. */
function outputTokens(steps, current, state) {
  const token = ({ chosen }, index) => {
    const classes = index > current ? "button.token.later" : "button.token";
    const attributes = { type: "button", "aria-current": index === current ? "step" : null };
    attributes.on = { click: () => state.choose({ step: index }) };
    return element(classes, attributes, tokenName(chosen.token, state.say));
  };
  return steps.map(token);
}

function candidatesTable(candidates, state, chosen) {
  const { say, language } = state;
  if (candidates.length === 0) return element("p.hint", {}, say("no_candidates"));
  const columns = { token: "th", logit: "th.number", probability: "th" };
  const head = element("tr", {}, ...Object.entries(columns).map(([key, cell]) => element(cell, { scope: "col" }, say(key))));
  const row = ({ token, logit, log_probability: logProbability }) => {
    const share = Math.exp(logProbability);
    const bar = element("span.bar");
    bar.style.setProperty("--share", share);
    return element(
      "tr", { "aria-current": token.id === chosen ? "true" : null },
      element("th", { scope: "row" }, tokenName(token, say)),
      element("td.number", {}, logit.toFixed(2)),
      element("td.number.share", {}, bar, shareText(share, language)),
    );
  };
  const caption = element("caption", {}, say("candidates"));
  return element("table.candidates", {}, caption, element("thead", {}, head), element("tbody", {}, ...candidates.map(row)));
}

/** Returns the lens, which is written when it is opened; `null` if it was not recorded. */
export function lensPanel(state) {
  const { trace, say } = state;
  if (!trace.lens) return null;
  const body = element("div.scroll", { tabindex: 0, role: "region", "aria-label": say("lens") });
  const summary = element("summary", {}, say("lens"));
  const root = element("details.panel.lens", {}, summary, element("p.hint", {}, say("lens_text")), body);
  let drawn = null;
  const update = () => {
    if (!root.open || drawn === state.theme) return;
    drawn = state.theme;
    body.replaceChildren(lensTable(state));
  };
  root.addEventListener("toggle", update);
  return { root, update, open: () => { root.open = true; update(); } };
}

function lensTable(state) {
  const { trace, say } = state;
  const tokens = trace.spec.decoder ? trace.target : trace.source;
  const head = (token) => element("th", { scope: "col" }, tokenName(token, say));
  const rows = trace.lens.layers.map((readings, layer) => {
    const name = layer === 0 ? say("embedding") : say("layer_number", { layer });
    return element("tr", {}, element("th", { scope: "row" }, name), ...readings.map((reading, at) => lensCell(reading, at, state)));
  });
  return element("table.lens-table", {}, element("thead", {}, element("tr", {}, element("td"), ...tokens.map(head))), element("tbody", {}, ...rows));
}

function lensCell({ words, rank }, position, state) {
  const { trace, say, language, theme } = state;
  const [best] = words;
  if (!best) return element("td");
  const token = tokenName(best.token, say);
  const answer = tokenName(trace.lens.answers[position], say);
  const title = say("lens_cell", { token, probability: shareText(best.probability, language), answer, rank });
  const cell = element("td", { title }, token);
  const { background, ink } = shade(best.probability, false, theme);
  cell.style.backgroundColor = background;
  cell.style.color = ink;
  return cell;
}

/** Returns the guesses of masked words, or the classes of a picture; `null` if there are none. */
export function guessesPanel(state) {
  const { trace, say } = state;
  if (trace.guesses.length === 0) return null;
  const isPicture = trace.spec.generates === "labels";
  const guess = ({ place, candidates }) => {
    const of = say("guess_of", { place: place + 1, token: tokenName(trace.source[place], say) });
    return element("div", {}, isPicture ? null : element("h3", {}, of), candidatesTable(candidates, state, candidates[0]?.token.id));
  };
  const title = say(isPicture ? "classes" : "guesses");
  return { root: element("section.panel", {}, heading(title), ...trace.guesses.map(guess)), update: () => {} };
}

/** Returns the edits in words; `null` if nothing was changed. */
export function editsPanel(state) {
  const { trace, say } = state;
  if (trace.edits.length === 0) return null;
  const shown = trace.edits.slice(0, MOST_EDITS).map((edit) => element("li", {}, shortened(editText(edit, trace, say), 300)));
  const rest = trace.edits.length - shown.length;
  if (rest > 0) shown.push(element("li", {}, say("more", { count: rest })));
  const root = element("section.panel.edits", {}, heading(say("edits")), element("ul", {}, ...shown));
  return { root, update: () => {} };
}

/** Returns the model, the text and the program. */
export function aboutPanel(state) {
  const { trace, say } = state;
  const { program, version, model, text } = trace.origin;
  const sizes = ["encoder", "decoder"].filter((stack) => trace.spec[stack]);
  const size = (stack) => say(`${stack}_size`, trace.spec[stack]);
  const architecture = say("architecture", { type: shortened(trace.spec.model_type, 60), sizes: sizes.map(size).join(say("comma")) });
  const facts = [
    ["model", model ? `${shortened(model, 120)} (${architecture})` : architecture],
    ["typed", text && shortened(text, MOST_TEXT)],
    ["made_by", program && [shortened(program, 60), shortened(version ?? "", 30)].join(" ").trim()],
  ];
  const list = element("dl");
  for (const [key, value] of facts) {
    if (value) list.append(element("dt", {}, say(key)), element("dd", {}, value));
  }
  return { root: element("section.panel", {}, heading(say("about")), list), update: () => {} };
}

/** Returns the weights of the chosen query as a table, which is written when it is opened. */
export function weightsTable(state) {
  const { say } = state;
  const body = element("tbody");
  const head = ["position", "token", "weight"].map((key) => element("th", { scope: "col" }, say(key)));
  const caption = element("caption");
  const table = element("table.weights", {}, caption, element("thead", {}, element("tr", {}, ...head)), body);
  const root = element("details", {}, element("summary", {}, say("table")), table);
  const update = () => {
    if (!root.open) return;
    caption.textContent = `${state.name()} · ${say("strongest", { query: state.queryName() })}`;
    const row = state.row();
    const line = (token, key) =>
      element("tr", {}, element("td.number", {}, String(key + 1)), element("th", { scope: "row" }, tokenName(token, say)), element("td.number", {}, weightText(row[key], say)));
    body.replaceChildren(...state.kind().keyTokens.map(line));
  };
  root.addEventListener("toggle", update);
  return { root, update };
}
