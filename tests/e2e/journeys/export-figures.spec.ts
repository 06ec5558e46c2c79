// Every kind of figure is taken along: what its files say is what is on screen.

import type { Locator, Page } from "@playwright/test";

import { copiedPython, csv, exported, saved } from "../exported";
import { share } from "../numbers";
import { expect, test } from "../scope";

/** The rows of a table below its header. */
async function table(page: Page): Promise<string[][]> {
  return csv(await saved(page, "csv")).slice(1);
}

/** An SVG document is well-formed and has these texts. */
async function expectTexts(page: Page, texts: string[]): Promise<void> {
  const svg = await saved(page, "svg");
  const drawn = await page.evaluate((svg) => {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
    if (parsed.querySelector("parsererror") !== null) return null;
    return [...parsed.querySelectorAll("text")].map((text) => text.textContent ?? "");
  }, svg);
  for (const text of texts) expect(drawn).toContain(text);
}

test("search trees: names, sums and scores of all prefixes", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=search&search-by=beam&text=Je+suis+%C3%A9tudiant&beam=4&step=99");
  for (const id of ["beam-tree", "live-tree"]) {
    const tree = page.getByTestId(id);
    await expect(tree.getByTestId("tree-node").first()).toBeVisible();
    const names = await tree.locator(".tree-name").allTextContents();
    const numbers = await tree.locator(".tree-number").allTextContents();
    await exported(page, page.locator(".figure-beside", { has: tree }), async () => {
      const rows = await table(page);
      expect(rows.map(([, , name]) => name)).toEqual(names);
      for (const [place, [, , , sum, score]] of rows.entries()) {
        const number = numbers[place] ?? "";
        const own = score === "" ? sum : score;
        if (own === "") expect(number).toBe("–");
        else expect(Math.abs(Number(own) - share(number))).toBeLessThanOrEqual(0.005001);
      }
      expect(JSON.parse(await saved(page, "json")).nodes).toHaveLength(names.length);
      await expectTexts(page, [names[0] ?? "", numbers[0] ?? ""]);
      await expect(page.getByTestId("export-tikz")).toHaveCount(0);
      await expect(page.getByTestId("export-no-python")).toContainText("No Python code");
    });
  }
});

test("stacks of layers: the cells that are computed, and those that the output depends on", async ({ page, scope }) => {
  await scope.open("tab=learn&chapter=layers");
  const stack = page.locator("[data-testid=stack][data-layer=recurrent]");
  const [, done = "", count = ""] = /(\d+) of (\d+)/.exec((await stack.getByTestId("stack-computed").textContent()) ?? "") ?? [];
  const [, inputs = ""] = /on (\d+) of/.exec((await stack.getByTestId("stack-field").textContent()) ?? "") ?? [];
  await exported(page, stack, async () => {
    const rows = await table(page);
    const cells = rows.filter(([row]) => row !== "0");
    expect(cells).toHaveLength(Number(count));
    expect(cells.filter(([, , , computed]) => computed === "true")).toHaveLength(Number(done));
    const read = rows.filter(([row, , , , input]) => row === "0" && input === "true");
    expect(read).toHaveLength(Number(inputs));
    await expectTexts(page, ["1", "8"]);
  });
});

/** The points in a text such as `q = (1.00, −0.50)`. */
const points = (text: string): number[][] =>
  [...text.matchAll(/\(([^(),]+), ([^(),]+)\)/g)].map(([, x = "", y = ""]) => [share(x), share(y)]);

function expectPoint(found: number[] | undefined, shown: number[] | undefined): void {
  for (const axis of [0, 1]) expect(Math.abs((found?.[axis] ?? NaN) - (shown?.[axis] ?? NaN))).toBeLessThanOrEqual(0.005001);
}

interface PlaneMark {
  mark: string;
  name: string;
  at: [number, number];
  weight?: number;
}

test("planes: query, output and weights, and vectors that are turned", async ({ page, scope }) => {
  await scope.open("tab=learn&chapter=scores");
  await expect(page.getByTestId("output")).toContainText("reads o");
  const [query, output] = points((await page.getByTestId("output").textContent()) ?? "");
  const planes = page.getByTestId("toy").locator(".plane");
  const marks = (figure: Locator): Promise<PlaneMark[]> =>
    exported(page, figure, async () => {
      expect(await saved(page, "tikz")).toContain("\\begin{tikzpicture}");
      return JSON.parse(await saved(page, "json")).marks;
    });
  const keys = await marks(planes.first());
  expectPoint(keys.find(({ name }) => name === "q")?.at, query);
  const weights = keys.flatMap(({ weight }) => weight ?? []);
  expect(weights).toHaveLength(5);
  expect(weights.reduce((sum, weight) => sum + weight)).toBeCloseTo(1, 5);
  const values = await marks(planes.last());
  expectPoint(values.find(({ name }) => name === "o")?.at, output);

  await scope.open("tab=learn&chapter=positions&way=rope&m=2");
  const score = share((await page.getByTestId("turned-score").textContent()) ?? "");
  const turned = await marks(page.getByTestId("turn").locator(".plane").first());
  const arrows = turned.filter(({ mark }) => mark === "arrow").map(({ at }) => at);
  expect(arrows).toHaveLength(2);
  const [[a, b], [c, d]] = arrows as [[number, number], [number, number]];
  expect(Math.abs(a * c + b * d - score)).toBeLessThanOrEqual(0.000501);
});

test("a whole and its parts: the numbers of the table", async ({ page, scope }) => {
  await scope.open("tab=learn&chapter=sizes");
  const section = page.getByTestId("sizes-parameters");
  const parts = page.getByTestId("sizes-parts").locator("tbody tr");
  await expect(parts.first()).toBeVisible();
  const shown = await parts.evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? "")),
  );
  expect(shown.length).toBeGreaterThan(3);
  await exported(page, section, async () => {
    const rows = await table(page);
    const written = rows.map(([label = "", value = "", part = ""]) => [
      label,
      Number(value).toLocaleString("en-US"),
      Number(part) < 0.0005 ? "< 0.1 %" : `${(100 * Number(part)).toFixed(1)} %`,
    ]);
    expect(written).toEqual(shown.map((cells) => cells.map((cell) => cell.replace("\u{a0}", " "))));
    await expectTexts(page, [`${shown[0]?.[0]} ${shown[0]?.[2]}`]);
    expect(await saved(page, "tikz")).toContain("xbar stacked");
  });
});

test("the maps of a comparison: the third is the difference of the others, and has its Python", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=learn&chapter=compare&kind=encoder&layer=2&head=4&compare-head=encoder.2.6&compare-cell=1.1");
  await expect(page.getByTestId("compare-readout")).toContainText("difference");
  const maps: number[][] = [];
  for (const id of ["compare-left", "compare-right", "compare-difference"]) {
    const figure = page.locator(".compare-figure", { has: page.getByTestId(id) });
    await exported(page, figure, async () => {
      const map = JSON.parse(await saved(page, "json"));
      maps.push(map.values.flat());
      expect(map.rows.labels).toHaveLength(map.values.length);
      await expectTexts(page, map.columns.labels.slice(0, 2));
      expect(await saved(page, "tikz")).toContain("matrix plot*");
      const code = await copiedPython(page);
      if (id !== "compare-difference") expect(code).toMatch(/weights = output\.encoder_attentions\[\d\]\[0, \d\]/);
      else expect(code).toContain("output.encoder_attentions[1][0, 5] - output.encoder_attentions[1][0, 3]");
    });
  }
  const [left = [], right = [], difference = []] = maps;
  expect(difference.length).toBeGreaterThan(8);
  for (const [cell, value] of difference.entries())
    expect(Math.abs(value - ((right[cell] ?? NaN) - (left[cell] ?? NaN)))).toBeLessThan(1e-6);
  // The cell that is read, the first one.
  const text = (await page.getByTestId("compare-readout").textContent()) ?? "";
  const [, one = "", other = ""] = /left (\S+), right (\S+),/.exec(text) ?? [];
  expect(Math.abs((left[0] ?? NaN) - share(one))).toBeLessThanOrEqual(5.1e-4);
  expect(Math.abs((right[0] ?? NaN) - share(other))).toBeLessThanOrEqual(5.1e-4);
});

test("heads as points: each head with both of its scores", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=roles&kind=encoder&layer=0&head=0");
  const points = page.getByTestId("roles-point");
  await expect(points.first()).toBeVisible();
  const titles = await points.evaluateAll((points) => points.map((point) => point.getAttribute("aria-label") ?? ""));
  const figure = page.locator(".figure-beside", { has: page.getByTestId("roles-points") });
  await exported(page, figure, async () => {
    const rows = await table(page);
    expect(rows).toHaveLength(titles.length);
    for (const [place, [name = "", x = "", y = ""]] of rows.entries()) {
      const title = titles[place] ?? "";
      expect(title.startsWith(`${name}: `)).toBe(true);
      const numbers = [...title.slice(name.length).matchAll(/ ((?:[<>] )?[\d.]+)(?=,|$)/g)].map(([, number = ""]) => share(number));
      for (const [axis, number] of [x, y].entries())
        expect(Math.abs(Number(number) - (numbers[axis] ?? NaN))).toBeLessThanOrEqual(0.01);
    }
    expect(await saved(page, "tikz")).toContain("only marks");
  });
});

test("candidates of the next word: logits, log p and probabilities of the table, and Python for that row", async ({ page, scope }) => {
  await scope.openLive("v=2&tab=decoding&step=2");
  const shown = await page.getByTestId("candidates").getByTestId("candidate").evaluateAll((rows) =>
    rows.map((row) => {
      const numbers = [...row.querySelectorAll("td.number")].map((cell) => cell.textContent ?? "");
      return [row.querySelector(".token")?.textContent ?? "", ...numbers];
    }),
  );
  await exported(page, page.locator(".candidates"), async () => {
    const rows = await table(page);
    expect(rows.map(([name]) => name)).toEqual(shown.map(([name]) => name));
    for (const [place, [, probability, logit, log]] of rows.entries()) {
      const [, shownLogit = "", shownLog = "", shownShare = ""] = shown[place] ?? [];
      expect(Math.abs(Number(logit) - share(shownLogit))).toBeLessThanOrEqual(0.005001);
      expect(Math.abs(Number(log) - share(shownLog))).toBeLessThanOrEqual(0.000501);
      const percent = share(shownShare.replace(/\s*%$/, ""));
      expect(Math.abs(100 * Number(probability) - percent)).toBeLessThanOrEqual(0.1);
    }
    expect(await copiedPython(page)).toContain("# The candidates after token 2.\nlogits = output.logits[0, 1]\n");
    expect(await saved(page, "tikz")).toContain("ybar");
    await expect(page.getByTestId("export-caption")).toHaveValue(/Decoding step 2 of \d/);
  });
});

test("word alignment: the links of the list", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=alignment");
  await expect(page.getByTestId("align-pair").first()).toBeVisible();
  const shown = await page.getByTestId("align-pair").evaluateAll((rows) =>
    rows.map((row) => [...row.children].map((cell) => cell.textContent ?? "")),
  );
  await exported(page, page.locator(".align-drawn"), async () => {
    const [[, ...sources] = [], ...rows] = csv(await saved(page, "csv"));
    const links = rows.map(([written = "", ...weights]) => {
      const place = weights.findIndex((weight) => Number(weight) > 0);
      return [written, sources[place] ?? "–", Math.round(100 * Number(weights[place] ?? 0))];
    });
    expect(links).toEqual(shown.map(([written, read, weight]) => [written, read, Number.parseInt(weight || "0", 10)]));
  });
});

test("the lens: the most probable word of every layer and position, and Python for all layers", async ({ page, scope }) => {
  await scope.openLive("tab=learn&chapter=lens");
  await expect(page.getByTestId("lens-table")).toBeVisible();
  const words = await page.getByTestId("lens-cell").allTextContents();
  const answer = await page.locator(".lens-words li .number").first().textContent();
  await exported(page, page.getByTestId("lens-layers").locator(".figure-beside"), async () => {
    const rows = await table(page);
    expect(rows.map(([, , , , word]) => word)).toEqual(words);
    // The cell that is unfolded is one of the last layer.
    const last = rows.filter(([row]) => row === "1").map(([, , , , , value]) => (100 * Number(value)).toFixed(1));
    expect(last).toContain((answer ?? "").replace(/\s*%$/, ""));
    await expectTexts(page, [words[0] ?? ""]);
    const code = await copiedPython(page);
    expect(code).toContain("for layer in model.model.decoder.layers:");
    expect(code).toContain("logits = model.lm_head(state) + model.final_logits_bias");
  });
});
