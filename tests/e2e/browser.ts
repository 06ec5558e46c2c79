// What every run of Chromium shares: where it is, how it starts, who serves the page.

import { join } from "node:path";

import type { LaunchOptions, PlaywrightTestConfig } from "@playwright/test";

export const repository = join(__dirname, "../..");

const port = Number(process.env.E2E_PORT ?? 8190);

/** The served page. */
export const baseURL = `http://127.0.0.1:${port}/`;

/** How a visitor's browser is set. Requests that a service worker answers cannot be tampered with; a few journeys let it work. */
export const visitor = { baseURL, locale: "en-US", serviceWorkers: "block" } as const;

// A path that may hold spaces, on its way through a shell.
const xtask = process.env.XTASK ? `"${process.env.XTASK}"` : "cargo xtask";

// Another directory than `dist/`.
const dist = process.env.DIST ? ` --dist "${process.env.DIST}"` : "";

/** Serves `dist/` as it is; `cargo xtask test` builds it first and passes itself as `XTASK`. */
export const webServer: PlaywrightTestConfig["webServer"] = {
  command: `${xtask} serve --no-build --port ${port}${dist}`,
  cwd: repository,
  url: baseURL,
  reuseExistingServer: false,
  timeout: 300_000,
};

/** How Chromium starts; `CHROMIUM` names one, without it Playwright takes its own. */
export function launch(...flags: string[]): LaunchOptions {
  // Chromium refuses its sandbox to root, which is whom containers run as.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return {
    executablePath: process.env.CHROMIUM || undefined,
    args: [...sandbox, "--disable-dev-shm-usage", ...flags],
  };
}
