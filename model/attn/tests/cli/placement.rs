//! Layers on devices of their own, all of which are the same one here.

use super::*;

#[test]
fn layers_on_a_device_of_their_own_change_no_number() {
    let tiny = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let neox = tiny.join("gpt-neox").display().to_string();
    for (model, text) in [(model("sentences"), "He is"), (neox, "He is")] {
        let traced = |name, options: &[&str]| traced(name, &model, text, options);
        let whole = traced("whole", &[]);
        for share in ["cpu=0", "cpu=2", "cpu=4096"] {
            assert!(
                traced("placed", &["--layers-on", share]) == whole,
                "{share}"
            );
        }
    }
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let refused = |model: &str, share: &str| {
        let arguments = ["translate", "--model", model, "--layers-on", share];
        let output = attn(&arguments, "Oui.\n");
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let translator = model("translator");
    let message = refused(&translator, "cpu=1");
    assert!(message.contains("marian is on one device"), "{message}");
    assert!(message.contains("llama"), "{message}");
    for (share, words) in [
        ("cpu", "DEVICE=MIB"),
        ("cpu=much", "DEVICE=MIB"),
        ("abacus=1", "this build has cpu"),
    ] {
        let message = refused(&translator, share);
        assert!(message.contains(words), "{message}");
    }
}
