import { journeys } from "./src/journeys.js";
import { launch } from "./src/webkit.js";

// It calls the page isolated, and shares no memory unless a variable asks for it.
journeys("WebKit", launch, { threads: false, offline: true });
// A known gap: with the server stopped the page and its chapters are there, and the engine with threads does not start.
// Nested workers as such are not why: on a small page their scripts, and what these import, come from the service worker.
journeys("WebKit with shared memory", () => launch({ JSC_useSharedArrayBuffer: "1" }), { threads: true, offline: false });
