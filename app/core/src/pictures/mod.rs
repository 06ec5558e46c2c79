//! Pictures that models read: a few that the page draws, and the visitor's own, which stay in this page's memory.

mod opened;
mod scene;

use std::sync::Arc;

use leptos::{prelude::*, task::spawn_local};
use web_sys::File;

pub use self::{
    opened::{MOST_PIXELS, PictureFault},
    scene::Scene,
};

/// The number of the visitor's pictures that are kept, the newest.
const KEPT: usize = 8;

/// A picture on this page. Its name is the text of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    name: String,
    size_px: [usize; 2],
    original_px: [usize; 2],
    rgba: Arc<Vec<u8>>,
}

impl Held {
    /// Returns the name of the picture.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns width and height in pixels, as they are kept.
    pub fn size_px(&self) -> [usize; 2] {
        self.size_px
    }

    /// Returns width and height of the file in pixels, if it was scaled down.
    pub fn scaled_from_px(&self) -> Option<[usize; 2]> {
        (self.original_px != self.size_px).then_some(self.original_px)
    }

    /// Returns the pixels, `[height, width, 4]`: red, green, blue and opacity.
    pub fn rgba(&self) -> &[u8] {
        &self.rgba
    }
}

impl From<Scene> for Held {
    fn from(scene: Scene) -> Self {
        let size_px = Scene::SIZE_PX;
        Held {
            name: scene.to_string(),
            size_px,
            original_px: size_px,
            rgba: Arc::new(scene.rgba()),
        }
    }
}

/// The pictures of this page. A context: take it with [`Pictures::expect`].
#[derive(Clone, Copy)]
pub struct Pictures {
    own: RwSignal<Vec<Held>>,
    fault: RwSignal<Option<PictureFault>>,
    /// The number of files that were chosen; only the newest is read.
    chosen: StoredValue<u32>,
}

impl Pictures {
    /// Provides the context, with no picture of the visitor's.
    pub fn provide() -> Self {
        let pictures = Pictures {
            own: RwSignal::new(Vec::new()),
            fault: RwSignal::new(None),
            chosen: StoredValue::new(0),
        };
        provide_context(pictures);
        pictures
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the picture of that name; subscribes to the visitor's pictures.
    pub fn find(self, name: &str) -> Option<Held> {
        match Scene::named(name) {
            Some(scene) => Some(scene.into()),
            None => self
                .own
                .read()
                .iter()
                .find(|held| held.name == name)
                .cloned(),
        }
    }

    /// Returns the names of the visitor's pictures, the newest first.
    pub fn own_names(self) -> Vec<String> {
        let own = self.own.read();
        own.iter().map(|held| held.name.clone()).collect()
    }

    /// Returns the fault of the last chosen file, if it is no picture.
    pub fn fault(self) -> Option<PictureFault> {
        self.fault.get()
    }

    /// Reads a picture from a file and hands its name to `use_it`.
    pub fn open(self, file: File, use_it: impl FnOnce(String) + 'static) {
        let turn = self.chosen.get_value().wrapping_add(1);
        self.chosen.set_value(turn);
        self.fault.set(None);
        spawn_local(async move {
            let opened = opened::open(&file).await;
            if self.chosen.try_get_value() != Some(turn) {
                return;
            }
            match opened {
                Ok(held) => {
                    let name = held.name.clone();
                    self.own.try_update(|own| keep(own, held));
                    use_it(name);
                }
                Err(fault) => {
                    self.fault.try_set(Some(fault));
                }
            }
        });
    }
}

/// Puts a picture before the others; one of the same name is replaced, the oldest leaves.
fn keep(own: &mut Vec<Held>, held: Held) {
    own.retain(|other| other.name != held.name);
    own.insert(0, held);
    own.truncate(KEPT);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Held {
        Held {
            name: name.to_owned(),
            ..Scene::default().into()
        }
    }

    #[test]
    fn the_newest_pictures_are_kept_each_once() {
        let mut own = Vec::new();
        for number in 0..10 {
            keep(&mut own, named(&format!("{number}.png")));
        }
        keep(&mut own, named("5.png"));
        let names: Vec<&str> = own.iter().map(Held::name).collect();
        assert_eq!(names.len(), KEPT);
        assert_eq!(names[..2], ["5.png", "9.png"]);
        assert!(!names.contains(&"1.png"));
    }
}
