// Starts the worker that trains.
import init from "./trainer.js";

await init();
