// Starts the worker that trains.
import init from "./trainer.js";

init().catch(reportError);
