import { defineConfig } from "@playwright/test";

import { baseURL, launch, webServer } from "./browser";

/** `cargo xtask drawing`: measures, and asserts nothing but that there is something to measure. */
export default defineConfig({
  testDir: ".",
  testMatch: "drawing.ts",
  reporter: [["list"]],
  outputDir: "../../target/e2e",
  workers: 1,
  timeout: 300_000,
  expect: { timeout: 120_000 },
  use: {
    baseURL,
    viewport: { width: 1440, height: 900 },
    launchOptions: launch("--disable-gpu"),
    serviceWorkers: "block",
  },
  webServer,
});
