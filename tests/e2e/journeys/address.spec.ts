// The whole view is in the address bar.

import { expect, test } from "../scope";

test("a reload gives the same view", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await scope.becomesLive();
  await scope.choice("Kind of attention", "Decoder masked self-attention").click();
  await page.getByRole("button", { name: "Layer 2, head 3" }).click();
  await scope.heatmap.click({ position: { x: 3, y: 3 } });
  await page.mouse.move(0, 0);
  // Browsers limit how often the address may change, so the page lets it settle first.
  await expect(page).toHaveURL(/head=2.*cell=|cell=.*head=2/);
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

test("an address that makes no sense opens the default view", async ({ scope }) => {
  await scope.openLive("tab=nope&layer=99&head=-1&cell=9.9.9&step=1e9&beam=1000&prefix=a.b&%ff");
  await expect(scope.figureTitle).toContainText("Layer 3, head 4");
});

test("going back undoes the last change", async ({ page, scope }) => {
  await scope.openLive();
  await scope.translate("Je ne sais pas.");
  await expect(scope.tokens).toContainText("sais");
  await page.getByRole("tab", { name: "Positions" }).click();
  await expect(page).toHaveURL(/tab=positions/);
  await page.goBack();
  await expect(page).not.toHaveURL(/tab=positions/);
});
