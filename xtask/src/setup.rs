//! Installing what a task needs and does not find.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, printed},
    process::{APT_GET, NPM, NPX, as_root, command, read, run, succeeds, variable},
    workspace::Workspace,
};

/// The compilation target of the page and the engines.
pub const WASM: &str = "wasm32-unknown-unknown";

/// Makes sure that Rust is new enough and compiles to WebAssembly. No `rust-toolchain.toml` asks for
/// this: with one, cargo refuses to start where toolchains are not installed by themselves.
///
/// # Errors
/// If Rust is too old, or the target is missing and rustup cannot add it.
pub fn rust(workspace: &Workspace) -> Result<(), Error> {
    let version = read(&mut command("rustc", &["--version"], &workspace.root))?;
    is_new_enough(&version, env!("CARGO_PKG_RUST_VERSION"))?;
    let arguments = ["--print", "target-libdir", "--target", WASM];
    let libraries = read(&mut command("rustc", &arguments, &workspace.root))?;
    if Path::new(libraries.trim()).is_dir() {
        return Ok(());
    }
    add(
        workspace,
        "target wasm32-unknown-unknown",
        &["target", "add", WASM],
    )
}

/// Makes sure of the standard library's source, from which the engines with threads build their own.
///
/// # Errors
/// If it is missing and rustup cannot add it.
pub fn rust_source(workspace: &Workspace) -> Result<(), Error> {
    let arguments = ["--print", "sysroot"];
    let sysroot = read(&mut command("rustc", &arguments, &workspace.root))?;
    let source = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std");
    if source.is_dir() {
        return Ok(());
    }
    add(workspace, "rust-src", &["component", "add", "rust-src"])
}

/// Makes sure of rustfmt and clippy.
///
/// # Errors
/// If one is missing and rustup cannot add it.
pub fn rust_components(workspace: &Workspace) -> Result<(), Error> {
    for (component, check) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if !succeeds("cargo", &[check, "--version"]) {
            add(workspace, component, &["component", "add", component])?;
        }
    }
    Ok(())
}

/// Asks rustup for a part of Rust.
fn add(workspace: &Workspace, part: &'static str, arguments: &[&str]) -> Result<(), Error> {
    println!("Adding {part} to Rust");
    let added = run(&mut command("rustup", arguments, &workspace.root));
    added.map_err(|source| Error::RustPart {
        part,
        arguments: arguments.join(" "),
        source: Box::new(source),
    })
}

/// Compares what `rustc --version` says (`rustc 1.95.0 (59807616e 2026-04-14)`) with the oldest version
/// that will do. A version that cannot be read is believed to be a newer one.
fn is_new_enough(said: &str, wanted: &'static str) -> Result<(), Error> {
    let found = said.split_whitespace().nth(1).unwrap_or_default();
    let numbers = |version: &str| -> Option<Vec<u32>> {
        let release = version.split('-').next()?;
        // What is no number is believed to be new enough.
        release.split('.').map(|part| part.parse().ok()).collect()
    };
    match (numbers(found), numbers(wanted)) {
        (Some(is), Some(least)) if is < least => Err(Error::OldRust {
            found: found.to_owned(),
            wanted,
        }),
        _ => Ok(()),
    }
}

/// Makes sure of what every build needs: Rust for WebAssembly with its source, Node, and the build's npm packages.
///
/// # Errors
/// If something is missing or too old, and cannot be added.
pub fn for_builds(workspace: &Workspace) -> Result<(), Error> {
    rust(workspace)?;
    rust_source(workspace)?;
    node(workspace)?;
    npm_packages(&workspace.npm())
}

/// Checks that Node is there and new enough.
///
/// # Errors
/// If it is not.
pub fn node(workspace: &Workspace) -> Result<(), Error> {
    // One that does not answer is as good as none.
    let said = read(&mut command("node", &["--version"], &workspace.root)).ok();
    is_new_enough_node(said.as_deref().unwrap_or("none"))
}

/// Compares what `node --version` says (`v20.11.1`) with the oldest version that will do. A version that cannot be read is
/// believed to be a newer one.
fn is_new_enough_node(said: &str) -> Result<(), Error> {
    // Of the tests' Playwright, and of the methods of arrays that they use.
    const LEAST: u32 = 20;
    let said = said.trim();
    let major = said.strip_prefix('v').map(|version| version.split('.'));
    // What is no number is believed to be new enough.
    let major = major.and_then(|mut parts| parts.next()?.parse::<u32>().ok());
    match major {
        Some(major) if major < LEAST => {}
        None if said == "none" => {}
        _ => return Ok(()),
    }
    Err(Error::OldNode {
        found: said.to_owned(),
        least: LEAST,
    })
}

/// Installs the npm packages that the lock file in `directory` names, unless they are there.
///
/// # Errors
/// If npm is missing or fails.
pub fn npm_packages(directory: &Path) -> Result<(), Error> {
    let lock = directory.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(Error::file("read", &lock))?;
    let stamp = directory.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    println!("Installing npm packages in {}", directory.display());
    // Where `NODE_ENV` is `production`, npm would leave out all that the tests need.
    let arguments = ["ci", "--include=dev", "--no-audit", "--no-fund"];
    run(&mut command(NPM, &arguments, directory))?;
    fs::write(&stamp, wanted).map_err(Error::file("write", &stamp))
}

/// Finds a Chromium that starts, or installs one: `CHROMIUM`, the system's, Playwright's, apt's.
///
/// # Errors
/// If there is none and none can be installed.
pub fn chromium(workspace: &Workspace) -> Result<PathBuf, Error> {
    let find = || installed_chromium(workspace);
    if let Some(path) = find() {
        return Ok(path);
    }
    println!("Installing Chromium");
    let installers: [Installer; 4] = [
        (NPX, &["playwright", "install", "chromium"]),
        (NPX, &["playwright", "install-deps", "chromium"]),
        (APT_GET, &["update"]),
        (APT_GET, &["install", "--yes", "chromium"]),
    ];
    install(workspace, &installers, find).ok_or(Error::NoChromium)
}

/// Finds what runs journeys, or installs it: `CHROMIUM`, Chromium without windows, which opens the page in about two
/// thirds of the time, or else the whole. `None` stands for the one that Playwright chooses by itself.
///
/// # Errors
/// If there is none and none can be installed.
pub fn headless_chromium(workspace: &Workspace) -> Result<Option<PathBuf>, Error> {
    const NAMES: [&str; 2] = ["chromium-headless-shell", "chrome-headless-shell"];
    let find = || {
        first_that_starts(&[], &NAMES)
            .map(Some)
            .or_else(|| playwright_starts(workspace).then_some(None))
    };
    if let Some(found) = find() {
        return Ok(found);
    }
    if let Some(path) = installed_chromium(workspace) {
        return Ok(Some(path));
    }
    println!("Installing Chromium without windows");
    let installers: [Installer; 4] = [
        (NPX, &["playwright", "install", "--only-shell", "chromium"]),
        (NPX, &["playwright", "install-deps", "chromium"]),
        (APT_GET, &["update"]),
        (APT_GET, &["install", "--yes", "chromium-headless-shell"]),
    ];
    match install(workspace, &installers, find) {
        Some(found) => Ok(found),
        None => chromium(workspace).map(Some),
    }
}

/// The result of `find`, if need be after apt installed these packages; options of apt may stand before them.
pub fn find_or_install<T>(
    workspace: &Workspace,
    packages: &str,
    find: impl Fn() -> Option<T>,
) -> Option<T> {
    if let Some(found) = find() {
        return Some(found);
    }
    if !succeeds(APT_GET, &["--version"]) {
        return None;
    }
    println!("Installing {packages}");
    let install = format!("install --yes {packages}");
    for arguments in ["update", &install] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        printed(run(&mut as_root(APT_GET, &arguments, &workspace.root)));
    }
    find()
}

/// A program that may install something, and its arguments.
type Installer = (&'static str, &'static [&'static str]);

/// Lets one installer after the other try, until what they are for is found.
fn install<T>(
    workspace: &Workspace,
    installers: &[Installer],
    find: impl Fn() -> Option<T>,
) -> Option<T> {
    let journeys = workspace.journeys();
    installers.iter().find_map(|(program, arguments)| {
        printed(run(&mut as_root(program, arguments, &journeys)));
        find()
    })
}

fn installed_chromium(workspace: &Workspace) -> Option<PathBuf> {
    const NAMES: [&str; 4] = [
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    ];
    const PLACES: [&str; 3] = [
        "/usr/bin/chromium",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ];
    first_that_starts(&PLACES, &NAMES)
        .or_else(|| playwright_chromium(workspace).filter(|path| starts(path)))
}

/// The browser that `CHROMIUM` names, or the first of these.
fn first_that_starts(places: &[&str], names: &[&str]) -> Option<PathBuf> {
    candidates(env::var_os("CHROMIUM"), places, names, &search_path())
        .into_iter()
        .find(|path| starts(path))
}

/// Packages of Python in an environment of their own.
pub struct PythonPackages {
    /// The directory of the environment.
    pub environment: PathBuf,
    /// The file that names the packages with their versions, PyTorch among them.
    pub requirements: PathBuf,
}

/// Finds a Python with these packages, or installs them.
///
/// # Errors
/// If there is no Python and none can be installed, or the packages cannot be installed.
pub fn python(workspace: &Workspace, packages: &PythonPackages) -> Result<PathBuf, Error> {
    let PythonPackages {
        environment,
        requirements,
    } = packages;
    let wanted = fs::read(requirements).map_err(Error::file("read", requirements))?;
    let python = environment.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    let stamp = environment.join("installed-requirements.txt");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let system = system_python(workspace).ok_or(Error::NoPython)?;
    println!(
        "Installing PyTorch and the packages in {} (once)",
        requirements.display()
    );
    let place = environment.to_string_lossy();
    let arguments = ["-m", "venv", "--clear", &place];
    let installed = run(&mut command(&system, &arguments, &workspace.root)).and_then(|()| {
        let pip = |arguments: &[&str]| {
            let program = python.to_string_lossy();
            let mut pip = command(
                &program,
                &["-m", "pip", "install", "--quiet"],
                &workspace.root,
            );
            pip.args(arguments);
            pip
        };
        let wanted = String::from_utf8_lossy(&wanted);
        let torch = wanted.lines().find(|line| line.starts_with("torch=="));
        if let Some(torch) = torch.filter(|_| cfg!(target_os = "linux")) {
            // Of PyPI's PyTorch for Linux, 2 GB are for graphics cards. Where its own index is not reached, that is taken.
            let index = [
                "--index-url",
                CPU_TORCH,
                "--retries",
                "0",
                "--timeout",
                "15",
                torch,
            ];
            printed(run(&mut pip(&index)));
        }
        run(&mut pip(&[
            "--requirement",
            &requirements.to_string_lossy(),
        ]))
    });
    if installed.is_err() && environment.exists() {
        // A part of the packages is of no use, and may fill the disk.
        printed(fs::remove_dir_all(environment).map_err(Error::file("remove", environment)));
    }
    installed.map_err(|source| Error::PythonPackages {
        requirements: requirements.to_owned(),
        source: Box::new(source),
    })?;
    fs::write(&stamp, wanted).map_err(Error::file("write", &stamp))?;
    Ok(python)
}

/// The index of PyTorch's packages without graphics cards.
const CPU_TORCH: &str = "https://download.pytorch.org/whl/cpu";

/// The first Python that is new enough for the packages, if need be after it was installed with apt.
fn system_python(workspace: &Workspace) -> Option<String> {
    const NEW_ENOUGH: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";
    let find = || {
        variable("PYTHON")
            .into_iter()
            .chain(["python3", "python"].map(str::to_owned))
            .find(|python| succeeds(python, &["-c", NEW_ENOUGH]))
    };
    find().or_else(|| {
        if !succeeds(APT_GET, &["--version"]) {
            return None;
        }
        println!("Installing Python");
        let installers: [Installer; 2] = [
            (APT_GET, &["update"]),
            (APT_GET, &["install", "--yes", "python3", "python3-venv"]),
        ];
        install(workspace, &installers, find)
    })
}

/// The user's directory for what can be made again, which outlives a clone.
///
/// # Errors
/// If the environment names none.
pub fn user_cache() -> Result<PathBuf, Error> {
    let named = variable("XDG_CACHE_HOME").map(PathBuf::from);
    let named = named.filter(|path| path.is_absolute());
    let local = variable("LOCALAPPDATA").map(PathBuf::from);
    let home = variable("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = named.or(local).or(home).ok_or(Error::NoCache)?;
    Ok(cache.join("attention-scope"))
}

/// The directories in which the system looks for programs.
pub fn search_path() -> OsString {
    // Without the variable no program is found by its name.
    env::var_os("PATH").unwrap_or_default()
}

/// The places of a program, best first: the one asked for, then these places, then these names on the search path.
pub fn candidates(
    asked_for: Option<OsString>,
    places: &[&str],
    names: &[&str],
    search_path: &OsString,
) -> Vec<PathBuf> {
    let directories: Vec<PathBuf> = env::split_paths(search_path).collect();
    let named = names.iter().flat_map(|name| {
        directories
            .iter()
            .map(move |directory| directory.join(name))
    });
    asked_for
        .map(PathBuf::from)
        .into_iter()
        .chain(places.iter().map(PathBuf::from))
        .chain(named)
        .filter(|path| path.is_file())
        .collect()
}

/// The Chromium that Playwright downloads, if it has been downloaded.
fn playwright_chromium(workspace: &Workspace) -> Option<PathBuf> {
    let script = "console.log(require('@playwright/test').chromium.executablePath())";
    // Node says on the terminal why; another browser is looked for then.
    let path = read(&mut command("node", &["-e", script], &workspace.journeys())).ok()?;
    let path = PathBuf::from(path.trim());
    // The file by which Playwright marks what it has unpacked to the end.
    let is_whole = |above: &Path| above.join("INSTALLATION_COMPLETE").is_file();
    (path.is_file() && path.ancestors().any(is_whole)).then_some(path)
}

/// Returns true if Playwright has a Chromium of its own that opens.
fn playwright_starts(workspace: &Workspace) -> bool {
    let script = "require('@playwright/test').chromium.launch().then(browser => browser.close())";
    let mut node = command("node", &["-e", script], &workspace.journeys());
    read(&mut node).is_ok()
}

/// A downloaded Chromium may lack system libraries; only starting it shows that.
fn starts(path: &Path) -> bool {
    succeeds(&path.to_string_lossy(), &["--version"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_rust_is_told_apart() {
        let outcome = is_new_enough("rustc 1.89.0 (29483883e 2025-08-04)", "1.95");
        let message = outcome.map_err(|error| error.to_string());
        assert!(
            message.is_err_and(|text| text.contains("1.89.0") && text.contains("rustup update")),
        );
        for new in [
            "rustc 1.95.0 (59807616e 2026-04-14)",
            "rustc 1.97.0-nightly (0 2026-06-01)",
            "rustc 2.0.1",
            "something else",
        ] {
            assert!(is_new_enough(new, "1.95").is_ok(), "{new}");
        }
    }

    #[test]
    fn an_old_node_and_none_are_told_apart_from_a_new_one() {
        for old in ["v18.20.4\n", "none"] {
            let message = is_new_enough_node(old).map_err(|error| error.to_string());
            let says_what = |text: String| text.contains(old.trim()) && text.contains("Node 20");
            assert!(message.is_err_and(says_what), "{old}");
        }
        for new in ["v20.0.0", "v24.1.0\n", "something else"] {
            assert!(is_new_enough_node(new).is_ok(), "{new}");
        }
    }

    #[test]
    fn a_part_of_rust_that_cannot_be_added_is_named() {
        let workspace = Workspace::new();
        let outcome = add(&workspace, "rust-src", &["no-such-command"]);
        let message = outcome.map_err(|error| error.to_string());
        assert!(message.is_err_and(|text| text.contains("no rust-src")));
    }

    #[test]
    fn the_program_asked_for_comes_first() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let mine = directory.path().join("mine");
        let chrome = directory.path().join("google-chrome");
        fs::write(&mine, "")?;
        fs::write(&chrome, "")?;
        let search_path = directory.path().as_os_str().to_owned();
        let find = |asked_for| candidates(Some(asked_for), &[], &["google-chrome"], &search_path);

        assert_eq!(find(mine.clone().into()), [mine, chrome.clone()]);
        let gone = directory.path().join("gone");
        assert_eq!(find(gone.into()), [chrome]);
        Ok(())
    }

    #[test]
    fn installed_packages_are_not_installed_again() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        fs::create_dir(directory.path().join("node_modules"))?;
        fs::write(directory.path().join("package-lock.json"), "{}")?;
        let stamp = directory.path().join("node_modules/.installed-lock.json");
        fs::write(&stamp, "{}")?;
        // There is no package.json, so npm would fail if it were called.
        npm_packages(directory.path())?;
        Ok(())
    }
}
