// The tokens, shaded by the attention of the chosen query: the query red, keys blue by their weights.

import { shade } from "./colors.js";
import { element, rove, stepped } from "./dom.js";
import { shortened, tokenName, weightText } from "./tokens.js";

/** The most characters of a piece in a tooltip. */
const LONGEST_TITLE = 200;

/** Returns the rows of tokens, one for each side that the model has. */
export function sentence(state) {
  const root = element("div.sentence");
  const figure = { root, sides: sidesOf(state.trace).map((side) => sideOf(side, state)) };
  root.append(...figure.sides.map(({ row }) => row));
  figure.update = () => figure.sides.forEach((side) => shadeSide(side, state));
  figure.mark = () => {};
  return figure;
}

function sidesOf({ source, target }) {
  const sides = [
    { side: "source", tokens: source },
    { side: "target", tokens: target },
  ].filter(({ tokens }) => tokens.length > 0);
  return sides.length === 1 ? [{ ...sides[0], title: "text" }] : sides.map((one) => ({ ...one, title: one.side }));
}

function sideOf({ side, tokens, title }, state) {
  const group = element("div.tokens", { role: "group" });
  const row = element("div.side", {}, element("span.side-name", {}, state.say(title)), group);
  const buttons = tokens.map((token, index) => {
    const on = {
      click: (event) => choose(index, event),
      keydown: (event) => {
        const next = stepped(event.key, index, tokens.length);
        if (next === null) return;
        event.preventDefault();
        choose(next, event);
        buttons[next].focus();
      },
    };
    const classes = token.unknown ? "button.token.unknown" : "button.token";
    return element(classes, { type: "button", on }, tokenName(token, state.say));
  });
  const choose = (index, event) => {
    if (state.kind().queries === side) state.chooseToken(index, event);
  };
  group.append(...buttons);
  return { side, tokens, row, group, buttons, title };
}

function shadeSide({ side, tokens, group, buttons, title }, state) {
  const { queries, keys } = state.kind();
  const [isQuery, isKey] = [queries === side, keys === side];
  const chosen = new Set(isQuery ? state.selection.tokens : []);
  const row = state.row();
  group.setAttribute("aria-label", isQuery ? `${state.say(title)}. ${state.say("choose_query")}` : state.say(title));
  buttons.forEach((button, index) => {
    const weight = isKey ? row[index] : 0;
    const isChosen = chosen.has(index);
    const { background, ink } = shade(weight, isChosen, state.theme);
    const isShaded = isKey || isChosen;
    button.style.backgroundColor = isShaded ? background : "";
    button.style.color = isShaded ? ink : "";
    button.classList.toggle("current", isChosen);
    button.disabled = !isQuery;
    button.toggleAttribute("data-key", isKey);
    const text = shortened(tokens[index].text, LONGEST_TITLE);
    button.title = isKey ? `${text}: ${weightText(weight, state.say)}` : text;
    if (isQuery) button.setAttribute("aria-pressed", String(isChosen));
    else button.removeAttribute("aria-pressed");
  });
  if (!isQuery) return;
  const current = buttons[state.selection.tokens[0]];
  rove(buttons, state.selection.tokens[0]);
  const place = current.offsetTop - group.offsetTop;
  const isInSight = place >= group.scrollTop && place + current.offsetHeight <= group.scrollTop + group.clientHeight;
  if (!isInSight) group.scrollTop = place - group.clientHeight / 2;
}
