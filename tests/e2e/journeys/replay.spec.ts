// The replay of a trace as one HTML file: from disk without a network, in a sandboxed frame, in both languages, and with
// strings that try to run.

import AxeBuilder from "@axe-core/playwright";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { expect, test, type Page } from "@playwright/test";

import { repository } from "../browser";
import { changed, EXAMPLE, exported, POLICY, Replay, safetensors, written } from "../replay";
import { readSafetensors } from "../safetensors";

/** The most bytes of a replay without its trace. */
const LARGEST_BYTES = 120_000;

test.use({ offline: true });

/** Errors of the console, and requests that are not of the file itself. */
function watched(page: Page): string[] {
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("request", (request) => {
    const isOwn = request.isNavigationRequest() || /^(data|blob|about):/.test(request.url());
    if (!isOwn) faults.push(request.url());
  });
  return faults;
}

async function opened(page: Page, html: string): Promise<Replay> {
  await page.goto(pathToFileURL(html).href);
  const replay = new Replay(page);
  await expect(replay.title).not.toBeEmpty();
  return replay;
}

async function weights(): Promise<(name: string, head: number, query: number, key: number) => number> {
  const { arrays } = readSafetensors(await readFile(EXAMPLE));
  return (name, head, query, key) => {
    const { shape, data } = arrays.get(name)!;
    return data[(head * shape[1]! + query) * shape[2]! + key]!;
  };
}

const spelled = (weight: number): string => (weight > 0 && weight < 0.00005 ? "< 0.0001" : weight.toFixed(4));

test("a replay opened from disk without a network shows the numbers of its trace", async ({ page }, info) => {
  const faults = watched(page);
  const html = await exported(EXAMPLE, info.outputPath("a.html"));
  const replay = await opened(page, html);
  await expect(replay.thumbnails).toHaveCount(72);
  const weight = await weights();
  for (const [kind, name, layer, head, query, key] of [
    ["cross", "decoder.2.cross.pattern", 2, 3, 3, 2],
    ["decoder_self", "decoder.0.self.pattern", 0, 7, 6, 1],
    ["encoder_self", "encoder.1.self.pattern", 1, 0, 4, 0],
  ] as const) {
    await replay.head(kind, layer, head).click();
    await expect(replay.title).toHaveText(new RegExp(`Layer ${layer + 1}, head ${head + 1} · `));
    await replay.map.focus();
    // The first key shows the chosen query's first cell; from there to the corner and to the cell.
    await page.keyboard.press("ArrowDown");
    for (let step = 0; step < 8; step += 1) await page.keyboard.press("ArrowUp");
    for (let step = 0; step < query; step += 1) await page.keyboard.press("ArrowDown");
    for (let step = 0; step < key; step += 1) await page.keyboard.press("ArrowRight");
    await expect(replay.readout.locator("strong")).toHaveText(spelled(weight(name, head, query, key)));
    await page.keyboard.press("Enter");
    await page.getByText("Weights as a table").click();
    const cells = page.locator("table.weights tbody tr td:last-child");
    await expect(cells.nth(key)).toHaveText(spelled(weight(name, head, query, key)));
    await page.getByText("Weights as a table").click();
  }
  expect(faults).toEqual([]);
});

test("a replay without its trace is small, and its colours are those of the page", async ({ page }, info) => {
  const html = await readFile(await exported(EXAMPLE, info.outputPath("a.html")), "utf8");
  const data = html.match(/id="trace">([^<]*)</)![1]!;
  expect(Buffer.byteLength(html) - data.length).toBeLessThanOrEqual(LARGEST_BYTES);
  await opened(page, info.outputPath("a.html"));
  // The lightest and the darkest end of the page's legend.
  const legend = await page.locator(".legend-scale").evaluate((scale) => getComputedStyle(scale).backgroundImage);
  expect(legend).toContain("rgb(246, 251, 253)");
});

test("decoding is stepped through by keys, with the alternatives of each step", async ({ page }, info) => {
  const replay = await opened(page, await exported(EXAMPLE, info.outputPath("a.html")));
  const slider = page.getByRole("slider", { name: "Decoding step" });
  await slider.focus();
  for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
  await expect(slider).toHaveAttribute("aria-valuetext", "Step 4 of 7");
  await expect(replay.side("Target").nth(3)).toHaveAttribute("aria-pressed", "true");
  const { metadata } = readSafetensors(await readFile(EXAMPLE));
  const { candidates } = JSON.parse(metadata.decoding!).steps[3];
  const rows = page.locator("table.candidates tbody tr");
  await expect(rows).toHaveCount(candidates.length);
  for (const [index, { token, logit }] of candidates.entries()) {
    await expect(rows.nth(index).locator("th")).toHaveText(token.text === "</s>" ? "end" : token.text.replace("▁", ""));
    await expect(rows.nth(index).locator("td").first()).toHaveText(logit.toFixed(2));
  }
  await page.getByRole("button", { name: "Next step" }).click();
  await expect(slider).toHaveAttribute("aria-valuetext", "Step 5 of 7");
});

test("several heads and queries are means, and the page says so", async ({ page }, info) => {
  const replay = await opened(page, await exported(EXAMPLE, info.outputPath("a.html")));
  await replay.head("cross", 2, 0).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect(replay.title).toHaveText("Layer 3, mean of 2 heads · Cross-attention");
  await replay.side("Target").nth(3).click();
  await replay.side("Target").nth(4).click({ modifiers: ["Shift"] });
  await expect(page.locator(".one-head > p", { hasText: "These 2 tokens together" })).toBeVisible();
  const weight = await weights();
  const cells = [0, 1].flatMap((head) => [3, 4].map((query) => weight("decoder.2.cross.pattern", head, query, 2)));
  await page.getByText("Weights as a table").click();
  const cell = page.locator("table.weights tbody tr td:last-child").nth(2);
  const mean = cells.reduce((sum, value) => sum + value, 0) / 4;
  expect(Math.abs(Number(await cell.textContent()) - mean)).toBeLessThan(0.0001);
  await page.getByRole("button", { name: "Lines" }).click();
  await expect(page.locator("canvas.lines-drawing")).toBeVisible();
  await expect(page.locator(".lines-queries .token[aria-pressed=true]")).toHaveCount(2);
});

test("a sandboxed frame under a strict policy shows it too", async ({ page }, info) => {
  const faults = watched(page);
  const html = await readFile(await exported(EXAMPLE, info.outputPath("a.html")), "utf8");
  const guarded = html.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}" />`);
  await page.setContent('<iframe sandbox="allow-scripts" width="900" height="700"></iframe>');
  await page.locator("iframe").evaluate((frame, text) => ((frame as HTMLIFrameElement).srcdoc = text), guarded);
  const replay = new Replay(page.frameLocator("iframe"));
  await expect(replay.title).toHaveText("Layer 3, head 1 · Cross-attention");
  await replay.head("decoder_self", 1, 2).click();
  await expect(replay.title).toHaveText("Layer 2, head 3 · Decoder masked self-attention");
  // The switches keep nothing in a storage that such a frame does not have.
  await replay.root.getByRole("button", { name: "中文" }).click();
  await expect(replay.title).toHaveText("第 2 层，第 3 头 · 解码器掩码自注意力");
  expect(faults).toEqual([]);
});

test("nothing in the strings of a trace runs", async ({ page }, info) => {
  const faults = watched(page);
  const attack = `</script><script>window.ran=1</script><img src=x onerror="window.ran=1">{{data}}"'`;
  const strings = (value: unknown): unknown => {
    if (typeof value === "string") return attack;
    if (Array.isArray(value)) return value.map(strings);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, KEPT.has(key) ? inner : strings(inner)]));
  };
  // Words of the format itself, without which there is no trace.
  const KEPT = new Set(["search", "kind", "attention", "norm", "feed_forward", "positions", "generates", "site"]);
  const { metadata } = readSafetensors(await readFile(EXAMPLE));
  const { target } = JSON.parse(metadata.trace!);
  const reading = { words: [{ token: target[0], probability: 0.5 }], rank: 1, probability: 0.5 };
  const more = {
    edits: JSON.stringify([{ kind: "patch", site: "decoder.0.cross.z", text: "a", target: [] }]),
    guesses: JSON.stringify([{ place: 1, candidates: [{ token: target[1], logit: 1, log_probability: -1 }] }]),
    lens: JSON.stringify({ answers: target, layers: [target.map(() => reading)] }),
    origin: JSON.stringify({ program: "a", version: "b", model: "c", text: "d" }),
  };
  const trace = await written(info.outputPath("attack.safetensors"), await changed(strings, more));
  const html = await exported(trace, info.outputPath("a.html"), "--title", attack, "--caption", attack);
  await opened(page, html);
  await page.getByText("Logit lens").click();
  await page.getByText("Weights as a table").click();
  await expect(page.locator("table.lens-table tbody td").first()).toContainText("</script>");
  await expect(page.getByText("Guesses for masked words")).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, "ran"))).toBeUndefined();
  await expect(page.locator("img")).toHaveCount(0);
  await expect(page.locator("script")).toHaveCount(2);
  await expect(page).toHaveTitle(attack);
  expect(faults).toEqual([]);
});

for (const [locale, theme, name] of [
  ["en-US", "light", "All heads"],
  ["zh-CN", "dark", "所有的头"],
] as const) {
  test.describe(`in ${locale}, ${theme}`, () => {
    test.use({ locale, colorScheme: theme });

    test(`fits from 320 pixels on, and axe-core finds nothing wrong (${locale})`, async ({ page }, info) => {
      const html = await exported(EXAMPLE, info.outputPath("a.html"));
      await opened(page, html);
      await expect(page.getByRole("heading", { name })).toBeVisible();
      for (const width of [320, 390, 1440]) {
        await page.setViewportSize({ width, height: 844 });
        await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
      for (const view of ["Heatmap", "Lines"]) {
        await page.locator("button.segment").nth(view === "Lines" ? 1 : 0).click();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))])).toEqual([]);
      }
    });
  });
}

test("every control is reached by Tab, and arrow keys move within groups", async ({ page }, info) => {
  const replay = await opened(page, await exported(EXAMPLE, info.outputPath("a.html")));
  const reached = new Set<string>();
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => {
      const { activeElement: active } = document;
      return [active?.tagName.toLowerCase(), active?.className].join(".");
    }));
  }
  for (const control of ["button.plain", "button.token current", "input.slider", "button.thumbnail", "select.", "button.segment", "canvas.map", "summary."]) {
    expect([...reached], control).toContain(control);
  }
  await replay.head("cross", 2, 0).focus();
  await page.keyboard.press("ArrowRight");
  await expect(replay.head("cross", 2, 1)).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(replay.title).toHaveText("Layer 2, head 2 · Cross-attention");
  await replay.side("Target").first().focus();
  await page.keyboard.press("End");
  await expect(replay.side("Target").last()).toBeFocused();
  await expect(page.getByRole("status")).toContainText("At “.”, head 2 of layer 2 takes");
});

test("thumbnails of a large model are drawn when they come into sight", async ({ page }, info) => {
  const [layers, heads, tokens] = [30, 9, 160];
  const stack = { layers, heads, key_value_heads: 3, head_width: 64, causal: true, cross_attention: false };
  const target = Array.from({ length: tokens }, (_, id) => ({ id, text: `▁w${id}` }));
  const spec = {
    model_type: "llama", width: 576, vocabulary: 49152, decoder: stack, embedding_factor: 1, positions: { encoding: "rope" },
    scales_scores: true, output_bias: false, generates: "continuation",
  };
  const values = Float32Array.from({ length: heads * tokens * tokens }, (_, cell) => {
    const [query, key] = [Math.floor(cell / tokens) % tokens, cell % tokens];
    return key <= query ? 1 / (query + 1) : 0;
  });
  const pattern = { shape: [heads, tokens, tokens], data: values };
  const arrays = new Map(Array.from({ length: layers }, (_, layer) => [`decoder.${layer}.self.pattern`, pattern]));
  const contents = safetensors({ format: "1", trace: JSON.stringify({ spec, source: [], target }) }, arrays);
  const trace = await written(info.outputPath("large.safetensors"), contents);
  const replay = await opened(page, await exported(trace, info.outputPath("a.html")));
  await expect(replay.thumbnails).toHaveCount(layers * heads);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1280);
  const drawn = (place: ReturnType<Replay["head"]>) => place.locator("canvas").evaluate((canvas) => (canvas as HTMLCanvasElement).width);
  await expect.poll(() => drawn(replay.head("decoder_self", 29, 0))).toBe(48);
  expect(await drawn(replay.head("decoder_self", 0, 8))).toBe(1);
  await replay.head("decoder_self", 0, 8).click();
  await expect.poll(() => drawn(replay.head("decoder_self", 0, 8))).toBe(48);
  await expect(replay.title).toHaveText("Layer 1, head 9 · Decoder masked self-attention");
});

test.describe("as modules", () => {
  // Requests are answered here.
  test.use({ offline: false });
  const site = "http://replay.test";

  test.beforeEach(async ({ page }) => {
    await page.route(`${site}/**`, async (route) => {
      const path = join(repository, "assets", new URL(route.request().url()).pathname);
      await route.fulfill(existsSync(path) ? { path } : { status: 404 });
    });
  });

  test("the element shows a trace, its attributes follow the selection, and lead it", async ({ page }) => {
    const faults = watched(page);
    await page.goto(`${site}/replay/example.html`);
    const scope = page.locator("attention-scope");
    const replay = new Replay(page);
    await expect(replay.title).toHaveText("Layer 3, head 4 · Cross-attention");
    await expect(scope).toHaveAttribute("step", "4");
    await replay.head("cross", 1, 5).click();
    await expect(scope).toHaveAttribute("layer", "1");
    await expect(scope).toHaveAttribute("head", "5");
    await expect(page.locator("output")).toHaveText("layer 1, head 5, token 4 (from 0)");
    await scope.evaluate((element) => element.setAttribute("kind", "encoder_self"));
    await expect(replay.title).toHaveText("Layer 2, head 6 · Encoder self-attention");
    await scope.evaluate((element) => element.setAttribute("lang", "zh"));
    await expect(replay.title).toHaveText("第 2 层，第 6 头 · 编码器自注意力");
    expect(faults.filter((fault) => !fault.startsWith(site))).toEqual([]);
  });

  test("what cannot be read is said in the reader's language", async ({ page }) => {
    await page.goto(`${site}/replay/example.html`);
    const { arrays, metadata } = readSafetensors(await readFile(EXAMPLE));
    const newer = safetensors({ ...metadata, format: "2" }, arrays);
    const shown = (bytes: Buffer, language: string) =>
      page.evaluate(
        async ([base64, language, module]) => {
          const { mount } = await import(module);
          const place = document.body.appendChild(document.createElement("div"));
          const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
          const refused = await mount(place, bytes, { language }).catch((error: Error) => error.name);
          return [refused, place.textContent];
        },
        [bytes.toString("base64"), language, `${site}/replay/replay.js`] as const,
      );
    const [name, english] = await shown(newer, "en");
    expect(name).toBe("TraceError");
    expect(english).toContain("the trace has format version 2, and this program reads versions up to 1");
    expect((await shown(newer, "zh"))[1]).toContain("这份记录的格式版本是 2，本程序只能读取到版本 1");
    expect((await shown(Buffer.from("not a trace"), "en"))[1]).toContain("not a valid safetensors file");
    await page.locator("attention-scope").evaluate((element) => element.setAttribute("src", "absent.safetensors"));
    await expect(page.getByRole("alert").filter({ hasText: "absent.safetensors" })).toBeVisible();
  });
});
