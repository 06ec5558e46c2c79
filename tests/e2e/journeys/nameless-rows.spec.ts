// A model with more rows than its tokenizer has pieces, as many that are published: such a row is shown by its number.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { repository } from "../browser";
import { replaceCheckpoint } from "../checkpoint";
import { expect, freshTest as test } from "../scope";

const translator = join(repository, "assets/models/translator");
/** Rows that are appended to the translator's 8,000; the last is the most probable token everywhere. */
const MORE = 2;
const LIKELIEST = "<8001>";

test("a row without a piece is shown by its number", async ({ page, scope }) => {
  const config = JSON.parse(await readFile(join(translator, "config.json"), "utf8"));
  config.vocab_size += MORE;
  const weights = padded(await readFile(join(translator, "model.safetensors")));
  await replaceCheckpoint(page, "translator", {
    "config.json": JSON.stringify(config),
    "model.safetensors": weights,
  });

  await scope.openLive();
  await expect(scope.problem).toBeHidden();
  await expect(scope.translation).toContainText(`${LIKELIEST}${LIKELIEST}`);
  await scope.inspect("Next word");
  await expect(page.getByTestId("output-token").first()).toContainText(LIKELIEST);
  await expect(page.getByTestId("candidates")).toContainText(LIKELIEST);
});

/** The translator's weights with rows appended to the tables that have one for each token. */
function padded(file: Buffer): Buffer {
  const length = Number(file.readBigUInt64LE());
  const header = JSON.parse(file.subarray(8, 8 + length).toString());
  const data = file.subarray(8 + length);
  const parts: Buffer[] = [];
  let end = 0;
  for (const [name, tensor] of Object.entries<any>(header)) {
    if (name === "__metadata__") continue;
    expect(tensor.dtype).toBe("F16");
    const part = [data.subarray(...(tensor.data_offsets as [number, number]))];
    if (name === "final_logits_bias") {
      // Zeros, and 1,000 as a half-precision number.
      const more = Buffer.alloc(2 * MORE);
      more.writeUInt16LE(0x63d0, 2 * (MORE - 1));
      part.push(more);
      tensor.shape[1] += MORE;
    } else if (name === "model.shared.weight") {
      part.push(Buffer.alloc(2 * MORE * tensor.shape[1]));
      tensor.shape[0] += MORE;
    }
    const bytes = Buffer.concat(part);
    tensor.data_offsets = [end, end + bytes.length];
    end += bytes.length;
    parts.push(bytes);
  }
  // Readers want the data to begin at a multiple of eight.
  const json = JSON.stringify(header);
  const text = Buffer.from(json.padEnd(Math.ceil(json.length / 8) * 8));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, ...parts]);
}
