import assert from "node:assert/strict";
import { test } from "node:test";

import { file_of } from "../page/arrays.js";
import { against, arrays, difference } from "./outputs.js";

/** @param {Record<string, number[]>} values */
async function file(values) {
  const named = Object.entries(values).map(([name, list]) => {
    const data = Float32Array.from(list);
    return /** @type {const} */ ([name, { shape: [list.length], data }]);
  });
  return Buffer.from(await file_of(new Map(named)).arrayBuffer());
}

test("what the page writes is read again", async () => {
  const found = arrays(await file({ logits: [1, -2.5], "decoder.0.self.pattern": [0.25] }));
  assert.deepEqual([...found.keys()], ["logits", "decoder.0.self.pattern"]);
  assert.deepEqual([...(found.get("logits") ?? [])], [1, -2.5]);
});

test("logits and attention differ by their largest differences", async () => {
  const theirs = await file({ logits: [1, 2], a: [0.5], b: [0.25, 0] });
  const ours = await file({ b: [0.25, 0.125], more: [9], logits: [1, 2.5], a: [0.5] });
  assert.deepEqual(difference(ours, theirs), { arrays: 3, logits: 0.5, attention: 0.125 });
});

test("a number that is none is a difference", async () => {
  const theirs = await file({ logits: [1, 2] });
  const ours = await file({ logits: [NaN, 2] });
  assert.equal(difference(ours, theirs).logits, NaN);
});

test("a missing array and one of another size are told", async () => {
  const theirs = await file({ logits: [1, 2] });
  const short = await file({ logits: [1] });
  const without = await file({ a: [1, 2] });
  assert.throws(() => difference(short, theirs), /logits: 1 values against 2/);
  assert.throws(() => difference(without, theirs), /logits: no values against 2/);
});

test("each engine is held against each on a processor, and what cannot be compared says so", async () => {
  const found = { ours: await file({ logits: [1, 2] }), ort: await file({ logits: [1, 2.5] }) };
  const on_cpu = { ours: await file({ logits: [1, 2] }), ort: await file({ logits: [1] }) };
  const apart = (/** @type {number} */ logits) => ({ arrays: 1, logits, attention: 0 });
  const failed = { error: "Error: logits: 2 values against 1" };
  assert.deepEqual(against(found, on_cpu), [
    { engine: "ours", cpu: "ours", differs: apart(0) },
    { engine: "ours", cpu: "ort", differs: failed },
    { engine: "ort", cpu: "ours", differs: apart(0.5) },
    { engine: "ort", cpu: "ort", differs: failed },
  ]);
  assert.deepEqual(against(found, {}), []);
});
