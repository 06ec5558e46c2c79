//! The policy that browsers hold the page and its workers to. `cargo xtask serve` sends it as headers; the build writes it into
//! the page and its service worker, for hosts that send none.

/// The policy as a literal, so that it can be part of a longer one. The argument names the hosts besides the page's own
/// that may be asked.
macro_rules! policy {
    ($hosts:literal) => {
        concat!(
            "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; \
             connect-src 'self'",
            $hosts,
            "; worker-src 'self'; img-src 'self' data: blob:; object-src 'none'; \
             base-uri 'self'; form-action 'self'"
        )
    };
}

/// The content security policy, as the page itself can carry it: WebAssembly may be compiled, and nothing
/// talks to any host but the page's own.
pub const POLICY: &str = policy!("");

/// The policy of the worker that downloads models from the host that the visitor names: any by HTTPS, and the visitor's
/// own machine.
pub const HUB_POLICY: &str = policy!(" https: http://localhost:* http://127.0.0.1:*");

/// The policy of the worker that relays to the server that the visitor names: any by TLS, and the visitor's own machine.
const SERVER_POLICY: &str = policy!(" wss: ws://localhost:* ws://127.0.0.1:*");

/// The scripts of the workers that may ask other hosts, each with its policy.
pub const OUTSIDE: [(&str, &str); 2] = [
    ("worker-hub.js", HUB_POLICY),
    ("worker-server.js", SERVER_POLICY),
];

/// Returns the policy of a file that has another than the page, by its name with or without a digest.
pub fn outside(name: &str) -> Option<&'static str> {
    let stem = |script: &'static str| script.trim_end_matches("js");
    let mut scripts = OUTSIDE.into_iter();
    let (_, policy) = scripts.find(|(script, _)| name.starts_with(stem(script)))?;
    Some(policy)
}

/// The document that other pages may show in a frame. It fetches the trace that its address names from any host.
pub const EMBED: &str = "embed.html";

/// The name of the header with the policy.
pub const POLICY_HEADER: &str = "content-security-policy";

/// The headers of every answer: names in small letters, and values.
///
/// Who may show the page in a frame, only a header can say. The two cross-origin headers isolate the page, which browsers
/// ask for before they hand out shared memory and exact clocks.
pub const HEADERS: [(&str, &str); 5] = [
    (
        POLICY_HEADER,
        concat!(policy!(""), "; frame-ancestors 'self'"),
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
];

/// The headers of [`EMBED`] in place of those of other answers: any page may hold it in a frame, an isolated one too.
pub const EMBED_HEADERS: [(&str, &str); 2] = [
    (POLICY_HEADER, HUB_POLICY),
    ("cross-origin-resource-policy", "cross-origin"),
];
