import { defineConfig } from "@playwright/test";

import { baseURL, launch, webServer } from "./browser";

/** `cargo xtask soak`: what the page holds after a long time of use. */
export default defineConfig({
  testDir: ".",
  testMatch: "soak.ts",
  reporter: [["list"]],
  outputDir: "../../target/e2e",
  workers: 1,
  timeout: 3_600_000,
  expect: { timeout: 120_000 },
  use: {
    baseURL,
    // A software adapter, so that there is another device to change to.
    launchOptions: launch(
      "--enable-unsafe-webgpu",
      "--use-webgpu-adapter=swiftshader",
      "--enable-features=Vulkan",
      "--ignore-gpu-blocklist",
    ),
    serviceWorkers: "block",
  },
  webServer,
});
