// What both of the others' workers share: answering the page's calls one after the other.

/**
 * @typedef {Record<string, (work: import("./measure.js").Work, count: number) => Promise<any>>} Calls
 */

/** Scope of a worker; the page's types know none. */
const scope = /** @type {any} */ (globalThis);

/**
 * Answers calls by name. A result with `transfer` sends those buffers along.
 *
 * @param {Calls} calls
 */
export function answer(calls) {
  scope.onmessage = async (/** @type {MessageEvent} */ { data }) => {
    try {
      const { transfer = [], ...result } = (await calls[data.call](data.work, data.count)) ?? {};
      scope.postMessage({ result, transfer }, transfer);
    } catch (error) {
      scope.postMessage({ error: String(/** @type {any} */ (error)?.stack ?? error) });
    }
  };
  scope.postMessage({ result: null });
}

/** The index of the largest value; of equal ones the first. @param {Float32Array} values @param {number[]} banned */
export function largest(values, banned) {
  let best = -1;
  for (let index = 0; index < values.length; index += 1) {
    if ((best < 0 || values[index] > values[best]) && !banned.includes(index)) best = index;
  }
  return best;
}
