//! Colour scales for both themes, perceptually uniform and safe for colour-blind readers.
//!
//! Scales are paths through OKLab (Ottosson 2020) along which lightness only rises or only falls, at constant speed:
//! equal differences of a value look equally different, and a scale remains readable in greyscale.

mod oklab;
mod rgb;
mod scale;

use std::sync::LazyLock;

use oklab::{Oklab, lch};
pub use rgb::Rgb;
use scale::ColorScale;

/// A colour theme of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Theme {
    /// Dark ink on a light page.
    #[default]
    Light,
    /// Light ink on a dark page.
    Dark,
}

impl Theme {
    /// The light and the dark theme.
    pub const ALL: [Theme; 2] = [Theme::Light, Theme::Dark];
}

/// A value for each theme.
struct Themed<T> {
    light: T,
    dark: T,
}

impl<T> Themed<T> {
    fn of(&self, theme: Theme) -> &T {
        match theme {
            Theme::Light => &self.light,
            Theme::Dark => &self.dark,
        }
    }
}

static SEQUENTIAL: LazyLock<Themed<ColorScale>> = LazyLock::new(|| Themed {
    light: ColorScale::through(&[
        lch(0.985, 0.006, 225.0),
        lch(0.86, 0.065, 215.0),
        lch(0.68, 0.120, 235.0),
        lch(0.48, 0.145, 260.0),
        lch(0.27, 0.115, 278.0),
    ]),
    dark: ColorScale::through(&[
        lch(0.235, 0.018, 262.0),
        lch(0.39, 0.110, 266.0),
        lch(0.58, 0.125, 245.0),
        lch(0.77, 0.110, 200.0),
        lch(0.96, 0.085, 110.0),
    ]),
});

static DIVERGING: LazyLock<Themed<(ColorScale, ColorScale)>> = LazyLock::new(|| {
    let arms = |middle: Oklab, negative: [Oklab; 2], positive: [Oklab; 2]| {
        let arm = |[near, far]: [Oklab; 2]| ColorScale::through(&[middle, near, far]);
        (arm(negative), arm(positive))
    };
    Themed {
        light: arms(
            lch(0.975, 0.003, 90.0),
            [lch(0.73, 0.110, 245.0), lch(0.40, 0.135, 262.0)],
            [lch(0.76, 0.120, 60.0), lch(0.44, 0.130, 42.0)],
        ),
        dark: arms(
            lch(0.25, 0.006, 260.0),
            [lch(0.52, 0.130, 256.0), lch(0.85, 0.090, 225.0)],
            [lch(0.54, 0.125, 48.0), lch(0.87, 0.110, 80.0)],
        ),
    }
});

/// Returns the colour of `value` in 0…1: close to the page at 0, strong at 1. Values outside are clamped; NaN and −∞,
/// which mean "masked", get [`masked`].
pub fn sequential(value: f32, theme: Theme) -> Rgb {
    sequential_in(theme)(value)
}

/// Returns [`sequential`] as a function of the value, for very many values of one theme.
pub fn sequential_in(theme: Theme) -> impl Fn(f32) -> Rgb {
    let (scale, masked) = (SEQUENTIAL.of(theme), masked(theme));
    move |value| {
        if is_masked(value) {
            return masked;
        }
        scale.at(value)
    }
}

/// Returns the colour of `value` in −1…1: blue below zero, orange above, close to the page at 0. Values outside are
/// clamped; NaN and −∞ get [`masked`].
pub fn diverging(value: f32, theme: Theme) -> Rgb {
    if is_masked(value) {
        return masked(theme);
    }
    let (negative, positive) = DIVERGING.of(theme);
    let arm = if value < 0.0 { negative } else { positive };
    arm.at(value.abs())
}

/// Returns true if a value marks a cell where attention is forbidden.
pub fn is_masked(value: f32) -> bool {
    value.is_nan() || value == f32::NEG_INFINITY
}

/// Returns the neutral colour of a masked cell: warm, so that no value of a scale looks like it.
pub fn masked(theme: Theme) -> Rgb {
    match theme {
        Theme::Light => lch(0.885, 0.022, 70.0),
        Theme::Dark => lch(0.345, 0.028, 60.0),
    }
    .to_rgb()
}

/// Returns `count` colours of the sequential scale at equal steps from 0 to 1, for a legend.
pub fn legend_stops(count: usize, theme: Theme) -> Vec<(f32, Rgb)> {
    stops(0.0, count, |value| sequential(value, theme))
}

/// Returns `count` colours of the diverging scale at equal steps from −1 to 1, for a legend.
pub fn diverging_legend_stops(count: usize, theme: Theme) -> Vec<(f32, Rgb)> {
    stops(-1.0, count, |value| diverging(value, theme))
}

fn stops(from: f32, count: usize, color: impl Fn(f32) -> Rgb) -> Vec<(f32, Rgb)> {
    let last = count.saturating_sub(1).max(1) as f32;
    (0..count)
        .map(|i| from + (1.0 - from) * i as f32 / last)
        .map(|value| (value, color(value)))
        .collect()
}

/// Returns the stops as the value of a CSS `linear-gradient`, left to right.
pub fn css_gradient(stops: &[(f32, Rgb)]) -> String {
    let colors: Vec<_> = stops.iter().map(|&(_, color)| css(color)).collect();
    format!("linear-gradient(to right, {})", colors.join(", "))
}

/// Returns the colour as CSS writes it: `#rrggbb`.
pub fn css([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Returns black or white, whichever stands out more from `background` (WCAG contrast).
pub fn ink_on(background: Rgb) -> Rgb {
    let luminance = oklab::relative_luminance(background);
    // Contrast with white is 1.05/(L+0.05), with black (L+0.05)/0.05.
    if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 {
        [255; 3]
    } else {
        [0; 3]
    }
}

/// Returns the colour of `over` at `opacity` (0…1) painted on `under`.
pub fn blend(over: Rgb, under: Rgb, opacity: f32) -> Rgb {
    let opacity = opacity.clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        (f32::from(over[i]) * opacity + f32::from(under[i]) * (1.0 - opacity)).round() as u8
    })
}

/// Colours of the parts of a figure that carry no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Furniture {
    /// The colour of the page, which figures leave transparent.
    pub page: Rgb,
    /// The colour of labels.
    pub ink: Rgb,
    /// The colour of axes and tick marks.
    pub axis: Rgb,
    /// The colour of grid lines.
    pub grid: Rgb,
}

/// Returns the furniture colours of a theme.
pub fn furniture(theme: Theme) -> Furniture {
    let [page, ink, axis, grid] = match theme {
        Theme::Light => [0.995, 0.30, 0.55, 0.91],
        Theme::Dark => [0.205, 0.90, 0.62, 0.33],
    };
    let gray = |lightness| lch(lightness, 0.008, 260.0).to_rgb();
    Furniture {
        page: gray(page),
        ink: gray(ink),
        axis: gray(axis),
        grid: gray(grid),
    }
}

/// Returns a colour that distinguishes one curve from others. Colours repeat after the twelfth, as many as a layer of a
/// common model has heads. The first six follow Okabe and Ito (2008) and are distinguishable with any of the common
/// colour deficiencies.
pub fn categorical(index: usize, theme: Theme) -> Rgb {
    const LIGHT: [Rgb; 12] = [
        [0, 95, 160],
        [200, 80, 0],
        [0, 130, 95],
        [170, 80, 140],
        [150, 110, 0],
        [96, 100, 112],
        [125, 20, 20],
        [20, 10, 120],
        [225, 0, 190],
        [115, 50, 240],
        [30, 34, 44],
        [0, 155, 210],
    ];
    const DARK: [Rgb; 12] = [
        [100, 180, 240],
        [240, 150, 60],
        [60, 200, 155],
        [225, 145, 195],
        [235, 210, 80],
        [165, 172, 186],
        [150, 90, 255],
        [120, 135, 30],
        [225, 60, 160],
        [245, 248, 255],
        [70, 120, 205],
        [140, 255, 190],
    ];
    let colors = match theme {
        Theme::Light => LIGHT,
        Theme::Dark => DARK,
    };
    colors[index % colors.len()]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lightness(color: Rgb) -> f32 {
        Oklab::from_rgb(color).lightness
    }

    fn themes() -> impl Strategy<Value = Theme> {
        prop::sample::select(Theme::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn more_is_further_from_the_page_in_lightness(
            a in 0.0f32..=1.0, b in 0.0f32..=1.0, theme in themes()
        ) {
            let (less, more) = (a.min(b), a.max(b));
            // Rounding to 8 bits may turn the last digit around.
            let slack = 0.004;
            let (less, more) = (
                lightness(sequential(less, theme)),
                lightness(sequential(more, theme)),
            );
            match theme {
                Theme::Light => prop_assert!(more <= less + slack),
                Theme::Dark => prop_assert!(more >= less - slack),
            }
        }

        #[test]
        fn both_arms_of_the_diverging_scale_leave_the_page(
            a in 0.0f32..=1.0, b in 0.0f32..=1.0, sign in prop::sample::select(vec![-1.0f32, 1.0]),
            theme in themes()
        ) {
            let page = lightness(diverging(0.0, theme));
            let distance = |value: f32| (lightness(diverging(sign * value, theme)) - page).abs();
            prop_assert!(distance(a.min(b)) <= distance(a.max(b)) + 0.004);
        }

        #[test]
        fn ink_is_readable_on_every_shade(value in 0.0f32..=1.0, theme in themes()) {
            let background = sequential(value, theme);
            let contrast = |a: Rgb, b: Rgb| {
                let (a, b) = (oklab::relative_luminance(a), oklab::relative_luminance(b));
                (a.max(b) + 0.05) / (a.min(b) + 0.05)
            };
            prop_assert!(contrast(ink_on(background), background) >= 4.5);
        }
    }

    #[test]
    fn equal_steps_look_equally_large() {
        for theme in Theme::ALL {
            let colors: Vec<_> = (0..=16)
                .map(|i| Oklab::from_rgb(sequential(i as f32 / 16.0, theme)))
                .collect();
            let steps: Vec<_> = colors.windows(2).map(|w| w[0].distance(w[1])).collect();
            let longest = steps.iter().copied().fold(0.0, f32::max);
            let shortest = steps.iter().copied().fold(f32::MAX, f32::min);
            assert!(longest / shortest < 1.3, "{theme:?}: {steps:?}");
        }
    }

    #[test]
    fn masked_cells_look_like_no_value() {
        for theme in Theme::ALL {
            let neutral = Oklab::from_rgb(masked(theme));
            for i in 0..=255 {
                let value = i as f32 / 255.0;
                let color = Oklab::from_rgb(sequential(value, theme));
                assert!(neutral.distance(color) > 0.05, "{theme:?} {value}");
            }
            assert_eq!(sequential(f32::NAN, theme), masked(theme));
            assert_eq!(sequential(f32::NEG_INFINITY, theme), masked(theme));
        }
    }

    /// Returns a colour as it is seen without the cones for long or for middle wavelengths (Viénot, Brettel and Mollon
    /// 1999).
    fn seen_without(cones: &str, color: Rgb) -> Oklab {
        let [red, green, blue] = color.map(oklab::to_linear);
        let (yellow, blue) = match cones {
            "long" => (
                0.112_38 * red + 0.887_62 * green,
                0.004_01 * (red - green) + blue,
            ),
            _ => (
                0.292_75 * red + 0.707_25 * green,
                0.022_34 * (green - red) + blue,
            ),
        };
        Oklab::from_rgb([yellow, yellow, blue].map(oklab::from_linear))
    }

    #[test]
    fn the_sign_of_a_difference_is_seen_with_any_two_kinds_of_cones() {
        for theme in Theme::ALL {
            for cones in ["long", "middle"] {
                let seen = |value: f32| seen_without(cones, diverging(value, theme));
                // A tenth of the scale from zero on the signs are told apart, and more easily further out.
                let apart = [0.1, 0.25, 0.5, 1.0].map(|size| seen(size).distance(seen(-size)));
                assert!(
                    apart[0] > 0.03 && apart[1] > 0.1,
                    "{theme:?} {cones}: {apart:?}"
                );
                assert!(
                    apart[2] > 0.15 && apart[3] > 0.15,
                    "{theme:?} {cones}: {apart:?}"
                );
            }
        }
    }

    #[test]
    fn twelve_curves_have_twelve_colours_that_stand_out_from_the_page() {
        for theme in Theme::ALL {
            let page = oklab::relative_luminance(furniture(theme).page);
            for one in 0..12 {
                let color = categorical(one, theme);
                let ink = oklab::relative_luminance(color);
                let contrast = (page.max(ink) + 0.05) / (page.min(ink) + 0.05);
                assert!(contrast >= 3.0, "{theme:?} {one}: {contrast}");
                for other in 0..one {
                    let other_color = Oklab::from_rgb(categorical(other, theme));
                    let apart = Oklab::from_rgb(color).distance(other_color);
                    assert!(apart > 0.09, "{theme:?} {one} {other}: {apart}");
                }
            }
        }
    }

    #[test]
    fn infinity_and_values_outside_are_clamped() {
        for theme in Theme::ALL {
            assert_eq!(sequential(7.0, theme), sequential(1.0, theme));
            assert_eq!(sequential(f32::INFINITY, theme), sequential(1.0, theme));
            assert_eq!(sequential(-7.0, theme), sequential(0.0, theme));
            assert_eq!(diverging(-7.0, theme), diverging(-1.0, theme));
        }
    }

    #[test]
    fn legends_run_from_end_to_end() {
        let stops = legend_stops(5, Theme::Light);
        let values: Vec<_> = stops.iter().map(|&(value, _)| value).collect();
        assert_eq!(values, [0.0, 0.25, 0.5, 0.75, 1.0]);
        let stops = diverging_legend_stops(3, Theme::Dark);
        assert_eq!(stops[1], (0.0, diverging(0.0, Theme::Dark)));
        assert_eq!(legend_stops(1, Theme::Light).len(), 1);
    }

    #[test]
    fn colours_are_written_as_css_reads_them() {
        assert_eq!(css([0, 10, 255]), "#000aff");
        let gradient = css_gradient(&[(0.0, [0; 3]), (1.0, [255; 3])]);
        assert_eq!(gradient, "linear-gradient(to right, #000000, #ffffff)");
    }

    #[test]
    fn blending_runs_from_under_to_over() {
        assert_eq!(blend([200, 0, 0], [0, 0, 100], 0.0), [0, 0, 100]);
        assert_eq!(blend([200, 0, 0], [0, 0, 100], 1.0), [200, 0, 0]);
        assert_eq!(blend([200, 0, 0], [0, 0, 100], 0.5), [100, 0, 50]);
    }
}
