// Messages between the figure and the page around it. Nothing is heard or said unless the address names that page's origin.

const NAME = "attention-scope";
const KINDS = ["encoder_self", "decoder_self", "cross"];

const isIndex = (value) => Number.isInteger(value) && value >= 0;
const areIndices = (value) => Array.isArray(value) && value.length > 0 && value.length < 1000 && value.every(isIndex);

/** The fields of a selection, each with the test that its value passes. */
const FIELDS = {
  kind: (value) => KINDS.includes(value),
  layer: isIndex,
  heads: areIndices,
  tokens: areIndices,
  step: (value) => value === null || isIndex(value),
};

/** Returns the selection that a message asks for, without fields that are not understood; `null` if it asks for none. */
export function understood(message) {
  if (typeof message !== "object" || message === null || message.to !== NAME || message.type !== "select") return null;
  const { selection } = message;
  if (typeof selection !== "object" || selection === null) return null;
  const fields = Object.entries(FIELDS).filter(([name, fits]) => Object.hasOwn(selection, name) && fits(selection[name]));
  return Object.fromEntries(fields.map(([name]) => [name, selection[name]]));
}

/**
 * Connects the figure with the page around it, and reports the height of `element`.
 * @param {string | null} origin the origin of that page; `null` for no messages
 * @param {Element} element
 * @returns a function that sends a message of a type with its contents; `onSelect` sets what hears of selections
 */
export function connected(origin, element) {
  let select = () => {};
  const tell = (type, detail = {}) => {
    if (origin !== null && parent !== window) parent.postMessage({ from: NAME, type, ...detail }, origin);
  };
  tell.onSelect = (listener) => (select = listener);
  addEventListener("message", (event) => {
    if (event.source !== parent || event.origin !== origin) return;
    const selection = understood(event.data);
    if (selection === null) return;
    try {
      select(selection);
    } catch (error) {
      // The trace lacks it.
      tell("refused", { reason: error.message });
    }
  });
  new ResizeObserver(() => tell("resize", { height_px: element.scrollHeight })).observe(document.body);
  return tell;
}
