// What is taken along from the page: one HTML file, a film of the decoding, the view as a file, and all models.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { Page } from "@playwright/test";

import { expect, freshTest as test } from "../scope";

const open = (page: Page) => page.getByTestId("share-menu").locator("> summary").click();

async function taken(page: Page, button: string) {
  const download = page.waitForEvent("download");
  await page.getByTestId(button).click();
  return download;
}

test("one HTML file replays the pass without a network", async ({ page, scope, context }, info) => {
  await scope.openLive("text=Je%20suis%20%C3%A9tudiant.&kind=cross&layer=2&head=4&lang=zh");
  const answer = (await scope.translation.textContent()) ?? "";
  await open(page);
  const file = await taken(page, "take-page");
  expect(file.suggestedFilename()).toMatch(/je-suis.*\.html$/);
  const path = info.outputPath("pass.html");
  await file.saveAs(path);
  expect(readFileSync(path).length).toBeLessThan(600_000);

  const replay = await context.newPage();
  await replay.route("**", (route) => (route.request().url().startsWith("file:") ? route.continue() : route.abort()));
  const asked: string[] = [];
  replay.on("request", (request) => asked.push(request.url()));
  await replay.goto(pathToFileURL(path).href);
  await expect(replay.locator("canvas").first()).toBeVisible();
  await expect(replay.locator("html, #replay").last()).toHaveAttribute("lang", "zh-Hans");
  // Addresses of today count from 0 without `v=2`: layer 3, head 5.
  await expect(replay.getByRole("heading", { name: /第 3 层.*5/ })).toBeVisible();
  expect(answer).not.toBe("");
  expect(asked.filter((url) => !url.startsWith("file:") && !url.startsWith("data:") && !url.startsWith("blob:"))).toEqual([]);
});

test("the decoding is filmed, and a film can be stopped", async ({ page, scope, context }) => {
  test.slow();
  await scope.openLive("text=Je%20suis%20%C3%A9tudiant.");
  await open(page);
  const begun = taken(page, "take-film");
  await expect(page.getByTestId("filming")).toContainText(/Step [1-9] of 7/);
  const file = await begun;
  expect(file.suggestedFilename()).toMatch(/\.(webm|mp4)$/);
  const film = readFileSync(await file.path()).toString("base64");
  // The page's policy lets it play nothing.
  const elsewhere = await context.newPage();
  const seen = await elsewhere.evaluate(watched, film);
  await elsewhere.close();
  expect(seen.width).toBe(960);
  expect(seen.height).toBe(600);
  // Something is drawn, and the last picture is not the first.
  expect(seen.dark).toBeGreaterThan(1_000);
  expect(seen.changed).toBeGreaterThan(1_000);

  await page.getByTestId("take-film").click();
  await expect(page.getByTestId("filming")).toContainText("Step 2");
  await page.getByTestId("stop-film").click();
  await expect(page.getByTestId("take-film")).toBeVisible();
  await expect(page.getByTestId("share-menu").getByRole("alert")).toHaveCount(0);
});

/** Runs on the page: plays a film, and compares its first picture with its last. */
async function watched(film: string) {
  const video = document.createElement("video");
  const bytes = Uint8Array.from(atob(film), (character) => character.charCodeAt(0));
  video.src = URL.createObjectURL(new Blob([bytes]));
  video.muted = true;
  const canvas = document.createElement("canvas");
  const picture = (): Uint8ClampedArray => {
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const drawing = canvas.getContext("2d");
    if (drawing === null) throw new Error("no canvas");
    drawing.drawImage(video, 0, 0);
    return drawing.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  await new Promise((resolve, reject) => {
    video.onloadeddata = resolve;
    video.onerror = () => reject(new Error(video.error?.message));
  });
  const first = picture();
  video.playbackRate = 4;
  await video.play();
  await new Promise((resolve) => (video.onended = resolve));
  const last = picture();
  const count = (differs: (place: number) => boolean): number => {
    let counted = 0;
    for (let place = 0; place < last.length; place += 4) counted += Number(differs(place));
    return counted;
  };
  return {
    width: video.videoWidth,
    height: video.videoHeight,
    dark: count((place) => (last[place] ?? 255) < 128),
    changed: count((place) => Math.abs((last[place] ?? 0) - (first[place] ?? 0)) > 40),
  };
}

test("a view is saved as a file, and opens when it is dropped", async ({ page, scope }, info) => {
  await scope.openLive("tab=learn&chapter=positions&text=Je%20suis%20%C3%A9tudiant.");
  await open(page);
  const path = join(info.outputDir, "attention.view.json");
  await (await taken(page, "take-view")).saveAs(path);
  await scope.openLive("text=Bonjour");
  await scope.openModels();
  await page.getByTestId("mine-files").setInputFiles(path);
  await expect(scope.modelsSheet).toBeHidden();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "positions");
  await expect(page).toHaveURL(/text=Je/);

  await scope.openModels();
  const newer = { name: "a.view.json", mimeType: "", buffer: Buffer.from('{"attention_scope_view": 9, "fragment": ""}') };
  await page.getByTestId("mine-files").setInputFiles(newer);
  await expect(page.getByTestId("mine-problem")).toContainText("version 9");
});

test("all models are kept for use without a network", async ({ page, scope, context }) => {
  test.slow();
  await scope.openLive();
  await open(page);
  const status = page.getByTestId("offline-models");
  await expect(status).toContainText(/other models are \d+\.\d MB/);
  await page.getByTestId("keep-models").click();
  await expect(status).toContainText(/\d of \d+\.\d MB downloaded/);
  await page.getByTestId("stop-keeping").click();
  await expect(page.getByTestId("keep-models")).toBeVisible();
  await page.getByTestId("keep-models").click();
  await expect(status).toContainText("All models of this page are in this browser", { timeout: 120_000 });
  await context.setOffline(true);
  await page.keyboard.press("Escape");
  await scope.openModels();
  await page.getByTestId("model-sentences").click();
  await scope.becomesLive();
  await context.setOffline(false);
});

test("the page can be installed", async ({ page, scope, request }) => {
  await scope.openLive();
  const address = await page.locator("link[rel=manifest]").getAttribute("href");
  const response = await request.get(`./${address ?? ""}`);
  expect(response.headers()["content-type"]).toContain("manifest+json");
  const { name, start_url: start, icons } = await response.json();
  expect(name).toBe("Attention Scope");
  expect(start).toBe("./");
  for (const { src } of icons) expect((await request.get(`./${src}`)).ok(), src).toBe(true);
});
