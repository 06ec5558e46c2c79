//! `attn roles`: what heads do, beside chance.

use std::path::Path;

use attention_model::digest::digest;
use attention_trace::AttentionLayer;
use attention_trace::roles::{MostSentence, Role, RoleScore, RoleSet, read_role_set};

use super::{attn, fs, model, scratch, text};

fn published(name: &str) -> RoleSet {
    read_role_set(&fs::read_to_string(model(&format!("{name}/roles.json"))).unwrap()).unwrap()
}

/// Measures a model's heads anew; `more` says which pairs were aligned by hand.
fn measured(name: &str, sentences: &str, more: &[&str]) -> RoleSet {
    let out = scratch(&format!("roles-{name}")).join("roles.json");
    let (weights, sentences) = (model(name), model(sentences));
    let written = out.display().to_string();
    let mut arguments = vec!["roles", "--model", &weights, "--sentences", &sentences];
    arguments.extend(["--out", &written]);
    arguments.extend(more);
    let output = attn(&arguments, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("previous: "));
    read_role_set(&fs::read_to_string(out).unwrap()).unwrap()
}

#[test]
fn the_published_roles_are_what_the_command_measures() {
    let pairs = model("translator/alignments.tsv");
    let forward = ["--pairs", &pairs];
    let back = ["--reverse", "--prefix", "fr=>>fra<<", "zh=>>cmn<<"];
    let back = [&forward[..], &back].concat();
    for (name, sentences, more) in [
        ("translator", "translator/sentences.tsv", &forward[..]),
        ("from-english", "from-english/sentences.tsv", &back),
        ("sentences", "translator/sentences.tsv", &[]),
    ] {
        let (published, measured) = (published(name), measured(name, sentences, more));
        assert_eq!(published.weights, measured.weights, "{name}: other weights");
        assert_eq!(
            published.sentences, measured.sentences,
            "{name}: other sentences"
        );
        assert_eq!(published.texts, measured.texts);
        assert_eq!(published.induction, measured.induction);
        assert_eq!(published.alignment, measured.alignment);
        assert_eq!(published.heads.len(), measured.heads.len());
        for (one, other) in published.heads.iter().zip(&measured.heads) {
            let place = (one.attention, one.head);
            assert_eq!(place, (other.attention, other.head));
            let roles = |scores: &attention_trace::roles::RoleScores| -> Vec<Role> {
                scores.scores.keys().copied().collect()
            };
            assert_eq!(roles(&one.roles), roles(&other.roles), "{place:?}");
            for (role, score) in &one.roles.scores {
                let again = other.roles.scores[role];
                assert_eq!(score.queries, again.queries, "{place:?}, {role}");
                let differs = (score.weight - again.weight).abs();
                assert!(differs < 5e-4, "{place:?}, {role}: {score:?}, {again:?}");
                assert!(
                    (score.chance - again.chance).abs() < 2e-4,
                    "{place:?}, {role}"
                );
            }
            for (share, again) in one.distances.iter().zip(&other.distances) {
                assert!((share - again).abs() < 5e-4, "{place:?}: {share}, {again}");
            }
        }
    }
}

/// The claims of chapter "roles" about the shipped models follow from their published roles.
#[test]
fn the_chapters_findings_are_those_of_the_published_roles() {
    let translator = published("translator");
    let scores = |set: &RoleSet, role: Role| -> Vec<(AttentionLayer, usize, RoleScore)> {
        let scored = set.heads.iter();
        let scored = scored.filter_map(|head| Some((head, head.roles.of(role)?)));
        let scored = scored.map(|(head, score)| (head.attention, head.head, score));
        scored.collect()
    };
    let clear = |role: Role| {
        let mut scores = scores(&translator, role);
        scores.retain(|(.., score)| score.is_clear());
        scores
    };
    let rounded = |value: f32| format!("{value:.2}");
    assert_eq!(scores(&translator, Role::Own).len(), 48);
    assert_eq!(clear(Role::Own).len(), 29);
    assert_eq!(clear(Role::Previous), []);
    let highest = |set: &RoleSet, role: Role| {
        let scores = scores(set, role).into_iter();
        let highest = scores.max_by(|one, other| one.2.weight.total_cmp(&other.2.weight));
        let (attention, head, score) = highest.unwrap();
        let place = format!("{}.{head}", String::from(attention));
        (place, rounded(score.weight), rounded(score.chance))
    };
    let named = |place: &str, weight: &str, chance: &str| {
        (place.to_owned(), weight.to_owned(), chance.to_owned())
    };
    let previous = highest(&translator, Role::Previous);
    assert_eq!(previous, named("decoder.1.self.4", "0.44", "0.21"));
    let aligned = clear(Role::Alignment);
    assert_eq!(aligned.len(), 8);
    for (attention, _, score) in aligned {
        assert_eq!(String::from(attention), "decoder.2.cross");
        assert!((0.475..0.555).contains(&score.weight), "{score:?}");
        assert_eq!(rounded(score.chance), "0.13");
    }
    let sentences = published("sentences");
    assert_eq!(sentences.heads.len(), 24);
    let induction = highest(&sentences, Role::Induction);
    assert_eq!(induction, named("decoder.2.self.4", "0.05", "0.03"));
}

#[test]
fn a_model_without_attention_has_no_roles() {
    let out = scratch("roles-none").join("roles.json");
    let arguments = [
        "roles",
        "--model",
        &model("recurrent/fixed"),
        "--sentences",
        &model("translator/sentences.tsv"),
        "--out",
        &out.display().to_string(),
    ];
    let output = attn(&arguments, "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("this model has no attention"));
    assert!(!out.exists());
}

/// Encoder–decoders read what they write, encoder-only and decoder-only models the sentence alone.
#[test]
fn a_file_with_a_sentence_a_line_is_read_by_every_kind_of_model() {
    let directory = scratch("roles-kinds");
    let sentences = directory.join("sentences.txt");
    let long = "the old dog ".repeat(200);
    fs::write(
        &sentences,
        format!("the old dog sits in the garden\n{long}\nshe reads a long book\n"),
    )
    .unwrap();
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    for (name, kinds) in [("bert-tiny", 1), ("gpt2-tiny", 1), ("marian-tiny", 3)] {
        let out = directory.join(format!("{name}.json"));
        let [model, sentences, written] =
            [&tiny.join(name), &sentences, &out].map(|path| path.display().to_string());
        let output = attn(
            &[
                "roles",
                "--model",
                &model,
                "--sentences",
                &sentences,
                "--out",
                &written,
            ],
            "",
        );
        // The second line is too long for the model, and is reported.
        let said = text(&output.stderr);
        assert!(said.contains("line 2: the input has"), "{name}: {said}");
        let found = read_role_set(&fs::read_to_string(out).unwrap()).unwrap();
        assert_eq!((found.texts.len(), found.tokens.len()), (2, 2), "{name}");
        let mut measured: Vec<_> = found.heads.iter().map(|head| head.attention.kind).collect();
        measured.dedup();
        assert_eq!(measured.len(), kinds, "{name}");
        let marked = found.heads.iter().flat_map(|head| &head.most);
        for (role, sentences) in marked {
            for MostSentence(index, _, marks) in sentences {
                assert!(*index < 2 && !marks.is_empty(), "{name}, {role}");
            }
        }
    }
}

#[test]
fn roles_of_a_gguf_file_name_its_weights() {
    let directory = scratch("roles-gguf");
    let (sentences, out) = (
        directory.join("sentences.tsv"),
        directory.join("roles.json"),
    );
    fs::write(
        &sentences,
        "the old dog sits in the garden\nshe reads a long book\n",
    )
    .unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let file = root.join("gguf-gpt2/model.gguf");
    let [model, sentences, written] =
        [&file, &sentences, &out].map(|path| path.display().to_string());
    let arguments = [
        "roles",
        "--model",
        &model,
        "--sentences",
        &sentences,
        "--out",
        &written,
    ];
    let output = attn(&arguments, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found = read_role_set(&fs::read_to_string(out).unwrap()).unwrap();
    assert_eq!(found.heads.len(), 6);
    assert_eq!(found.weights, digest(&fs::read(file).unwrap()));
}
