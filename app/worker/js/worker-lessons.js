// Starts the worker of the lectures' small computations.
import init, { listen } from "./lessons.js";

init().then(listen).catch(reportError);
