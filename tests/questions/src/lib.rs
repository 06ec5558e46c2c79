//! Census of the chapters' tests: every question is asked of many sentences, with the trained models and the changes that
//! it names really run. A question with the same answer for every sentence fails. `docs/questions.md` has the table; with
//! `BLESS=1` it is rewritten.
#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test"
)]

mod asked;
mod table;

use std::{env, fs, path::Path};

use attention_chapters::census::listed;

use crate::{
    asked::{Answers, texts},
    table::{Row, table},
};

/// The least part of all texts for which a question has to have an answer.
const LEAST_ASKED: f32 = 0.2;

fn rows() -> Vec<Row> {
    let texts = texts();
    listed()
        .into_iter()
        .map(|question| Row {
            chapter: question.chapter,
            name: question.name(),
            kind: question.kind(),
            answers: Answers::of(question, &texts),
        })
        .collect()
}

#[test]
fn no_question_has_one_answer_for_all_sentences() {
    let rows = rows();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/questions.md");
    let written = table(&rows);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &written).unwrap();
    }
    let mut faults = Vec::new();
    for row in &rows {
        let Row { chapter, name, .. } = row;
        for (form, answers) in ["before", "after"].into_iter().zip(&row.answers.forms) {
            let (asked, all) = (answers.asked(), answers.all);
            if answers.different() < 2 {
                faults.push(format!(
                    "{chapter}, {name}, {form}: one answer for {asked} texts"
                ));
            }
            if (asked as f32) < LEAST_ASKED * all as f32 {
                faults.push(format!("{chapter}, {name}, {form}: {asked} of {all} texts"));
            }
        }
        if row.answers.changed == 0 {
            faults.push(format!(
                "{chapter}, {name}: both forms have the same answers"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        written,
        "run with BLESS=1 if that was meant"
    );
}
