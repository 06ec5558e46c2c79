// Decoding as a film: for each step the tokens so far, the row of one head's map, and the candidates.

import { SHADES, pixels, scaleOf } from "../replay/colors.js";
import { firstSelection, kindOf, mapOf, selected, stepsOf } from "../replay/selection.js";
import { shareText, shortened, tokenName } from "../replay/tokens.js";
import { readTrace } from "../replay/trace.js";
import { languageOf, speaker } from "../replay/words.js";

/** The size of the picture in pixels, and the places in it. */
const SIZE = { width: 960, height: 600, margin: 32 };
const MAP = { left: 160, top: 190, edge: 370 };
const LIST = { left: 590, top: 200, row: 44, bar: 200, most: 6 };
const FONT = "system-ui, sans-serif";
/** The time of one step, of the last one, and between two frames. */
const TIMES = { step_ms: 900, last_ms: 2_000, frame_ms: 50 };
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];

/** Returns the type of film that the browser makes. */
function filmType() {
  const type = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  if (type === undefined) throw new Error("MediaRecorder");
  return type;
}

/**
 * Films the decoding that a trace records, in real time.
 * @param {Uint8Array} bytes the trace
 * @param {{ language?: string, theme?: string, selection?: object, step_ms?: number }} options
 * @param {(step: number, steps: number) => void} progressed is called before each step, counted from 1
 * @param {AbortSignal} signal ends the film early
 * @returns {Promise<Blob>}
 */
export async function film(bytes, options, progressed, signal) {
  const scene = await sceneOf(bytes, options);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [SIZE.width, SIZE.height];
  const drawing = canvas.getContext("2d");
  drawStep(drawing, scene, 0);
  const recorder = new MediaRecorder(canvas.captureStream(1_000 / TIMES.frame_ms), { mimeType: filmType() });
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise((resolve, reject) => {
    recorder.onstop = resolve;
    recorder.onerror = ({ error }) => reject(error);
  });
  recorder.start();
  for (let step = 0; step < scene.steps.length && !signal.aborted; step += 1) {
    progressed(step + 1, scene.steps.length);
    const isLast = step === scene.steps.length - 1;
    await hold(drawing, scene, step, isLast ? TIMES.last_ms : (options.step_ms ?? TIMES.step_ms), signal);
  }
  recorder.stop();
  await ended;
  signal.throwIfAborted();
  return new Blob(parts, { type: recorder.mimeType });
}

async function sceneOf(bytes, { language, theme = "light", selection = {} }) {
  const trace = await readTrace(bytes);
  const say = speaker(languageOf(language));
  const steps = stepsOf(trace);
  const start = firstSelection(trace);
  const chosen = selected(trace, start, selection);
  const kind = kindOf(trace, chosen);
  const map = mapOf(trace, chosen);
  const name = say(chosen.heads.length === 1 ? "one_head" : "mean_of_heads", {
    layer: chosen.layer + 1,
    head: chosen.heads[0] + 1,
    count: chosen.heads.length,
  });
  return { trace, say, steps, kind, map, theme, title: `${name} · ${say(chosen.kind)}`, language: languageOf(language) };
}

/** Shows a step for a while. Browsers record a frame only where something is drawn. */
async function hold(drawing, scene, step, duration_ms, signal) {
  const until = performance.now() + duration_ms;
  while (performance.now() < until && !signal.aborted) {
    drawStep(drawing, scene, step);
    await new Promise((resolve) => setTimeout(resolve, TIMES.frame_ms));
  }
}

function drawStep(drawing, scene, index) {
  const { theme, title, trace, say } = scene;
  const { page, ink } = SHADES[theme];
  drawing.fillStyle = page;
  drawing.fillRect(0, 0, SIZE.width, SIZE.height);
  drawing.textBaseline = "alphabetic";
  const model = shortened(trace.origin.model ?? trace.spec.model_type, 60);
  write(drawing, `${model} · ${title}`, SIZE.margin, 44, { ink, size: 18, opacity: 0.7 });
  write(drawing, textOf(trace, say), SIZE.margin, 84, { ink, size: 22 });
  drawWritten(drawing, scene, index);
  drawMap(drawing, scene, index);
  drawCandidates(drawing, scene, index);
}

function write(drawing, text, left, top, { ink, size, opacity = 1, align = "left", weight = 400, width = SIZE.width - 2 * SIZE.margin }) {
  drawing.font = `${weight} ${size}px ${FONT}`;
  drawing.textAlign = align;
  drawing.globalAlpha = opacity;
  drawing.fillStyle = ink;
  drawing.fillText(text, left, top, width);
  drawing.globalAlpha = 1;
}

/** Returns what the model read, in one line. */
function textOf(trace, say) {
  const tokens = trace.source.length > 0 ? trace.source : trace.target;
  const typed = trace.origin.text ?? tokens.map((token) => tokenName(token, say)).join(" ");
  return shortened(typed.replaceAll(/\s+/g, " "), 90);
}

/** The tokens that were written so far; the one of this step stands out. */
function drawWritten(drawing, { steps, say, theme }, index) {
  const { ink, query } = SHADES[theme];
  drawing.font = `400 24px ${FONT}`;
  const words = steps.slice(0, index + 1).map(({ chosen }) => chosen.token.text.replaceAll("▁", " ").replaceAll("⏎", " "));
  const before = words.slice(0, -1).join("");
  const room = SIZE.width - 2 * SIZE.margin - 200;
  let shown = before;
  while (drawing.measureText(shown).width > room) shown = shown.slice(Math.max(1, shown.length >> 3));
  const beginning = shown === before ? before : `…${shown}`;
  write(drawing, beginning, SIZE.margin, 130, { ink, size: 24 });
  const left = SIZE.margin + drawing.measureText(beginning).width;
  write(drawing, words.at(-1) || tokenName(steps[index].chosen.token, say), left, 130, { ink: query, size: 24, weight: 700 });
}

/** The rows of the map up to this step, as far as there is room, with the names of the tokens. */
function drawMap(drawing, { steps, kind, map, theme, say }, index) {
  const { ink, query } = SHADES[theme];
  const { queryTokens, keyTokens } = kind;
  const row = kind.queries === "target" ? steps[index].row : queryTokens.length - 1;
  const rows = row + 1;
  const picture = pictureOf(map.subarray(0, rows * keyTokens.length), keyTokens.length, rows, theme);
  const cell = Math.min(MAP.edge / Math.max(keyTokens.length, queryTokens.length), 36);
  drawing.imageSmoothingEnabled = false;
  drawing.drawImage(picture, MAP.left, MAP.top, cell * keyTokens.length, cell * rows);
  drawing.strokeStyle = query;
  drawing.lineWidth = 2;
  drawing.strokeRect(MAP.left - 1, MAP.top + cell * row - 1, cell * keyTokens.length + 2, cell + 2);
  if (cell < 11) return;
  const size = Math.min(14, cell * 0.7);
  queryTokens.slice(0, rows).forEach((token, at) => {
    const top = MAP.top + cell * (at + 0.7);
    write(drawing, tokenName(token, say), MAP.left - 8, top, { ink: at === row ? query : ink, size, align: "right", width: MAP.left - SIZE.margin });
  });
  keyTokens.forEach((token, at) => {
    drawing.save();
    drawing.translate(MAP.left + cell * (at + 0.6), MAP.top - 6);
    drawing.rotate(-Math.PI / 4);
    write(drawing, tokenName(token, say), 0, 0, { ink, size, width: 70 });
    drawing.restore();
  });
}

function pictureOf(map, columns, rows, theme) {
  const picture = new OffscreenCanvas(columns, rows);
  picture.getContext("2d").putImageData(pixels(map, columns, rows, theme), 0, 0);
  return picture;
}

/** The candidates of this step with their probabilities. */
function drawCandidates(drawing, { steps, say, theme, language }, index) {
  const { ink, query } = SHADES[theme];
  const { candidates, chosen } = steps[index];
  write(drawing, say("step_of", { step: index + 1, count: steps.length }), LIST.left, LIST.top - 24, { ink, size: 18, opacity: 0.7 });
  const [red, green, blue] = scaleOf(theme)[160];
  candidates.slice(0, LIST.most).forEach(({ token, log_probability: logarithm }, at) => {
    const [top, share] = [LIST.top + LIST.row * at, Math.exp(logarithm)];
    const color = token.id === chosen.token.id ? query : ink;
    write(drawing, tokenName(token, say), LIST.left, top + 18, { ink: color, size: 18, weight: token.id === chosen.token.id ? 700 : 400, width: 200 });
    write(drawing, shareText(share, language), SIZE.width - SIZE.margin, top + 18, { ink, size: 16, align: "right" });
    drawing.fillStyle = `rgb(${red} ${green} ${blue})`;
    drawing.fillRect(LIST.left, top + 24, LIST.bar * share, 6);
  });
}
