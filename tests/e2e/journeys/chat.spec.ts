// An instruct model from the disk: the chat form, whose text the checkpoint's own template writes.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "../browser";
import { expect, freshTest as test, type Scope } from "../scope";

const LLAMA = join(repository, "tests/fixtures/tiny/llama-chat");
const FILES = ["config.json", "tokenizer.json", "model.safetensors", "tokenizer_config.json"];

/** The page's label of the token `<s>`. */
const START = "start";

interface Turn {
  role: string;
  content: string;
}

interface Fixture {
  tiny: { turns: Turn[]; text: string; ids: number[] };
}

const { tiny }: Fixture = JSON.parse(readFileSync(join(repository, "tests/fixtures/chat.json"), "utf8"));

/** Opens the model, with another template if one is given. */
async function opens(scope: Scope, template?: string): Promise<void> {
  await scope.openLive();
  await scope.openModels();
  const files = FILES.map((name) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: readFileSync(join(LLAMA, name)),
  }));
  if (template !== undefined) {
    files.push({ name: "chat_template.jinja", mimeType: "text/plain", buffer: Buffer.from(template) });
  }
  await scope.page.getByTestId("mine-files").setInputFiles(files);
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.thumbnails).toHaveCount(2 * 4);
  await scope.becomesLive();
}

/** The text that the result on screen answers. */
function answered(page: Page, text: string | RegExp): Promise<void> {
  return expect(page.getByTestId("result")).toHaveAttribute("data-text", text);
}

/** The tokens that the model read, as they are written. */
async function tokensRead(scope: Scope): Promise<string[]> {
  const all = scope.page.getByTestId("all-tokens");
  if (await all.isVisible()) await all.click();
  return scope.tokens.locator(".source-list > *").allTextContents();
}

test("an instruct model opens as a chat, and reads what its template writes", async ({ page, scope }) => {
  await opens(scope);
  await expect(page.getByTestId("chat")).toBeVisible();
  await answered(page, "<s><|im_start|>user\nWhy is the sky blue?<|im_end|>\n<|im_start|>assistant\n");
  await scope.becomesLive();

  // The conversation of the fixture, by the keyboard.
  const [system, first, reply, second] = tiny.turns;
  await page.getByTestId("chat-system-fold").click();
  await page.getByTestId("chat-system").fill(system!.content);
  await page.getByTestId("input").fill(first!.content);
  await page.getByTestId("input").press("Enter");
  await answered(page, /the old dog/);
  await scope.becomesLive();
  await page.getByTestId("chat-take").click();
  await expect(page.getByTestId("chat-turn")).toHaveCount(2);
  await expect(page.getByTestId("input")).toBeFocused();
  await expect(page.getByTestId("chat-take")).toBeDisabled();
  await page.getByTestId("chat-turn").last().fill(reply!.content);
  await page.getByTestId("input").fill(second!.content);
  await page.getByTestId("run").click();
  await answered(page, tiny.text);
  await scope.becomesLive();

  // Special tokens are one token each, and the first of them is there once.
  const tokens = await tokensRead(scope);
  expect(tokens.length).toBeGreaterThanOrEqual(tiny.ids.length);
  const read = tokens.slice(0, tiny.ids.length);
  expect(read[0]).toBe(START);
  expect(read.filter((token) => token === START)).toHaveLength(1);
  expect(read.filter((token) => token === "<|im_start|>")).toHaveLength(5);
  expect(read.filter((token) => token === "<|im_end|>")).toHaveLength(4);

  // The address holds all of it; "remove" takes the last turn back.
  const address = new URLSearchParams(new URL(page.url()).hash.slice(1));
  expect(JSON.parse(address.get("chat") ?? "")).toEqual(tiny.turns.slice(1).map((turn) => turn.content));
  expect(address.get("system")).toBe(system!.content);
  await page.getByTestId("chat-back").click();
  await expect(page.getByTestId("chat-turn")).toHaveCount(0);
  await expect(page.getByTestId("input")).toHaveValue(first!.content);
});

test("the plain text stays beside the chat, and the address chooses", async ({ page, scope }) => {
  await opens(scope);
  await expect(page.getByTestId("chat")).toBeVisible();
  await answered(page, /sky/);
  await scope.becomesLive();
  await scope.choice("Form of the input", "Plain text").click();
  await expect(page.getByTestId("chat")).toBeHidden();
  await expect(scope.text).toHaveValue("Why is the sky blue?");
  await scope.translate("the old dog");
  await answered(page, "the old dog");
  await scope.becomesLive();
  await expect(page).not.toHaveURL(/chat=/);
  expect((await tokensRead(scope))[0]).toBe(START);
  await scope.choice("Form of the input", "Chat").click();
  await expect(page.getByTestId("input")).toHaveValue("the old dog");
});

test("a template that fails says where and why, and the plain text stays", async ({ page, scope }) => {
  await opens(scope, "a\n{% if %}");
  await expect(page.getByTestId("chat-fault")).toContainText("line 2: syntax error");
  await expect(page.getByTestId("chat")).toBeHidden();
  await expect(scope.text).toBeVisible();
  await scope.translate("the old dog");
  await answered(page, "the old dog");
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

test("a conversation that the template refuses leaves the last result", async ({ page, scope }) => {
  await opens(scope, "{{ bos_token }}{% if 'no' in messages[-1].content %}\n{{ raise_exception('Not this.') }}{% endif %}{{ messages[-1].content }}");
  await answered(page, "<s>Why is the sky blue?");
  await scope.becomesLive();
  await page.getByTestId("input").fill("no");
  await expect(page.getByTestId("chat-problem")).toContainText("line 2: Not this.");
  await page.getByTestId("input").press("Enter");
  await answered(page, "<s>Why is the sky blue?");
  await page.getByTestId("input").fill("yes");
  await expect(page.getByTestId("chat-problem")).toBeHidden();
  await page.getByTestId("input").press("Enter");
  await answered(page, "<s>yes");
});

for (const [width, height, language] of [
  [390, 844, "zh"],
  [1440, 900, "en"],
] as const) {
  test(`the chat fits ${width} × ${height} in ${language}`, async ({ page, scope }) => {
    await page.setViewportSize({ width, height });
    await opens(scope);
    await answered(page, /sky/);
    await page.evaluate((code) => (location.hash += `&lang=${code}`), language);
    await scope.becomesLive();
    await page.getByTestId("chat-take").click();
    await expect(page.getByTestId("chat-turn")).toHaveCount(2);
    expect(await scope.overflow()).toBeLessThanOrEqual(0);
  });
}
