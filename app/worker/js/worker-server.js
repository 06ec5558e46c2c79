// Relays between the page and a server that runs the model: a message of the page is a frame of a WebSocket, and back.
// `app/protocol/src/frame.rs` describes the frames. Its policy allows other hosts: see app/site/src/policy.rs.

const SUBPROTOCOL = "attention-scope-1";
const LENGTH_BYTES = 4;

/** The code of a connection that was never made. */
const NEVER_MADE = 1006;

/** The header of a frame: its parts are passed on as they are, so that no number is rounded. */
const HEADER = /^\{"id":(\d+),"body":(.*)\}$/s;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

let socket;

self.onmessage = ({ data }) => {
  if (socket === undefined) connect(JSON.parse(data.header));
  // Before that, the page asks for a sign of life alone.
  else if (socket.readyState === WebSocket.OPEN) socket.send(frame(data));
};

function connect({ url, token }) {
  try {
    socket = new WebSocket(url, [SUBPROTOCOL, `token-${token}`]);
  } catch (error) {
    return post(0, JSON.stringify({ closed: { code: NEVER_MADE, reason: String(error) } }));
  }
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => relay(data);
  socket.onclose = ({ code, reason }) => post(0, JSON.stringify({ closed: { code, reason } }));
}

function frame({ id, header, buffer }) {
  const text = encoder.encode(`{"id":${id},"body":${header}}`);
  const array = new Uint8Array(buffer ?? 0);
  const bytes = new Uint8Array(LENGTH_BYTES + text.length + array.length);
  new DataView(bytes.buffer).setUint32(0, text.length, true);
  bytes.set(text, LENGTH_BYTES);
  bytes.set(array, LENGTH_BYTES + text.length);
  return bytes;
}

function relay(bytes) {
  const start = LENGTH_BYTES + new DataView(bytes).getUint32(0, true);
  const [, id, body] = HEADER.exec(decoder.decode(bytes.slice(LENGTH_BYTES, start)));
  post(Number(id), body, start < bytes.byteLength ? bytes.slice(start) : undefined);
}

function post(id, header, buffer) {
  self.postMessage({ id, header, buffer }, buffer ? [buffer] : []);
}
