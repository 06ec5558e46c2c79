// "Show as code" under formulas: three libraries, the sizes on screen, copying, keyboard, the address.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "@playwright/test";

import { repository } from "../browser";
import { expect, freshTest, test } from "../scope";

const chapter = "tab=learn&chapter=scale";
const folder = join(repository, "app/chapters/snippets");

/** The program of a formula with this name. */
const snippet = (page: Page, name: string) => page.locator(`[data-snippet="${name}"]`);

/** The body of a program with the sizes of "Je suis étudiant ." in the translator. */
function body(file: string, sizes: Record<string, number>): string {
  const text = readFileSync(join(folder, file), "utf8").trim();
  return Object.entries(sizes).reduce((text, [name, size]) => text.replaceAll(`{{${name}}}`, `${size}`), text);
}

test("a formula's program has the sizes on screen, in the library that is chosen", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const program = snippet(page, "scaled-attention");
  await program.locator("summary").click();
  const code = program.getByTestId("snippet-code");
  await expect(code).toContainText("import numpy as np");
  const text = (await code.textContent()) ?? "";
  const [, n = 0, d_k = 0] = /n, d_k = (\d+), (\d+)/.exec(text)?.map(Number) ?? [];
  expect(n).toBeGreaterThan(1);
  expect(text.trim().endsWith(body("numpy/scaled-attention.py", { n, d_k }))).toBe(true);
  await expect(program).toContainText(`n = ${n}`);
  await expect(code.locator(".snippet-comment").filter({ hasText: "×" }).first()).toBeVisible();
  await program.getByRole("button", { name: "PyTorch" }).click();
  await expect(code).toContainText("import torch");
  await expect(page).toHaveURL(/code=pytorch/);
  await program.getByRole("button", { name: "burn" }).click();
  await expect(code).toContainText('// Cargo.toml: burn = { version = "=');
  await expect(page).toHaveURL(/code=burn/);
  await expect(page).toHaveURL(/answers=code-scaled-attention/);
  await page.reload();
  await expect(code).toContainText("fn main() {");
  await expect(code).not.toContainText("{{");
});

freshTest("copied code is the code on screen", async ({ page, scope, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await scope.openLive(`${chapter}&answers=code-scaled-attention&code=pytorch`);
  const program = snippet(page, "scaled-attention");
  await expect(program.getByTestId("snippet-code")).toContainText("import torch");
  await program.getByTestId("copy-snippet").click();
  await expect(program.getByTestId("copy-snippet")).toContainText("Copied");
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.trim()).toBe((await program.getByTestId("snippet-code").textContent())?.trim());
});

test("programs are opened, chosen and read by keyboard", async ({ page, scope }) => {
  await scope.openLive(chapter);
  const program = snippet(page, "scaled-attention");
  await program.locator("summary").focus();
  await page.keyboard.press("Enter");
  await expect(program.getByTestId("snippet-code")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(program.getByRole("button", { name: "burn" })).toHaveAttribute("aria-pressed", "true");
  const code = program.getByRole("region", { name: "Program in burn" });
  for (let step = 0; step < 3; step += 1) {
    await page.keyboard.press("Tab");
  }
  await expect(code).toBeFocused();
});

test("another text changes the sizes, and a stage of a model its program", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow&stage=2&answers=code-scores");
  const code = snippet(page, "scores").getByTestId("snippet-code");
  await expect(code).toContainText(/n, d_k = \d+, \d+/);
});

freshTest("programs are fetched when the first is opened, and the library is remembered", async ({ page }) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/snippets.")) {
      fetched.push(request.url());
    }
  });
  await page.goto(`./#v=2&${chapter}`);
  const program = snippet(page, "scaled-attention");
  await expect(program).toBeVisible();
  expect(fetched).toEqual([]);
  await program.locator("summary").click();
  await expect(program.getByTestId("snippet-code")).toContainText("import numpy");
  expect(fetched).toHaveLength(1);
  await program.getByRole("button", { name: "burn" }).click();
  await page.goto("about:blank");
  await page.goto(`./#v=2&${chapter}&answers=code-scaled-attention`);
  await expect(program.getByTestId("snippet-code")).toContainText("use burn::prelude::*;");
});

freshTest("in Chinese and at 390 px the code scrolls by itself", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`./#v=2&${chapter}&lang=zh&answers=code-scaled-attention`);
  const program = snippet(page, "scaled-attention");
  await expect(program.locator("summary")).toHaveText("以代码显示");
  await expect(program.getByTestId("snippet-code")).toBeVisible();
  await expect(program).toContainText("个词元");
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
});
