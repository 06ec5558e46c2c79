//! Parameters of chapter "training".

mod lesson;

use attention_core::state::{
    AddressValue, Counted, Entry, Parameters, Reader, Writer, read_settings, write_settings,
};
use attention_protocol::training::TrainingDevice;
use attention_trace::training::TrainingSettings;

pub use self::lesson::Lesson;

/// The settings of the next run, and the view of the earlier ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Training {
    /// The settings of the next run, valid or not.
    pub settings: TrainingSettings,
    /// The device that trains the next run.
    pub device: TrainingDevice,
    /// The watched example; if it is empty, a held-out one.
    pub watched: String,
    /// True if the axis of the loss is logarithmic.
    pub is_logarithmic: bool,
    /// The run on screen, from 1; 0 is the newest. Runs last as long as the page is open.
    pub run: usize,
    /// The run beside it, from 1; 0 means none.
    pub beside: usize,
    /// The step whose checkpoint is shown, or the last checkpoint before it; `None` is the newest.
    pub step: Option<usize>,
    /// The content of the maps.
    pub maps: Maps,
    /// The map that is drawn large, counted over layers and heads in the order of computation; too large a number means
    /// the last.
    pub map: usize,
}

/// The content of a checkpoint's attention maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Maps {
    /// The weights of attention.
    #[default]
    Weights,
    /// The gradient of the loss with respect to them.
    Gradients,
}

impl AddressValue for Maps {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Maps::Weights, "weights"), (Maps::Gradients, "gradients")];
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
        let standard = Training::default();
        write_settings(&self.settings, fragment);
        fragment.choice("train-device", self.device, standard.device);
        fragment.text("train-watch", &self.watched, &standard.watched);
        fragment.number("train-log", u8::from(self.is_logarithmic), 0);
        fragment.number("train-run", self.run, standard.run);
        fragment.number("train-beside", self.beside, standard.beside);
        if let Some(step) = self.step {
            fragment.text("train-step", &step.to_string(), "");
        }
        fragment.choice("train-maps", self.maps, standard.maps);
        fragment.number("train-map", self.map, standard.map);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = Training::default();
        Training {
            settings: read_settings(fragment),
            device: fragment.choice("train-device").unwrap_or(standard.device),
            watched: fragment.text("train-watch").unwrap_or_default().to_owned(),
            is_logarithmic: fragment.flag("train-log").unwrap_or_default(),
            run: fragment.number("train-run").unwrap_or(standard.run),
            beside: fragment.number("train-beside").unwrap_or(standard.beside),
            step: fragment.number("train-step"),
            maps: fragment.choice("train-maps").unwrap_or(standard.maps),
            map: fragment.number("train-map").unwrap_or(standard.map),
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
