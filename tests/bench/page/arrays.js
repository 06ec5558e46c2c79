// Arrays by name, as a safetensors file: what a trace is, and what both sides' outputs are kept as.

/** @typedef {{ shape: readonly number[], data: BlobPart & { byteLength: number } }} NamedArray */

/** The names under which one pass's outputs are known to both sides. @param {Record<string, any>} described */
export function output_names({ family, encoder_layers, decoder_layers }) {
  /** @param {string} stack @param {number} count @param {string} sublayer */
  const names = (stack, count, sublayer) =>
    Array.from({ length: count }, (_, layer) => `${stack}.${layer}.${sublayer}.pattern`);
  const attention =
    family === "llama"
      ? names("decoder", decoder_layers, "self")
      : [
          ...names("encoder", encoder_layers, "self"),
          ...names("decoder", decoder_layers, "self"),
          ...names("decoder", decoder_layers, "cross"),
        ];
  return ["logits", ...attention];
}

/** The head of a safetensors file, and where its data begins. @param {ArrayBuffer} file */
export function head(file) {
  const length = Number(new DataView(file).getBigUint64(0, true));
  const text = new TextDecoder().decode(new Uint8Array(file, 8, length));
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(text);
  return { metadata, entries, start: 8 + length };
}

/** The arrays as a safetensors file. @param {Map<string, NamedArray>} arrays */
export function file_of(arrays) {
  /** @type {Record<string, object>} */
  const entries = {};
  let offset = 0;
  for (const [name, { shape, data }] of arrays) {
    entries[name] = { dtype: "F32", shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const text = new TextEncoder().encode(JSON.stringify(entries));
  const size = new BigUint64Array([BigInt(text.length)]);
  return new Blob([size, text, ...Array.from(arrays.values(), ({ data }) => data)]);
}

/** Uploads the arrays to be compared. @param {string} address @param {Map<string, NamedArray>} arrays */
export async function keep(address, arrays) {
  const answer = await fetch(address, { method: "POST", body: file_of(arrays) });
  if (!answer.ok) throw new Error(`the outputs were not taken: ${answer.statusText}`);
}
