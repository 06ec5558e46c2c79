// Published models that journeys open.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { repository } from "./browser";

/** The path of a model's file, downloaded into a cache unless it is there; rejects if it cannot be had or is another file. */
export async function published(name: string): Promise<string> {
  const program = join(repository, "xtask/offered/fetch.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [program, name]);
  return stdout.trimEnd();
}
