// The model runs on a server beside the page: the same numbers, its end and its return, and what it refuses.

import type { Page } from "@playwright/test";

import { baseURL } from "../browser";
import type { Scope } from "../scope";
import { expect, test, tokenFile } from "../served";

const TRANSLATOR = "assets/models/translator";
const TINY = "tests/fixtures/tiny/llama-tiny";

const deviceName = (page: Page) => page.getByTestId("device-name");

/** Chooses a device by its name. */
async function choose(page: Page, name: string | RegExp): Promise<void> {
  await page.getByTestId("device-popover").locator("summary").click();
  const select = page.getByTestId("device-select");
  const label = await select.locator("option").filter({ hasText: name }).textContent();
  await select.selectOption({ label: (label ?? "").trim() });
  await page.keyboard.press("Escape");
}

/** What the page writes of a result: the translation, and some weights of a head. */
async function written(page: Page, scope: Scope): Promise<string[]> {
  const texts = [(await scope.translation.textContent()) ?? ""];
  for (const cell of ["1.1", "2.3", "3.2"]) {
    await page.evaluate((cell) => {
      const fragment = new URLSearchParams(location.hash.slice(1));
      fragment.set("v", "2");
      fragment.set("cell", cell);
      location.hash = String(fragment);
    }, cell);
    await expect(scope.value).toBeVisible();
    await scope.comesToRest();
    texts.push((await scope.value.textContent()) ?? "");
  }
  return texts;
}

test("the link of a server: the page runs there, and has the numbers of this browser", async ({ page, scope, serve }) => {
  const served = await serve(TRANSLATOR);
  await page.goto(`${served.link}&text=Je+suis+%C3%A9tudiant.`);
  await scope.becomesLive();
  const host = new URL(served.link).host;
  await expect(deviceName(page)).toContainText(`on ${host}`);
  // It is a model of this page, and is recognised as one.
  await expect(page).toHaveURL(/device=server/);
  await expect(page).not.toHaveURL(/model=mine/);
  await expect(page.getByTestId("welcome")).toContainText(`What you type is sent to ${host}.`);
  const there = await written(page, scope);
  expect(await served.metrics()).toMatchObject({ attn_visitors: 1, attn_runs_total: 1 });
  await choose(page, "CPU");
  await expect(deviceName(page)).not.toContainText(host);
  await scope.becomesLive();
  expect(await written(page, scope)).toEqual(there);
  await expect.poll(async () => (await served.metrics()).attn_visitors).toBe(0);
  await choose(page, host);
  await expect(deviceName(page)).toContainText(host);
  await scope.becomesLive();
  expect(await written(page, scope)).toEqual(there);
  expect(served.log.map((line) => JSON.parse(line).fields.message)).toContain("ran");
  expect(served.log.join("\n")).not.toContain("suis");
});

test("a server that is killed: what is on screen stays, and the run is repeated once it is back", async ({
  page,
  scope,
  serve,
}) => {
  const served = await serve(TRANSLATOR, "--token-file", tokenFile());
  await page.goto(served.link);
  await scope.becomesLive();
  const there = await written(page, scope);
  await served.kill();
  await expect(scope.problem).toContainText("no connection to the server");
  await expect(page.getByTestId("next-attempt")).toContainText(/Next attempt in \d+\ss/);
  await expect(scope.translation).toHaveText(there[0] ?? "");
  await expect(scope.thumbnails.first()).toBeVisible();
  await served.start();
  await expect(scope.problem).toBeHidden();
  await scope.becomesLive();
  await expect.poll(async () => (await served.metrics()).attn_runs_total).toBe(1);
  expect(await written(page, scope)).toEqual(there);
});

test("a server that does not come back: this browser takes over", async ({ page, scope, serve }) => {
  // The page comes from elsewhere, and so do its engines.
  const served = await serve(TRANSLATOR, "--origin", new URL(baseURL).origin);
  await scope.open(new URL(served.link).hash.slice(1));
  // A link alone does not send to another host what a visitor types.
  await expect(scope.problem).toContainText("What you type is sent there.");
  expect((await served.metrics()).attn_visitors_total).toBe(0);
  await page.getByTestId("agree-to-server").click();
  await scope.becomesLive();
  await expect(deviceName(page)).toContainText(new URL(served.link).host);
  await served.kill();
  await expect(scope.problem).toBeVisible();
  await page.getByTestId("use-browser").click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
  await expect(deviceName(page)).toContainText("CPU");
});

test("another token and a full server are told apart", async ({ page, scope, serve }) => {
  const served = await serve(TRANSLATOR, "--visitors", "1");
  const { host } = new URL(served.link);
  await page.goto(served.link.replace(/token=\w+/, "token=00000000000000000000000000000000"));
  await expect(scope.problem).toContainText(`The server ${host} does not accept the token`);
  const taken = await page.context().newPage();
  await taken.goto(served.link);
  await expect(taken.getByTestId("origin")).toHaveAttribute("data-origin", "live");
  await page.goto("about:blank");
  await page.goto(served.link);
  await expect(scope.problem).toContainText(`All places of the server ${host} are taken.`);
  // As soon as one is free, it is taken without being asked again.
  await taken.close();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

test("a model that the page does not know, and one that the server does not have", async ({ page, scope, serve }) => {
  const served = await serve(TINY);
  await page.goto(served.link);
  await scope.becomesLive();
  await expect(page).toHaveURL(/model=mine-[0-9a-f]{12}/);
  await expect(scope.modelsButton).toContainText("llama-tiny");
  await scope.chooseModel("translator");
  await scope.becomesLive();
  await expect(deviceName(page)).toContainText("CPU");
  await page.getByTestId("device-popover").locator("summary").click();
  await expect(page.getByTestId("server-has")).toContainText("The server has llama-tiny alone");
  await page.getByTestId("use-model-of-server").click();
  await expect(scope.modelsButton).toContainText("llama-tiny");
  await scope.becomesLive();
  await expect(deviceName(page)).toContainText("on 127.0.0.1");
  // A link to it, opened once the server has another model, is not answered by that one.
  const link = page.url();
  const other = await serve(TRANSLATOR);
  const { searchParams } = new URL(other.link.replace("#", "?"));
  const elsewhere = new URLSearchParams(new URL(link).hash.slice(1));
  for (const name of ["server", "token"]) elsewhere.set(name, searchParams.get(name) ?? "");
  await page.goto("about:blank");
  await page.goto(`${new URL(other.link).origin}/#${elsewhere}`);
  await expect(scope.problem).toContainText("The server has another model: translator.");
  await page.getByTestId("use-model-of-server").click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});

test("a link is pasted on a page of another origin", async ({ page, scope, serve }) => {
  const served = await serve(TRANSLATOR, "--origin", new URL(baseURL).origin);
  await scope.openLive();
  await page.getByTestId("device-popover").locator("summary").click();
  const field = page.getByTestId("server-link");
  // On a phone what the button opens lies within the window.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(field).toBeInViewport({ ratio: 1 });
  await expect(page.getByTestId("server-connect")).toBeInViewport({ ratio: 1 });
  await expect(page.getByTestId("device-select")).toBeInViewport({ ratio: 1 });
  await scope.fits(390);
  await field.fill("http://127.0.0.1:8090/");
  await field.press("Enter");
  await expect(page.getByTestId("server-link-problem")).toContainText("names no server");
  await field.fill(served.link);
  await page.getByTestId("server-connect").click();
  await expect(deviceName(page)).toContainText(`on ${new URL(served.link).host}`);
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});
