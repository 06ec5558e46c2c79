//! Files and counts that are served besides the engine.

use std::fs;
use std::path::Path;

use crate::Server;

#[test]
fn health_and_counts_are_served() {
    let server = Server::start(&[]);
    assert!(server.get("/healthz").ends_with("ok\n"));
    let metrics = server.get("/metrics");
    assert!(metrics.contains("text/plain; version=0.0.4"), "{metrics}");
    for name in ["attn_visitors 0", "attn_runs_total 0", "attn_queue 0"] {
        assert!(metrics.contains(name), "{name} in {metrics}");
    }
    assert!(server.get("/").starts_with("HTTP/1.1 404"));
}

#[test]
fn the_page_is_served_with_its_headers_to_its_own_name_alone() {
    let dist = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-dist");
    fs::create_dir_all(&dist).unwrap();
    fs::write(dist.join("index.html"), "<p>page</p>").unwrap();
    fs::write(dist.join("engine.wasm"), [0; 9]).unwrap();
    let server = Server::start(&["--dist", dist.to_str().unwrap()]);
    let page = server.get("/");
    for line in [
        "content-type: text/html",
        "cross-origin-opener-policy: same-origin",
        "cross-origin-embedder-policy: require-corp",
        "cache-control: no-cache",
        "<p>page</p>",
    ] {
        assert!(page.contains(line), "{line} in {page}");
    }
    let engine = server.get("/engine.wasm");
    assert!(
        engine.contains("content-type: application/wasm"),
        "{engine}"
    );
    assert!(server.get("/../Cargo.toml").starts_with("HTTP/1.1 404"));
    let elsewhere = server.get_as("evil.example", "/");
    assert!(elsewhere.starts_with("HTTP/1.1 421"), "{elsewhere}");
    assert!(!elsewhere.contains("<p>page</p>"));
}
