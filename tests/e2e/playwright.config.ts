import { cpus } from "node:os";

import { defineConfig } from "@playwright/test";

import { launch, visitor, webServer } from "./browser";

export default defineConfig({
  testDir: "journeys",
  fullyParallel: true,
  // Of two cores Playwright would use one; a journey waits for files and frames half of its time.
  workers: Math.max(2, Math.floor(cpus().length / 2)),
  forbidOnly: Boolean(process.env.CI),
  // The test command reads the times out of the second.
  reporter: [["list"], ["json", { outputFile: "../../target/journeys.json" }]],
  outputDir: "../../target/e2e",
  timeout: 180_000,
  // A cold engine on two busy cores takes its time.
  expect: { timeout: 60_000 },
  use: { ...visitor, screenshot: "only-on-failure" },
  webServer,
  projects: [
    {
      name: "cpu",
      testIgnore: "webgpu*.spec.ts",
      use: { launchOptions: launch("--disable-gpu") },
    },
    {
      // SwiftShader is a GPU in software: right, and slow.
      name: "webgpu",
      testMatch: "webgpu*.spec.ts",
      timeout: 600_000,
      expect: { timeout: 300_000 },
      use: {
        launchOptions: launch(
          "--enable-unsafe-webgpu",
          "--use-webgpu-adapter=swiftshader",
          "--enable-features=Vulkan",
          "--ignore-gpu-blocklist",
        ),
      },
    },
  ],
});
