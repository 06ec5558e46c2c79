// Code that loads when it is needed: the "Learn" tab's, and nobody else's.

import { expect, files, freshTest as test, holdBack } from "../scope";

/** Whether this is the address of the code of "Learn". */
const isLearn = (url: string): boolean => /\/split_learn\.\w+\.wasm$/.test(url);

test("opening Learn loads its code, and opening another tab does not", async ({ page, scope }) => {
  // Once the model has answered, the page loads the code ahead.
  await page.route(files.cpuEngine, () => {});
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  const chunks = (): string[] => asked.filter(isLearn);
  await scope.open();
  await scope.showsExample();
  await scope.inspect("Next word");
  await expect(page.getByTestId("candidates")).toBeVisible();
  await scope.inspect("Heatmap");
  await scope.isDrawn();
  expect(chunks()).toEqual([]);

  await page.getByTestId("tab-learn").click();
  await expect(page.getByTestId("chapter")).toBeVisible();
  expect(chunks()).toHaveLength(1);
  await page.getByTestId("tab-explore").click();
  await page.getByTestId("tab-learn").click();
  await expect(page.getByTestId("chapter")).toBeVisible();
  expect(chunks()).toHaveLength(1);
});

test("once the model has answered, the code of Learn is there", async ({ page, scope }) => {
  const loaded = page.waitForResponse((response) => isLearn(response.url()));
  await scope.openLive();
  await (await loaded).finished();
  await page.route(files.learn, (route) => route.abort());
  await page.getByTestId("tab-learn").click();
  await expect(page.getByTestId("chapter")).toBeVisible();
});

test("code on its way is said to be", async ({ page, scope }) => {
  const letGo = await holdBack(page, files.learn);
  await scope.open("tab=learn");
  await expect(page.getByTestId("part-loading")).toHaveRole("status");
  letGo();
  await expect(page.getByTestId("chapter")).toBeVisible();
  await expect(page.getByTestId("part-loading")).toBeHidden();
});

test("code that cannot be had: said in the language of the page, all else stays, retry works", async ({ page, scope }) => {
  await page.route(files.cpuEngine, () => {});
  await page.route(files.learn, (route) => route.fulfill({ status: 404 }));
  await scope.open();
  await scope.showsExample();
  await page.getByTestId("tab-learn").click();
  const missing = page.getByTestId("part-missing");
  await expect(missing).toContainText("could not be loaded");
  await page.getByTestId("language").click();
  await expect(missing).toContainText("无法加载");
  await expect(scope.translation).toHaveText(/student/);
  await page.getByTestId("tab-explore").click();
  await scope.isDrawn();

  await page.getByTestId("tab-learn").click();
  await expect(missing).toBeVisible();
  await page.unroute(files.learn);
  await page.getByTestId("part-retry").click();
  await expect(page.getByTestId("chapter")).toBeVisible();
  await expect(missing).toBeHidden();
});

test("a connection that breaks while the code arrives", async ({ page, scope }) => {
  await page.route(files.learn, (route) => route.abort("connectionreset"));
  await scope.open("tab=learn&chapter=sizes");
  await expect(page.getByTestId("part-missing")).toBeVisible();
  await page.unroute(files.learn);
  await page.getByTestId("part-retry").click();
  await expect(page.getByTestId("chapter")).toHaveAttribute("data-chapter", "sizes");
});

test("back and forward reach a chapter whose code had to load", async ({ page, scope }) => {
  await page.route(files.cpuEngine, () => {});
  await scope.open("tab=learn&chapter=norms");
  const chapter = page.getByTestId("chapter");
  await expect(chapter).toHaveAttribute("data-chapter", "norms");
  await page.getByTestId("next-chapter").click();
  await expect(chapter).toHaveAttribute("data-chapter", "search");
  await page.goBack();
  await expect(chapter).toHaveAttribute("data-chapter", "norms");
  await page.goForward();
  await expect(chapter).toHaveAttribute("data-chapter", "search");
});
