// WebKitGTK's MiniBrowser on a screen of its own that nobody sees, driven by WebDriver. `WEBKIT_DRIVER` and
// `MINI_BROWSER` say where both are.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";

import { Builder, error, Key } from "selenium-webdriver";

import { PATIENCE_MS, PageEnded, SIZE, missing, pick } from "./browser.js";
import { end, start } from "./processes.js";

// Without a graphics card WebKit paints by OpenGL in software, whose shaders at times do not compile: Skia then aborts the
// web process. Neither the layers nor the canvases need OpenGL with these.
const SETTINGS = { LC_ALL: "en_US.UTF-8", WEBKIT_DISABLE_COMPOSITING_MODE: "1", WEBKIT_SKIA_ENABLE_CPU_RENDERING: "1" };
const KEYS = {
  Enter: Key.ENTER,
  Tab: Key.TAB,
  " ": Key.SPACE,
  ArrowLeft: Key.ARROW_LEFT,
  ArrowRight: Key.ARROW_RIGHT,
};

/**
 * Starts a MiniBrowser with a new profile; `environment` adds to the variables it sees.
 *
 * @param {Record<string, string>} [environment]
 * @returns {Promise<import("./browser.js").Browser>}
 */
export async function launch(environment = {}) {
  const { WEBKIT_DRIVER: program, MINI_BROWSER: binary } = process.env;
  if (!program || !binary) {
    throw new Error("WEBKIT_DRIVER or MINI_BROWSER is not set: run these tests with `cargo xtask test --only browsers`");
  }
  const { screen, display } = await startScreen();
  const port = await freePort();
  const service = start(program, [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, ...SETTINGS, DISPLAY: display, ...environment },
  });
  // Asked to quit, a session may hang.
  const close = async () => {
    await end(service);
    await end(screen);
  };
  try {
    const driver = await startSession(`http://127.0.0.1:${port}`, binary);
    return { ...controls(driver), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {string} address @param {string} binary */
async function startSession(address, binary) {
  const driver = await patiently(() =>
    new Builder()
      .usingServer(address)
      .withCapabilities({
        browserName: "MiniBrowser",
        "webkitgtk:browserOptions": { binary, args: ["--automation"] },
      })
      .build(),
  );
  await driver.manage().setTimeouts({ pageLoad: PATIENCE_MS, script: PATIENCE_MS });
  await driver.manage().window().setRect({ x: 0, y: 0, ...SIZE });
  return driver;
}

/** @param {import("selenium-webdriver").WebDriver} driver */
function controls(driver) {
  /** @param {string} keys */
  const send = (keys) => unlessEnded(driver.actions().sendKeys(keys).perform());
  return {
    /** @param {string} address */
    async open(address) {
      // From one view to another of the same page, the address alone would load nothing.
      await unlessEnded(driver.get("about:blank"));
      await unlessEnded(driver.get(address));
    },
    reload: () => unlessEnded(driver.navigate().refresh()),
    /** @type {import("./browser.js").Evaluate} */
    evaluate: (act, ...given) => unlessEnded(driver.executeScript(act, ...given)),
    /** @param {string} selector @param {string} [name] */
    async click(selector, name = "") {
      const found = await unlessEnded(driver.executeScript(pick, selector, name));
      if (!found) throw missing(selector, name);
      await unlessEnded(/** @type {import("selenium-webdriver").WebElement} */ (found).click());
    },
    type: send,
    /** @param {import("./browser.js").Key} key */
    press: (key) => send(KEYS[key]),
    /** @param {string} path */
    async screenshot(path) {
      await writeFile(path, await driver.takeScreenshot(), "base64");
    },
    // WebDriver does not tell what is on the console.
    complaints: () => [],
  };
}

/**
 * The result of a command, or `PageEnded`: a session ends with the web process that crashes.
 *
 * @template T @param {Promise<T>} command @returns {Promise<T>}
 */
async function unlessEnded(command) {
  try {
    return await command;
  } catch (cause) {
    if (cause instanceof error.NoSuchSessionError) throw new PageEnded("the web process has ended", { cause });
    throw cause;
  }
}

/** Starts an X server on the first display that is free. */
async function startScreen() {
  const size = `${SIZE.width}x${SIZE.height}x24`;
  const screen = start("Xvfb", ["-displayfd", "3", "-screen", "0", size, "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const answer = /** @type {import("node:stream").Readable} */ (screen.stdio[3]);
  const [number] = await Promise.race([
    once(answer, "data"),
    once(screen, "exit").then(() => Promise.reject(new Error("Xvfb does not start"))),
  ]);
  return { screen, display: `:${String(number).trim()}` };
}

/** @returns {Promise<number>} */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/**
 * Tries again while the driver does not listen yet.
 *
 * @template T @param {() => Promise<T>} start @returns {Promise<T>}
 */
async function patiently(start) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (Date.now() > end || !/ECONNREFUSED/.test(String(error))) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
