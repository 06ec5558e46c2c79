// Starts the worker that trains.
import init, { listen } from "./trainer.js";

await init();
listen();
