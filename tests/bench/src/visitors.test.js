import assert from "node:assert/strict";
import { test } from "node:test";

import { frame, header, quantile } from "./visitors.js";

test("a frame is read as it was written", () => {
  const message = { id: 7, body: { run: { text: "“é”" } } };
  assert.deepEqual(header(frame(message.id, message.body)), message);
  assert.equal(frame(1, "ping").readUInt32LE(), '{"id":1,"body":"ping"}'.length);
});

test("quantiles are times that occurred", () => {
  const times = [5, 1, 4, 2, 3];
  assert.equal(quantile(times, 0.5), 3);
  assert.equal(quantile(times, 0.95), 5);
  assert.equal(quantile([7], 0.5), 7);
});
