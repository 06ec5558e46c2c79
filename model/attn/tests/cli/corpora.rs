//! Runs over a corpus: any number of workers, after a kill, and in shards, they write the same bytes.

#[cfg(unix)]
mod stopped;

use std::path::{Path, PathBuf};
use std::process::Output;

use attention_trace::roles::read_role_set;
use attention_trace::{HeadScore, read_head_scores};

use super::{attn, fs, scratch, text};

fn tiny(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    root.join(name).display().to_string()
}

/// A corpus of so many lines that differ, as pairs of a target and its source.
fn corpus(directory: &Path, lines: usize) -> PathBuf {
    const SUBJECTS: [&str; 5] = ["the old dog", "she", "a man", "the book", "my garden"];
    const VERBS: [&str; 3] = ["sits in", "reads", "is near"];
    let line = |number: usize| {
        let (subject, verb) = (SUBJECTS[number % 5], VERBS[number % 3]);
        let place = "the long ".repeat(number % 4);
        format!("{subject} {verb} {place}house\t{verb} {place}{subject}\n")
    };
    let path = directory.join("corpus.tsv");
    fs::write(&path, (0..lines).map(line).collect::<String>()).unwrap();
    path
}

/// A command over a corpus, with the arguments that name its files.
struct Job {
    arguments: Vec<String>,
}

impl Job {
    fn roles(model: &str, corpus: &Path, out: &Path) -> Self {
        Job::of(
            ["roles", "--model", &tiny(model), "--sentences"],
            corpus,
            out,
        )
    }

    fn eval(corpus: &Path, out: &Path) -> Self {
        Job::of(
            ["eval", "--model", &tiny("marian-tiny"), "--pairs"],
            corpus,
            out,
        )
    }

    fn importance(corpus: &Path, out: &Path) -> Self {
        let model = tiny("marian-tiny");
        let beginning = ["importance", "--model", &model, "--sentences"];
        Job::of(beginning, corpus, out)
    }

    fn of(beginning: [&str; 4], corpus: &Path, out: &Path) -> Self {
        let files = [corpus, Path::new("--out"), out].map(|path| path.display().to_string());
        let beginning = beginning.map(str::to_owned);
        Job {
            arguments: beginning.into_iter().chain(files).collect(),
        }
    }

    fn with(&self, more: &[&str]) -> Vec<String> {
        let more = more.iter().map(|&argument| argument.to_owned());
        self.arguments.iter().cloned().chain(more).collect()
    }

    fn run(&self, more: &[&str]) -> Output {
        let arguments = self.with(more);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        attn(&arguments, "")
    }

    fn succeeds(&self, more: &[&str]) {
        let output = self.run(more);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }

    /// Returns what a run that fails says.
    fn fails(&self, more: &[&str]) -> String {
        let output = self.run(more);
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    }
}

fn merge(out: &Path, shards: &[PathBuf]) -> Output {
    let out = out.display().to_string();
    let shards: Vec<String> = shards
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let mut arguments = vec!["merge", "--out", &out];
    arguments.extend(shards.iter().map(String::as_str));
    attn(&arguments, "")
}

#[test]
fn any_number_of_workers_and_of_shards_writes_the_same_bytes() {
    let directory = scratch("corpora-shards");
    let corpus = corpus(&directory, 24);
    let out = directory.join("out.json");
    let jobs = [
        Job::roles("gpt2-tiny", &corpus, &out),
        Job::roles("marian-tiny", &corpus, &out),
        Job::eval(&corpus, &out),
    ];
    for job in jobs {
        job.succeeds(&["--workers", "1"]);
        let whole = fs::read(&out).unwrap();
        for workers in ["2", "3"] {
            fs::remove_file(&out).unwrap();
            job.succeeds(&["--workers", workers]);
            assert_eq!(fs::read(&out).unwrap(), whole, "{workers} workers");
        }
        for count in [1, 2, 7] {
            let shards: Vec<PathBuf> = (1..=count)
                .map(|index| {
                    job.succeeds(&["--shard", &format!("{index}/{count}")]);
                    let shard = directory.join(format!("shard-{index}.json"));
                    fs::rename(&out, &shard).unwrap();
                    shard
                })
                .rev()
                .collect();
            let merged = merge(&out, &shards);
            assert!(merged.status.success(), "{}", text(&merged.stderr));
            assert_eq!(fs::read(&out).unwrap(), whole, "{count} shards");
        }
    }
}

#[test]
fn heads_are_scored_the_same_by_any_number_of_workers() {
    let directory = scratch("corpora-importance");
    let corpus = corpus(&directory, 6);
    let out = directory.join("out.json");
    let job = Job::importance(&corpus, &out);
    job.succeeds(&["--workers", "1"]);
    let whole = fs::read(&out).unwrap();
    job.succeeds(&["--workers", "3"]);
    assert_eq!(fs::read(&out).unwrap(), whole);
    let scores = read_head_scores(&text(&whole)).unwrap();
    assert_eq!((scores.pairs, scores.pruned.len()), (6, scores.alone.len()));
    let losses = |scores: &[HeadScore]| -> Vec<f64> {
        scores.iter().map(|score| score.score.loss).collect()
    };
    // The first head that goes is the one whose absence costs least.
    let least = losses(&scores.alone).into_iter().reduce(f64::min).unwrap();
    assert_eq!(losses(&scores.pruned)[0], least);
}

#[test]
fn lines_that_cannot_be_read_are_reported_in_order_by_shards_and_their_merge() {
    let directory = scratch("corpora-faults");
    let sentences = directory.join("sentences.txt");
    let long = "the old dog ".repeat(200);
    let lines = [
        b"the dog\n\xff\nshe reads\n".as_slice(),
        long.as_bytes(),
        b"\nhere\n",
    ]
    .concat();
    fs::write(&sentences, lines).unwrap();
    let out = directory.join("roles.json");
    let job = Job::roles("gpt2-tiny", &sentences, &out);
    let said = job.fails(&["--workers", "2"]);
    let place = |words: &str| {
        said.find(words)
            .unwrap_or_else(|| panic!("{words}: {said}"))
    };
    assert!(place("line 2: it is not UTF-8") < place("line 4: the input has"));
    assert!(place("line 4") < place("2 lines were left out"));
    let whole = fs::read(&out).unwrap();
    // Lines 2 and 4 are those of the second shard.
    job.succeeds(&["--shard", "1/2"]);
    let shards = ["one", "two"].map(|name| directory.join(name));
    fs::rename(&out, &shards[0]).unwrap();
    let said = job.fails(&["--shard", "2/2"]);
    assert!(said.contains("2 lines were left out"), "{said}");
    fs::rename(&out, &shards[1]).unwrap();
    let merged = merge(&out, &shards);
    assert_eq!(merged.status.code(), Some(1));
    assert!(text(&merged.stderr).contains("2 lines were left out"));
    assert_eq!(fs::read(&out).unwrap(), whole);
}

#[test]
fn shards_that_do_not_belong_together_are_not_merged() {
    let directory = scratch("corpora-refused");
    let corpus = corpus(&directory, 12);
    let out = directory.join("out.json");
    let shard = |job: &Job, name: &str, more: &[&str]| {
        job.succeeds(more);
        let path = directory.join(name);
        fs::rename(&out, &path).unwrap();
        path
    };
    let job = Job::roles("gpt2-tiny", &corpus, &out);
    let one = shard(&job, "one", &["--shard", "1/2"]);
    let two = shard(&job, "two", &["--shard", "2/2"]);
    let refused = |shards: &[&PathBuf]| {
        let shards: Vec<PathBuf> = shards.iter().map(|&path| path.clone()).collect();
        let merged = merge(&out, &shards);
        assert_eq!(merged.status.code(), Some(1));
        assert!(!out.exists());
        text(&merged.stderr)
    };
    let says = |said: String, words: &str| assert!(said.contains(words), "{said}");
    says(refused(&[&one]), "shard 2/2 is missing");
    says(refused(&[&one, &two, &one]), "shard 1/2 is in");
    let seed = shard(&job, "seed", &["--shard", "2/2", "--seed", "17"]);
    says(refused(&[&one, &seed]), "another seed: 17, not 16");
    let thirds = shard(&job, "thirds", &["--shard", "2/3"]);
    says(
        refused(&[&one, &thirds]),
        "another number of shards: 3, not 2",
    );
    let bert = Job::roles("bert-tiny", &corpus, &out);
    let model = shard(&bert, "model", &["--shard", "2/2"]);
    says(refused(&[&one, &model]), "another file: config.json");
    let scores = shard(&Job::eval(&corpus, &out), "scores", &["--shard", "2/2"]);
    says(
        refused(&[&one, &scores]),
        r#"another command: "eval", not "roles""#,
    );
    let longer = directory.join("longer.tsv");
    fs::write(
        &longer,
        [fs::read(&corpus).unwrap(), b"the dog\n".to_vec()].concat(),
    )
    .unwrap();
    let lines = shard(
        &Job::roles("gpt2-tiny", &longer, &out),
        "lines",
        &["--shard", "2/2"],
    );
    says(refused(&[&one, &lines]), "another file: corpus");
    let result = shard(&job, "result", &[]);
    says(refused(&[&one, &result]), "it is not the progress of a run");
    let merged = merge(&out, &[two, one]);
    assert!(merged.status.success(), "{}", text(&merged.stderr));
    assert_eq!(fs::read(&out).unwrap(), fs::read(&result).unwrap());
}

#[test]
fn scores_without_a_file_are_printed_and_a_pipe_is_read() {
    let pairs = "the dog\tthe old dog\nshe reads\tshe reads\n";
    let arguments = [
        "eval",
        "--model",
        &tiny("marian-tiny"),
        "--pairs",
        "/dev/stdin",
    ];
    #[cfg(unix)]
    {
        let output = attn(&arguments, pairs);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("pairs       2"));
    }
    let output = attn(&[&arguments[..], &["--shard", "1/2"]].concat(), pairs);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("a shard needs a file"));
}
