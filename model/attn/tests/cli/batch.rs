//! Many lines of which some cannot be read.

use std::fs;

use crate::{attn, model, scratch, text};

#[test]
fn a_line_that_cannot_be_read_does_not_end_the_translation() {
    let long = "chat ".repeat(400);
    let input = [
        "Oui.\n".as_bytes(),
        b"\xc9t\xe9.\r\n",
        format!("{long}\n\u{200b}\n \nNon.").as_bytes(),
    ]
    .concat();
    let output = attn(&["translate", "--model", &model("translator")], input);
    assert_eq!(output.status.code(), Some(1));
    let printed = text(&output.stdout);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert!(!lines[0].is_empty() && !lines[5].is_empty(), "{lines:?}");
    assert_eq!(lines[1..5], [""; 4]);
    let said = text(&output.stderr);
    for (line, why) in [(2, "it is not UTF-8"), (3, "more than the 256")] {
        let told = said
            .lines()
            .find(|told| told.contains(&format!("line {line}:")));
        assert!(told.is_some_and(|told| told.contains(why)), "{said}");
    }
    assert!(said.contains("2 lines were left out"), "{said}");
}

#[test]
fn a_byte_order_mark_changes_nothing() {
    let translated = |input: &str| {
        let output = attn(&["translate", "--model", &model("translator")], input);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let plain = translated("Je suis là.\n");
    assert_eq!(translated("\u{feff}Je suis là.\n"), plain);
}

#[test]
fn pairs_that_cannot_be_read_are_left_out_of_the_scores() {
    let directory = scratch("left-out");
    let scores = |name: &str, lines: &[u8]| {
        let pairs = directory.join(name);
        fs::write(&pairs, lines).unwrap();
        let pairs = pairs.display().to_string();
        let output = attn(
            &["eval", "--model", &model("translator"), "--pairs", &pairs],
            "",
        );
        let printed = text(&output.stdout);
        let found = printed.lines().filter(|line| !line.starts_with("seconds"));
        (
            output.status.code(),
            found.map(str::to_owned).collect::<Vec<_>>(),
            text(&output.stderr),
        )
    };
    let good = "I am a student.\tJe suis étudiant.\nI like cats.\tJ'aime les chats.\n";
    let (code, expected, _) = scores("good.tsv", good.as_bytes());
    assert_eq!(code, Some(0));
    let long = format!("Cats.\t{}\n", "chat ".repeat(400));
    let bad = ["\u{feff}", good, &long, "no source\n", "No.\t\u{200b}\n"].concat();
    let bad = [bad.as_bytes(), b"No.\tNon \xe0.\n"].concat();
    let (code, found, said) = scores("bad.tsv", &bad);
    assert_eq!((code, found), (Some(1), expected), "{said}");
    for line in 3..=6 {
        assert!(said.contains(&format!("bad.tsv, line {line}: ")), "{said}");
    }
    assert!(said.contains("4 lines were left out"), "{said}");
    let (code, _, said) = scores("none.tsv", b"no source\n");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no pair to read"), "{said}");
}
