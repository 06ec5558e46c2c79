//! Pairs of a part of the text and its screen, for each kind of model.

use crate::start::parameters::Screen;
use attention_trace::ModelSpec;

/// The parts that explain the screens of a model.
pub fn parts(spec: &ModelSpec) -> Vec<&'static str> {
    Screen::ALL.map(|screen| part(screen, spec)).to_vec()
}

/// Returns the part that explains a screen: a model that reads no source has separate texts for some screens.
fn part(screen: Screen, spec: &ModelSpec) -> &'static str {
    let both = both(screen);
    match spec.reads_source() {
        true => both.0,
        false => both.1,
    }
}

/// The screen that a part explains.
pub fn of_part(part: &str) -> Option<Screen> {
    let mut screens = Screen::ALL.into_iter();
    screens.find(|&screen| [both(screen).0, both(screen).1].contains(&part))
}

/// Returns the part for a model that reads a source, and the one for a model that continues a text.
fn both(screen: Screen) -> (&'static str, &'static str) {
    let same = |part| (part, part);
    match screen {
        Screen::Translate => ("translate", "continue"),
        Screen::Tokens => same("tokens"),
        Screen::Vectors => same("vectors"),
        Screen::Average => same("average"),
        Screen::Weights => same("weights"),
        Screen::Head => same("head"),
        Screen::Heads => same("heads"),
        Screen::Layers => same("layers"),
        Screen::Decoder => ("decoder", "decoder-only"),
        Screen::Training => same("training"),
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};

    use super::*;

    #[test]
    fn every_screen_is_explained_and_ends_with_what_to_take_away() {
        const TEXTS: [&str; 2] = [include_str!("en/text.md"), include_str!("zh/text.md")];
        for spec in [
            MarianConfig::default().spec(),
            LlamaConfig::default().spec(),
        ] {
            for screen in Screen::ALL {
                let heading = format!("{{#{}}}", part(screen, &spec));
                for text in TEXTS {
                    let (_, rest) = text.split_once(&heading).unwrap();
                    let own = rest.split("\n## ").next().unwrap();
                    assert_eq!(own.matches("\n> ").count(), 1, "{heading}");
                }
            }
        }
    }

    #[test]
    fn a_part_leads_back_to_its_screen() {
        for spec in [
            MarianConfig::default().spec(),
            LlamaConfig::default().spec(),
        ] {
            for screen in Screen::ALL {
                assert_eq!(of_part(part(screen, &spec)), Some(screen));
            }
        }
        assert_eq!(of_part("intro"), None);
    }
}
