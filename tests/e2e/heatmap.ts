// The large map of a head, read as its users read it.

import { share } from "./numbers";
import type { Scope } from "./scope";

/** Every weight of the map on screen, read the way the keyboard reads it. */
export async function readMap(scope: Scope): Promise<number[][]> {
  await scope.heatmap.focus();
  await scope.page.keyboard.press("Escape");
  await scope.page.keyboard.press("ArrowDown");
  const style = (await scope.page.locator(".map").getAttribute("style")) ?? "";
  const [rows = 0, columns = 0] = [...style.matchAll(/\d+/g)].map(Number);
  const texts = await scope.heatmap.evaluate(readCells, [rows, columns] as const);
  return texts.map((row) => row.map(share));
}

/** Runs on the page: the value of each cell, to which arrow keys go row by row. */
async function readCells(map: Element, [rows, columns]: readonly [number, number]): Promise<string[][]> {
  const press = async (key: string, times = 1): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      map.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  const value = (): string => document.querySelector("[data-testid=cell-value]")?.textContent ?? "";
  const texts: string[][] = [];
  for (let row = 0; row < rows; row += 1) {
    await press("ArrowLeft", columns);
    const cells = [value()];
    for (let column = 1; column < columns; column += 1) {
      await press("ArrowRight");
      cells.push(value());
    }
    texts.push(cells);
    await press("ArrowDown");
  }
  return texts;
}
