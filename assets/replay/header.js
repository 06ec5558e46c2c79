// The header of a safetensors file.

import { check } from "./errors.js";

/** The most bytes of a file, and of its header, that are read. */
const LARGEST_BYTES = 2 ** 31 - 1;
const LARGEST_HEADER_BYTES = 100_000_000;

/**
 * Returns the entries of the metadata, and each array with its type, shape and bytes. Every length is compared with that
 * of the file before it is used.
 * @param {Uint8Array} bytes
 */
export function readHeader(bytes) {
  check(bytes.length <= LARGEST_BYTES, "too_large", { bytes: bytes.length, most: LARGEST_BYTES });
  const invalid = (condition, reason) => check(condition, "container", { reason });
  invalid(bytes.length >= 8, "header too small");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getBigUint64(0, true);
  invalid(length <= BigInt(LARGEST_HEADER_BYTES), "header too large");
  invalid(length <= BigInt(bytes.length - 8), "invalid header length");
  const header = parsed(bytes.subarray(8, 8 + Number(length)), invalid);
  const data = bytes.subarray(8 + Number(length));
  const entries = header.__metadata__ ?? {};
  invalid(isObject(entries), "metadata is not an object");
  for (const value of Object.values(entries)) invalid(typeof value === "string", "metadata is not text");
  const arrays = Object.entries(header).filter(([name]) => name !== "__metadata__");
  const places = arrays.map(([name, info]) => placed(name, info, data, invalid));
  checkOffsets(places, data.length, invalid);
  return { entries: new Map(Object.entries(entries)), arrays: places };
}

function parsed(bytes, invalid) {
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    invalid(false, `invalid header: ${error.message}`);
  }
  invalid(isObject(header), "the header is not an object");
  return header;
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for a whole number that is not negative and is exact. */
export function isCount(value) {
  return Number.isSafeInteger(value) && value >= 0;
}

function placed(name, info, data, invalid) {
  invalid(isObject(info), `\`${name}\` is not an object`);
  const { dtype, shape, data_offsets: offsets } = info;
  invalid(Array.isArray(shape) && shape.every(isCount), `\`${name}\` has an invalid shape`);
  invalid(Array.isArray(offsets) && offsets.length === 2 && offsets.every(isCount), `\`${name}\` has invalid offsets`);
  const [from, to] = offsets;
  invalid(from <= to && to <= data.length, `\`${name}\` does not lie in the file`);
  return { name, dtype, shape, from, to, bytes: data.subarray(from, to) };
}

/** Arrays follow each other without gaps, and fill the file. */
function checkOffsets(places, length, invalid) {
  let next = 0;
  const inOrder = [...places].sort((one, other) => one.from - other.from || one.to - other.to);
  for (const { name, from, to } of inOrder) {
    invalid(from === next, `\`${name}\` overlaps or leaves a gap`);
    next = to;
  }
  invalid(next === length, "the arrays do not fill the file");
}
