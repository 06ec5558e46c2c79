// Results of measurements, kept beside what else the journeys leave.

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { repository } from "./browser";

/** Writes a result to `target/e2e`. */
export async function kept(name: string, result: unknown): Promise<void> {
  const directory = join(repository, "target/e2e");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, `${name}.json`), JSON.stringify(result, null, 2));
}
