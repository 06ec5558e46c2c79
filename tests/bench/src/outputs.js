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
 * Largest absolute differences of logits and of attention, over the arrays of `other`, all of which
 * must be there in `one`, at the same size.
 *
 * @param {Buffer} one
 * @param {Buffer} other
 */
export function difference(one, other) {
  const [found, expected] = [arrays(one), arrays(other)];
  const worst = { logits: 0, attention: 0 };
  for (const [name, values] of expected) {
    const mine = found.get(name);
    if (mine?.length !== values.length) {
      throw new Error(`${name}: ${mine?.length ?? "no"} values against ${values.length}`);
    }
    const of = name === "logits" ? "logits" : "attention";
    for (let index = 0; index < values.length; index += 1) {
      // Once it is NaN, it stays so.
      worst[of] = Math.max(worst[of], Math.abs(mine[index] - values[index]));
    }
  }
  return { arrays: expected.size, ...worst };
}

/** The same; that they cannot be compared is a result too. @param {Buffer} one @param {Buffer} other */
export function compared(one, other) {
  try {
    return difference(one, other);
  } catch (error) {
    return { error: String(error) };
  }
}

/**
 * How far each engine's outputs are from each engine's on a processor.
 *
 * @param {Partial<Record<string, Buffer>>} found by engine
 * @param {Partial<Record<string, Buffer>>} on_cpu by engine
 */
export function against(found, on_cpu) {
  return Object.entries(found).flatMap(([engine, outputs]) =>
    Object.entries(on_cpu).flatMap(([cpu, expected]) =>
      outputs && expected ? [{ engine, cpu, differs: compared(outputs, expected) }] : [],
    ),
  );
}
