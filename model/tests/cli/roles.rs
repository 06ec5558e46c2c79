//! `attn roles`: what heads do, beside chance.

use attention_trace::roles::{Role, RoleSet, read_role_set};

use super::{attn, fs, model, scratch, text};

fn published(name: &str) -> RoleSet {
    read_role_set(&fs::read_to_string(model(&format!("{name}/roles.json"))).unwrap()).unwrap()
}

/// Measures a model's heads anew.
fn measured(name: &str, sentences: &str) -> RoleSet {
    let out = scratch(&format!("roles-{name}")).join("roles.json");
    let arguments = [
        "roles",
        "--model",
        &model(name),
        "--sentences",
        &model(sentences),
        "--out",
        &out.display().to_string(),
    ];
    let output = attn(&arguments, "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("previous: "));
    read_role_set(&fs::read_to_string(out).unwrap()).unwrap()
}

#[test]
fn the_published_roles_are_what_the_command_measures() {
    for (name, sentences) in [
        ("translator", "translator/sentences.tsv"),
        ("from-english", "from-english/sentences.tsv"),
        ("sentences", "translator/sentences.tsv"),
    ] {
        let (published, measured) = (published(name), measured(name, sentences));
        assert_eq!(published.weights, measured.weights, "{name}: other weights");
        assert_eq!(
            published.sentences, measured.sentences,
            "{name}: other sentences"
        );
        assert_eq!(published.texts, measured.texts);
        assert_eq!(published.induction, measured.induction);
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
