// Starts an engine, and gives the page a sign of life at each step and as the module arrives: so it can tell a start that
// takes its time from one that hangs.

/** Time between two signs of life while the module arrives. */
const BETWEEN_MS = 1_000;

/** `Reply::Alive`, as `app/protocol/src/message.rs` has messages. */
const ALIVE = { id: 0, header: JSON.stringify({ kind: "alive" }) };

const goesOn = () => self.postMessage(ALIVE);

/** The engine whose script is being imported, once its module at `address` runs on `memory`, or on its own. */
export async function start(script, address, memory) {
  goesOn();
  const [engine, response] = await Promise.all([script, download(address)]);
  await engine.default({ module_or_path: response, memory });
  goesOn();
  return engine;
}

async function download(address) {
  const response = await fetch(address);
  // A copy is counted, since with the response itself a browser finds the code that it has compiled before. Where the
  // copy breaks off, so does the engine's own, which says why.
  response.clone().body.pipeTo(arrivals()).catch(() => {});
  return response;
}

/** Takes in bytes, and tells the page that there are more. */
function arrivals() {
  let saidMs = -BETWEEN_MS;
  return new WritableStream({
    write() {
      const nowMs = performance.now();
      if (nowMs - saidMs < BETWEEN_MS) return;
      saidMs = nowMs;
      goesOn();
    },
    close: goesOn,
  });
}
