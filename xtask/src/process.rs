//! Other programs: starting, stopping and reading them.

use std::{
    env,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use crate::error::Error;

/// npm is a script on Windows, and only found under its full name there.
pub const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };
/// npm's runner of installed programs.
pub const NPX: &str = if cfg!(windows) { "npx.cmd" } else { "npx" };

/// The system's installer of packages, on Debian and what comes from it.
pub const APT_GET: &str = "apt-get";

/// A command that runs in `directory`; the system's installer by `sudo`, where that is needed and asks for no password.
pub fn as_root(program: &str, arguments: &[&str], directory: &Path) -> Command {
    // With `sudo`, which forgets the variables that name a proxy, only where it has to be.
    if program != APT_GET || is_root() || !succeeds("sudo", &["-n", "true"]) {
        return command(program, arguments, directory);
    }
    let mut sudo = command("sudo", &["-n", program], directory);
    sudo.args(arguments);
    sudo
}

fn is_root() -> bool {
    let user = Command::new("id").arg("-u").output();
    user.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// A command that runs in `directory`.
pub fn command(program: &str, arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(directory);
    command
}

/// Runs a command with its output on the terminal.
///
/// # Errors
/// If it cannot be started or reports failure.
pub fn run(command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(|source| Error::Start {
        command: words(command),
        source,
    })?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::Failed {
            command: words(command),
            status,
        })
    }
}

/// Runs a command and returns what it wrote to standard output; its standard error stays on the
/// terminal.
///
/// # Errors
/// If it cannot be started or reports failure.
pub fn read(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| Error::Start {
            command: words(command),
            source,
        })?;
    let Output { status, stdout, .. } = output;
    if status.success() {
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    } else {
        Err(Error::Failed {
            command: words(command),
            status,
        })
    }
}

/// Programs that are stopped together when one of them fails.
#[derive(Debug, Default)]
pub struct Group(Mutex<Members>);

#[derive(Debug, Default)]
struct Members {
    is_stopped: bool,
    next: usize,
    running: Vec<(usize, Child)>,
}

impl Group {
    /// Runs a command and hands on each line of its standard output as it is written; its standard
    /// error stays on the terminal.
    ///
    /// # Errors
    /// If it cannot be started, reports failure or is stopped, and the first error of `hear`.
    pub fn run_lines(
        &self,
        command: &mut Command,
        mut hear: impl FnMut(&str) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (number, output) = self.start(command)?;
        let mut heard = Ok(());
        // Read to the end, whatever happens: a program that cannot write stands still.
        for line in BufReader::new(output).split(b'\n') {
            let line = line.map_err(|source| Error::Output {
                command: words(command),
                source,
            });
            let is_over = line.is_err();
            if heard.is_ok() {
                heard = line.and_then(|line| hear(String::from_utf8_lossy(&line).trim_end()));
            }
            // The next attempt to read would fail as well.
            if is_over {
                break;
            }
        }
        let status = self.take(number).map(|mut child| child.wait());
        let ended = status.transpose().map_err(|source| Error::Start {
            command: words(command),
            source,
        })?;
        match ended {
            Some(status) if status.success() => heard,
            Some(status) if !self.members().is_stopped => Err(Error::Failed {
                command: words(command),
                status,
            }),
            _ => Err(Error::Stopped),
        }
    }

    /// Ends what runs; nothing starts any more.
    pub fn stop(&self) {
        let mut members = self.members();
        members.is_stopped = true;
        for (_, child) in &mut members.running {
            #[expect(clippy::unused_result_ok, reason = "it may have ended by itself")]
            child.kill().ok();
        }
    }

    fn start(&self, command: &mut Command) -> Result<(usize, impl Read + use<>), Error> {
        let mut members = self.members();
        if members.is_stopped {
            return Err(Error::Stopped);
        }
        let failed = |command: &Command, source| Error::Start {
            command: words(command),
            source,
        };
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| failed(command, source))?;
        let Some(output) = child.stdout.take() else {
            return Err(failed(command, std::io::ErrorKind::BrokenPipe.into()));
        };
        let number = members.next;
        members.next += 1;
        members.running.push((number, child));
        Ok((number, output))
    }

    fn take(&self, number: usize) -> Option<Child> {
        let mut members = self.members();
        let place = members.running.iter().position(|(one, _)| *one == number)?;
        Some(members.running.swap_remove(place).1)
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command that stands back from other programs, from 1 to 19, where the system has `nice`.
pub fn background(niceness: u8, program: &str, arguments: &[&str], directory: &Path) -> Command {
    if !cfg!(unix) || !succeeds("nice", &["true"]) {
        return command(program, arguments, directory);
    }
    let mut nice = command("nice", &["-n", &niceness.to_string(), program], directory);
    nice.args(arguments);
    nice
}

/// Runs a command quietly; true if it starts and reports success.
pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The path of this program when it started: on Linux, one that has been compiled anew since is gone from there for itself.
pub static PROGRAM: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    // Without it tests start the server by cargo.
    env::current_exe().ok()
});

/// Tests start the server with this very program: going through cargo would wait for
/// whatever build holds its lock. No proxy is asked for what it serves.
pub fn with_this_program(command: &mut Command) {
    if let Some(program) = &*PROGRAM {
        command.env("XTASK", program);
    }
    const OURS: &str = "127.0.0.1,localhost";
    for name in ["no_proxy", "NO_PROXY"] {
        let hosts = match variable(name) {
            Some(others) if !others.is_empty() => format!("{others},{OURS}"),
            _ => OURS.to_owned(),
        };
        command.env(name, hosts);
    }
}

/// The value of an environment variable; signs that are no Unicode are replaced.
pub fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// True if the variable `CI` says that nobody is there to read what was skipped.
pub fn is_ci(variable: Option<&str>) -> bool {
    !matches!(variable, None | Some("" | "0" | "false"))
}

fn words(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_command_is_named_in_the_error() {
        let error = run(&mut command("cargo", &["no-such-task"], Path::new(".")))
            .expect_err("cargo knows no such task");
        assert!(error.to_string().contains("cargo no-such-task"), "{error}");
    }

    #[test]
    fn ci_is_what_says_so() {
        assert!(is_ci(Some("true")));
        assert!(is_ci(Some("1")));
        for not in [None, Some(""), Some("0"), Some("false")] {
            assert!(!is_ci(not), "{not:?}");
        }
    }

    #[test]
    fn lines_are_heard_and_the_first_error_is_told() -> Result<(), Error> {
        let group = Group::default();
        let mut version = command("cargo", &["--version"], Path::new("."));
        let mut heard = Vec::new();
        group.run_lines(&mut version, |line| {
            heard.push(line.to_owned());
            Ok(())
        })?;
        assert!(heard.concat().starts_with("cargo "), "{heard:?}");
        let deaf = group.run_lines(&mut version, |_| Err(Error::NoChromium));
        assert!(matches!(deaf, Err(Error::NoChromium)), "{deaf:?}");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_group_that_is_stopped_ends_what_runs_and_starts_nothing() {
        let group = Group::default();
        let mut forever = command("sh", &["-c", "echo ready; exec sleep 1000"], Path::new("."));
        let outcome = group.run_lines(&mut forever, |_| {
            group.stop();
            Ok(())
        });
        assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");
        let outcome = group.run_lines(&mut forever, |_| Ok(()));
        assert!(matches!(outcome, Err(Error::Stopped)), "{outcome:?}");
    }

    #[test]
    fn only_the_systems_installer_is_run_as_root_and_by_root_as_it_is() {
        let program = |name| {
            let command = as_root(name, &["update"], Path::new("."));
            command.get_program().to_owned()
        };
        assert_eq!(program("cargo"), "cargo");
        if is_root() {
            assert_eq!(program(APT_GET), APT_GET);
        }
    }

    #[test]
    fn a_missing_program_does_not_succeed() {
        assert!(!succeeds("no-such-program-anywhere", &[]));
        assert!(succeeds("cargo", &["--version"]));
    }
}
