//! The command `attn trace --image`: what it prints of a picture, and what it refuses.

use std::fs;
use std::path::Path;

use attention_trace::Trace;

use crate::{attn, scratch, text};

fn fixture(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    root.join(path).display().to_string()
}

#[test]
fn a_picture_is_traced_and_its_classes_are_printed() {
    let out = scratch("picture").join("trace.safetensors");
    let path = out.display().to_string();
    let (vit, picture) = (fixture("tiny/vit-tiny"), fixture("pictures/wide.png"));
    let output = attn(
        &[
            "trace", "--model", &vit, "--image", &picture, "--out", &path,
        ],
        "",
    );
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert_eq!(printed.lines().count(), 5, "{printed}");
    assert!(printed.starts_with("0.7499  circle\n"), "{printed}");
    let trace = Trace::from_safetensors(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(trace.meta.source.len(), 17);
    assert_eq!(trace.meta.pieces.picture.unwrap().size_px, [61, 45]);
}

#[test]
fn what_does_not_fit_a_model_of_pictures_is_said() {
    let out = scratch("no-picture").join("trace.safetensors");
    let path = out.display().to_string();
    let vit = fixture("tiny/vit-tiny");
    let said = |arguments: &[&str]| {
        let all = [&["trace", "--out", &path], arguments].concat();
        let output = attn(&all, "");
        assert!(!output.status.success());
        text(&output.stderr)
    };
    let words = said(&["--model", &vit, "--text", "a cat"]);
    assert!(words.contains("name it by --image"), "{words}");
    let config = fixture("tiny/vit-tiny/config.json");
    let words = said(&["--model", &vit, "--image", &config]);
    assert!(words.contains("is no PNG or JPEG picture"), "{words}");
    let (gpt2, picture) = (fixture("tiny/gpt2-tiny"), fixture("pictures/dot.png"));
    let words = said(&["--model", &gpt2, "--image", &picture]);
    assert!(words.contains("the model reads texts"), "{words}");
}
