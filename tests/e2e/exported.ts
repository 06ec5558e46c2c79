// The sheet that exports a figure, and its files.

import { readFileSync } from "node:fs";

import { expect, type Locator, type Page } from "@playwright/test";

/** Opens the menu of a figure, makes files of it, and closes the sheet. */
export async function exported<T>(page: Page, figure: Locator, use: () => Promise<T>): Promise<T> {
  const sheet = page.getByTestId("export-sheet");
  // A figure whose numbers are still computed has no sheet yet.
  await expect(async () => {
    if (await sheet.isHidden()) await figure.getByTestId("export").first().click();
    await expect(page.getByTestId("export-svg")).toBeVisible({ timeout: 1000 });
  }).toPass();
  const used = await use();
  await page.getByTestId("export-close").click();
  await expect(sheet).toBeHidden();
  return used;
}

/** The code that the open sheet copies. */
export async function copiedPython(page: Page): Promise<string> {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByTestId("export-python").click();
  await expect(page.getByTestId("export-python")).toHaveText("Copied");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The bytes of the file of one kind that the open sheet makes. */
export async function savedBytes(page: Page, kind: string): Promise<Buffer> {
  const download = page.waitForEvent("download");
  await page.getByTestId(`export-${kind}`).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^[\p{L}\p{N}-]+\.(svg|png|tex|csv|json)$/u);
  return readFileSync(await file.path());
}

/** The same as text. */
export async function saved(page: Page, kind: string): Promise<string> {
  return (await savedBytes(page, kind)).toString("utf8");
}

/** Comma-separated values without line breaks in a field. */
export function csv(text: string): string[][] {
  const field = /("(?:[^"]|"")*"|[^,]*)(?:,|$)/y;
  const lines = text.split("\r\n").filter((line) => line !== "");
  return lines.map((line) => {
    const fields: string[] = [];
    for (field.lastIndex = 0; field.lastIndex < line.length; ) {
      const [, one = ""] = field.exec(line) ?? [];
      fields.push(one.startsWith('"') ? one.slice(1, -1).replaceAll('""', '"') : one);
    }
    return fields;
  });
}
