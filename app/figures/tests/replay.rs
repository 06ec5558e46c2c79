//! The colours of the replay, which is no Rust, are those of the page.

// Clippy knows test functions, not what they call.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use attention_figures::{
    color::{self, Theme},
    sentence,
};

fn colors_of_the_replay() -> String {
    let file = "../../assets/replay/colors.js";
    fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// The digits of a theme's scale, which stand in several lines.
fn scale(source: &str, theme: &str) -> String {
    let start = source.find(&format!("  {theme}:\n")).unwrap();
    let lines = source[start..].lines().skip(1);
    let mut digits = String::new();
    for line in lines {
        digits.extend(line.split('"').nth(1));
        if line.ends_with(',') {
            return digits;
        }
    }
    panic!("the scale has no end");
}

#[test]
fn the_scale_is_that_of_the_page() {
    let source = colors_of_the_replay();
    for (name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
        let color = |step: u16| color::css(color::sequential(f32::from(step) / 255.0, theme));
        let expected: String = (0..256).map(|step| color(step)[1..].to_owned()).collect();
        assert_eq!(scale(&source, name), expected, "{name}");
    }
}

#[test]
fn the_shades_of_tokens_are_those_of_the_page() {
    let source = colors_of_the_replay();
    for (name, theme) in [("light", Theme::Light), ("dark", Theme::Dark)] {
        let furniture = color::furniture(theme);
        let [query, key, page, ink] = [
            sentence::current_color(theme),
            sentence::attended_color(theme),
            furniture.page,
            furniture.ink,
        ]
        .map(color::css);
        let line = format!(
            r#"  {name}: {{ query: "{query}", key: "{key}", page: "{page}", ink: "{ink}" }},"#
        );
        assert!(source.contains(&line), "{line}");
    }
}
