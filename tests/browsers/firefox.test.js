import { launch } from "./src/firefox.js";
import { journeys } from "./src/journeys.js";

journeys("Firefox", launch, { threads: true, offline: true });
