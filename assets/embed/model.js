// A pass of a model of this site, in the engine that the page uses, without threads.

const FILES = ["config.json", "tokenizer.json", "model.safetensors"];
/** The number of tokens that a model may append. */
const MOST_NEW_TOKENS = 48;

/** The files of this build by the names that they have in the repository. */
const manifest = () => JSON.parse(document.getElementById("manifest").textContent).files;

/** Returns the names of the models: the folders below `models/` that hold a checkpoint. */
function modelNames(files) {
  const configs = Object.keys(files).map((name) => /^models\/(.+)\/config\.json$/.exec(name)?.[1]);
  return configs.filter((name) => name !== undefined && `models/${name}/model.safetensors` in files);
}

/** Returns a checkpoint's files as `Request::Load` of `app/protocol` has them. */
function servedFiles(files, folder) {
  const absolute = (path) => new URL(path, document.baseURI).href;
  return FILES.filter((name) => `${folder}${name}` in files).map((name) => {
    const { path, bytes, sha256 } = files[`${folder}${name}`];
    const packed = files[`${folder}${name}.packed`];
    const copy = packed === undefined ? null : { url: absolute(packed.path), bytes: packed.bytes };
    return { name, url: absolute(path), bytes, sha256, packed: copy };
  });
}

/** An engine's worker: what is asked, and the last of its answers to it. */
class Engine {
  #worker = new Worker(new URL("../worker-cpu.js", import.meta.url), { type: "module", name: "without-threads" });
  #asked = 0;
  /** Resolves when the worker listens: what is said to it before is lost. */
  #booted = new Promise((resolve, reject) => {
    this.#worker.onmessage = ({ data }) => {
      if (data.header === JSON.stringify("booted")) resolve();
    };
    this.#worker.onerror = (event) => reject(new Error(event.message));
  });

  /** Resolves with the header and the buffer of the answer that is none of progress. */
  async ask(request, progressed = () => {}) {
    await this.#booted;
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      this.#worker.onerror = (event) => reject(new Error(event.message));
      this.#worker.onmessage = ({ data }) => {
        if (data.id !== id) return;
        const header = JSON.parse(data.header);
        if (header.failed !== undefined) reject(new Error(reason(header.failed)));
        else if (header.progress !== undefined) progressed(header.progress);
        else if (header.ready !== undefined || header.traced !== undefined) resolve(data.buffer);
      };
      this.#worker.postMessage({ id, header: JSON.stringify(request) });
    });
  }

  /** Ends the worker; the engine answers nothing more. */
  end() {
    this.#worker.terminate();
  }
}

/** Returns a failure of the engine in one line: its kind, and what it says of it. */
function reason(failure) {
  if (typeof failure === "string") return failure.replaceAll("_", " ");
  const [[kind, fields]] = Object.entries(failure);
  return `${kind.replaceAll("_", " ")}: ${Object.values(fields).join(", ")}`;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/**
 * Runs a model on a text, and resolves with the trace's bytes.
 * @param {{ model: string, text: string }} wanted
 * @param {(share: string) => void} progressed
 */
export async function computed({ model, text }, progressed, words) {
  const files = manifest();
  const names = modelNames(files);
  if (!names.includes(model)) throw new Error(words.noModel(model, names.join(", ")));
  if (text.trim() === "") throw new Error(words.noText);
  const folder = `models/${model}/`;
  const engine = new Engine();
  try {
    const base = new URL(folder, document.baseURI).href;
    const load = { base, files: servedFiles(files, folder), allow_fallback_adapter: false };
    await engine.ask({ load }, ({ received_bytes: received, total_bytes: total }) => {
      progressed(total === null ? megabytes(received) : `${megabytes(received)} / ${megabytes(total)}`);
    });
    const run = {
      text,
      search: { kind: "greedy" },
      prefix: [],
      max_new_tokens: MOST_NEW_TOKENS,
      quantities: ["pattern"],
    };
    return await engine.ask({ run });
  } catch (error) {
    throw new Error(words.failed(error.message));
  } finally {
    engine.end();
  }
}
