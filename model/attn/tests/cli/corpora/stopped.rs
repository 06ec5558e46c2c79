//! Runs that are stopped, by what Unix has for it.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::*;

/// More lines than a set keeps texts of, so that texts are forgotten before and after the kill.
const LINES: usize = 1500;

impl Job {
    /// Starts a run that saves its progress after every chunk.
    fn start(&self) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attn"));
        command.args(self.with(&["--save-seconds", "0"]));
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null()).spawn().unwrap()
    }

    /// Starts a run, and ends it with a signal once it has measured some lines in a pass over them.
    fn stop_midway(&self, part: &Path, (pass, signal): (u64, &str)) {
        let mut run = self.start();
        let began = Instant::now();
        while measured(part) <= (pass, 0) {
            assert!(
                began.elapsed() < Duration::from_secs(60),
                "nothing is saved"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        let mut kill = Command::new("kill");
        let killed = kill.args([signal, &run.id().to_string()]).status();
        assert!(killed.unwrap().success());
        // A run that had ended would have a code.
        assert_eq!(
            run.wait().unwrap().code(),
            None,
            "the run was not stopped midway"
        );
    }
}

fn part_of(out: &Path) -> PathBuf {
    PathBuf::from(format!("{}.part", out.display()))
}

/// Returns the passes that are done and the number of lines of the next one, in a file of progress, which is whole at
/// any time; nothing if there is none.
fn measured(part: &Path) -> (u64, u64) {
    let Ok(bytes) = fs::read(part) else {
        return (0, 0);
    };
    let progress: Value = serde_json::from_slice(&bytes).unwrap();
    let lines = &progress["position"]["lines"];
    (progress["pass"].as_u64().unwrap(), lines.as_u64().unwrap())
}

#[test]
fn a_killed_run_goes_on_and_writes_the_same_bytes() {
    let directory = scratch("corpora-killed");
    type Made = fn(&Path, &Path) -> Job;
    let jobs: [(&str, usize, u64, Made); 3] = [
        ("roles", LINES, 0, |corpus, out| {
            Job::roles("gpt2-tiny", corpus, out)
        }),
        // A translation takes longer.
        ("eval", 80, 0, Job::eval),
        // Stopped in the second pass, whose order of heads the first one decides.
        ("importance", 8, 1, Job::importance),
    ];
    for (name, lines, pass, job) in jobs {
        let corpus = corpus(&directory, lines);
        let whole = directory.join(format!("{name}-whole.json"));
        job(&corpus, &whole).succeeds(&[]);
        let out = directory.join(format!("{name}.json"));
        let (job, part) = (job(&corpus, &out), part_of(&out));
        for signal in ["-KILL", "-INT"] {
            job.stop_midway(&part, (pass, signal));
            let (_, before) = measured(&part);
            assert!(before < lines as u64 && !out.exists());
            // Killed twice, it goes on from the second save.
            let output = job.run(&["--workers", "3"]);
            assert!(output.status.success(), "{}", text(&output.stderr));
            let said = text(&output.stderr);
            assert!(
                said.contains(&format!("going on after line {before}")),
                "{said}"
            );
            assert!(
                fs::read(&out).unwrap() == fs::read(&whole).unwrap(),
                "{name}, {signal}"
            );
            assert!(!part.exists());
            fs::remove_file(&out).unwrap();
        }
    }
}

#[test]
fn a_large_set_has_the_texts_that_its_heads_name() {
    let directory = scratch("corpora-texts");
    let corpus = corpus(&directory, LINES);
    let out = directory.join("roles.json");
    Job::roles("gpt2-tiny", &corpus, &out).succeeds(&[]);
    let set = read_role_set(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(set.sentence_count(), LINES);
    assert!(set.texts.len() < LINES && set.texts.len() == set.tokens.len());
    let lines = fs::read_to_string(&corpus).unwrap();
    let named = set
        .heads
        .iter()
        .flat_map(|head| head.most.values().flatten());
    let mut is_named = vec![false; set.texts.len()];
    for sentence in named {
        is_named[sentence.0] = true;
    }
    assert!(is_named.iter().all(|named| *named));
    for text in &set.texts {
        assert!(lines.contains(&format!("{text}\t")), "{text}");
    }
}

#[test]
fn progress_of_another_run_is_refused_by_what_differs() {
    let directory = scratch("corpora-other");
    let corpus = corpus(&directory, LINES);
    let out = directory.join("roles.json");
    let part = part_of(&out);
    let job = Job::roles("gpt2-tiny", &corpus, &out);
    job.stop_midway(&part, (0, "-KILL"));
    let kept = fs::read(&part).unwrap();
    let shard = job.fails(&["--shard", "1/2"]);
    assert!(shard.contains("another shard: 1/1, not 1/2"), "{shard}");
    let seed = job.fails(&["--seed", "3"]);
    assert!(
        seed.contains("roles.json.part: this is the progress of a run with"),
        "{seed}"
    );
    assert!(seed.contains("another seed: 16, not 3"), "{seed}");
    let model = Job::roles("bert-tiny", &corpus, &out).fails(&[]);
    assert!(model.contains("another file: config.json"), "{model}");
    fs::write(&corpus, "the dog\n").unwrap();
    let changed = job.fails(&[]);
    assert!(changed.contains("another file: corpus"), "{changed}");
    assert_eq!(fs::read(&part).unwrap(), kept);
    fs::write(&part, "{").unwrap();
    let broken = job.fails(&[]);
    assert!(
        broken.contains("it is not the progress of a run"),
        "{broken}"
    );
    fs::remove_file(&part).unwrap();
    job.succeeds(&[]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_and_the_progress_stays_whole() {
    let directory = scratch("corpora-full");
    let corpus = corpus(&directory, LINES);
    let out = directory.join("roles.json");
    let part = part_of(&out);
    let job = Job::roles("gpt2-tiny", &corpus, &out);
    job.stop_midway(&part, (0, "-KILL"));
    let kept = fs::read(&part).unwrap();
    // What is saved next goes to a device that is always full.
    let partial = directory.join("roles.json.part.new");
    let full = |partial: &Path| {
        if partial.exists() {
            fs::remove_file(partial).unwrap();
        }
        std::os::unix::fs::symlink("/dev/full", partial).unwrap();
    };
    full(&partial);
    let said = job.fails(&["--save-seconds", "0"]);
    assert!(
        said.contains("roles.json.part: No space left on device"),
        "{said}"
    );
    assert_eq!(fs::read(&part).unwrap(), kept);
    // The same of the result: it is not begun, and the progress stays.
    full(&directory.join("roles.json.new"));
    let said = job.fails(&[]);
    assert!(
        said.contains("roles.json: No space left on device"),
        "{said}"
    );
    assert!(!out.exists() && measured(&part).1 > 0);
    job.succeeds(&[]);
    assert!(out.exists() && !part.exists());
    let device = Job::roles("gpt2-tiny", &corpus, Path::new("/dev/full")).fails(&[]);
    assert!(
        device.contains("/dev/full: No space left on device"),
        "{device}"
    );
}
