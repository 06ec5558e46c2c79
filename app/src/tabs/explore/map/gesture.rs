//! Fingers and the mouse on the map, as plain data: one moves it, two pinch it.

use super::camera::Camera;

/// The largest movement of a pointer, in pixels, in a press that is not a drag.
const SLACK: f64 = 4.0;

/// A pointer that is down.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pointer {
    id: i32,
    x: f64,
    y: f64,
}

/// The pointers that are down, and the distance of their movement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gesture {
    pointers: Vec<Pointer>,
    strayed: f64,
}

impl Gesture {
    /// Handles a pointer that goes down.
    pub fn press(&mut self, id: i32, x: f64, y: f64) {
        if self.pointers.is_empty() {
            self.strayed = 0.0;
        }
        self.pointers.retain(|pointer| pointer.id != id);
        // More than two fingers mean nothing.
        if self.pointers.len() < 2 {
            self.pointers.push(Pointer { id, x, y });
        }
    }

    /// Handles a pointer that goes up or away.
    pub fn release(&mut self, id: i32) {
        self.pointers.retain(|pointer| pointer.id != id);
    }

    /// Returns true if a pointer is down.
    pub fn is_pressed(&self) -> bool {
        !self.pointers.is_empty()
    }

    /// Returns true if the last press became a drag, so that it is not a click.
    pub fn is_drag(&self) -> bool {
        self.strayed > SLACK
    }

    /// Handles a pointer that moves, and returns the new camera; `None` if it stays.
    pub fn drag(&mut self, id: i32, x: f64, y: f64, camera: Camera) -> Option<Camera> {
        let place = self.pointers.iter().position(|pointer| pointer.id == id)?;
        let before = self.pointers.clone();
        let from = before[place];
        self.pointers[place] = Pointer { id, x, y };
        self.strayed += (x - from.x).hypot(y - from.y);
        if !self.is_drag() {
            return None;
        }
        let (was, is) = (Spread::of(&before), Spread::of(&self.pointers));
        let factor = match was.distance > 0.0 {
            true => is.distance / was.distance,
            false => 1.0,
        };
        let moved = camera.panned(is.x - was.x, is.y - was.y);
        Some(moved.zoomed(factor, (is.x, is.y)))
    }
}

/// The middle of the pointers and the distance between them.
struct Spread {
    x: f64,
    y: f64,
    distance: f64,
}

impl Spread {
    fn of(pointers: &[Pointer]) -> Self {
        let (first, last) = match pointers {
            [first, .., last] => (*first, *last),
            [only] => (*only, *only),
            [] => {
                return Spread {
                    x: 0.0,
                    y: 0.0,
                    distance: 0.0,
                };
            }
        };
        Spread {
            x: (first.x + last.x) / 2.0,
            y: (first.y + last.y) / 2.0,
            distance: (last.x - first.x).hypot(last.y - first.y),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAMERA: Camera = Camera {
        scale: 2.0,
        x: -10.0,
        y: -20.0,
    };

    #[test]
    fn one_pointer_moves_the_map_once_it_strays() {
        let mut gesture = Gesture::default();
        gesture.press(1, 100.0, 100.0);
        assert_eq!(gesture.drag(1, 102.0, 100.0, CAMERA), None);
        assert!(!gesture.is_drag());
        let moved = gesture.drag(1, 132.0, 90.0, CAMERA);
        assert_eq!(moved, Some(CAMERA.panned(30.0, -10.0)));
        assert!(gesture.is_pressed());
        gesture.release(1);
        assert!(gesture.is_drag() && !gesture.is_pressed());
        gesture.press(1, 5.0, 5.0);
        assert!(!gesture.is_drag());
    }

    #[test]
    fn two_pointers_zoom_about_their_middle() {
        let mut gesture = Gesture::default();
        gesture.press(1, 100.0, 100.0);
        gesture.press(2, 200.0, 100.0);
        let zoomed = gesture.drag(2, 300.0, 100.0, CAMERA).unwrap();
        assert_eq!(zoomed.scale, 4.0);
        // What lay in the middle of the two lies there again.
        let map = (150.0 - CAMERA.x) / CAMERA.scale;
        assert_eq!(zoomed.scale * map + zoomed.x, 200.0);
    }

    #[test]
    fn a_pointer_that_is_not_down_moves_nothing() {
        assert_eq!(Gesture::default().drag(7, 0.0, 0.0, CAMERA), None);
    }
}
