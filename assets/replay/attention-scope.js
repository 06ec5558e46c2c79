// The element `<attention-scope src="trace.safetensors" layer="2" head="3" token="4">`, which shows a trace.

import { element } from "./dom.js";
import { mount } from "./replay.js";

/** The parts of a selection that attributes hold, in the order in which they are set. */
const PARTS = ["kind", "layer", "head", "step", "token"];
const OTHERS = ["src", "lang", "theme", "caption"];

class AttentionScope extends HTMLElement {
  static observedAttributes = [...OTHERS, ...PARTS];

  #replay = null;
  #loads = 0;
  #isReflecting = false;

  connectedCallback() {
    if (!this.shadowRoot) {
      const style = element("link", { rel: "stylesheet", href: new URL("replay.css", import.meta.url) });
      const place = element("div");
      this.attachShadow({ mode: "open" }).append(style, place);
      place.addEventListener("selected", ({ detail }) => this.#reflect(detail));
    }
    this.#load();
  }

  disconnectedCallback() {
    this.#loads += 1;
    this.#replay?.destroy();
    this.#replay = null;
  }

  attributeChangedCallback(name, before, after) {
    if (before === after || this.#isReflecting || !this.isConnected || !this.shadowRoot) return;
    if (OTHERS.includes(name)) this.#load();
    else this.#select({ [name]: after });
  }

  /** What is selected, counted from 0; `null` until the trace is shown. */
  get selection() {
    return this.#replay?.selection ?? null;
  }

  /** Selects a kind, layer, heads, tokens or step. */
  select(wanted) {
    this.#replay?.select(wanted);
  }

  async #load() {
    const load = (this.#loads += 1);
    const isCurrent = () => load === this.#loads && this.isConnected;
    this.#replay?.destroy();
    this.#replay = null;
    const place = this.shadowRoot.lastChild;
    try {
      const bytes = await fetched(this.getAttribute("src"));
      if (!isCurrent()) return;
      const [language, theme, caption] = ["lang", "theme", "caption"].map((name) => this.getAttribute(name) ?? undefined);
      const replay = await mount(place, bytes, { language, theme, caption, header: false });
      if (!isCurrent()) return;
      this.#replay = replay;
      this.#select(Object.fromEntries(PARTS.map((name) => [name, this.getAttribute(name)])));
      this.#reflect(replay.selection);
      this.dispatchEvent(new CustomEvent("ready"));
    } catch (error) {
      if (!isCurrent()) return;
      // A trace that cannot be read says so itself; an address that gives none has nothing in its place.
      if (error instanceof AddressError) place.replaceChildren(element("p", { role: "alert" }, error.message));
      this.dispatchEvent(new CustomEvent("error", { detail: error }));
    }
  }

  /** Attributes that the trace does not have are reported in the console; the selection stays. */
  #select(attributes) {
    for (const name of PARTS) {
      const value = attributes[name];
      if (value === null || value === undefined) continue;
      try {
        this.#replay?.select({ [name]: name === "kind" ? value : Number(value) });
      } catch (error) {
        console.error(`<attention-scope ${name}="${value}">: ${error.message}`);
      }
    }
  }

  #reflect(selection) {
    this.#isReflecting = true;
    for (const name of PARTS) {
      if (selection[name] === null) this.removeAttribute(name);
      else this.setAttribute(name, selection[name]);
    }
    this.#isReflecting = false;
  }
}

class AddressError extends Error {}

async function fetched(address) {
  if (!address) throw new AddressError("<attention-scope> has no attribute src.");
  const response = await fetch(address).catch((error) => {
    throw new AddressError(`${address}: ${error.message}`);
  });
  if (!response.ok) throw new AddressError(`${address}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

customElements.define("attention-scope", AttentionScope);
