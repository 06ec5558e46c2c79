//! Every exercise on the numbers of a small sentence.

use std::{collections::BTreeMap, env, fs, path::Path};

use super::*;
use crate::kit::{evidence::tests::evidence as small, questions::tests::written};

fn sizes() -> Sizes {
    Sizes {
        tokens: 7,
        width: 64,
        heads: 4,
        head_width: 16,
    }
}

fn evidence() -> Evidence {
    let weights = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
    let other = [0.6, 0.2, 0.2, 0.5, 0.3, 0.2, 0.1, 0.1, 0.8];
    let scores = [1.0, -3.0, 2.0, 2.5, 4.0, -1.5, 0.5, 5.0, 3.0];
    let scaled = scores.map(|score| score / 4.0);
    let vectors = [
        0.3, -0.8, 1.1, 0.7, 0.6, 0.9, -0.4, 0.2, 1.2, -0.1, 0.5, -0.6,
    ];
    let matrices = [
        (Need::Weights, &weights[..]),
        (Need::OtherWeights, &other),
        (Need::Scores, &scores),
        (Need::ScaledScores, &scaled),
        (Need::Queries, &vectors),
        (Need::Keys, &vectors),
    ];
    let mut evidence = small(false, &matrices);
    evidence.decoding = Some(written(&[0.5, 0.27, 0.8]));
    evidence
}

fn all() -> Vec<(&'static Task, Made)> {
    let evidence = evidence();
    let made = |task: &'static Task| (task, (task.make)(&sizes(), Ok(&evidence)).unwrap());
    tasks::TASKS.iter().map(made).collect()
}

#[test]
fn an_answer_is_right_known_to_be_wrong_or_neither() {
    for (task, made) in all() {
        let name = task.name;
        assert_eq!(
            verdict(&made, &format!("{:.4}", made.right)),
            Verdict::Right,
            "{name}"
        );
        assert_eq!(verdict(&made, " "), Verdict::Empty, "{name}");
        assert_eq!(verdict(&made, "a lot"), Verdict::NoNumber, "{name}");
        assert_eq!(verdict(&made, "987.6"), Verdict::Wrong, "{name}");
        assert!(made.mistakes.len() > 1, "{name}");
        for (mistake, result) in &made.mistakes {
            let said = verdict(&made, &format!("{result:.5}"));
            assert!(
                matches!(said, Verdict::Known(_)),
                "{name}: {mistake:?} is {said:?}"
            );
        }
        let first = made.mistakes[0];
        assert_eq!(
            verdict(&made, &format!("{:.5}", first.1)),
            Verdict::Known(first.0),
            "{name}"
        );
    }
}

#[test]
fn a_comma_is_read_as_a_point() {
    let (_, made) = all().swap_remove(0);
    let typed = format!("{:.4}", made.right).replace('.', ",");
    assert_eq!(verdict(&made, &typed), Verdict::Right);
}

#[test]
fn without_numbers_there_is_a_reason() {
    for task in tasks::TASKS.iter().filter(|task| !task.needs.is_empty()) {
        let made = (task.make)(&sizes(), Ok(&small(false, &[])));
        assert_eq!(made, Err(Gap::Loading), "{}", task.name);
        assert_eq!((task.make)(&sizes(), Err(Gap::Model)), Err(Gap::Model));
    }
}

/// The tasks and the right results, which `python/tests/test_snippets.py` computes with the solutions.
#[test]
fn solutions_are_those_that_python_runs() {
    let found: BTreeMap<_, _> = all()
        .into_iter()
        .map(|(task, made)| (task.name, (task.solved(&made), made.right)))
        .collect();
    let found = serde_json::to_string_pretty(&found).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/snippets/exercises.json");
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        found,
        "after a change that is meant: BLESS=1"
    );
}

#[test]
fn every_exercise_belongs_to_a_page_once() {
    for page in crate::PAGES {
        let tasks = tasks::TASKS.iter();
        assert!(tasks.filter(|task| task.name == page.name).count() < 2);
    }
    for task in tasks::TASKS {
        let mut pages = crate::PAGES.iter();
        assert!(pages.any(|page| page.name == task.name), "{}", task.name);
    }
}
