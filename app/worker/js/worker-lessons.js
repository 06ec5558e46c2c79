// Starts the worker of the lectures' small computations.
import { load } from "./published.js";

load("./lessons.js", "./lessons_bg.wasm")
  .then((lessons) => lessons.listen())
  .catch(reportError);
