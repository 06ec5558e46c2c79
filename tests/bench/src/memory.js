// Peak memory of the browser's processes, as the system counts it.

import { readFile } from "node:fs/promises";

/** @import { Browser } from "playwright-core" */

/**
 * @typedef {object} Peak
 * @property {number | null} renderer_bytes the page's process, in which every worker runs
 * @property {number | null} gpu_bytes the process that WebGPU runs in
 */

/**
 * The largest resident size that each process ever had (VmHWM); `null` where the system has no /proc.
 *
 * @param {Browser} browser
 * @returns {Promise<Peak>}
 */
export async function peak(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  /** @param {string} type */
  const largest = async (type) => {
    const processes = processInfo.filter((process) => process.type === type);
    const peaks = await Promise.all(processes.map(({ id }) => high_water_bytes(id)));
    const known = peaks.filter((bytes) => bytes !== null);
    return known.length ? Math.max(...known) : null;
  };
  return { renderer_bytes: await largest("renderer"), gpu_bytes: await largest("GPU") };
}

/** @param {number} pid */
async function high_water_bytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(status);
  return found ? Number(found[1]) * 1024 : null;
}
