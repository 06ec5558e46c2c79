//! Starts of the server, and its end in the middle of a run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use attention_protocol::{Reply, Request};
use attention_trace::Trace;

use crate::visitor::{Visitor, long_run, run};
use crate::{Server, model};

/// Returns what a start that fails prints.
pub fn failed(arguments: &[&str]) -> String {
    let mut attn = Command::new(env!("CARGO_BIN_EXE_attn"));
    let Output { status, stderr, .. } = attn.arg("serve").args(arguments).output().unwrap();
    assert!(!status.success());
    String::from_utf8(stderr).unwrap()
}

#[test]
fn what_cannot_be_served_is_told() {
    let server = Server::start(&[]);
    let port = server.address.rsplit(':').next().unwrap();
    let model = model().display().to_string();
    let taken = failed(&["--model", &model, "--port", port]);
    assert!(taken.contains(&server.address), "{taken}");
    assert!(taken.contains("--port"), "{taken}");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let pictures = fixtures.join("dinov2-tiny").display().to_string();
    let refused = failed(&["--model", &pictures, "--port", "0"]);
    assert!(refused.contains("pictures are not served"), "{refused}");
    let nothing = fixtures.display().to_string();
    let missing = failed(&["--model", &nothing, "--port", "0"]);
    assert!(missing.contains(&nothing), "{missing}");
}

#[test]
fn a_token_of_a_file_lasts_from_start_to_start() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-token");
    fs::create_dir_all(&directory).unwrap();
    let file = directory.join("token");
    for kept in [file.clone(), directory.join("token.teacher")] {
        if kept.exists() {
            fs::remove_file(&kept).unwrap();
        }
    }
    let path = file.display().to_string();
    let first = Server::start(&["--token-file", &path]).token.clone();
    assert_eq!(fs::read_to_string(&file).unwrap().trim(), first);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others can read it");
    }
    let again = Server::start(&["--token-file", &path]);
    assert_eq!(again.token, first);
    Visitor::enter(&again);
    // That of a class's teacher is another one, and lasts too.
    let class = Server::start(&["--class", "--token-file", &path]);
    let lead = class.lead.clone();
    assert_eq!(class.token, first);
    assert!(lead.is_some() && lead.as_deref() != Some(&first));
    let again = Server::start(&["--class", "--token-file", &path]);
    assert_eq!(again.lead, lead);
    fs::write(&file, "short").unwrap();
    let model = model().display().to_string();
    let refused = failed(&["--model", &model, "--port", "0", "--token-file", &path]);
    assert!(refused.contains("holds no token"), "{refused}");
}

#[test]
fn a_replaced_file_changes_nothing_until_the_next_start() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-replaced");
    fs::create_dir_all(&directory).unwrap();
    for entry in fs::read_dir(model()).unwrap() {
        let from = entry.unwrap().path();
        if from.is_file() {
            fs::copy(&from, directory.join(from.file_name().unwrap())).unwrap();
        }
    }
    let server = Server::start_with(&directory, &[]);
    let answer = |server: &Server| {
        let mut visitor = Visitor::enter(server);
        visitor.send(2, &Request::Run(run("He is")));
        let answer = visitor.answer(2).pop().unwrap();
        Trace::from_safetensors(&answer.buffer).unwrap()
    };
    let before = answer(&server);
    // As programs replace files: written aside, then renamed.
    let aside = directory.join("aside");
    fs::write(&aside, "not a checkpoint").unwrap();
    fs::rename(&aside, directory.join("model.safetensors")).unwrap();
    assert!(answer(&server) == before);
    let path = directory.display().to_string();
    let refused = failed(&["--model", &path, "--port", "0"]);
    assert!(refused.contains("model.safetensors"), "{refused}");
}

#[test]
fn a_server_that_was_killed_in_the_middle_of_a_run_starts_again_with_another_token() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    visitor.send(2, &Request::Run(long_run("The old dog")));
    assert!(matches!(visitor.receive().reply, Reply::Decoded { .. }));
    let (address, token) = (server.address.clone(), server.token.clone());
    server.end();
    assert!(visitor.closed().is_none());
    let port = address.rsplit(':').next().unwrap();
    let again = Server::start_on(port, &[]);
    assert_eq!(again.address, address);
    assert_ne!(again.token, token);
    let mut visitor = Visitor::enter(&again);
    visitor.send(2, &Request::Run(long_run("The old dog")));
    let last = visitor.answer(2).pop().unwrap();
    assert!(
        matches!(last.reply, Reply::Traced { .. }),
        "{:?}",
        last.reply
    );
}

/// Returns the arguments after `serve` of a line in a file of `docs/serving`.
fn documented(file: &str, arguments: impl Fn(&str) -> Option<Vec<String>>) -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/serving");
    let text = fs::read_to_string(docs.join(file)).unwrap();
    let line = text.lines().find_map(arguments).unwrap();
    let mut words = line.into_iter().skip_while(|word| word != "serve");
    assert_eq!(words.next().as_deref(), Some("serve"));
    words.collect()
}

#[test]
fn the_unit_and_the_container_start_the_server() {
    let unit = documented("attn.service", |line| {
        let command = line.strip_prefix("ExecStart=")?;
        Some(command.split(' ').map(str::to_owned).collect())
    });
    let container = documented("Containerfile", |line| {
        serde_json::from_str(line.strip_prefix("ENTRYPOINT ")?).ok()
    });
    for (name, arguments) in [("unit", unit), ("container", container)] {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("serve-{name}"));
        let dist = directory.join("dist");
        fs::create_dir_all(&dist).unwrap();
        fs::write(dist.join("index.html"), "<p>page</p>").unwrap();
        let token = directory.join("token").display().to_string();
        let mut model = None;
        let mut options = vec![];
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match (word.as_str(), words.next().unwrap().as_str()) {
                ("--model", given) => model = Some(given),
                ("--dist", _) => options.extend(["--dist", dist.to_str().unwrap()]),
                ("--token-file", _) => options.extend(["--token-file", &token]),
                // Given by the tests' own start.
                ("--log", "json") => {}
                (option, value) => options.extend([option, value]),
            }
        }
        assert_eq!(model, Some("/srv/attention-scope/model"), "{name}");
        let server = Server::start(&options);
        assert!(server.get("/").contains("<p>page</p>"), "{name}");
        Visitor::enter(&server);
    }
}
