import { journeys } from "./src/journeys.js";
import { launch } from "./src/webkit.js";

// It calls the page isolated, and shares no memory unless a variable asks for it.
journeys("WebKit", launch, { threads: false, offline: false });
// Without a server its threads do not start, and the engine without them answers.
journeys("WebKit with shared memory", () => launch({ JSC_useSharedArrayBuffer: "1" }), { threads: true, offline: false });
