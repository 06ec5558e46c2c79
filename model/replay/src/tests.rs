use attention_trace::{
    Array, AttentionKind, AttentionLayer, Pieces, Site, Token, TraceMeta, config::MarianConfig,
};

use super::*;

/// The most bytes of a replay without its trace.
const LARGEST_BYTES: usize = 120_000;

fn site(layer: usize, quantity: Quantity) -> Site {
    let kind = AttentionKind::EncoderSelf;
    AttentionLayer { kind, layer }.at(quantity)
}

fn trace() -> Trace {
    let config = MarianConfig {
        encoder_layers: 2,
        encoder_attention_heads: 1,
        ..MarianConfig::default()
    };
    let token = |id| Token {
        id,
        text: "▁a".to_owned(),
        unknown: false,
    };
    let meta = TraceMeta {
        spec: config.spec(),
        source: vec![token(1), token(2)],
        target: vec![],
        pieces: Pieces::default(),
    };
    let array = || Array {
        shape: vec![1, 2, 2],
        data: vec![0.25, 0.75, 1.0, 0.0],
    };
    let sites = [Quantity::Pattern, Quantity::Scores]
        .map(|quantity| [site(0, quantity), site(1, quantity)]);
    Trace {
        arrays: sites
            .concat()
            .into_iter()
            .map(|site| (site, array()))
            .collect(),
        ..Trace::new(meta)
    }
}

#[test]
fn a_replay_has_the_attention_weights_and_no_other_array() {
    let trace = trace();
    let shown = shown(&trace).unwrap();
    let sites: Vec<Site> = shown.arrays.keys().copied().collect();
    assert_eq!(
        sites,
        [site(0, Quantity::Pattern), site(1, Quantity::Pattern)]
    );
    assert_eq!(shown.meta, trace.meta);
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let mut missing = trace();
    missing.arrays.remove(&site(1, Quantity::Pattern));
    let error = shown(&missing).unwrap_err().to_string();
    assert!(
        error.contains("`encoder.1.self.pattern` is missing"),
        "{error}"
    );
    let mut large = trace();
    let values = LARGEST_WEIGHTS_BYTES / 4;
    let array = Array {
        shape: vec![1, 1, values],
        data: vec![0.0; values],
    };
    large.arrays.insert(site(0, Quantity::Pattern), array);
    let error = shown(&large).unwrap_err().to_string();
    assert_eq!(
        error,
        "the attention weights take 256 MiB, and a replay holds at most 256: trace a shorter text"
    );
}

#[test]
fn every_mark_of_the_shell_is_filled_and_every_file_is_used() {
    let page = html("{{data}} <b>\"&\"</b>", &Options::default(), b"{{title}}").unwrap();
    assert!(page.contains("<title>{{data}} &lt;b&gt;&quot;&amp;&quot;&lt;/b&gt;</title>"));
    assert!(page.contains(">e3t0aXRsZX19</script>"));
    for (name, contents) in files::all() {
        assert!(files::SHELL.contains(&format!("{{{{{name}}}}}")), "{name}");
        let last = contents.lines().rfind(|line| !line.is_empty()).unwrap();
        assert!(page.contains(last), "{name}");
    }
    assert!(!page.lines().any(|line| line.starts_with("import ")));
}

#[test]
fn options_cannot_end_the_script_that_they_stand_in() {
    let options = Options {
        caption: Some("</script><script>alert(1)</script>".to_owned()),
        selection: Some(Selection {
            kind: AttentionKind::Cross,
            layer: 2,
            heads: vec![3],
            tokens: vec![4],
        }),
        ..Options::default()
    };
    let page = html("a", &options, &[]).unwrap();
    assert!(page.contains(r#""caption":"\u003c/script>\u003cscript>alert(1)\u003c/script>""#));
    assert!(page.contains(r#""selection":{"kind":"cross","layer":2,"heads":[3],"tokens":[4]}"#));
}

#[test]
fn a_page_without_its_trace_is_small_and_its_files_cannot_end_their_element() {
    let page = html("a", &Options::default(), &[]).unwrap();
    assert!(page.len() <= LARGEST_BYTES, "{} bytes", page.len());
    for (name, contents) in files::all() {
        let lower = contents.to_lowercase();
        for end in ["</script", "</style", "<!--", "{{"] {
            assert!(!lower.contains(end), "{name}: {end}");
        }
    }
    // Nothing is asked of a network.
    assert!(!page.contains("http://") && !page.contains("https://"));
}
