//! Conversations as `apply_chat_template` of `transformers` writes them.

use std::{collections::BTreeMap, fs, path::PathBuf};

use attention_chat::{Date, Template, Turn};
use serde::Deserialize;

#[derive(Deserialize)]
struct Fixture {
    /// The time of the templates' clock, in seconds since 1970.
    now: u64,
    tokens: BTreeMap<String, String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    template: String,
    conversation: String,
    turns: Vec<Turn>,
    text: Option<String>,
    error: Option<String>,
}

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

#[test]
fn conversations_are_written_as_transformers_does() {
    let fixture = fs::read(fixtures().join("chat.json")).unwrap();
    let Fixture { now, tokens, cases } = serde_json::from_slice(&fixture).unwrap();
    let (mut written, mut refused) = (0, 0);
    for case in cases {
        let name = format!("{}, {}", case.template, case.conversation);
        let source = fs::read_to_string(fixtures().join("chat").join(&case.template)).unwrap();
        let template = Template::new(&source, tokens.clone());
        let rendered = template.render(&case.turns, Date::of_unix_seconds(now));
        match (rendered, case.text, case.error) {
            (Ok(text), Some(expected), None) => {
                assert_eq!(text, expected, "{name}");
                written += 1;
            }
            (Err(fault), None, Some(error)) => {
                assert_eq!(fault.reason, error, "{name}");
                assert!(fault.line.is_some(), "{name}");
                refused += 1;
            }
            (rendered, expected, error) => panic!("{name}: {rendered:?}, {expected:?} {error:?}"),
        }
    }
    assert!(written > 30 && refused > 0, "{written} {refused}");
}

#[test]
fn texts_of_a_template_are_recognised_by_their_opening() {
    for (template, opening) in [
        (
            "header-blocks.jinja",
            "<s><|start_header_id|>system<|end_header_id|>\n\nToday: ",
        ),
        ("marked-turns.jinja", "<|im_start|>system\n"),
        ("model-turns.jinja", "<s><start_of_turn>user\n"),
        ("brackets.jinja", "<s>[INST] "),
        ("roles.jinja", "<|"),
        ("smollm2.jinja", "<|im_start|>system\n"),
    ] {
        let source = fs::read_to_string(fixtures().join("chat").join(template)).unwrap();
        let tokens = [("bos_token".to_owned(), "<s>".to_owned())];
        let template = Template::new(&source, BTreeMap::from(tokens));
        assert_eq!(template.opening().as_deref(), Ok(opening));
    }
}

#[test]
fn a_template_that_fails_says_where_and_why() {
    let turns = [Turn::new(attention_chat::Role::User, "a")];
    for (source, line, reason) in [
        ("a\n{% if %}", 2, "syntax error"),
        (
            "a\n\n{{ raise_exception('No ' + messages[0].content) }}",
            3,
            "No a",
        ),
        ("{{ messages[0].none.deeper }}", 1, "undefined value"),
        (
            "{{ strftime_now('%Q') }}",
            1,
            "a directive that is not implemented",
        ),
        (
            "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
            1,
            "it takes too long",
        ),
        (
            "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
            1,
            "recursion limit",
        ),
        ("{% include 'other' %}", 1, ""),
        ("{{ 'a' * 10000000000 }}", 1, ""),
    ] {
        let template = Template::new(source, BTreeMap::new());
        let fault = template
            .render(&turns, Date::of_unix_seconds(0))
            .unwrap_err();
        assert_eq!(fault.line, Some(line), "{source}: {fault}");
        assert!(fault.reason.contains(reason), "{source}: {fault}");
        assert!(
            fault
                .to_string()
                .starts_with(&format!("the chat template, line {line}: "))
        );
    }
}
