// The address of an embedded figure. Numbers count from 1, as in the page's own addresses.

const KINDS = new Map([["encoder", "encoder_self"], ["decoder", "decoder_self"], ["cross", "cross"]]);

/** Returns the number of an entry, counted from 0; `undefined` if it is none. */
function counted(entry) {
  return /^[1-9]\d{0,5}$/.test(entry ?? "") ? Number(entry) - 1 : undefined;
}

/** Returns the origin that an entry names; `null` if it is none. */
function origin(entry) {
  try {
    const { origin } = new URL(entry ?? "");
    return origin === entry ? origin : null;
  } catch {
    return null;
  }
}

/** Leaves out what is `undefined`. */
const present = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

/**
 * Returns what the fragment of an address asks for.
 * @param {string} fragment beginning with `#`
 */
export function requested(fragment) {
  const entries = new URLSearchParams(fragment.slice(1));
  const one = (name) => {
    const number = counted(entries.get(name));
    return number === undefined ? undefined : [number];
  };
  const trace = entries.get("trace");
  const model = entries.get("model") ?? "translator";
  const text = entries.get("text") ?? "";
  const theme = entries.get("theme");
  const whole = new URLSearchParams({ v: "2" });
  if (trace === null) {
    whole.set("model", model);
    whole.set("text", text);
    for (const name of ["kind", "layer", "head"]) {
      if (entries.has(name)) whole.set(name, entries.get(name));
    }
  }
  return {
    trace,
    model,
    text,
    parent: origin(entries.get("parent")),
    language: entries.get("lang") ?? navigator.language,
    theme: theme === "light" || theme === "dark" ? theme : undefined,
    selection: present({
      kind: KINDS.get(entries.get("kind")),
      layer: counted(entries.get("layer")),
      heads: one("head"),
      tokens: one("token"),
      step: counted(entries.get("step")),
    }),
    whole: trace === null ? `./#${whole}` : "./",
  };
}
