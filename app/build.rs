//! Has the page linked with its relocations.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        // The relocations say what uses what; chunks are taken out by them.
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
