// Files that a visitor takes along, made of a trace. The page loads this script when one is wanted.

let filming = new AbortController();

/**
 * Returns one HTML file that replays a trace, as bytes.
 * @param {Uint8Array} bytes the trace, with patterns alone
 * @param {string} title
 * @param {string} options those of `mount` in `replay/replay.js`, as JSON
 */
export async function html(bytes, title, options) {
  const { html } = await import("./taking/html.js");
  return html(bytes, title, JSON.parse(options));
}

/**
 * Returns the ending of a file's name and the film of the decoding, as bytes.
 * @param {Uint8Array} bytes the trace
 * @param {string} options those of `film` in `taking/film.js`, as JSON
 * @param {(step: number, steps: number) => void} progressed
 */
export async function film(bytes, options, progressed) {
  const { film } = await import("./taking/film.js");
  filming = new AbortController();
  const blob = await film(bytes, JSON.parse(options), progressed, filming.signal);
  const ending = blob.type.startsWith("video/mp4") ? "mp4" : "webm";
  return [ending, new Uint8Array(await blob.arrayBuffer())];
}

/** Ends a film early; `film` rejects. */
export function stop() {
  filming.abort();
}
