// One HTML file that replays a trace: the rules are those of `assets/replay/README.md`.

/** The folder of the replay's files in the repository. */
const FOLDER = "replay/";

/** Returns the file of a name as the page serves it. */
async function served(name) {
  const { files } = JSON.parse(document.getElementById("manifest").textContent);
  const { path } = files[FOLDER + name];
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.text();
}

const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const withoutImports = (text) =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("import "))
    .join("\n");

/** Returns bytes compressed with gzip, as base64. */
async function packed(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  const blob = await new Response(stream).blob();
  const reader = new FileReader();
  const read = new Promise((resolve, reject) => {
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(reader.error);
  });
  reader.readAsDataURL(blob);
  return read;
}

/**
 * Returns the page as bytes.
 * @param {Uint8Array} bytes the trace, with patterns alone
 * @param {string} title
 * @param {object} options those of `mount` in `replay.js`
 * @returns {Promise<Uint8Array>}
 */
export async function html(bytes, title, options) {
  const shell = await served("replay.html");
  const values = new Map([
    ["title", escaped(title)],
    ["data", await packed(bytes)],
    ["options", JSON.stringify(options).replaceAll("<", "\\u003c")],
  ]);
  const names = [...shell.matchAll(/\{\{([a-z.-]+)\}\}/g)].map(([, name]) => name);
  const files = names.filter((name) => !values.has(name));
  await Promise.all(files.map(async (name) => values.set(name, withoutImports(await served(name)))));
  // In one pass, so that nothing in a value is read as a mark.
  const page = shell.replaceAll(/\{\{([a-z.-]+)\}\}/g, (_, name) => values.get(name));
  return new TextEncoder().encode(page);
}
