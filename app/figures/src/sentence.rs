//! Attention as shades behind the words of the sentence: the current token red, the others blue
//! by weight.

use crate::color::{self, Rgb, Theme};

/// The colours of one token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shade {
    /// True if the token is the one that attends.
    pub current: bool,
    /// The opacity of the shade's colour over the page, 0…1: the weight, or 1 if masked.
    pub opacity: f32,
    /// The colour behind the text.
    pub background: Rgb,
    /// A colour of the text that stands out from the background.
    pub ink: Rgb,
}

/// Returns the red of the current token.
pub fn current_color(theme: Theme) -> Rgb {
    match theme {
        Theme::Light => [200, 38, 38],
        Theme::Dark => [240, 92, 84],
    }
}

/// Returns the blue of weight 1.
pub fn attended_color(theme: Theme) -> Rgb {
    match theme {
        Theme::Light => [23, 82, 190],
        Theme::Dark => [96, 165, 250],
    }
}

/// Returns the shades of tokens with these attention weights. `current` is the attending token if it is one of them
/// (self-attention); it is red whatever its own weight.
pub fn shades(weights: &[f32], current: Option<usize>, theme: Theme) -> Vec<Shade> {
    weights
        .iter()
        .enumerate()
        .map(|(index, &weight)| shade_of(weight, current == Some(index), theme))
        .collect()
}

/// Returns the shade of one token; `current` if it is the attending one.
pub fn shade_of(weight: f32, current: bool, theme: Theme) -> Shade {
    if current {
        return shade(true, current_color(theme), 1.0, theme);
    }
    if color::is_masked(weight) {
        return shade(false, color::masked(theme), 1.0, theme);
    }
    shade(false, attended_color(theme), weight.clamp(0.0, 1.0), theme)
}

fn shade(current: bool, over: Rgb, opacity: f32, theme: Theme) -> Shade {
    let background = color::blend(over, color::furniture(theme).page, opacity);
    Shade {
        current,
        opacity,
        background,
        ink: color::ink_on(background),
    }
}

impl Shade {
    /// Returns the shade as the value of an HTML `style` attribute.
    pub fn style(&self) -> String {
        format!(
            "background-color: {}; color: {}",
            color::css(self.background),
            color::css(self.ink)
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn more_weight_is_more_blue(a in 0.0f32..=1.0, b in 0.0f32..=1.0) {
            let (less, more) = (a.min(b), a.max(b));
            for theme in Theme::ALL {
                let blue = attended_color(theme);
                let shades = shades(&[less, more], None, theme);
                let distance = |shade: &Shade| -> i32 {
                    (0..3)
                        .map(|i| (i32::from(shade.background[i]) - i32::from(blue[i])).abs())
                        .sum()
                };
                prop_assert!(shades[0].opacity <= shades[1].opacity);
                prop_assert!(distance(&shades[0]) >= distance(&shades[1]));
            }
        }
    }

    #[test]
    fn only_the_current_token_is_red() {
        let shades = shades(&[0.1, 0.7, 0.2], Some(1), Theme::Light);
        let current: Vec<_> = shades.iter().map(|shade| shade.current).collect();
        assert_eq!(current, [false, true, false]);
        assert_eq!(shades[1].background, current_color(Theme::Light));
    }

    #[test]
    fn no_weight_leaves_the_page_as_it_is() {
        for theme in Theme::ALL {
            let shades = shades(&[0.0], None, theme);
            assert_eq!(shades[0].background, color::furniture(theme).page);
        }
    }

    #[test]
    fn masked_tokens_are_neutral() {
        let shades = shades(&[f32::NEG_INFINITY], None, Theme::Dark);
        assert_eq!(shades[0].background, color::masked(Theme::Dark));
    }
}
