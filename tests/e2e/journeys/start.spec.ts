// The first seconds: a worked example at once, then the engine, with a progress bar.

import { expect, files, freshTest as test, holdBack } from "../scope";

test("the worked example is on screen while the engine is not", async ({ page, scope }) => {
  await page.route(files.cpuEngine, () => {});
  await scope.open();
  await scope.showsExample();
  await expect(scope.translation).toHaveText(/student/);
  await expect(scope.tokens).toContainText("suis");

  await scope.pointAt(scope.heatmap, 0.5, 0.5);
  await expect(scope.value).toHaveText(/^((< )?[01]\.\d{4})$/);
});

test("loading shows megabytes of megabytes, then the view turns live", async ({ page, scope }) => {
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    new MutationObserver(() => {
      const bar = document.querySelector("[data-testid=loading]");
      if (bar?.textContent) seen.push(bar.textContent);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await scope.openLive();
  const seen: string[] = await page.evaluate(() => Reflect.get(window, "seen"));
  expect(seen.some((text) => /\d+\.\d of \d+\.\d MB/.test(text))).toBe(true);
  await expect(page.getByTestId("loading")).toBeHidden();
  await expect(page.getByTestId("device-name")).toContainText("CPU");
  await scope.openDevice();
  await expect(page.getByTestId("timing")).toHaveText(/decoding [\d.]+ ms, forward pass [\d.]+ ms/);
});

test("an isolated page shares the work between threads", async ({ page, scope }) => {
  await scope.openLive();
  const cores = await page.evaluate(() => {
    if (!crossOriginIsolated) throw new Error("the page is not isolated");
    return Math.min(navigator.hardwareConcurrency, 8);
  });
  // On one core there is nobody to share with.
  const device = cores === 1 ? "CPU" : `CPU, ${cores} threads`;
  await expect(page.getByTestId("device-name")).toHaveText(new RegExp(`^${device} · `));
});

test("loading can be cancelled, and taken up again", async ({ page, scope }) => {
  const letGo = await holdBack(page, files.weights);
  await scope.open();
  await scope.showsExample();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await page.getByTestId("cancel-loading").click();
  await expect(page.getByTestId("stopped")).toBeVisible();
  await scope.showsExample();

  letGo();
  await page.getByRole("button", { name: "Load the model" }).click();
  await scope.becomesLive();
});

test("a page that cannot start says so in both languages", async ({ page, scope }) => {
  await page.route(files.page, (route) => route.abort());
  await scope.open();
  const message = page.getByRole("alert");
  await expect(message).toContainText("could not be started");
  await expect(message).toContainText("无法启动");
  await expect(message.getByRole("link", { name: "Reload" })).toBeVisible();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the page says what it needs", async ({ page, scope }) => {
    await scope.open();
    const [english, chinese] = [page.locator("noscript p").first(), page.locator("noscript p").last()];
    await expect(english).toBeVisible();
    await expect(english).toContainText("needs JavaScript");
    await expect(chinese).toContainText("需要 JavaScript");
  });
});
