// Edits in words.

import { tokenName } from "./tokens.js";

/** Returns a description of an edit; layers, heads and places count from 1. */
export function editText(edit, trace, say) {
  const number = (value) => (Number.isFinite(value) ? value + 1 : "?");
  const place = placeOf(edit.attention);
  const head = place ? headText(place, edit.head, say) : say("all_heads");
  const token = (side, index) => {
    const tokens = trace.kinds.get(place?.kind)?.[side];
    return tokens?.[index] ? `“${tokenName(tokens[index], say)}”` : `#${number(index)}`;
  };
  const values = {
    head,
    factor: edit.factor,
    seed: edit.seed,
    query: token("queryTokens", edit.query),
    key: token("keyTokens", edit.key),
    weight: edit.weight,
    site: edit.site,
    text: edit.text,
    order: Array.isArray(edit.order) ? edit.order.map(number).join(", ") : "?",
    keys: edit.keys,
    first: edit.first ?? 0,
    scaling: edit.scaling,
    trained: edit.trained,
    epsilon: edit.epsilon,
    depths: edit.depths,
    groups: edit.groups,
    kind: edit.kind,
  };
  return say(`edit_${keyOf(edit)}`, values);
}

function keyOf({ kind, factor }) {
  if (kind === "scale_head" && factor === 0) return "off";
  if (kind === "scale_key" && factor === 0) return "mask_key";
  if (kind === "replace_rows") return "replace";
  if (kind === "patch_rows") return "patch";
  return EDIT_KINDS.has(kind) ? kind : "other";
}

const EDIT_KINDS = new Set([
  "scale_head", "set_head", "mean_head", "uniform", "shuffle", "group_key_values", "pattern", "set_weight", "scale_key", "replace",
  "patch", "permute", "window", "stretch_rope", "without_positions", "without_causality", "halt",
]);

/** Reads `decoder.0.cross` as a kind and a layer; `null` if it is none. */
function placeOf(attention) {
  const match = /^(encoder|decoder)\.(\d+)\.(self|cross)$/.exec(String(attention));
  if (!match) return null;
  const [, stack, layer, sublayer] = match;
  return { kind: sublayer === "cross" ? "cross" : `${stack}_self`, layer: Number(layer) };
}

function headText({ kind, layer }, head, say) {
  const attention = say("attention_of", { kind: say(kind), layer: layer + 1 });
  return Number.isInteger(head) ? say("head_of", { attention, head: head + 1 }) : attention;
}
