// One figure in a frame of another page: a recorded pass, or a pass of a model of this site on one thread.
// docs/embedding.md describes the address and the messages.

import { mount } from "../replay/replay.js";
import { requested } from "./address.js";
import { connected } from "./messages.js";
import { computed } from "./model.js";
import { wordsOf } from "./words.js";

/** Fetches a trace. Rejects with a sentence that names the address. */
async function fetched(address, words) {
  const response = await fetch(address, { credentials: "omit" }).catch((error) => {
    throw new Error(words.unreachable(address, error.message));
  });
  if (!response.ok) throw new Error(words.refused(address, response.status));
  return response.arrayBuffer();
}

async function show() {
  const wanted = requested(location.hash);
  const words = wordsOf(wanted.language);
  document.documentElement.lang = words.language;
  const figure = document.getElementById("figure");
  const status = document.getElementById("status");
  const link = document.querySelector("#whole a");
  link.textContent = words.whole;
  link.href = wanted.whole;
  const tell = connected(wanted.parent, document.documentElement);
  status.textContent = words.loading;
  try {
    const bytes =
      wanted.trace === null
        ? await computed(wanted, (text) => (status.textContent = words.step(text)), words)
        : await fetched(wanted.trace, words);
    const replay = await mount(figure, bytes, {
      language: words.language,
      theme: wanted.theme,
      selection: wanted.selection,
      header: false,
    });
    status.textContent = "";
    figure.addEventListener("selected", (event) => tell("selected", event.detail));
    tell.onSelect((selection) => replay.select(selection));
    tell("ready", replay.selection);
  } catch (error) {
    // `mount` shows its own sentence.
    status.textContent = figure.childElementCount > 0 ? "" : error.message;
    tell("failed", { reason: error.message });
  }
}

// Another address in the same frame is another figure.
addEventListener("hashchange", () => location.reload());
await show();
