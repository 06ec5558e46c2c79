import { defineConfig } from "@playwright/test";

import { baseURL, launch, webServer } from "./browser";

/** `cargo xtask screenshots`: not a test, but it drives the page as the journeys do. */
export default defineConfig({
  testDir: ".",
  testMatch: "screenshots.ts",
  reporter: [["list"]],
  outputDir: "../../target/e2e",
  timeout: 120_000,
  expect: { timeout: 60_000 },
  use: { baseURL, launchOptions: launch("--disable-gpu", "--font-render-hinting=none") },
  webServer,
});
