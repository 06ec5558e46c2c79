//! Pictures that the page draws itself, so that a model of pictures has something to read at once.

use std::fmt;

/// A picture that the page draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scene {
    /// The sun above the sea, and a boat.
    #[default]
    Horizon,
    /// A disc before stripes.
    Disc,
    /// Squares of four colours.
    Squares,
}

type Colour = [u8; 3];

const SUN: Colour = [250, 205, 60];
const SAIL: Colour = [240, 240, 235];
const HULL: Colour = [120, 60, 40];

impl Scene {
    /// All pictures, in the order of their buttons.
    pub const ALL: [Scene; 3] = [Scene::Horizon, Scene::Disc, Scene::Squares];
    /// Width and height in pixels.
    pub const SIZE_PX: [usize; 2] = [336, 252];

    /// Returns the picture of that name.
    pub fn named(name: &str) -> Option<Self> {
        Scene::ALL
            .into_iter()
            .find(|scene| scene.to_string() == name)
    }

    /// Draws the picture, `[height, width, 4]`.
    pub fn rgba(self) -> Vec<u8> {
        let [width, height] = Scene::SIZE_PX;
        let pixel = |at: usize| {
            let x = (at % width) as f64 / width as f64;
            let y = (at / width) as f64 / height as f64;
            let [red, green, blue] = self.colour(x, y);
            [red, green, blue, u8::MAX]
        };
        (0..width * height).flat_map(pixel).collect()
    }

    /// Returns the colour at a place, in shares of width and height from the top left.
    fn colour(self, x: f64, y: f64) -> Colour {
        match self {
            Scene::Horizon => horizon(x, y),
            Scene::Disc => disc(x, y),
            Scene::Squares => squares(x, y),
        }
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scene::Horizon => "horizon",
            Scene::Disc => "disc",
            Scene::Squares => "squares",
        })
    }
}

/// True within a circle; heights are three quarters of widths.
fn in_circle(x: f64, y: f64, [left, top, radius]: [f64; 3]) -> bool {
    (x - left).powi(2) + (0.75 * (y - top)).powi(2) < radius.powi(2)
}

fn mixed(from: Colour, to: Colour, share: f64) -> Colour {
    let mix = |index: usize| {
        let (from, to) = (f64::from(from[index]), f64::from(to[index]));
        (from + (to - from) * share) as u8
    };
    [mix(0), mix(1), mix(2)]
}

fn horizon(x: f64, y: f64) -> Colour {
    let is_sail = x > 0.3 && y < 0.66 && y > 0.3 && x - 0.3 < (y - 0.3) * 0.5;
    let is_hull = (0.66..0.74).contains(&y) && (x - 0.36).abs() < 0.14 - (y - 0.66);
    match () {
        () if is_sail => SAIL,
        () if is_hull => HULL,
        () if y > 0.62 => {
            let wave = (40.0 * y + 3.0 * (12.0 * x).sin()).sin();
            mixed([20, 70, 120], [60, 130, 170], 0.5 + 0.5 * wave)
        }
        () if in_circle(x, y, [0.74, 0.28, 0.11]) => SUN,
        () => mixed([90, 150, 220], [235, 190, 170], y / 0.62),
    }
}

fn disc(x: f64, y: f64) -> Colour {
    let is_dark = (4.0 * x + 6.0 * y).rem_euclid(1.0) < 0.5;
    match in_circle(x, y, [0.6, 0.42, 0.2]) {
        true => SUN,
        false if is_dark => mixed([30, 40, 60], [40, 90, 160], x),
        false => mixed([180, 200, 190], [150, 220, 240], x),
    }
}

fn squares(x: f64, y: f64) -> Colour {
    const COLOURS: [Colour; 4] = [[200, 60, 60], [60, 140, 80], [70, 90, 190], [230, 180, 60]];
    let (column, row) = ((4.0 * x) as usize, (3.0 * y) as usize);
    let (across, down) = ((4.0 * x).fract(), (3.0 * y).fract());
    let is_inside = (0.15..0.85).contains(&across) && (0.15..0.85).contains(&down);
    match is_inside {
        true => COLOURS[(column + 2 * row) % COLOURS.len()],
        false => [235, 232, 225],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_has_a_name_and_shows_something() {
        for scene in Scene::ALL {
            assert_eq!(Scene::named(&scene.to_string()), Some(scene));
            let rgba = scene.rgba();
            let [width, height] = Scene::SIZE_PX;
            assert_eq!(rgba.len(), 4 * width * height);
            let colours: std::collections::BTreeSet<&[u8]> = rgba.chunks(4).collect();
            assert!(colours.len() > 4, "{scene}");
        }
        assert_eq!(Scene::named("sea"), None);
    }
}
