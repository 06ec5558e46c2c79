//! The camera on the map, as plain data.

use attention_figures::model_map::Rect;

use attention_core::state::Closeup;

/// The largest zoom, relative to the view of the whole map.
const CLOSEST: f64 = 60.0;
/// The factor of one zoom step.
pub const ZOOM_STEP: f64 = 1.4;
/// The share of the view filled by the rectangle of a close-up.
const FILLED: f64 = 0.86;
/// The share of the room beside gutters filled by the rectangle.
const FILLED_BESIDE: f64 = 0.96;
/// The largest gutters at the left and at the upper edge of the view, in pixels, and their largest share of the view.
const GUTTERS: [f64; 2] = [104.0, 68.0];
const GUTTER_SHARE: f64 = 0.2;

/// The position of the map in its view: a point `p` of the map appears at `scale · p + (x, y)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The number of pixels of a unit of the map.
    pub scale: f64,
    /// The position of the map's left edge in the view.
    pub x: f64,
    /// The position of the map's upper edge in the view.
    pub y: f64,
}

/// The sizes that limit a camera: of the map, and of the view in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// The width and the height of the map.
    pub map: (f64, f64),
    /// The width and the height of the view.
    pub view: (f64, f64),
}

impl Frame {
    /// Returns the camera on the whole map, in the middle and no larger than it was laid out.
    pub fn whole(self) -> Camera {
        let whole = Rect {
            x: 0.0,
            y: 0.0,
            width: self.map.0,
            height: self.map.1,
        };
        self.at_scale(whole, self.largest(whole, 1.0).min(1.0))
    }

    /// Returns the camera on a rectangle at the largest size.
    pub fn close(self, rect: Rect) -> Camera {
        self.around(rect, FILLED)
    }

    /// Returns the camera on a rectangle that fills a share of the view, and on its surroundings.
    pub fn around(self, rect: Rect, filled: f64) -> Camera {
        self.held(self.onto(rect, filled))
    }

    /// Returns the room at the left and at the upper edge of the view for the names of a map's rows and columns, in
    /// pixels.
    pub fn gutters(self) -> (f64, f64) {
        let [left, top] = GUTTERS;
        let (width, height) = self.view;
        (
            left.min(GUTTER_SHARE * width),
            top.min(GUTTER_SHARE * height),
        )
    }

    /// Returns the camera on a rectangle at the largest size beside the gutters.
    pub fn close_beside_gutters(self, rect: Rect) -> Camera {
        let (left, top) = self.gutters();
        let room = Frame {
            view: (self.view.0 - left, self.view.1 - top),
            ..self
        };
        self.held(room.onto(rect, FILLED_BESIDE).panned(left, top))
    }

    /// Returns the close-up of a camera; `None` for the whole map.
    pub fn closeup(self, camera: Camera) -> Option<Closeup> {
        let held = self.held(camera);
        let whole = self.whole();
        let middle = |view: f64, edge: f64, map: f64| {
            let part = (view / 2.0 - edge) / (held.scale * map);
            (part * Closeup::CENTRE_UNITS).round() as u32
        };
        (held.scale > whole.scale).then(|| Closeup::At {
            zoom: (held.scale / whole.scale * Closeup::ZOOM_UNITS).round() as u32,
            centre: [
                middle(self.view.0, held.x, self.map.0),
                middle(self.view.1, held.y, self.map.1),
            ],
        })
    }

    /// Returns the camera around a point, within the limits; zoom and point are those of a close-up.
    pub fn camera_at(self, zoom: u32, centre: [u32; 2]) -> Camera {
        let scale = self.whole().scale * f64::from(zoom) / Closeup::ZOOM_UNITS;
        let [x, y] = centre.map(|part| f64::from(part) / Closeup::CENTRE_UNITS);
        self.held(Camera {
            scale,
            x: self.view.0 / 2.0 - scale * x * self.map.0,
            y: self.view.1 / 2.0 - scale * y * self.map.1,
        })
    }

    fn onto(self, rect: Rect, filled: f64) -> Camera {
        self.at_scale(rect, self.largest(rect, filled))
    }

    /// Returns the scale at which a rectangle fills a share of the view.
    fn largest(self, rect: Rect, filled: f64) -> f64 {
        let width = self.view.0.max(1.0) / rect.width.max(1.0);
        let height = self.view.1.max(1.0) / rect.height.max(1.0);
        filled * width.min(height)
    }

    /// Returns the camera with a rectangle in the middle.
    fn at_scale(self, rect: Rect, scale: f64) -> Camera {
        let (x, y) = rect.centre();
        Camera {
            scale,
            x: self.view.0 / 2.0 - scale * x,
            y: self.view.1 / 2.0 - scale * y,
        }
    }

    /// Returns the camera limited to scales between the whole map and the largest zoom, with the map in the view.
    pub fn held(self, camera: Camera) -> Camera {
        let whole = self.whole();
        if camera.scale <= whole.scale {
            return whole;
        }
        let most = whole.scale * CLOSEST;
        let camera = match camera.scale > most {
            true => camera.zoomed(most / camera.scale, (self.view.0 / 2.0, self.view.1 / 2.0)),
            false => camera,
        };
        Camera {
            x: hold(camera.x, self.view.0, camera.scale * self.map.0),
            y: hold(camera.y, self.view.1, camera.scale * self.map.1),
            ..camera
        }
    }
}

/// Returns an edge such that a length covers the view, or lies in its middle if it is shorter.
fn hold(edge: f64, view: f64, length: f64) -> f64 {
    match length > view {
        true => edge.clamp(view - length, 0.0),
        false => (view - length) / 2.0,
    }
}

impl Camera {
    /// Returns the rectangle of the view for one of the map.
    pub fn seen(self, rect: Rect) -> Rect {
        Rect {
            x: self.scale * rect.x + self.x,
            y: self.scale * rect.y + self.y,
            width: self.scale * rect.width,
            height: self.scale * rect.height,
        }
    }

    /// Returns the camera zoomed by a factor about a fixed point of the view.
    pub fn zoomed(self, factor: f64, (x, y): (f64, f64)) -> Camera {
        Camera {
            scale: self.scale * factor,
            x: x - (x - self.x) * factor,
            y: y - (y - self.y) * factor,
        }
    }

    /// Returns the camera moved by a number of pixels.
    pub fn panned(self, right: f64, down: f64) -> Camera {
        Camera {
            x: self.x + right,
            y: self.y + down,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FRAME: Frame = Frame {
        map: (800.0, 600.0),
        view: (400.0, 400.0),
    };

    #[test]
    fn the_whole_map_is_in_the_middle() {
        let whole = FRAME.whole();
        assert_eq!(whole.scale, 0.5);
        assert_eq!((whole.x, whole.y), (0.0, 50.0));
    }

    #[test]
    fn a_rectangle_that_is_gone_to_is_in_the_middle() {
        let rect = Rect {
            x: 300.0,
            y: 300.0,
            width: 40.0,
            height: 40.0,
        };
        let camera = FRAME.close(rect);
        assert!((camera.scale * 40.0 - 0.86 * 400.0).abs() < 1e-9);
        assert!((camera.scale * 320.0 + camera.x - 200.0).abs() < 1e-9);
    }

    #[test]
    fn a_head_that_is_gone_to_lies_beside_the_gutters() {
        let rect = Rect {
            x: 300.0,
            y: 300.0,
            width: 40.0,
            height: 40.0,
        };
        for view in [(400.0, 400.0), (1380.0, 560.0), (360.0, 420.0)] {
            let frame = Frame { view, ..FRAME };
            let seen = frame.close_beside_gutters(rect);
            let seen = seen.seen(rect);
            let (left, top) = frame.gutters();
            assert!(seen.x >= left && seen.x + seen.width <= view.0, "{seen:?}");
            assert!(seen.y >= top && seen.y + seen.height <= view.1, "{seen:?}");
            assert!(left <= 0.2 * view.0 && top <= 0.2 * view.1);
        }
    }

    #[test]
    fn out_beyond_the_whole_map_is_the_whole_map() {
        let far = FRAME.whole().zoomed(0.2, (10.0, 10.0));
        assert_eq!(FRAME.held(far), FRAME.whole());
    }

    proptest! {
        #[test]
        fn the_point_under_the_pointer_stays(
            factor in 0.2f64..5.0, x in 0.0f64..400.0, y in 0.0f64..400.0
        ) {
            let before = FRAME.whole();
            let after = before.zoomed(factor, (x, y));
            let (mx, my) = ((x - before.x) / before.scale, (y - before.y) / before.scale);
            prop_assert!((after.scale * mx + after.x - x).abs() < 1e-6);
            prop_assert!((after.scale * my + after.y - y).abs() < 1e-6);
        }

        #[test]
        fn a_closeup_is_what_the_camera_saw(
            factor in 1.01f64..60.0, right in -9e3f64..9e3, down in -9e3f64..9e3
        ) {
            let before = FRAME.held(FRAME.whole().zoomed(factor, (0.0, 0.0)).panned(right, down));
            let after = match FRAME.closeup(before) {
                Some(Closeup::At { zoom, centre }) => FRAME.camera_at(zoom, centre),
                _ => FRAME.whole(),
            };
            prop_assert!((after.scale - before.scale).abs() <= 1e-3 * before.scale);
            // Within a pixel and what the zoom was rounded by, seen from the middle of the view.
            prop_assert!((after.x - before.x).abs() < 1.0 + 1e-3 * 800.0 * before.scale, "{before:?} {after:?}");
            prop_assert!((after.y - before.y).abs() < 1.0 + 1e-3 * 600.0 * before.scale, "{before:?} {after:?}");
        }

        #[test]
        fn any_closeup_is_seen(zoom in any::<u32>(), x in any::<u32>(), y in any::<u32>()) {
            let camera = FRAME.camera_at(zoom, [x, y]);
            let held = FRAME.held(camera);
            prop_assert!((held.scale - camera.scale).abs() <= 1e-9 * camera.scale);
            prop_assert!((held.x - camera.x).abs() < 1e-6 && (held.y - camera.y).abs() < 1e-6);
        }

        #[test]
        fn a_held_camera_shows_no_void_beside_a_map_that_is_larger(
            factor in 1.0f64..500.0, right in -9e3f64..9e3, down in -9e3f64..9e3
        ) {
            let camera = FRAME.held(FRAME.whole().zoomed(factor, (0.0, 0.0)).panned(right, down));
            prop_assert!(camera.scale <= FRAME.whole().scale * CLOSEST + 1e-9);
            if camera.scale * 800.0 > 400.0 {
                prop_assert!(camera.x <= 1e-9);
                prop_assert!(camera.x + camera.scale * 800.0 >= 400.0 - 1e-6);
            }
        }
    }
}
