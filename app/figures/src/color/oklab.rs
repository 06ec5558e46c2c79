//! OKLab, a colour space in which distance is close to perceived difference
//! (<https://bottosson.github.io/posts/oklab/>).

use super::rgb::Rgb;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Oklab {
    pub lightness: f32,
    a: f32,
    b: f32,
}

/// Returns the colour of a lightness 0…1, a chroma, and a hue in degrees.
pub(super) fn lch(lightness: f32, chroma: f32, hue_degrees: f32) -> Oklab {
    let (sine, cosine) = hue_degrees.to_radians().sin_cos();
    Oklab {
        lightness,
        a: chroma * cosine,
        b: chroma * sine,
    }
}

impl Oklab {
    pub fn to_rgb(self) -> Rgb {
        let Oklab { lightness, a, b } = self;
        let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
        let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
        let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
        [
            4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_94 * s,
            -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
            -0.004_196_086 * l - 0.703_418_6 * m + 1.707_614_7 * s,
        ]
        .map(from_linear)
    }

    /// Converts sRGB to OKLab, the inverse of [`to_rgb`](Self::to_rgb), for tests of a scale's appearance.
    #[cfg(test)]
    pub fn from_rgb(color: Rgb) -> Self {
        let [red, green, blue] = color.map(to_linear);
        let l = (0.412_221_46 * red + 0.536_332_55 * green + 0.051_445_995 * blue).cbrt();
        let m = (0.211_903_5 * red + 0.680_699_5 * green + 0.107_396_96 * blue).cbrt();
        let s = (0.088_302_46 * red + 0.281_718_85 * green + 0.629_978_7 * blue).cbrt();
        Oklab {
            lightness: 0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
            a: 1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
            b: 0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
        }
    }

    pub fn distance(self, other: Oklab) -> f32 {
        let lightness = self.lightness - other.lightness;
        let (a, b) = (self.a - other.a, self.b - other.b);
        (lightness * lightness + a * a + b * b).sqrt()
    }

    pub fn toward(self, other: Oklab, fraction: f32) -> Oklab {
        let mix = |from: f32, to: f32| from + (to - from) * fraction;
        Oklab {
            lightness: mix(self.lightness, other.lightness),
            a: mix(self.a, other.a),
            b: mix(self.b, other.b),
        }
    }
}

/// Returns WCAG's relative luminance, 0 (black) to 1 (white).
pub(super) fn relative_luminance(color: Rgb) -> f32 {
    let [red, green, blue] = color.map(to_linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

pub(super) fn from_linear(value: f32) -> u8 {
    let value = value.clamp(0.0, 1.0);
    let encoded = if value <= 0.003_130_8 {
        12.92 * value
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round() as u8
}

pub(super) fn to_linear(value: u8) -> f32 {
    let value = f32::from(value) / 255.0;
    if value <= 0.040_45 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_black_and_grey_have_no_chroma() {
        for (lightness, expected) in [(1.0, 255), (0.0, 0)] {
            assert_eq!(lch(lightness, 0.0, 0.0).to_rgb(), [expected; 3]);
        }
        let [red, green, blue] = lch(0.6, 0.0, 0.0).to_rgb();
        assert!(red == green && green == blue);
    }

    #[test]
    fn conversion_round_trips() {
        for color in [[255, 0, 0], [0, 255, 0], [0, 0, 255], [12, 130, 200]] {
            assert_eq!(Oklab::from_rgb(color).to_rgb(), color);
        }
    }
}
