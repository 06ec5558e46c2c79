//! The bytes that a cache keeps while tokens are read, with the model's own heads of keys and with fewer.

use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t_string, use_i18n},
    widgets::{Plot, PlotFigure},
};
use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::StackSpec;
use leptos::prelude::*;

use super::NUMBER_BYTES;

/// Returns the number of heads of keys that are left, the most first, and the bytes that are kept after each token, from
/// none to `tokens`.
fn kept_bytes(stack: &StackSpec, tokens: usize) -> Vec<(usize, Vec<usize>)> {
    let counts = stack.group_counts().into_iter();
    let of = |groups| {
        let bytes = stack.kept_numbers(groups) * NUMBER_BYTES;
        (groups, (0..=tokens).map(|read| read * bytes).collect())
    };
    counts.map(of).collect()
}

/// The curves, one for each number of heads.
#[component]
pub fn KeptBytes(
    /// The number of tokens up to which the curves go.
    #[prop(into)]
    tokens: Signal<usize>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let live = Live::expect();
    let kept = Memo::new(move |_| {
        let trace = live.trace()?;
        let stack = trace.meta.spec.cached_stack()?;
        Some(kept_bytes(stack, tokens.get().max(1)))
    });
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let curves: Vec<Curve> = kept
            .get()
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, (groups, bytes))| Curve {
                points: bytes
                    .into_iter()
                    .enumerate()
                    .map(|(read, bytes)| (read as f64, bytes as f64))
                    .collect(),
                ..Curve::counted(
                    t_string!(i18n, kept.heads_kept, count = groups),
                    &[],
                    categorical(index, theme),
                )
            })
            .collect();
        Plot {
            x: Axis::new(
                t_string!(i18n, kept.tokens_read),
                0.0,
                tokens.get().max(1) as f64,
            ),
            y: Axis::around_curves(t_string!(i18n, kept.bytes_kept), &curves),
            curves,
        }
    });
    view! {
        <Show when=move || kept.read().is_some()>
            <PlotFigure
                title=Signal::derive(move || t_string!(i18n, kept.bytes_title).to_owned())
                text=Signal::derive(move || t_string!(i18n, kept.bytes_text).to_owned())
                test_id="kept-bytes-plot"
                plot
            />
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use attention_trace::config::LlamaConfig;

    use super::*;

    fn smollm2() -> StackSpec {
        let config = LlamaConfig {
            num_hidden_layers: 30,
            num_attention_heads: 9,
            num_key_value_heads: Some(3),
            hidden_size: 576,
            ..LlamaConfig::default()
        };
        config.spec().cached_stack().unwrap().clone()
    }

    #[test]
    fn bytes_grow_by_the_same_number_with_every_token_and_every_head() {
        let kept = kept_bytes(&smollm2(), 2);
        assert_eq!(
            kept,
            [(3, vec![0, 46_080, 92_160]), (1, vec![0, 15_360, 30_720])]
        );
    }

    #[test]
    fn the_text_says_what_smollm2_keeps() {
        let stack = smollm2();
        let (own, all) = (stack.key_value_heads, stack.heads);
        let bytes = |groups| stack.kept_numbers(groups) * NUMBER_BYTES;
        assert_eq!(bytes(all), 3 * bytes(own));
        for (language, sentence) in [
            (
                "en",
                "3 heads of keys for 9 of queries, so it keeps 46,080 bytes of a token",
            ),
            ("zh", "9 个查询头只有 3 份键，所以每个词元存 46,080 字节"),
        ] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/memory");
            let text = fs::read_to_string(path.join(language).join("text.md")).unwrap();
            assert!(text.contains(sentence), "{language}");
        }
        assert_eq!((own, all, bytes(own)), (3, 9, 46_080));
    }
}
