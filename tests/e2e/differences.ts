// How far numbers are from those that they should be.

/** The largest difference of two lists: infinite where something is missing or not a number. */
export function largestDifference(found: ArrayLike<number> | undefined, expected: ArrayLike<number> | undefined): number {
  if (found === undefined || found.length !== expected?.length) return Infinity;
  let largest = 0;
  for (let index = 0; index < expected.length; index += 1) {
    const difference = Math.abs((found[index] ?? NaN) - (expected[index] ?? NaN));
    if (Number.isNaN(difference)) return Infinity;
    largest = Math.max(largest, difference);
  }
  return largest;
}
