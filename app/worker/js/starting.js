// Starts an engine, and gives the page a sign of life at each step and as the module arrives: so it can tell a start that
// takes its time from one that hangs.

import { load } from "./published.js";

/** Time between two signs of life while the module arrives. */
const BETWEEN_MS = 1_000;

/** `Reply::Alive`, as `app/protocol/src/message.rs` has messages. */
const ALIVE = { id: 0, header: JSON.stringify("alive") };

const goesOn = () => self.postMessage(ALIVE);

/** The engine of the script at an address, once its module at another runs on `memory`, or on its own. */
export async function start(script, module, memory) {
  goesOn();
  const engine = await load(script, module, memory, nowAndThen(goesOn));
  goesOn();
  return engine;
}

/** Calls at most once in a while. */
function nowAndThen(call) {
  let calledMs = -BETWEEN_MS;
  return () => {
    const nowMs = performance.now();
    if (nowMs - calledMs < BETWEEN_MS) return;
    calledMs = nowMs;
    call();
  };
}
