// Processes that end when they are asked to, with all that they started, and at the latest with this one.

import { spawn } from "node:child_process";
import { once } from "node:events";

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

// Windows has no groups of processes, and nothing that is started there starts others.
const GROUPS = process.platform !== "win32";

/**
 * @param {string} program
 * @param {string[]} given
 * @param {import("node:child_process").SpawnOptions} options
 */
export function start(program, given, options) {
  const child = spawn(program, given, { ...options, detached: GROUPS });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

/** @param {import("node:child_process").ChildProcess} child */
export async function end(child) {
  if (!running.has(child)) return;
  const gone = once(child, "exit");
  kill(child);
  await gone;
}

/** @param {import("node:child_process").ChildProcess} child */
function kill({ pid }) {
  if (pid !== undefined) process.kill(GROUPS ? -pid : pid, "SIGKILL");
}

process.once("exit", () => running.forEach(kill));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
