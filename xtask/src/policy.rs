//! The policy that browsers hold the page and its workers to. `cargo xtask serve` sends it as headers; the build writes it into
//! the page and its service worker, for hosts that send none.

/// The policy as a literal, so that it can be part of a longer one.
macro_rules! policy {
    () => {
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
         connect-src 'self'; worker-src 'self'; img-src 'self' data: blob:; object-src 'none'; \
         base-uri 'self'; form-action 'self'"
    };
}

/// The content security policy, as the page itself can carry it: WebAssembly may be compiled, and nothing
/// talks to any host but the page's own.
pub const POLICY: &str = policy!();

/// The headers of every answer: names in small letters, and values.
///
/// Who may show the page in a frame, only a header can say. The two cross-origin headers isolate the page, which browsers
/// ask for before they hand out shared memory and exact clocks.
pub const HEADERS: [(&str, &str); 5] = [
    (
        "content-security-policy",
        concat!(policy!(), "; frame-ancestors 'self'"),
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];
