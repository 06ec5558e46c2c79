// A model from a hub: found, downloaded, kept, opened again without a network, and what can go wrong.

import type { Page } from "@playwright/test";

import { offerCheckpoint } from "../checkpoint";
import { Hub } from "../hub";
import { expect, freshTest, type Scope } from "../scope";

const TEXT = "a secret sentence of the visitor";

const test = freshTest.extend<{ hub: Hub }>({
  hub: async ({}, use) => {
    const hub = await Hub.start();
    await use(hub);
    await hub.stop();
  },
  named: async ({ hub }, use) => use(hub.origins),
});

async function find(scope: Scope, hub: Hub, token = ""): Promise<void> {
  const { page } = scope;
  if (await scope.modelsSheet.isHidden()) await scope.openModels();
  await page.getByTestId("hub-model").fill("owner/translator");
  const more = page.locator(".models-more");
  if ((await more.getAttribute("open")) === null) await more.locator("summary").click();
  await page.getByTestId("hub-base").fill(hub.address);
  await page.getByTestId("hub-token").fill(token);
  await page.getByTestId("hub-find").click();
}

async function runs(scope: Scope): Promise<void> {
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.page).toHaveURL(/model=mine-[0-9a-f]{12}/);
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
}

const problem = (page: Page) => page.getByTestId("hub-problem");

test("a mirror that has the files and does not describe them is asked for their sizes", async ({ page, scope, hub }) => {
  hub.habits.describes = false;
  await scope.openLive();
  await find(scope, hub);
  await expect(page.getByTestId("hub-found")).toContainText("MB");
  await page.getByTestId("hub-download").click();
  await runs(scope);
  await expect(scope.modelsButton).toContainText("owner/translator");
  const methods = new Set(hub.asked.map(({ method }) => method));
  expect([...methods].sort()).toEqual(["GET", "HEAD"]);
});

test("a model is found, downloaded in parts, and opened from this machine without the hub", async ({ page, scope, hub }) => {
  await scope.openLive();
  await find(scope, hub);
  const found = page.getByTestId("hub-found");
  await expect(found).toContainText("Architecture: marian. Licence: cc-by-4.0.");
  // Nothing large is asked for before the visitor says so.
  expect(hub.askedOfFiles).toEqual([]);
  await page.getByTestId("hub-download").click();
  await runs(scope);
  await expect(scope.modelsButton).toContainText("owner/translator");
  expect(hub.rangesOfWeights.length).toBe(Math.ceil(hub.weightsBytes / (4 << 20)));
  await scope.translate(TEXT);
  await scope.becomesLive();
  const all = [...hub.asked, ...hub.askedOfFiles];
  expect(all.every(({ body, method }) => body === "" && ["GET", "OPTIONS"].includes(method))).toBe(true);
  expect(JSON.stringify(all)).not.toContain("secret");

  await hub.stop();
  await page.reload();
  await runs(scope);
  await expect(scope.modelsButton).toContainText("owner/translator");
  await expect(page.getByTestId("result")).toHaveAttribute("data-text", TEXT);

  await scope.openModels();
  const kept = page.getByTestId("hub-kept");
  await expect(kept).toContainText("owner/translator");
  await kept.getByTestId("hub-remove").click();
  await expect(kept).toBeHidden();
});

test("a model that the page offers is downloaded with one click, and kept", async ({ page, scope }) => {
  await offerCheckpoint(page, "gguf-llama", "owner/tiny");
  await scope.openLive();
  await scope.openModels();
  const offered = page.getByTestId("offered");
  await expect(offered).toContainText("Weights: 10,000. Licence: mit. 0.0 MB are downloaded once");
  await page.getByTestId("offered-take").click();
  await runs(scope);
  await expect(scope.modelsButton).toContainText("owner/tiny");
  // The second time it is here.
  await page.unroute("**/hub/**");
  await scope.chooseModel("translator");
  await scope.becomesLive();
  await scope.openModels();
  await expect(page.getByTestId("offered-take")).toHaveText("Open");
  await page.getByTestId("offered-take").click();
  await runs(scope);
  await scope.openModels();
  await page.getByTestId("hub-remove").click();
  await expect(page.getByTestId("offered-take")).toContainText("Download");
});

test("a broken download says so and goes on from its last part", async ({ page, scope, hub }) => {
  hub.habits = { breaksAfter: 2 };
  await scope.openLive();
  await find(scope, hub);
  await page.getByTestId("hub-download").click();
  await expect(problem(page)).toContainText("No answer from");
  await expect(page.getByTestId("hub-kept")).toContainText("8.8 of 15.6 MB");
  // What was on screen is still there.
  await expect(page).not.toHaveURL(/model=mine/);
  hub.habits = {};
  hub.askedOfFiles.length = 0;
  await page.getByTestId("hub-open").click();
  await runs(scope);
  expect(hub.rangesOfWeights[0]).toBe(`bytes=${8 << 20}-${(12 << 20) - 1}`);
  expect(hub.askedOfFiles.some(({ url }) => url.endsWith("tokenizer.json"))).toBe(false);
});

test("a host without ranges sends the whole file", async ({ page, scope, hub }) => {
  hub.habits = { ranges: false };
  await scope.openLive();
  await find(scope, hub);
  await page.getByTestId("hub-download").click();
  await runs(scope);
  expect(hub.rangesOfWeights.length).toBe(1);
});

test("a token goes to the hub and nowhere else", async ({ page, scope, hub }) => {
  hub.habits = { token: "hf_secret" };
  await scope.openLive();
  await find(scope, hub);
  await expect(problem(page)).toContainText("asks for an access token");
  await find(scope, hub, "hf_secret");
  await page.getByTestId("hub-download").click();
  await runs(scope);
  expect(hub.asked.some(({ authorization }) => authorization === "Bearer hf_secret")).toBe(true);
  expect(hub.askedOfFiles.every(({ authorization }) => authorization === undefined)).toBe(true);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  expect(stored).not.toContain("hf_secret");
});

test("every fault of a hub has its sentence, and the old model stays", async ({ page, scope, hub }) => {
  await scope.openLive();
  await scope.openModels();
  await page.getByTestId("hub-model").fill("no address");
  await page.getByTestId("hub-find").click();
  await expect(page.getByTestId("hub-wrong")).toContainText("owner/name");

  await find(scope, hub);
  await page.getByTestId("hub-model").fill("owner/other");
  await page.getByTestId("hub-find").click();
  await expect(problem(page)).toContainText("does not exist");

  hub.habits = { cors: false };
  await find(scope, hub);
  await expect(problem(page)).toContainText("CORS");

  hub.habits = { modelType: "mamba" };
  await find(scope, hub);
  await expect(page.getByTestId("hub-unsupported")).toContainText("“mamba”");
  await expect(page.getByTestId("hub-download")).toBeHidden();

  hub.habits = { sha256: "0".repeat(64) };
  await find(scope, hub);
  await page.getByTestId("hub-download").click();
  await expect(problem(page)).toContainText("The contents of model.safetensors are not those");

  hub.habits = { ranges: false, weightsBytes: 1000 };
  await find(scope, hub);
  await page.getByTestId("hub-remove").click();
  await page.getByTestId("hub-download").click();
  await expect(problem(page)).toContainText("model.safetensors should have 1,000 bytes");

  // More than a tab has memory for is told before anything is downloaded.
  hub.habits = { weightsBytes: 1e15 };
  await find(scope, hub);
  await expect(page.getByTestId("hub-too-large")).toContainText("This model needs 1000000000.4 MB of memory");
  await expect(page.getByTestId("hub-download")).toBeDisabled();

  const browser = await page.context().newCDPSession(page);
  await browser.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin, quotaSize: 1e6 });
  hub.habits = {};
  await find(scope, hub);
  await page.getByTestId("hub-remove").click();
  await page.getByTestId("hub-download").click();
  await expect(problem(page)).toContainText("no room left");

  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/model=mine/);
  await scope.translate("le chat");
  await scope.becomesLive();
});
