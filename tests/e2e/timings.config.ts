import { defineConfig } from "@playwright/test";

import { baseURL, launch, webServer } from "./browser";

/** `cargo xtask timings`: measures, and asserts nothing but that the page comes to life. */
export default defineConfig({
  testDir: ".",
  testMatch: ["timings.ts", "experiments.timings.ts"],
  reporter: [["list"]],
  outputDir: "../../target/e2e",
  workers: 1,
  timeout: 900_000,
  expect: { timeout: 120_000 },
  use: { baseURL, launchOptions: launch("--disable-gpu") },
  webServer,
});
