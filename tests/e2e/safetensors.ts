// Reading safetensors files of 32-bit floats.

/** An array. */
export interface Floats {
  shape: number[];
  data: Float32Array;
}

/** A file: its arrays by name, and its metadata. */
export interface Safetensors {
  arrays: Map<string, Floats>;
  metadata: Record<string, string>;
}

interface Entry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

export function readSafetensors(file: Uint8Array): Safetensors {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = 8 + Number(view.getBigUint64(0, true));
  const header = new TextDecoder().decode(file.subarray(8, start));
  const { __metadata__: metadata = {}, ...entries } = JSON.parse(header);
  const arrays = new Map<string, Floats>();
  for (const [name, entry] of Object.entries(entries as Record<string, Entry>)) {
    if (entry.dtype !== "F32") throw new Error(`${name} is stored as ${entry.dtype}`);
    const [from, to] = entry.data_offsets;
    // A copy, since a view must begin at a multiple of four bytes.
    const bytes = Uint8Array.from(file.subarray(start + from, start + to));
    arrays.set(name, { shape: entry.shape, data: new Float32Array(bytes.buffer, 0, bytes.length / 4) });
  }
  return { arrays, metadata };
}
