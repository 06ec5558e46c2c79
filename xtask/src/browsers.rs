//! The core journeys in the browsers beside Chromium: Firefox, and WebKitGTK, which only Linux has.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::{
    error::Error,
    process::{NPX, command, is_ci, run, succeeds, variable, with_this_program},
    setup::{self, candidates, find_or_install, search_path},
    workspace::Workspace,
};

/// A browser that the core journeys are taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Browser {
    /// Firefox, driven by WebDriver BiDi.
    Firefox,
    /// WebKitGTK's MiniBrowser under Xvfb, driven by WebDriver.
    WebKit,
}

impl Browser {
    fn name(self) -> &'static str {
        match self {
            Self::Firefox => "Firefox",
            Self::WebKit => "WebKitGTK",
        }
    }

    /// The ways to install it, in words.
    fn remedy(self) -> &'static str {
        match self {
            Self::Firefox => "install Firefox, or set FIREFOX to the path of one",
            Self::WebKit => {
                "on Linux, install WebKitWebDriver, MiniBrowser and Xvfb (Debian: webkit2gtk-driver, xvfb), or set \
                 WEBKIT_DRIVER and MINI_BROWSER to the paths of the first two"
            }
        }
    }
}

struct Journeys {
    file: &'static str,
    /// The paths of its programs, by the variables that name them.
    programs: Vec<(&'static str, PathBuf)>,
}

/// Takes the journeys in every browser that is found or can be installed; returns what was skipped, a line each.
///
/// # Errors
/// If a journey fails, or on CI if a browser is missing.
pub fn test(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let directory = workspace.browsers();
    setup::npm_packages(&directory)?;
    run(&mut command(NPX, &["tsc", "--noEmit"], &directory))?;
    // One file after the other: two browsers at once would measure each other's patience.
    let mut node = command(
        "node",
        &["--test", "--test-reporter=spec", "--test-concurrency=1"],
        &directory,
    );
    let on_ci = is_ci(variable("CI").as_deref());
    let mut skipped = Vec::new();
    for (browser, found) in [
        (Browser::Firefox, firefox(workspace)),
        (Browser::WebKit, webkit(workspace)),
    ] {
        match found {
            Some(journeys) => {
                node.arg(journeys.file).envs(journeys.programs);
            }
            None => skipped.push(missing(browser, on_ci && is_for_this_system(browser))?),
        }
    }
    if skipped.len() < 2 {
        with_this_program(&mut node);
        run(&mut node)?;
    }
    Ok(skipped)
}

/// WebKitGTK is for Linux.
fn is_for_this_system(browser: Browser) -> bool {
    browser == Browser::Firefox || cfg!(target_os = "linux")
}

/// The line for a browser that is missing; on CI it is an error.
fn missing(browser: Browser, on_ci: bool) -> Result<String, Error> {
    let name = browser.name();
    let error = Error::NoBrowser {
        name,
        remedy: browser.remedy(),
    };
    if on_ci {
        Err(error)
    } else {
        Ok(format!("SKIPPED the journeys in {name}: {error}"))
    }
}

/// `FIREFOX`, the system's, apt's.
fn firefox(workspace: &Workspace) -> Option<Journeys> {
    const NAMES: [&str; 2] = ["firefox-esr", "firefox"];
    const PLACES: [&str; 2] = [
        "/Applications/Firefox.app/Contents/MacOS/firefox",
        "C:\\Program Files\\Mozilla Firefox\\firefox.exe",
    ];
    let search_path = search_path();
    let find = || {
        candidates(env::var_os("FIREFOX"), &PLACES, &NAMES, &search_path)
            .into_iter()
            .find(|path| answers(path, "--version"))
    };
    let path = find_or_install(workspace, "firefox-esr", find)?;
    Some(Journeys {
        file: "firefox.test.js",
        programs: vec![("FIREFOX", path)],
    })
}

/// `WEBKIT_DRIVER` and `MINI_BROWSER`, the system's, apt's.
fn webkit(workspace: &Workspace) -> Option<Journeys> {
    let search_path = search_path();
    let find = || {
        let driver = candidates(
            env::var_os("WEBKIT_DRIVER"),
            &[],
            &["WebKitWebDriver"],
            &search_path,
        )
        .into_iter()
        .find(|path| answers(path, "--help"))?;
        let browser = env::var_os("MINI_BROWSER")
            .map(PathBuf::from)
            .into_iter()
            .chain(mini_browsers(Path::new("/usr/lib")))
            // It starts on a display only.
            .find(|path| path.is_file())?;
        succeeds("Xvfb", &["-help"]).then_some((driver, browser))
    };
    let (driver, browser) = find_or_install(workspace, "webkit2gtk-driver xvfb", find)?;
    Some(Journeys {
        file: "webkit.test.js",
        programs: vec![("WEBKIT_DRIVER", driver), ("MINI_BROWSER", browser)],
    })
}

/// MiniBrowsers of all builds of WebKitGTK in a directory of libraries, which has one directory for each architecture.
fn mini_browsers(libraries: &Path) -> Vec<PathBuf> {
    const BUILDS: [&str; 2] = ["webkitgtk-6.0", "webkit2gtk-4.1"];
    // Other systems have no such directory.
    let Ok(architectures) = fs::read_dir(libraries) else {
        return Vec::new();
    };
    architectures
        // A directory that cannot be listed has no browser that could be started.
        .flatten()
        .flat_map(|entry| BUILDS.map(|build| entry.path().join(build).join("MiniBrowser")))
        .filter(|path| path.is_file())
        .collect()
}

/// A program may lack libraries; only starting it shows that.
fn answers(program: &Path, argument: &str) -> bool {
    succeeds(&program.to_string_lossy(), &[argument])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_ci_a_missing_browser_is_an_error_and_elsewhere_a_loud_line() -> Result<(), Error> {
        let error = missing(Browser::WebKit, true).expect_err("WebKit is missing");
        assert!(error.to_string().contains("WebKitGTK"), "{error}");
        let line = missing(Browser::Firefox, false)?;
        assert!(
            line.starts_with("SKIPPED the journeys in Firefox"),
            "{line}"
        );
        Ok(())
    }

    #[test]
    fn a_mini_browser_is_found_for_any_architecture() -> Result<(), Box<dyn std::error::Error>> {
        let libraries = tempfile::tempdir()?;
        let place = libraries.path().join("riscv64-linux-gnu/webkit2gtk-4.1");
        fs::create_dir_all(&place)?;
        assert!(mini_browsers(libraries.path()).is_empty());
        fs::write(place.join("MiniBrowser"), "")?;
        assert_eq!(mini_browsers(libraries.path()), [place.join("MiniBrowser")]);
        Ok(())
    }
}
