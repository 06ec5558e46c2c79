// Starts the worker that downloads models from a hub. Its policy alone allows other hosts: see app/site/src/policy.rs.
import { load } from "./published.js";

load("./hub.js", "./hub_bg.wasm").catch(reportError);
