//! Parameters of chapter "training".

use serde::{Deserialize, Serialize};
mod lesson;

use attention_core::state::{
    AddressValue, Counted, Entry, Parameters, Reader, Writer, flat, read_settings, write_settings,
};
use attention_protocol::training::TrainingDevice;
use attention_trace::training::TrainingSettings;

pub use self::lesson::Lesson;

/// The settings of the next run, and the view of the earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Training {
    /// The settings of the next run, valid or not.
    #[serde(skip)]
    pub settings: TrainingSettings,
    /// The device that trains the next run.
    #[serde(rename = "train-device", with = "flat::choice")]
    pub device: TrainingDevice,
    /// The watched example; if it is empty, a held-out one.
    #[serde(rename = "train-watch")]
    pub watched: String,
    /// True if the axis of the loss is logarithmic.
    #[serde(rename = "train-log")]
    pub is_logarithmic: bool,
    /// The run on screen, from 1; 0 is the newest. Runs last as long as the page is open.
    #[serde(rename = "train-run")]
    pub run: usize,
    /// The run beside it, from 1; 0 means none.
    #[serde(rename = "train-beside")]
    pub beside: usize,
    /// The step whose checkpoint is shown, or the last checkpoint before it; `None` is the newest.
    #[serde(rename = "train-step")]
    pub step: Option<usize>,
    #[serde(rename = "train-maps")]
    pub maps: Maps,
    /// The map that is drawn large, counted over layers and heads in the order of computation; too large a number means
    /// the last.
    #[serde(rename = "train-map")]
    pub map: usize,
}

/// The content of a checkpoint's attention maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Maps {
    /// The weights of attention.
    #[default]
    Weights,
    /// The gradient of the loss with respect to them.
    Gradients,
}

impl AddressValue for Maps {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Training {
    /// Shows a new run: the newest checkpoint of the newest run, beside another one or none.
    pub fn follow(&mut self, beside: usize) {
        (self.run, self.beside, self.step) = (0, beside, None);
    }
}

impl Parameters for Training {
    const CHAPTER: &'static str = "training";
    const ENTRIES: &'static [Entry] = &[Entry::named("train-map").counting(Counted::All)];

    fn write(&self, fragment: &mut Writer) {
        write_settings(&self.settings, fragment);
        flat::write(self, &Self::default(), fragment);
    }

    fn read(fragment: &Reader) -> Self {
        Training {
            settings: read_settings(fragment),
            ..flat::read(fragment, Self::ENTRIES)
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    fn settings() -> impl Strategy<Value = TrainingSettings> {
        let lessons = Lesson::ALL.into_iter().flat_map(|lesson| lesson.settings());
        prop::sample::select(lessons.collect::<Vec<_>>())
    }

    prop_compose! {
        pub fn training()(
            settings in settings(), watched in any::<String>(), is_logarithmic in any::<bool>(),
            (run, beside, map) in any::<(usize, usize, usize)>(),
            step in proptest::option::of(any::<usize>()),
            (maps, device) in (choice::<Maps>(), choice::<TrainingDevice>()),
        ) -> Training {
            Training { settings, device, watched, is_logarithmic, run, beside, step, maps, map }
        }
    }

    #[test]
    fn a_new_run_is_followed_from_its_newest_checkpoint() {
        let mut training = Training {
            run: 3,
            beside: 2,
            step: Some(100),
            ..Training::default()
        };
        training.follow(1);
        assert_eq!((training.run, training.beside, training.step), (0, 1, None));
    }
}
