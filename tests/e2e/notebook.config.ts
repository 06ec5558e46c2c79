import { defineConfig } from "@playwright/test";

import { launch } from "./browser";

/** Pages that the tests of the Python package made, opened from disk; `cargo xtask test --only python` runs both. */
export default defineConfig({
  testDir: "notebook",
  forbidOnly: Boolean(process.env.CI),
  reporter: [["list"]],
  outputDir: "../../target/e2e-notebook",
  timeout: 60_000,
  use: { locale: "en-US", offline: true, launchOptions: launch("--disable-gpu"), screenshot: "only-on-failure" },
});
