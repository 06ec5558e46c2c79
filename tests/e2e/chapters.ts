// The pages of the chapters, as the page's registry has them.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { repository } from "./browser";

const [, registry = ""] = readFileSync(join(repository, "app/chapters/src/lib.rs"), "utf8").split("\ncourse! {");

/** Their names, in the order in which they are read. */
export const CHAPTERS = [...registry.matchAll(/(\w+)::parameters::\w+/g)].map(([, name = ""]) => name);

if (CHAPTERS.length === 0) throw new Error("the registry of chapters is written in another way");
