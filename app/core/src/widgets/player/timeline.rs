//! A player over the decoding time steps, as plain data.

/// The position of a player. With no steps at all it is at 0 and does not play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// The step shown, from 0.
    pub step: usize,
    /// The number of steps.
    pub count: usize,
    /// True while the player plays.
    pub playing: bool,
}

/// An action that moves the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Play, or pause; at the end, play from the beginning.
    Toggle,
    /// The time of one step has passed.
    Tick,
    /// One step back, and pause.
    Back,
    /// One step forward, and pause.
    Forward,
    /// To this step, and pause; a step too far means the last.
    Scrub(usize),
}

impl Action {
    /// Returns a key's action: space plays and pauses, arrows step, Home and End go to the ends.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            " " => Some(Action::Toggle),
            "ArrowLeft" => Some(Action::Back),
            "ArrowRight" => Some(Action::Forward),
            "Home" => Some(Action::Scrub(0)),
            "End" => Some(Action::Scrub(usize::MAX)),
            _ => None,
        }
    }
}

impl Timeline {
    /// A player at `step`, or at the last step where there are fewer.
    pub fn at(step: usize, count: usize, playing: bool) -> Self {
        let step = step.min(count.saturating_sub(1));
        Timeline {
            step,
            count,
            playing: playing && count > 0,
        }
    }

    /// Returns true if the player is at the last step.
    pub fn is_at_end(self) -> bool {
        self.step + 1 >= self.count
    }

    /// The player after `action`.
    pub fn after(self, action: Action) -> Self {
        let Timeline {
            step,
            count,
            playing,
        } = self;
        let (step, playing) = match action {
            Action::Toggle if playing => (step, false),
            Action::Toggle if self.is_at_end() => (0, true),
            Action::Toggle => (step, true),
            Action::Tick if !playing => (step, false),
            Action::Tick => (step + 1, step + 2 < count),
            Action::Back => (step.saturating_sub(1), false),
            Action::Forward => (step + 1, false),
            Action::Scrub(to) => (to, false),
        };
        Timeline::at(step, count, playing)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn actions() -> impl Strategy<Value = Vec<Action>> {
        prop::collection::vec(
            prop_oneof![
                Just(Action::Toggle),
                Just(Action::Tick),
                Just(Action::Back),
                Just(Action::Forward),
                any::<usize>().prop_map(Action::Scrub),
            ],
            0..40,
        )
    }

    proptest! {
        #[test]
        fn it_never_leaves_the_steps(
            step in any::<usize>(), count in 0usize..9, playing in any::<bool>(), list in actions()
        ) {
            let mut timeline = Timeline::at(step, count, playing);
            for action in list {
                timeline = timeline.after(action);
                prop_assert!(timeline.step < count.max(1));
                prop_assert!(!timeline.playing || count > 0);
            }
        }

        #[test]
        fn playing_shows_every_step_once_and_stops_at_the_last(count in 2usize..20) {
            let mut timeline = Timeline::at(0, count, false).after(Action::Toggle);
            let mut shown = vec![timeline.step];
            while timeline.playing {
                timeline = timeline.after(Action::Tick);
                shown.push(timeline.step);
            }
            prop_assert_eq!(shown, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn stepping_by_hand_pauses() {
        let playing = Timeline::at(2, 5, true);
        assert_eq!(playing.after(Action::Back), Timeline::at(1, 5, false));
        assert_eq!(playing.after(Action::Forward), Timeline::at(3, 5, false));
        assert_eq!(playing.after(Action::Scrub(99)), Timeline::at(4, 5, false));
    }

    #[test]
    fn a_late_tick_does_not_move_a_paused_player() {
        let paused = Timeline::at(1, 5, false);
        assert_eq!(paused.after(Action::Tick), paused);
    }

    #[test]
    fn playing_at_the_end_starts_over() {
        let end = Timeline::at(4, 5, false);
        assert_eq!(end.after(Action::Toggle), Timeline::at(0, 5, true));
    }

    #[test]
    fn keys_are_those_of_a_player() {
        assert_eq!(Action::of_key(" "), Some(Action::Toggle));
        assert_eq!(Action::of_key("ArrowRight"), Some(Action::Forward));
        assert_eq!(Action::of_key("Enter"), None);
    }
}
