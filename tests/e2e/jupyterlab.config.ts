import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { defineConfig } from "@playwright/test";

import { launch, repository } from "./browser";

const address = "http://127.0.0.1:8421/";

/** Notebooks two folders below the repository, as those of `python/examples` are. */
const notebooks = join(repository, "target/jupyterlab");
mkdirSync(notebooks, { recursive: true });

/** The Python package in JupyterLab, which `JUPYTER` names. No stage runs this; `docs/building.md` says how to. */
export default defineConfig({
  testDir: "jupyterlab",
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  outputDir: "../../target/e2e-jupyterlab",
  timeout: 90_000,
  expect: { timeout: 60_000 },
  workers: 1,
  use: {
    baseURL: address,
    locale: "en-US",
    viewport: { width: 1200, height: 1100 },
    launchOptions: launch("--disable-gpu"),
    screenshot: "only-on-failure",
  },
  webServer: {
    // Without a token: it listens on this machine alone and ends with the tests.
    command: `"${process.env.JUPYTER ?? "jupyter"}" lab --allow-root --no-browser --ip 127.0.0.1 --port 8421 --IdentityProvider.token= --expose-app-in-browser`,
    cwd: notebooks,
    url: `${address}api`,
    reuseExistingServer: false,
    timeout: 60_000,
  },
});
