//! `attn trace` with what a trace keeps beside its arrays, and `attn export`.

use std::io::Read;

use attention_trace::{Array, AttentionLayer, Edit, Site};
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::read::GzDecoder;

use super::*;

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/examples/je-suis-etudiant.safetensors")
}

/// Returns the trace that a page replays.
fn replayed(html: &Path) -> Trace {
    let page = fs::read_to_string(html).unwrap();
    let (_, rest) = page.split_once(r#"id="trace">"#).unwrap();
    let (data, _) = rest.split_once('<').unwrap();
    let gzip = BASE64_STANDARD.decode(data).unwrap();
    let mut bytes = vec![];
    GzDecoder::new(gzip.as_slice())
        .read_to_end(&mut bytes)
        .unwrap();
    Trace::from_safetensors(&bytes).unwrap()
}

fn patterns(trace: &Trace) -> Vec<(Site, Array)> {
    let arrays = trace.arrays.iter();
    let patterns = arrays.filter(|(site, _)| site.quantity == Quantity::Pattern);
    patterns
        .map(|(&site, array)| (site, array.clone()))
        .collect()
}

#[test]
fn a_trace_keeps_edits_lens_and_origin_and_its_replay_too() {
    let directory = scratch("export");
    let (out, html) = (directory.join("a.safetensors"), directory.join("a.html"));
    let edits = directory.join("edits.json");
    let off = r#"[{"kind":"scale_head","attention":"decoder.1.cross","head":3,"factor":0.0}]"#;
    fs::write(&edits, off).unwrap();
    let [edits, out_path, html_path] = [&edits, &out, &html].map(|path| path.display().to_string());
    let translator = model("translator");
    let pass = [
        "--model",
        &translator,
        "--text",
        "Je suis étudiant.",
        "--edits",
        &edits,
        "--lens",
        "2",
    ];

    let output = attn(&[&["trace"], &pass[..], &["--out", &out_path]].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let trace = Trace::from_safetensors(&fs::read(&out).unwrap()).unwrap();
    let attention = AttentionLayer::try_from("decoder.1.cross".to_owned()).unwrap();
    let expected = Edit::ScaleHead {
        attention,
        head: 3,
        factor: 0.0,
    };
    assert_eq!(trace.edits, [expected]);
    let lens = trace.lens.as_ref().unwrap();
    assert_eq!((lens.layers.len(), lens.layers[0][0].words.len()), (4, 2));
    assert_eq!(trace.origin.program.as_deref(), Some("attn"));
    assert_eq!(trace.origin.model.as_deref(), Some("translator"));
    assert_eq!(trace.origin.text.as_deref(), Some("Je suis étudiant."));

    let output = attn(&["export", "--trace", &out_path, "--html", &html_path], "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("<title>Je suis étudiant. · translator</title>"));
    let from_trace = replayed(&html);
    assert_eq!(from_trace.arrays, patterns(&trace).into_iter().collect());
    assert_eq!(
        (&from_trace.edits, &from_trace.lens, &from_trace.decoding),
        (&trace.edits, &trace.lens, &trace.decoding)
    );

    let given = ["--html", &html_path, "--title", "T", "--language", "zh"];
    let output = attn(&[&["export"], &pass[..], &given].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(replayed(&html), from_trace);
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains("<title>T</title>") && page.contains(r#"{"language":"zh"}"#));
}

#[test]
fn what_cannot_be_exported_is_refused_by_file_and_array() {
    let directory = scratch("export-refused");
    let path = directory.join("a.safetensors");
    let html = directory.join("a.html").display().to_string();
    let said = |contents: &[u8], sentence: &str| {
        fs::write(&path, contents).unwrap();
        let file = path.display().to_string();
        let output = attn(&["export", "--trace", &file, "--html", &html], "");
        assert_eq!(output.status.code(), Some(1));
        let message = text(&output.stderr);
        assert!(message.starts_with(&format!("attn: {file}: ")), "{message}");
        assert!(message.contains(sentence), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(!Path::new(&html).exists());
    };
    let trace = Trace::from_safetensors(&fs::read(example()).unwrap()).unwrap();
    let site: Site = "decoder.1.cross.pattern".parse().unwrap();
    let with = |change: &dyn Fn(&mut Trace)| {
        let mut changed = trace.clone();
        change(&mut changed);
        changed.to_safetensors().unwrap()
    };
    let newer = with(&|_| {});
    let at = newer
        .windows(12)
        .position(|part| part == br#""format":"1""#);
    let mut newer = newer.clone();
    newer[at.unwrap() + 10] = b'2';
    said(
        &newer,
        "format version 2, and this program reads versions up to 1",
    );
    said(
        &with(&|trace| drop(trace.arrays.remove(&site))),
        "array `decoder.1.cross.pattern` is missing",
    );
    said(
        &with(&|trace| {
            if let Some(array) = trace.arrays.get_mut(&site) {
                array.data[0] = f32::NAN;
            }
        }),
        "array `decoder.1.cross.pattern` has a weight that is not a finite number",
    );
    said(b"not a trace", "not a valid safetensors file");

    let example = example().display().to_string();
    for arguments in [
        &["--html", &html][..],
        &["--html", &html, "--model", &model("translator")],
        &["--html", &html, "--trace", &example, "--text", "a"],
        &["--html", &html, "--trace", &example, "--model", "a"],
        &["--trace", &example],
    ] {
        let output = attn(&[&["export"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
