// Nothing that a visitor types leaves the machine: all that a server hears is written down, and read.

import { isKept } from "../host";
import { Recorder } from "../recorder";
import { expect, freshTest as base, Scope } from "../scope";

/** What a host without headers of its own leaves out. */
const HEADERS = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "cross-origin-embedder-policy",
  "referrer-policy",
  "x-content-type-options",
];

/** A word of the sentences below that is in no file's name. */
const SECRET = "girafe";

const test = base.extend<{ hidden: readonly string[]; recorder: Recorder }>({
  hidden: [[], { option: true }],
  recorder: async ({ hidden }, use, info) => {
    const recorder = new Recorder(String(info.project.use.baseURL), hidden);
    await recorder.start();
    await use(recorder);
    await recorder.stop();
  },
  baseURL: async ({ recorder }, use) => use(recorder.address),
});

test.use({ serviceWorkers: "allow" });

for (const [host, hidden] of [
  ["our own server", []],
  ["a host that sends no headers of ours", HEADERS],
] as const) {
  test.describe(`on ${host}`, () => {
    test.use({ hidden });

    test("what is typed, reloaded, shared and run offline stays here", async ({ context, page, recorder, scope }) => {
      await scope.openLive();
      await translate(scope, "Une girafe dort.");
      await page.reload();
      await expect(scope.text).toHaveValue("Une girafe dort.");
      await shows(scope, "girafe");

      await page.getByRole("tab", { name: "Learn" }).click();
      await expect(page.getByTestId("chapter")).toBeVisible();
      const shared = page.url();
      expect(shared).toContain("girafe");
      const other = await context.newPage();
      await other.goto(shared);
      // In chapters the input is folded.
      await expect(other.getByTestId("input")).toHaveValue("Une girafe dort.");
      await new Scope(other).becomesLive();
      await other.close();

      await page.getByRole("tab", { name: "Explore" }).click();
      await isKept(page);
      await recorder.stop();
      await page.reload();
      await shows(scope, "girafe");
      await translate(scope, "Deux girafes dorment.");
      await recorder.start();
      await page.reload();
      await expect(scope.text).toHaveValue("Deux girafes dorment.");
      await shows(scope, "girafes");

      const heard = recorder.requests.join("\n");
      for (const file of [/^GET \/\n/m, /^GET \/page\.\w+\.js/m, /^GET \/models\/translator\/model/m]) {
        expect(heard).toMatch(file);
      }
      expect(recorder.holding(SECRET)).toEqual([]);
    });

    test("an address of the old form is asked for once and rewritten at once", async ({ page, recorder, scope }) => {
      await page.goto("./?text=Une+girafe+dort.&layer=0&device=cpu&theme=dark");
      await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
      await shows(scope, "girafe");
      await expect(scope.figureTitle).toContainText("Layer 1, head 4");
      expect(new URL(page.url()).search).toBe("");
      expect(page.url()).toContain("#v=2&text=Une+girafe+dort.&layer=1");
      await page.reload();
      await shows(scope, "girafe");
      await translate(scope, "Deux girafes dorment.");
      await isKept(page);

      const [first, ...others] = recorder.holding(SECRET);
      expect(first).toMatch(/^GET \/\?text=Une\+girafe/);
      expect(others).toEqual([]);
    });
  });
}

async function translate(scope: Scope, sentence: string): Promise<void> {
  await scope.translate(sentence);
  await shows(scope, sentence.split(" ")[1] ?? "");
}

/** Waits for the model's answer to a sentence with this word, which may be cut into several tokens. */
async function shows(scope: Scope, word: string): Promise<void> {
  const letters = async () => (await scope.tokens.locator(".token").allTextContents()).join("").replaceAll("▁", "");
  await expect.poll(letters).toContain(word);
  await scope.becomesLive();
}
