// Whether two engines computed the same.

/**
 * The arrays of a safetensors file.
 *
 * @param {Buffer} bytes
 * @returns {Map<string, Float32Array>}
 */
export function arrays(bytes) {
  const length = Number(bytes.readBigUInt64LE(0));
  const head = JSON.parse(bytes.toString("utf8", 8, 8 + length));
  const data = bytes.subarray(8 + length);
  const found = new Map();
  for (const [name, entry] of Object.entries(head)) {
    if (name === "__metadata__") continue;
    const [start, end] = entry.data_offsets;
    // A copy: the part may begin at an address that no Float32Array can begin at.
    const part = Uint8Array.from(data.subarray(start, end));
    found.set(name, new Float32Array(part.buffer));
  }
  return found;
}

/**
 * Largest absolute differences of logits and of attention, over the arrays of `theirs`, all of which
 * must be there on our side, at the same size.
 *
 * @param {Buffer} ours
 * @param {Buffer} theirs
 */
export function difference(ours, theirs) {
  const [one, other] = [arrays(ours), arrays(theirs)];
  const worst = { logits: 0, attention: 0 };
  for (const [name, values] of other) {
    const mine = one.get(name);
    if (mine?.length !== values.length) {
      throw new Error(`${name}: ours has ${mine?.length ?? "no"} values, theirs ${values.length}`);
    }
    const of = name === "logits" ? "logits" : "attention";
    for (let index = 0; index < values.length; index += 1) {
      // Once it is NaN, it stays so.
      worst[of] = Math.max(worst[of], Math.abs(mine[index] - values[index]));
    }
  }
  return { arrays: other.size, ...worst };
}
