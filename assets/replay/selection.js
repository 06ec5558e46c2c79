// What is selected, as plain data, and the weights that it shows.

/**
 * Returns the selection at the start: the last layer's first head of cross-attention if there is any, at the first step.
 */
export function firstSelection(trace) {
  const kind = ["cross", "decoder_self", "encoder_self"].find((kind) => trace.kinds.has(kind));
  const chosen = trace.kinds.get(kind);
  const first = { kind, layer: chosen.layers.length - 1, heads: [0], tokens: [0], step: null };
  const steps = stepsOf(trace);
  if (chosen.queries === "target" && steps.length > 0) return atStep(trace, first, 0);
  return { ...first, tokens: [Math.max(chosen.queryTokens.length - 1, 0)] };
}

export function stepsOf(trace) {
  return trace.decoding?.steps ?? [];
}

/** Returns the selection with its parts that are asked for, which the trace must have. */
export function selected(trace, selection, wanted) {
  const asked = { ...wanted };
  if (asked.head !== undefined) asked.heads = [asked.head].flat();
  if (asked.token !== undefined) asked.tokens = [asked.token].flat();
  let next = selection;
  if (asked.kind !== undefined) next = ofKind(trace, next, asked.kind);
  if (asked.layer !== undefined) next = { ...next, layer: within(asked.layer, kindOf(trace, next).layers.length, "layer") };
  if (asked.heads !== undefined) next = { ...next, heads: several(asked.heads, kindOf(trace, next).heads, "head") };
  if (asked.step !== undefined && asked.step !== null) next = atStep(trace, next, asked.step);
  if (asked.tokens !== undefined) next = atTokens(trace, next, asked.tokens);
  return next;
}

/** Returns the kind of attention of a selection. */
export function kindOf(trace, { kind }) {
  return trace.kinds.get(kind);
}

function within(index, count, what) {
  if (!Number.isInteger(index) || index < 0 || index >= count) {
    throw new RangeError(`there is no ${what} ${index}: the trace has ${count}`);
  }
  return index;
}

function several(indices, count, what) {
  if (!Array.isArray(indices) || indices.length === 0) throw new RangeError(`no ${what} is named`);
  return [...new Set(indices.map((index) => within(index, count, what)))];
}

/** Another kind keeps layer, heads and tokens where it has them. */
function ofKind(trace, selection, kind) {
  const [from, to] = [kindOf(trace, selection), trace.kinds.get(kind)];
  if (to === undefined) throw new RangeError(`there is no attention of the kind ${kind}`);
  const heads = selection.heads.filter((head) => head < to.heads);
  const next = {
    ...selection,
    kind,
    layer: Math.min(selection.layer, to.layers.length - 1),
    heads: heads.length > 0 ? heads : [0],
  };
  if (from.queries === to.queries) return next;
  if (to.queries === "target" && selection.step !== null) return atStep(trace, next, selection.step);
  return { ...next, tokens: [Math.min(selection.tokens[0], to.queryTokens.length - 1)] };
}

/** A step selects its row, if queries are those of the decoder. */
function atStep(trace, selection, index) {
  const steps = stepsOf(trace);
  const step = within(index, steps.length, "step");
  const isDecoder = kindOf(trace, selection).queries === "target";
  return { ...selection, step, tokens: isDecoder ? [steps[step].row] : selection.tokens };
}

/** Tokens of the decoder select the step that they make. */
function atTokens(trace, selection, wanted) {
  const kind = kindOf(trace, selection);
  const tokens = several(wanted, kind.queryTokens.length, "token");
  if (kind.queries !== "target") return { ...selection, tokens };
  const step = stepsOf(trace).findIndex(({ row }) => row === tokens[0]);
  return { ...selection, tokens, step: step < 0 ? null : step };
}

/** Returns the list with an element added, or taken out; never empty. */
export function toggled(list, element) {
  if (!list.includes(element)) return [...list, element];
  const rest = list.filter((other) => other !== element);
  return rest.length > 0 ? rest : list;
}

/** Returns the map of a selection, `[queries, keys]`: the mean over its heads. */
export function mapOf(trace, selection) {
  const { layers, queryTokens, keyTokens } = kindOf(trace, selection);
  const size = queryTokens.length * keyTokens.length;
  const weights = layers[selection.layer];
  const { heads } = selection;
  if (heads.length === 1) return weights.subarray(heads[0] * size, (heads[0] + 1) * size);
  const mean = new Float32Array(size);
  for (let cell = 0; cell < size; cell += 1) {
    let sum = 0;
    for (const head of heads) sum += weights[head * size + cell];
    mean[cell] = sum / heads.length;
  }
  return mean;
}

/** Returns the weights of the chosen queries: the mean of their rows. */
export function rowOf(map, keys, tokens) {
  if (tokens.length === 1) return map.subarray(tokens[0] * keys, (tokens[0] + 1) * keys);
  const row = new Float32Array(keys);
  for (let key = 0; key < keys; key += 1) {
    let sum = 0;
    for (const token of tokens) sum += map[token * keys + key];
    row[key] = sum / tokens.length;
  }
  return row;
}

/** Returns the indices of the largest values, largest first. */
export function largest(values, count) {
  const indices = Array.from(values.keys());
  return indices.sort((one, other) => values[other] - values[one] || one - other).slice(0, count);
}

/**
 * Returns a map reduced to at most `edge` rows and columns: the largest weight of each block, as thumbnails of traces are.
 */
export function reduced(map, rows, columns, edge) {
  const [height, width] = [Math.min(rows, edge), Math.min(columns, edge)];
  const small = new Float32Array(height * width).fill(-Infinity);
  for (let row = 0; row < rows; row += 1) {
    const start = Math.floor((row * height) / rows) * width;
    for (let column = 0; column < columns; column += 1) {
      const place = start + Math.floor((column * width) / columns);
      small[place] = Math.max(small[place], map[row * columns + column]);
    }
  }
  return { values: small, height, width };
}
