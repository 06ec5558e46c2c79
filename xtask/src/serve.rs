//! A local server for `dist/` with the headers that a published page should have too.

use std::{
    io,
    net::TcpListener,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
};

use attention_site::{files, with_headers};
use axum::{
    Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse, Redirect, Response},
};
use tokio::{runtime, sync::watch};

use crate::{
    bundle::{self, Mode, Offered, Script},
    error::Error,
    workspace::Workspace,
};

/// Serves the directory `dist` on 127.0.0.1 until it is stopped.
///
/// # Errors
/// If there is nothing to serve, or the port is taken.
pub fn serve(dist: &Path, port: u16) -> Result<(), Error> {
    let page = dist.join("index.html");
    if !page.is_file() {
        return Err(Error::NotBuilt { path: page });
    }
    let (_, nothing_to_come) = watch::channel(0);
    answer(listen(port)?, dist, nothing_to_come, port)
}

/// Builds, and serves the page from when it can show everything and the CPU answers; what comes later is
/// served as it comes. What fails later is told, and the page goes on without it.
///
/// # Errors
/// If the port is taken, or the build fails before there is a page.
pub fn serve_while_building(
    workspace: &Workspace,
    mode: Mode,
    offered: Vec<Offered>,
    port: u16,
) -> Result<(), Error> {
    // First, so that nobody builds for minutes to learn that the port is taken.
    let listener = listen(port)?;
    let (parts, parts_there) = watch::channel(0_u32);
    let (begin, begun) = mpsc::channel();
    let dist = workspace.dist();
    let workspace = workspace.clone();
    let build = thread::spawn(move || {
        // Both ends go when the build is over.
        let (parts, begin) = (parts, begin);
        let built = bundle::build_by_parts(&workspace, mode, &offered, &|| {
            parts.send_modify(|number| *number += 1);
            #[expect(
                clippy::unused_result_ok,
                reason = "nobody listens once the server has stopped"
            )]
            begin.send(()).ok();
        });
        match built {
            Err(error) if *parts.borrow() > 0 => {
                error.print();
                println!("The page is served without what was not built.");
                Ok(())
            }
            Ok(()) => {
                println!("Everything is built and served.");
                Ok(())
            }
            failed => failed,
        }
    });
    if begun.recv().is_err() {
        let panicked = |_| Err(Error::Panicked { unit: "page" });
        return build.join().unwrap_or_else(panicked);
    }
    answer(listener, &dist, parts_there, port)
}

fn listen(port: u16) -> Result<TcpListener, Error> {
    let listener = TcpListener::bind(("127.0.0.1", port));
    let listener = listener.map_err(|source| refusal(port, source))?;
    let set = listener.set_nonblocking(true);
    set.map_err(|source| Error::Serve { port, source })?;
    Ok(listener)
}

/// Answers until the program is stopped. `parts` changes when more of `dist` is there.
fn answer(
    listener: TcpListener,
    dist: &Path,
    parts: watch::Receiver<u32>,
    port: u16,
) -> Result<(), Error> {
    let failed = |source| Error::Serve { port, source };
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(failed)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        println!("Serving http://{address}/ (stop with Ctrl+C)");
        let router = router(dist.to_owned(), parts);
        axum::serve(listener, router).await.map_err(failed)
    })
}

fn refusal(port: u16, source: io::Error) -> Error {
    match source.kind() {
        io::ErrorKind::AddrInUse => Error::PortTaken { port },
        _ => Error::Serve { port, source },
    }
}

/// The files of `dist`; a script that is still being built is waited for.
fn router(dist: PathBuf, parts: watch::Receiver<u32>) -> Router {
    let router = Router::new().fallback_service(files(&dist));
    with_headers(router.layer(middleware::from_fn_with_state(
        (dist, parts),
        wait_for_script,
    )))
}

/// A page that was served before an engine was built knows the engine's script by its plain name alone. The
/// answer waits until it is there, so the engine takes over in the open page; or until the build is
/// over without it.
async fn wait_for_script(
    State((dist, mut parts)): State<(PathBuf, watch::Receiver<u32>)>,
    request: Request,
    next: Next,
) -> Response {
    let name = request.uri().path().trim_start_matches('/').to_owned();
    loop {
        match bundle::script(&dist, &name) {
            Script::At(address) => return Redirect::temporary(&address).into_response(),
            Script::Missing if parts.changed().await.is_ok() => {}
            Script::Missing | Script::Unknown => return next.run(request).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        error::Error as StdError,
        fs,
        io::{Read, Write},
        net::{SocketAddr, TcpStream},
    };

    use attention_site::policy::{HEADERS, POLICY_HEADER};

    use super::*;

    #[test]
    fn a_taken_port_is_told_apart() {
        let taken = refusal(8080, io::ErrorKind::AddrInUse.into());
        assert!(taken.to_string().contains("--port 8081"), "{taken}");
        let forbidden = refusal(80, io::ErrorKind::PermissionDenied.into());
        assert!(matches!(forbidden, Error::Serve { port: 80, .. }));
    }

    #[test]
    fn nothing_to_serve_is_an_error() -> Result<(), Box<dyn StdError>> {
        let directory = tempfile::tempdir()?;
        let outcome = serve(directory.path(), 0);
        assert!(matches!(outcome, Err(Error::NotBuilt { .. })));
        Ok(())
    }

    #[test]
    fn weights_are_sent_with_their_length_and_every_header() -> Result<(), Box<dyn StdError>> {
        let dist = tempfile::tempdir()?;
        fs::write(dist.path().join("model.safetensors"), [0; 5000])?;
        let address = start(dist.path())?;
        let answer = get(address, "/model.safetensors", "Accept-Encoding: br")?;
        assert!(answer.starts_with("http/1.1 200"), "{answer}");
        assert!(answer.contains("content-length: 5000"), "{answer}");
        for (name, value) in HEADERS {
            let header = format!("{name}: {}", value.to_lowercase());
            assert!(answer.contains(&header), "{header} in {answer}");
        }
        Ok(())
    }

    #[test]
    fn two_workers_alone_may_ask_other_hosts() -> Result<(), Box<dyn StdError>> {
        let dist = tempfile::tempdir()?;
        for name in [
            "worker-hub.0123456789abcdef.js",
            "worker-server.0123456789abcdef.js",
            "worker-cpu.js",
        ] {
            fs::write(dist.path().join(name), "0")?;
        }
        let address = start(dist.path())?;
        let policy = |path| -> Result<String, Box<dyn StdError>> {
            let answer = get(address, path, "Accept-Encoding: br")?;
            let mut lines = answer.lines();
            let line = lines.find(|line| line.starts_with(POLICY_HEADER));
            line.map(str::to_owned).ok_or("no policy".into())
        };
        assert!(policy("/worker-hub.0123456789abcdef.js")?.contains("connect-src 'self' https: "));
        assert!(policy("/worker-server.0123456789abcdef.js")?.contains("connect-src 'self' wss: "));
        assert!(policy("/worker-cpu.js")?.contains("connect-src 'self';"));
        Ok(())
    }

    #[test]
    fn modules_are_sent_compressed_under_their_own_type() -> Result<(), Box<dyn StdError>> {
        let dist = tempfile::tempdir()?;
        fs::write(dist.path().join("page_bg.wasm"), [0; 5000])?;
        fs::write(dist.path().join("page_bg.wasm.br"), [0; 40])?;
        let address = start(dist.path())?;
        let answer = get(address, "/page_bg.wasm", "Accept-Encoding: gzip, br")?;
        assert!(
            answer.contains("content-type: application/wasm"),
            "{answer}"
        );
        assert!(answer.contains("content-encoding: br"), "{answer}");
        assert!(answer.contains("content-length: 40"), "{answer}");
        let plain = get(address, "/page_bg.wasm", "Accept-Encoding: identity")?;
        assert!(plain.contains("content-length: 5000"), "{plain}");
        Ok(())
    }

    #[test]
    fn a_file_named_by_its_contents_is_kept_for_good_and_no_other() -> Result<(), Box<dyn StdError>>
    {
        let dist = tempfile::tempdir()?;
        fs::write(dist.path().join("page.0123456789abcdef.js"), "1;")?;
        fs::write(dist.path().join("index.html"), "<p>")?;
        let address = start(dist.path())?;
        for (path, expected) in [
            ("/page.0123456789abcdef.js", "immutable"),
            ("/", "no-cache"),
            ("/page.ffffffffffffffff.js", "no-cache"),
        ] {
            let answer = get(address, path, "Accept: */*")?;
            let line = answer
                .lines()
                .find(|line| line.starts_with("cache-control"))
                .ok_or("no cache-control")?;
            assert!(line.contains(expected), "{path}: {line}");
        }
        Ok(())
    }

    #[test]
    fn an_unchanged_file_is_not_sent_again() -> Result<(), Box<dyn StdError>> {
        let dist = tempfile::tempdir()?;
        fs::write(dist.path().join("page.js"), "1;")?;
        let address = start(dist.path())?;
        let answer = get(address, "/page.js", "Accept: */*")?;
        let tag = answer
            .lines()
            .find_map(|line| line.strip_prefix("etag: "))
            .ok_or("no etag")?;
        let again = get(address, "/page.js", &format!("If-None-Match: {tag}"))?;
        assert!(again.starts_with("http/1.1 304"), "{again}");
        let missing = get(address, "/nothing.js", "Accept: */*")?;
        assert!(missing.starts_with("http/1.1 404"), "{missing}");
        Ok(())
    }

    #[test]
    fn an_engine_that_is_still_being_built_is_waited_for() -> Result<(), Box<dyn StdError>> {
        let dist = tempfile::tempdir()?;
        let (parts, parts_there) = watch::channel(0);
        let address = start_with(dist.path(), parts_there)?;
        let asking = thread::spawn(move || {
            get(address, "/worker-webgpu.js", "Accept: */*").map_err(|error| error.to_string())
        });
        // Another part comes first, which does not help.
        parts.send_modify(|number| *number += 1);
        let manifest = r#"{"files":{"worker-webgpu.js":{"path":"worker-webgpu.0f.js"}}}"#;
        fs::write(dist.path().join("manifest.json"), manifest)?;
        assert!(!asking.is_finished());
        parts.send_modify(|number| *number += 1);
        let answer = asking.join().map_err(|_| "the request panicked")??;
        assert!(answer.starts_with("http/1.1 307"), "{answer}");
        assert!(answer.contains("location: worker-webgpu.0f.js"), "{answer}");
        assert!(answer.contains("cache-control: no-cache"), "{answer}");
        Ok(())
    }

    #[test]
    fn an_engine_that_never_came_is_missing_when_the_build_is_over() -> Result<(), Box<dyn StdError>>
    {
        let dist = tempfile::tempdir()?;
        let (parts, parts_there) = watch::channel(0);
        let address = start_with(dist.path(), parts_there)?;
        let asking = thread::spawn(move || {
            get(address, "/worker-lessons.js", "Accept: */*").map_err(|error| error.to_string())
        });
        drop(parts);
        let answer = asking.join().map_err(|_| "the request panicked")??;
        assert!(answer.starts_with("http/1.1 404"), "{answer}");
        Ok(())
    }

    #[test]
    fn a_taken_port_is_told_before_anything_is_built() -> Result<(), Box<dyn StdError>> {
        let taken = TcpListener::bind("127.0.0.1:0")?;
        let port = taken.local_addr()?.port();
        let nowhere = Workspace {
            root: PathBuf::from("/nowhere"),
        };
        let outcome = serve_while_building(&nowhere, Mode::Dev, vec![], port);
        assert!(
            matches!(outcome, Err(Error::PortTaken { .. })),
            "{outcome:?}"
        );
        Ok(())
    }

    /// Serves `dist`, in which nothing changes, on a free port for as long as the tests run.
    fn start(dist: &Path) -> Result<SocketAddr, Box<dyn StdError>> {
        start_with(dist, watch::channel(0).1)
    }

    fn start_with(
        dist: &Path,
        parts: watch::Receiver<u32>,
    ) -> Result<SocketAddr, Box<dyn StdError>> {
        let listener = listen(0)?;
        let address = listener.local_addr()?;
        let dist = dist.to_owned();
        thread::spawn(move || answer(listener, &dist, parts, 0));
        Ok(address)
    }

    /// The head of an answer, in small letters.
    fn get(address: SocketAddr, path: &str, header: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(address)?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).to_lowercase();
        Ok(answer
            .split("\r\n\r\n")
            .next()
            .unwrap_or_default()
            .to_owned())
    }
}
