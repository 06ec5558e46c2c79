// The errors of the reader.

import { speaker } from "./words.js";

/** A reason why a trace cannot be shown; `code` names its string, `values` are those in it. */
export class TraceError extends Error {
  constructor(code, values = {}) {
    super(speaker("en")(`error_${code}`, values));
    this.name = "TraceError";
    this.code = code;
    this.values = values;
  }
}

/** Throws the error of that code if the condition does not hold. */
export function check(condition, code, values) {
  if (!condition) throw new TraceError(code, values);
}
