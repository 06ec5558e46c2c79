// The address of an embedded figure, and the messages that it understands.

import assert from "node:assert/strict";
import { test } from "node:test";

import { requested } from "../../assets/embed/address.js";
import { understood } from "../../assets/embed/messages.js";
import { wordsOf } from "../../assets/embed/words.js";

// Node has it from version 21 on.
globalThis.navigator ??= { language: "en" };

test("an address counts from 1, and leaves out what is not understood", () => {
  const wanted = requested("#model=sentences&text=a%26b&kind=decoder&layer=2&head=3&token=1&step=4&theme=dark");
  assert.deepEqual(wanted.selection, { kind: "decoder_self", layer: 1, heads: [2], tokens: [0], step: 3 });
  assert.equal(wanted.text, "a&b");
  assert.equal(wanted.theme, "dark");
  assert.equal(wanted.whole, "./#v=2&model=sentences&text=a%26b&kind=decoder&layer=2&head=3");
  const odd = requested("#layer=0&head=-1&token=1e9&step=x&kind=__proto__&theme=pink");
  assert.deepEqual(odd.selection, {});
  assert.equal(odd.theme, undefined);
  assert.equal(requested("").model, "translator");
});

test("the page around the frame is named by its origin alone", () => {
  const parent = (entry) => requested(`#${new URLSearchParams({ parent: entry })}`).parent;
  assert.equal(parent("https://lms.example"), "https://lms.example");
  for (const none of ["*", "null", "https://lms.example/", "https://lms.example/course", "lms.example", "javascript:1"]) {
    assert.equal(parent(none), null, none);
  }
});

test("messages are read field by field", () => {
  const select = (selection) => understood({ to: "attention-scope", type: "select", selection });
  assert.deepEqual(select({ layer: 1, heads: [0, 2], tokens: [3], step: null, kind: "cross" }), {
    kind: "cross",
    layer: 1,
    heads: [0, 2],
    tokens: [3],
    step: null,
  });
  assert.deepEqual(select({ layer: "1", heads: [], tokens: [-1], step: 0.5, kind: "x", other: 1 }), {});
  for (const none of [null, undefined, 3, "select", [], { to: "other", type: "select", selection: {} }]) {
    assert.equal(understood(none), null);
  }
  assert.equal(select("all"), null);
});

test("every sentence is in both languages", () => {
  const [english, chinese] = [wordsOf("en-GB"), wordsOf("zh-TW")];
  assert.deepEqual(Object.keys(english), Object.keys(chinese));
  assert.equal(wordsOf("fr").language, "en");
});
