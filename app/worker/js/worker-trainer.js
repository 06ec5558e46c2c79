// Starts the worker that trains.
import { load } from "./published.js";

load("./trainer.js", "./trainer_bg.wasm").catch(reportError);
