// Base64, in which a page holds its trace.

/** Returns the bytes of base64; where the browser has no function for it, a part at a time, so that a long text is not held twice. */
export function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const padding = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  const part = 4 * 65_536;
  for (let from = 0; from < text.length; from += part) {
    const characters = atob(text.slice(from, from + part));
    const start = (from / 4) * 3;
    for (let index = 0; index < characters.length; index += 1) bytes[start + index] = characters.charCodeAt(index);
  }
  return bytes;
}
