// ViT and DINOv2 from the visitor's disk, on pictures: of the page, and the visitor's own.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "../browser";
import { expected } from "../checkpoint";
import { expect, type Scope, test } from "../scope";

const FILES = ["config.json", "model.safetensors", "preprocessor_config.json"];
const PICTURES = join(repository, "tests/fixtures/pictures");

function files(checkpoint: string, names = FILES): { name: string; mimeType: string; buffer: Buffer }[] {
  const directory = join(repository, "tests/fixtures/tiny", checkpoint);
  return names.map((name) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: readFileSync(join(directory, name)),
  }));
}

async function opens(scope: Scope, checkpoint: string, heads: number, names = FILES): Promise<void> {
  await scope.openModels();
  await scope.page.getByTestId("mine-files").setInputFiles(files(checkpoint, names));
  await expect(scope.modelsSheet).toBeHidden();
  await expect(scope.page.getByTestId("picture-form")).toBeVisible();
  await expect(scope.thumbnails).toHaveCount(heads);
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
}

async function reads(scope: Scope, picture: string): Promise<void> {
  await scope.page.getByTestId("picture-file").setInputFiles(join(PICTURES, picture));
  await expect(scope.page.getByTestId(`picture-${picture}`)).toHaveAttribute("aria-pressed", "true");
  await scope.becomesLive();
}

/** The largest weight of a token in the first layer's first head, as `transformers` computed it. */
function strongest(checkpoint: string, picture: string, token: number): number {
  const array = expected(checkpoint).arrays.get(`${picture}/encoder.0.self.pattern`);
  if (array === undefined) throw new Error("no such array");
  const tokens = Number(array.shape[2]);
  return Math.max(...array.data.subarray(token * tokens, (token + 1) * tokens));
}

/** The weight that the page shows is one of `transformers`, to the four digits that are shown. */
async function shows(scope: Scope, weight: number): Promise<void> {
  const shown = scope.page.getByTestId("cell-value");
  await expect
    .poll(async () => Math.abs(Number((await shown.textContent())?.replace("%", "")) - weight))
    .toBeLessThan(2e-4);
}

for (const { checkpoint, heads, before, columns, rows } of [
  { checkpoint: "vit-tiny", heads: 3 * 3, before: 1, columns: 4, rows: 4 },
  { checkpoint: "dinov2-registers", heads: 2 * 2, before: 4, columns: 5, rows: 5 },
]) {
  test(`${checkpoint}: the attention of a patch lies over the picture, as transformers computes it`, async ({ page, scope }) => {
    await scope.openLive();
    await opens(scope, checkpoint, heads);
    await reads(scope, "wide.png");
    const first = page.locator('[data-testid="thumbnail"]').first();
    await first.click();
    await expect(page.getByTestId("picture-map")).toBeVisible();
    await expect(page.getByTestId("picture-token-0")).toHaveAttribute("aria-pressed", "true");

    // A patch by the pointer.
    const field = page.getByTestId("picture-field");
    const box = await field.boundingBox();
    if (box === null) throw new Error("the picture has no place");
    const [row, column] = [1, 2];
    await field.click({ position: { x: (box.width * (column + 0.5)) / columns, y: (box.height * (row + 0.5)) / rows } });
    await expect(page.getByTestId("picture-token-0")).toHaveAttribute("aria-pressed", "false");
    await page.mouse.move(0, 0);
    await shows(scope, strongest(checkpoint, "wide", before + row * columns + column));

    // Its neighbour by a key, and the class token.
    await field.press("ArrowRight");
    await shows(scope, strongest(checkpoint, "wide", before + row * columns + column + 1));
    await field.press("Home");
    await shows(scope, strongest(checkpoint, "wide", 0));
    await expect(page.getByTestId("picture-shares")).toContainText("class token");
    await expect(page).toHaveURL(/text=wide\.png/);
  });
}

test("the classes of a picture have the probabilities of transformers", async ({ page, scope }) => {
  await scope.openLive();
  await opens(scope, "vit-tiny", 3 * 3);
  await reads(scope, "wide.png");
  const logits = expected("vit-tiny").arrays.get("wide/logits")?.data ?? new Float32Array();
  const sum = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
  const labels = ["circle", "square", "stripes", "sea, water", "sky"];
  const best = labels
    .map((label, index) => ({ label, share: Math.exp(Number(logits[index])) / sum }))
    .sort((a, b) => b.share - a.share);
  const words = best.map(({ label, share }) => `${label} ${(100 * share).toFixed(1)} %`).join(" · ");
  await expect
    .poll(async () => (await page.getByTestId("guessed").textContent())?.replaceAll(/\s+/g, " ").replaceAll(" %", "%"))
    .toBe(words.replaceAll(" %", "%"));
});

test("a picture of the page is read at once, and what is no picture is said", async ({ page, scope }) => {
  await scope.openLive();
  // Without a preprocessor_config.json, and without a classifier.
  await opens(scope, "vit-encoder", 5, FILES.slice(0, 2));
  await expect(page.getByTestId("picture-horizon")).toHaveAttribute("aria-pressed", "true");
  await page.getByTestId("picture-disc").click();
  await expect(page.getByTestId("picture-disc")).toHaveAttribute("aria-pressed", "true");
  await scope.becomesLive();
  await page.getByTestId("picture-file").setInputFiles({
    name: "broken.png",
    mimeType: "image/png",
    buffer: Buffer.from("no picture"),
  });
  await expect(page.getByTestId("picture-problem")).toContainText("broken.png");
  await expect(page.getByTestId("picture-disc")).toHaveAttribute("aria-pressed", "true");
  // One pixel, and a picture whose camera was turned: 61 × 45 as it is seen.
  await reads(scope, "dot.png");
  await reads(scope, "turned.jpg");
  await expect(page.getByTestId("picture-form")).toContainText("61 × 45");
  await expect(scope.problem).toBeHidden();
});

/** Drops or pastes a picture of one colour that is made in the page. */
async function arrives(scope: Scope, way: "drop" | "paste", name: string, width: number, height: number): Promise<void> {
  await scope.page.evaluate(
    async ({ way, name, width, height }) => {
      const canvas = new OffscreenCanvas(width, height);
      const context = canvas.getContext("2d");
      if (context === null) throw new Error("no canvas");
      context.fillStyle = "teal";
      context.fillRect(0, 0, width, height);
      const files = new DataTransfer();
      files.items.add(new File([await canvas.convertToBlob()], name, { type: "image/png" }));
      const event =
        way === "drop"
          ? new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true })
          : new ClipboardEvent("paste", { clipboardData: files, bubbles: true, cancelable: true });
      document.body.dispatchEvent(event);
    },
    { way, name, width, height },
  );
  await expect(scope.page.getByTestId(`picture-${name}`)).toHaveAttribute("aria-pressed", "true");
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
}

test("pictures are dropped and pasted, and a huge one is scaled down", async ({ page, scope }) => {
  await scope.openLive();
  await opens(scope, "dinov2-tiny", 2 * 4);
  await arrives(scope, "paste", "pasted.png", 64, 48);
  await expect(scope.modelsSheet).toBeHidden();
  await arrives(scope, "drop", "huge.png", 8000, 6300);
  await expect(scope.modelsSheet).toBeHidden();
  await expect(page.getByTestId("picture-form")).toContainText("Scaled down from 8,000 × 6,300");
});

test("a link names the visitor's picture, and the page asks for it", async ({ page, scope }) => {
  await scope.openLive();
  await opens(scope, "vit-tiny", 3 * 3);
  const own = new URL(page.url()).hash;
  await scope.openLive();
  const link = own.replace("text=horizon", "text=cat.png");
  expect(link).not.toBe(own);
  await page.evaluate((hash) => (location.hash = hash), link);
  await expect(scope.problem).toContainText("cat.png");
  await page.getByTestId("picture-squares").click();
  await scope.becomesLive();
  await expect(scope.problem).toBeHidden();
});
