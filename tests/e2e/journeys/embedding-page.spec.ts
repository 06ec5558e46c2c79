// A figure in a frame of another page: of a model and of a recorded pass, by messages and without them.

import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

// Not the test of `scope.ts`, which allows no other host.
import { expect, type FrameLocator, type Page, test } from "@playwright/test";

import { repository } from "../browser";

const trace = "assets/examples/je-suis-etudiant.safetensors";

/** Another origin: the example page, an empty page, and a trace. */
class Other {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<Other> {
    const files: Record<string, [string, string]> = {
      "/": ["docs/examples/embedding.html", "text/html"],
      "/trace.safetensors": [trace, "application/octet-stream"],
    };
    const server = createServer(async ({ url = "/" }, response) => {
      const [path, type] = files[new URL(url, "http://x").pathname] ?? [];
      if (path === undefined) return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
      response.setHeader("access-control-allow-origin", "*");
      return response.writeHead(200, { "content-type": type }).end(await readFile(join(repository, path)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new Other(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
  }
}

const embedding = test.extend<{ other: Other }>({
  other: async ({}, use) => {
    const other = await Other.start();
    await use(other);
    other.stop();
  },
});

/** The figure's map of one head. */
const map = (frame: FrameLocator) => frame.locator("canvas.map");

/** Shows a frame with the entries on an empty page of another origin; messages of the frame are kept in `heard`. */
async function framed(page: Page, other: Other, site: string, entries: Record<string, string>): Promise<FrameLocator> {
  await page.goto(`${other.origin}/empty`);
  await page.evaluate(
    ([site, fragment]) => {
      const kept: unknown[] = [];
      Object.assign(globalThis, { heard: kept });
      addEventListener("message", ({ data }) => kept.push(data));
      const frame = document.createElement("iframe");
      frame.src = `${site}embed.html#${fragment}`;
      frame.style.cssText = "width: 100%; height: 600px";
      document.body.append(frame);
    },
    [site, String(new URLSearchParams(entries))] as const,
  );
  return page.frameLocator("iframe");
}

const heard = (page: Page): Promise<{ type: string; [field: string]: unknown }[]> =>
  page.evaluate(() => (globalThis as unknown as { heard: { type: string }[] }).heard);

embedding("the example page selects layers of a model in the frame", async ({ page, other, baseURL }) => {
  test.slow();
  await page.goto(`${other.origin}/?site=${encodeURIComponent(baseURL ?? "")}`);
  const frame = page.frameLocator("iframe");
  await expect(map(frame)).toBeVisible({ timeout: 60_000 });
  await expect(page.locator("#selected")).toHaveText("Layer 3, head 1");
  await page.getByRole("button", { name: "Layer 2" }).click();
  await expect(page.locator("#selected")).toHaveText("Layer 2, head 1");
  const whole = frame.getByRole("link", { name: "Open in Attention Scope" });
  expect(await whole.getAttribute("href")).toContain("text=Je+suis+%C3%A9tudiant.");
  // The frame takes the height of its contents.
  await expect.poll(() => page.locator("iframe").evaluate((frame) => frame.clientHeight)).toBeGreaterThan(200);
});

embedding("a trace of another host is replayed, and messages reach only the named origin", async ({ page, other, baseURL }) => {
  const site = baseURL ?? "";
  const address = `${other.origin}/trace.safetensors`;
  const entries = { trace: address, kind: "cross", layer: "2", head: "3", lang: "zh" };
  const frame = await framed(page, other, site, { ...entries, parent: other.origin });
  await expect(map(frame)).toBeVisible();
  await expect(frame.getByRole("link", { name: "在 Attention Scope 中打开" })).toBeVisible();
  await expect.poll(async () => (await heard(page)).map(({ type }) => type)).toContain("ready");
  const [ready] = (await heard(page)).filter(({ type }) => type === "ready");
  expect(ready).toMatchObject({ from: "attention-scope", kind: "cross", layer: 1, head: 2 });

  // Nonsense changes nothing, and a selection that the trace lacks is refused.
  const post = (message: unknown) =>
    page.locator("iframe").evaluate((frame, message) => {
      (frame as HTMLIFrameElement).contentWindow?.postMessage(message, "*");
    }, message);
  for (const nonsense of [null, 1, "select", [], {}, { to: "attention-scope", type: "select", selection: null }]) await post(nonsense);
  const select = (selection: object) => post({ to: "attention-scope", type: "select", selection });
  await select({ layer: -1, heads: "all", tokens: [1.5], step: {} });
  await select({ layer: 77 });
  await expect.poll(async () => (await heard(page)).map(({ type }) => type)).toContain("refused");
  expect((await heard(page)).filter(({ type }) => type === "selected")).toEqual([]);
  await select({ layer: 0, heads: [1] });
  await expect.poll(async () => (await heard(page)).find(({ type }) => type === "selected")).toMatchObject({ layer: 0, head: 1 });

  // Without the name of the page around it, or with another one, the frame is silent.
  for (const silent of [{}, { parent: "https://elsewhere.example" }, { parent: "*" }] as Record<string, string>[]) {
    const own = await framed(page, other, site, { ...entries, ...silent });
    await expect(map(own)).toBeVisible();
    await select({ layer: 0 });
    expect(await heard(page)).toEqual([]);
  }
});

embedding("what cannot be shown is said in one sentence", async ({ page, other, baseURL }) => {
  const site = baseURL ?? "";
  const status = (frame: FrameLocator) => frame.locator("#status");
  let frame = await framed(page, other, site, { model: "nobody", text: "a" });
  await expect(status(frame)).toContainText("There is no model “nobody” here. There are: ");
  frame = await framed(page, other, site, { model: "translator", text: " " });
  await expect(status(frame)).toHaveText("The address has no text for the model.");
  frame = await framed(page, other, site, { trace: "http://127.0.0.1:1/gone" });
  await expect(status(frame)).toContainText("The trace could not be fetched: http://127.0.0.1:1/gone");
});

test("the page itself is shown in no frame of another origin", async ({ request }) => {
  const policy = async (path: string) => (await request.get(path)).headers()["content-security-policy"] ?? "";
  expect(await policy("./")).toContain("frame-ancestors 'self'");
  expect(await policy("./embed.html")).not.toContain("frame-ancestors");
});
