// Starts the CPU engine; its own start function listens and says that it does.
import init from "./engine-cpu.js";

await init();
