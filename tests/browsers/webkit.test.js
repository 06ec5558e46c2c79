import { journeys } from "./src/journeys.js";
import { launch } from "./src/webkit.js";

// It calls the page isolated, and shares no memory unless a variable asks for it.
journeys("WebKit", launch, { threads: false });
journeys("WebKit with shared memory", () => launch({ JSC_useSharedArrayBuffer: "1" }), { threads: true });
