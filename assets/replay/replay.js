// The replay: a trace shown in an element.

import { decoded } from "./decoded.js";
import { gradient } from "./colors.js";
import { element } from "./dom.js";
import { editText } from "./edits.js";
import { TraceError } from "./errors.js";
import { heatmap } from "./heatmap.js";
import { lines } from "./lines.js";
import { aboutPanel, editsPanel, guessesPanel, lensPanel, stepBar, stepPanel, weightsTable } from "./panels.js";
import { firstSelection, kindOf, largest, mapOf, rowOf, selected, toggled } from "./selection.js";
import { sentence } from "./sentence.js";
import { thumbnails } from "./thumbnails.js";
import { shareText, shortened, tokenName, weightText } from "./tokens.js";
import { readTrace } from "./trace.js";
import { languageOf, speaker } from "./words.js";

const STRONGEST_KEYS = 6;
const CAPTION_TEXT = 200;

/**
 * Shows a trace in an element.
 * @param {HTMLElement} root
 * @param {ArrayBuffer | Uint8Array} bytes the trace as safetensors, compressed with gzip or not
 * @param {object} options `language`, `theme`, `caption`, `selection` and `header`: see README.md
 * @returns an object with `select(wanted)`, `selection` and `destroy()`
 * @throws {TraceError} if the trace cannot be read; the element then shows why
 */
export async function mount(root, bytes, options = {}) {
  root.classList.add("attention-replay");
  const language = languageOf(options.language);
  root.replaceChildren(element("p.hint", { role: "status" }, speaker(language)("reading")));
  try {
    const trace = await readTrace(bytes);
    return new Replay(root, trace, options).handle();
  } catch (error) {
    showFailure(root, error, language);
    throw error;
  }
}

function showFailure(root, error, language) {
  const say = speaker(language);
  const reason = error instanceof TraceError ? say(`error_${error.code}`, error.values) : String(error.message ?? error);
  const text = element("p", {}, shortened(reason, 1000));
  root.lang = language === "zh" ? "zh-Hans" : language;
  root.replaceChildren(element("div.panel.failure", { role: "alert" }, element("h2", {}, say("failed")), text));
}

/** Shows the trace that stands in a page of its own. */
export async function start(page) {
  const text = (id) => page.getElementById(id).textContent;
  const root = page.getElementById("replay");
  const options = JSON.parse(text("options"));
  const encoded = page.getElementById("trace");
  try {
    const replay = await mount(root, decoded(encoded.textContent.trim()), { ...options, page });
    // Its text is as long as the trace, and has been read.
    encoded.remove();
    return replay;
  } catch (error) {
    console.error(error);
    return null;
  }
}

const dark = () => globalThis.matchMedia?.("(prefers-color-scheme: dark)");

class Replay {
  constructor(root, trace, options) {
    this.root = root;
    this.trace = trace;
    this.options = options;
    this.language = languageOf(options.language);
    this.chosenTheme = options.theme;
    this.view = "heatmap";
    this.cell = null;
    this.selection = selected(trace, firstSelection(trace), options.selection ?? {});
    this.listeners = new AbortController();
    this.listen();
    this.build();
  }

  /** What `mount` returns. */
  handle() {
    const replay = this;
    return {
      select: (wanted) => replay.choose(wanted),
      get selection() {
        return replay.shownSelection();
      },
      destroy: () => replay.destroy(),
    };
  }

  shownSelection() {
    const { heads, tokens } = this.selection;
    return { ...this.selection, heads: [...heads], tokens: [...tokens], head: heads[0], token: tokens[0] };
  }

  listen() {
    const { signal } = this.listeners;
    dark()?.addEventListener("change", () => this.build(), { signal });
    globalThis.addEventListener?.("beforeprint", () => this.print(true), { signal });
    globalThis.addEventListener?.("afterprint", () => this.print(false), { signal });
    let width = this.root.clientWidth;
    this.resized = new ResizeObserver(() => {
      if (this.root.clientWidth === width) return;
      width = this.root.clientWidth;
      this.figure?.update();
    });
    this.resized.observe(this.root);
  }

  destroy() {
    this.listeners.abort();
    this.resized.disconnect();
    this.heads?.destroy();
    this.root.replaceChildren();
  }

  /** Paper is light, and shows what is not in sight. */
  print(isPrinting) {
    this.isPrinting = isPrinting;
    this.build();
    if (isPrinting) {
      this.heads.drawAll();
      this.lens?.open();
    }
  }

  get theme() {
    if (this.isPrinting) return "light";
    return this.chosenTheme ?? (dark()?.matches ? "dark" : "light");
  }

  // The state that the figures read.

  /** The theme's colours on a canvas, read when drawn: a notebook may put the root into its page after it is built. */
  get colors() {
    const style = getComputedStyle(this.root);
    const color = (name) => style.getPropertyValue(name).trim();
    return { line: color("--line"), query: color("--query"), key: color("--key"), ink: color("--ink") };
  }

  kind() {
    return kindOf(this.trace, this.selection);
  }

  map() {
    this.shownMap ??= mapOf(this.trace, this.selection);
    return this.shownMap;
  }

  row() {
    return rowOf(this.map(), this.kind().keyTokens.length, this.selection.tokens);
  }

  /** The head or heads and their attention, in words. */
  name() {
    const { layer, heads, kind } = this.selection;
    const values = { layer: layer + 1, head: heads[0] + 1, count: heads.length };
    const place = this.say(heads.length === 1 ? "one_head" : "mean_of_heads", values);
    return this.say("full_name", { place, kind: this.say(kind) });
  }

  queryName() {
    const { tokens } = this.selection;
    if (tokens.length > 1) return this.say("several_tokens", { count: tokens.length });
    return tokenName(this.kind().queryTokens[tokens[0]], this.say);
  }

  /** What the chosen queries take most of, in a sentence. */
  sentence() {
    const { layer, heads, tokens } = this.selection;
    const row = this.row();
    const [key] = largest(row, 1);
    if (key === undefined) return "";
    const values = { layer: layer + 1, head: heads[0] + 1, count: heads.length };
    return this.say(tokens.length === 1 ? "takes" : "takes_together", {
      query: this.queryName(),
      count: tokens.length,
      who: this.say(heads.length === 1 ? "who_head" : "who_mean", values),
      share: shareText(row[key], this.language),
      key: tokenName(this.kind().keyTokens[key], this.say),
    });
  }

  // What visitors do.

  choose(wanted) {
    const before = JSON.stringify(this.selection);
    this.selection = selected(this.trace, this.selection, wanted);
    if (JSON.stringify(this.selection) === before) return;
    this.shownMap = null;
    this.cell = null;
    this.update();
    const detail = this.shownSelection();
    this.root.dispatchEvent(new CustomEvent("selected", { bubbles: true, composed: true, detail }));
  }

  /** With Shift, Ctrl or ⌘ a token is added to the choice, or taken out. */
  chooseToken(token, { shiftKey, ctrlKey, metaKey }) {
    const isAdded = shiftKey || ctrlKey || metaKey;
    this.choose({ tokens: isAdded ? toggled(this.selection.tokens, token) : [token] });
  }

  chooseHead({ kind, layer, head }, { shiftKey, ctrlKey, metaKey }) {
    const { selection } = this;
    const isSame = kind === selection.kind && layer === selection.layer;
    const isAdded = isSame && (shiftKey || ctrlKey || metaKey);
    this.choose({ kind, layer, heads: isAdded ? toggled(selection.heads, head) : [head] });
  }

  /** Points at a cell of the map, or at none. */
  point(cell) {
    if (cell?.query === this.cell?.query && cell?.key === this.cell?.key) return;
    this.cell = cell;
    this.figure.mark();
    this.readOut();
  }

  // The page.

  build() {
    this.heads?.destroy();
    this.say = speaker(this.language);
    const { root, theme } = this;
    root.lang = this.language === "zh" ? "zh-Hans" : this.language;
    // Of a page that is a replay and nothing else, the language is its own.
    if (this.options.page) this.options.page.documentElement.lang = root.lang;
    root.dataset.theme = theme;
    this.words = sentence(this);
    this.heads = thumbnails(this);
    this.steps = stepBar(this);
    this.step = stepPanel(this);
    this.lens = lensPanel(this);
    this.table = weightsTable(this);
    const below = [this.step, this.lens, guessesPanel(this), editsPanel(this), aboutPanel(this)];
    const parts = [
      this.options.header === false ? null : this.header(),
      element("section.panel", {}, element("h2", {}, this.say("sentence")), this.words.root, this.steps?.root),
      element("div.columns", {}, this.headsPanel(), this.headPanel()),
      ...below.map((panel) => panel?.root),
      (this.caption = element("p.caption")),
      (this.live = element("p.visually-hidden", { role: "status" })),
    ];
    root.replaceChildren(...parts.filter((part) => part));
    this.showView(this.view);
    this.update();
  }

  header() {
    const { say } = this;
    const other = this.language === "zh" ? "en" : "zh";
    const next = this.theme === "dark" ? "light" : "dark";
    const language = element("button.plain", { type: "button", lang: other === "zh" ? "zh-Hans" : "en", on: { click: () => this.switchTo({ language: other }) } }, say("switch_language"));
    const theme = element("button.plain", { type: "button", "aria-label": `${say("theme")}: ${say(this.theme)}`, on: { click: () => this.switchTo({ theme: next }) } }, `${this.theme === "dark" ? "☾" : "☀"} ${say(this.theme)}`);
    this.switches = { language, theme };
    const brand = element("div.brand", {}, element("span.brand-mark", { "aria-hidden": "true" }), element("h1", {}, "Attention Scope"), element("span.badge", {}, say("replay")));
    return element("header.header", {}, brand, element("div.switches", {}, language, theme));
  }

  switchTo({ language, theme }) {
    this.language = language ?? this.language;
    this.chosenTheme = theme ?? this.chosenTheme;
    this.build();
    this.switches[language ? "language" : "theme"].focus();
  }

  headsPanel() {
    return element("section.panel.all-heads", {}, element("h2", {}, this.say("heads")), this.heads.root);
  }

  headPanel() {
    const { say } = this;
    this.title = element("h2");
    this.views = ["heatmap", "lines"].map((view) =>
      element("button.segment", { type: "button", on: { click: () => this.showView(view) } }, say(view)),
    );
    const scale = element("span.legend-scale");
    scale.style.background = gradient(this.theme);
    const legend = element("p.legend", {}, say("weight"), " 0 ", scale, " 1");
    this.place = element("div.figure");
    this.readout = element("p.readout");
    this.reading = element("p");
    this.bars = element("div.strongest");
    return element(
      "section.panel.one-head", {},
      this.title,
      element("div.controls", {}, ...this.selectors(), element("div.segments", { role: "group", "aria-label": say("view") }, ...this.views)),
      legend, this.place, this.readout, this.reading, this.bars, this.table.root,
    );
  }

  selectors() {
    const { say } = this;
    const select = (name, on) => element("select", { "aria-label": say(name), on: { change: ({ target }) => on(target.value) } });
    this.kindSelect = select("kind", (kind) => this.choose({ kind }));
    this.layerSelect = select("layer", (layer) => this.choose({ layer: Number(layer) }));
    this.headSelect = select("head", (head) => {
      if (head === "several") return;
      const all = Array.from({ length: this.kind().heads }, (_, index) => index);
      this.choose({ heads: head === "all" ? all : [Number(head)] });
    });
    this.kindSelect.append(...[...this.trace.kinds.keys()].map((kind) => element("option", { value: kind }, say(kind))));
    return [this.kindSelect, this.layerSelect, this.headSelect];
  }

  showView(view) {
    this.view = view;
    this.figure = (view === "lines" ? lines : heatmap)(this);
    this.place.replaceChildren(this.figure.root);
    this.views.forEach((button, index) => button.setAttribute("aria-pressed", String(["heatmap", "lines"][index] === view)));
    this.cell = null;
    this.figure.update();
    this.readOut();
  }

  update() {
    this.title.textContent = this.name();
    this.updateSelectors();
    for (const part of [this.words, this.heads, this.steps, this.step, this.figure, this.table, this.lens]) part?.update();
    this.readOut();
    this.reading.textContent = this.sentence();
    this.live.textContent = `${this.name()}. ${this.sentence()}`;
    this.updateBars();
    this.caption.textContent = this.options.caption ?? this.captionText();
  }

  updateSelectors() {
    const { say, selection } = this;
    const { layers, heads } = this.kind();
    const count = selection.heads.length;
    const option = (value, text) => element("option", { value }, text);
    const numbers = (length, key, name) => Array.from({ length }, (_, index) => option(index, say(key, { [name]: index + 1 })));
    this.layerSelect.replaceChildren(...numbers(layers.length, "layer_number", "layer"));
    const headOptions = [...numbers(heads, "head_number", "head"), option("all", say("mean_of_all"))];
    if (count > 1 && count < heads) headOptions.push(option("several", say("several_heads", { count })));
    this.headSelect.replaceChildren(...headOptions);
    this.kindSelect.value = selection.kind;
    this.layerSelect.value = String(selection.layer);
    this.headSelect.value = count === 1 ? String(selection.heads[0]) : count === heads ? "all" : "several";
  }

  /** The weight of the cell that is pointed at, or how to point at one. */
  readOut() {
    const { say, cell } = this;
    if (!cell) {
      this.readout.replaceChildren(element("span.hint", {}, this.view === "heatmap" ? say("point") : ""));
      return;
    }
    const { queryTokens, keyTokens } = this.kind();
    const weight = weightText(this.map()[cell.query * keyTokens.length + cell.key], say);
    const [query, key] = [tokenName(queryTokens[cell.query], say), tokenName(keyTokens[cell.key], say)];
    const place = say("cell_place", { query: cell.query + 1, queries: queryTokens.length, key: cell.key + 1, keys: keyTokens.length });
    const words = [element("strong.number", {}, weight), " ", element("b.as-query", {}, query), " → ", element("b.as-key", {}, key)];
    this.readout.replaceChildren(...words, element("span.hint", {}, ` ${place}`));
    this.live.textContent = say("cell", { query, key, weight });
  }

  /** The keys that the chosen queries read most, as bars. */
  updateBars() {
    const row = this.row();
    const { keyTokens } = this.kind();
    const line = (key) => {
      const bar = element("span.bar");
      bar.style.setProperty("--share", Math.min(Math.max(row[key], 0), 1));
      return element("li", {}, element("span.bar-name", {}, tokenName(keyTokens[key], this.say)), bar, element("span.number", {}, weightText(row[key], this.say)));
    };
    const title = element("h3", {}, this.say("strongest", { query: this.queryName() }));
    this.bars.replaceChildren(title, element("ol", {}, ...largest(row, STRONGEST_KEYS).map(line)));
  }

  captionText() {
    const { say, trace } = this;
    const { model, text, program, version } = trace.origin;
    const tokens = trace.source.length > 0 ? trace.source : trace.target;
    const typed = text ?? tokens.map((token) => tokenName(token, say)).join(" ");
    const values = { name: this.name(), model: shortened(model ?? trace.spec.model_type, 80), text: shortened(typed, CAPTION_TEXT) };
    const edits = trace.edits.slice(0, 3).map((edit) => shortened(editText(edit, trace, say), 100)).join(say("semicolon"));
    const made = program ? `${shortened(program, 60)} ${shortened(version ?? "", 30)}`.trim() : "";
    const parts = [say("caption", values), edits && say("caption_edited", { edits }), made && `${made}.`];
    return parts.filter(Boolean).join(" ");
  }
}
