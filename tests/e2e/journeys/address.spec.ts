// The whole view is in the address bar.

import { expect, files, freshTest, test } from "../scope";

test("a reload gives the same view", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
  await scope.head("decoder", 2, 3).click();
  await scope.heatmap.click({ position: { x: 3, y: 3 } });
  await page.mouse.move(0, 0);
  // Browsers limit how often the address may change, so the page lets it settle first.
  await expect(page).toHaveURL(/head=3.*cell=|cell=.*head=3/);
  const address = page.url();
  const [value, title, translation] = await Promise.all([
    scope.value.textContent(),
    scope.figureTitle.textContent(),
    scope.translation.textContent(),
  ]);

  await page.reload();
  await scope.becomesLive();
  expect(page.url()).toBe(address);
  await expect(scope.text).toHaveValue("Je ne sais pas.");
  await expect(scope.translation).toHaveText(translation ?? "");
  await expect(scope.figureTitle).toHaveText(title ?? "");
  await expect(scope.value).toHaveText(value ?? "");
});

test("a link opens the view it was copied from", async ({ page, scope }) => {
  await scope.openLive("text=Je+ne+sais+pas.&tab=decoding&step=2&theme=dark&lang=zh&beam=3");
  await expect(page.getByTestId("input")).toHaveValue("Je ne sais pas.");
  await expect(page.getByTestId("step-of")).toContainText("3");
  await expect(page.getByTestId("beam").getByRole("row")).toHaveCount(4);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

freshTest("an address that makes no sense opens the default view, says what it cannot follow, and stays", async ({ page, scope }) => {
  const link = "model=gpt2&tab=nope&layer=99&head=-1&cell=1.2&step=200&beam=1000&prefix=a.b&foo=bar";
  await scope.openLive(link);
  await expect(scope.figureTitle).toContainText("Layer 3, head 4");
  const notice = page.getByTestId("address-notice");
  for (const entry of ["model=gpt2", "tab=nope", "head=-1", "beam=1000", "prefix=a.b", "foo=bar"]) {
    await expect(notice).toContainText(entry);
  }
  // What only the model and its result can tell.
  await expect(notice).toContainText("layer=99 · this number starts at 0; the highest here is 2");
  await expect(notice).toContainText("step=200 · this number starts at 0; the highest here is ");
  await expect(notice.getByRole("listitem").filter({ hasText: "cell=" })).toHaveCount(0);
  expect(page.url()).toContain(`#${link}`);
  await page.getByTestId("close-address-notice").click();
  await expect(notice).toBeHidden();
  expect(page.url()).toContain(`#${link}`);
  await page.getByTestId("tab-learn").click();
  await expect(page).toHaveURL(/tab=learn/);
  await page.goBack();
  await expect(page).toHaveURL(/model=gpt2/);

  await scope.open("tab=learn&chapter=alchemy&stage=99&lang=zh");
  await expect(notice).toContainText("chapter=alchemy");
  await scope.openChapter("follow");
  await scope.open("tab=learn&chapter=follow&stage=4294967295");
  await expect(notice).toContainText("stage=4294967295");
});

freshTest("an address counts from 1 as the page does; one without the mark means what it meant, and becomes one", async ({ page, scope }) => {
  await scope.openLive("v=2&kind=decoder&layer=1&head=2");
  await expect(scope.figureTitle).toContainText("Layer 1, head 2");
  await scope.openLive("kind=decoder&layer=1&head=2");
  await expect(scope.figureTitle).toContainText("Layer 2, head 3");
  await expect(page).toHaveURL(/#v=2&kind=decoder&layer=2&head=3$/);
  await scope.openLive("v=2&layer=0&head=2&step=99");
  const notice = page.getByTestId("address-notice");
  await expect(notice).toContainText("layer=0 · there is no such value");
  await expect(notice).toContainText("step=99 · the highest here is ");
  await expect(scope.figureTitle).toContainText("head 2");
});

test("what is shown on the map is undone one by one", async ({ page, scope }) => {
  await scope.openLive();
  for (const [tool, name] of [["importance", "importance"], ["roles", "roles"], ["importance", "game"]] as const) {
    await scope.openTool(tool);
    await page.getByTestId(name).click();
    await expect(page).toHaveURL(new RegExp(`${name}=`));
  }
  await page.goBack();
  await expect(page).not.toHaveURL(/game=/);
  await expect(page).toHaveURL(/importance=1.*roles=1/);
  await page.goBack();
  await expect(page).toHaveURL(/importance=1/);
  await expect(page).not.toHaveURL(/roles=1/);
});

test("going back undoes the last change", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await page.getByTestId("tab-learn").click();
  await expect(page).toHaveURL(/tab=learn/);
  await page.goBack();
  await expect(page).not.toHaveURL(/tab=learn/);
});

test("going back to a text shows it as it was", async ({ page, scope }) => {
  await scope.openLive("cell=3.1&step=3");
  await scope.translate("Je ne sais pas.");
  await expect(page).not.toHaveURL(/cell=/);
  await page.goBack();
  await expect(scope.text).toHaveValue("Je suis étudiant");
  await expect(page).toHaveURL(/cell=4\.2.*step=4/);
});

test("the predicted words on the map lead to the next word, and back", async ({ page, scope }) => {
  await scope.openLive();
  await scope.zoomIn();
  await page.getByTestId("map-words").press("Enter");
  await expect(page).toHaveURL(/show=next/);
  await expect(page.getByTestId("candidates")).toBeVisible();
  await page.goBack();
  await expect(scope.heatmap).toBeVisible();
});

test("a candidate of the text on screen is forced on that text, whatever has been typed since", async ({ page, scope }) => {
  await scope.openLive("tab=decoding");
  await scope.text.fill("Je ne sais pas.");
  await page.getByTestId("candidate").nth(1).click();
  await expect(page).toHaveURL(/prefix=/);
  await expect(scope.text).toHaveValue("Je suis étudiant");
  await expect(scope.tokens).toContainText("suis");
});

test("another fragment opens its view, and back and forward go between them", async ({ page, scope }) => {
  await scope.openLive();
  await page.evaluate(() => {
    location.hash = "text=Je+ne+sais+pas.&layer=0&theme=dark";
  });
  await expect(scope.text).toHaveValue("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
  await expect(scope.figureTitle).toContainText("Layer 1, head 4");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");

  await page.goBack();
  await expect(scope.text).toHaveValue("Je suis étudiant");
  await expect(scope.tokens).toContainText("suis");
  await expect(scope.figureTitle).toContainText("Layer 3, head 4");
  await page.goForward();
  await expect(scope.text).toHaveValue("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
  await expect(scope.figureTitle).toContainText("Layer 1, head 4");
  await expect(page).toHaveURL(/#v=2&text=Je\+ne\+sais\+pas\.&layer=1&head=4&theme=dark$/);
});

test("a link that something was added to opens its view", async ({ page, scope }) => {
  await page.goto("./?from=newsletter&text=no#text=Je+ne+sais+pas.");
  await scope.becomesLive();
  await expect(scope.text).toHaveValue("Je ne sais pas.");
  expect(new URL(page.url()).search).toBe("");
});

test("a reload right after the last letter has it", async ({ page, scope }) => {
  await scope.openLive();
  const reloaded = page.waitForEvent("load");
  // The script may end with the page that it runs on.
  const typed = page.evaluate(async () => {
    const input = document.querySelector<HTMLTextAreaElement>("[data-testid=input]")!;
    for (const letter of " abcdefgh") {
      input.value += letter;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
    }
    location.reload();
  });
  await Promise.all([reloaded, typed.catch(() => {})]);
  await expect(scope.text).toHaveValue("Je suis étudiant abcdefgh");
  await scope.becomesLive();
});

freshTest("a page that could not start keeps its view through a reload", async ({ page, scope }) => {
  await page.route(files.page, (route) => route.abort());
  await scope.open("text=Je+ne+sais+pas.");
  const reload = page.getByRole("alert").getByRole("link", { name: "Reload" });
  await expect(reload).toBeVisible();
  await page.unroute(files.page);
  await reload.click();
  await expect(scope.text).toHaveValue("Je ne sais pas.");
  await scope.becomesLive();
});

test("a forced token that the model does not have is named, and nothing is lost", async ({ page, scope }) => {
  await scope.openLive();
  const before = (await scope.translation.textContent()) ?? "";
  for (const [beam, prefix] of [["", "999999"], ["&beam=3", "5.999999"]]) {
    await page.evaluate((fragment) => (location.hash = fragment), `prefix=${prefix}${beam}`);
    await expect(scope.problem).toHaveText(/Token 999999 cannot be forced: this model has 8000 tokens/);
    await expect(scope.translation).toHaveText(before);
    await expect(scope.thumbnails.first()).toBeVisible();
    await page.getByRole("button", { name: "Let the model choose" }).click();
    await expect(scope.problem).toBeHidden();
    await scope.becomesLive();
    await expect(page).not.toHaveURL(/prefix=/);
  }
});

freshTest("a forced token that the model does not have is named in Chinese too", async ({ scope }) => {
  await scope.open("prefix=999999&lang=zh");
  await expect(scope.problem).toContainText("无法指定词元 999999：此模型只有 8000 个词元");
  await scope.showsExample();
});

test("a link keeps what is unfolded in a chapter: windows, computed pairs, answers", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=follow");
  const matrix = (id: string) => page.locator(`[data-matrix="${id}"]`).first();
  const later = matrix("token").getByRole("button", { name: "Later" });
  await expect(matrix("token").locator("svg")).toBeVisible();
  await later.click();
  // The token's embedding, its position, their sum and what the layer is given belong together.
  for (const id of ["token", "position", "embedding", "input"]) {
    await expect(matrix(id).locator(".matrix-window").last()).toContainText("65");
  }
  await page.getByTestId("pairs-done").fill("3");
  await expect(page).toHaveURL(/windows=width\.65/);
  await expect(page).toHaveURL(/pairs=3/);
  await page.getByTestId("step-forward").click();
  await page.getByTestId("step-forward").click();
  const prompt = page.locator('[data-prompt="predict-key"]');
  await prompt.locator("summary").click();
  await expect(page).toHaveURL(/answers=predict-key/);
  const address = page.url();

  await page.goto("about:blank");
  await page.goto(address);
  await scope.becomesLive();
  await expect(prompt.locator("details")).toHaveAttribute("open", "");
  await expect(page.getByTestId("pairs-done")).toHaveValue("3");
  await page.getByTestId("step-back").click();
  await page.getByTestId("step-back").click();
  await expect(matrix("embedding").locator(".matrix-window").last()).toContainText("65");
  // Another chapter begins with nothing unfolded.
  await page.getByTestId("next-chapter").click();
  await expect(page).not.toHaveURL(/answers=|windows=|pairs=/);
});

test("the step follows the cell of a link, and lets go of it when it is moved", async ({ page, scope }) => {
  await scope.openLive("cell=3.1");
  await expect(page.getByTestId("step-of")).toContainText("Step 4");
  await expect(page).toHaveURL(/step=4/);
  await expect(page).toHaveURL(/cell=4\.2/);
  await page.getByTestId("step-back").click();
  await expect(page).not.toHaveURL(/cell=/);
  await expect(page.getByTestId("step-of")).toContainText("Step 3");
});
