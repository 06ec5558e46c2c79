//! Numbers that move to their next value, for drawings; at once where the visitor wants less motion.

use attention_protocol::OrLogged;
use js_sys::Date;
use leptos::{leptos_dom::helpers::AnimationFrameRequestHandle, prelude::*};

/// The time of a movement, in milliseconds.
const TIME_MS: f64 = 450.0;

/// Returns a number that follows `target`. Whoever uses it for anything else than a drawing shows numbers that are in
/// between.
pub fn eased(target: Memo<f64>) -> ReadSignal<f64> {
    let (shown, set_shown) = signal(target.get_untracked());
    let frame = StoredValue::new_local(None::<AnimationFrameRequestHandle>);
    // An effect because the frames lie outside the reactive graph.
    Effect::new(move |_| {
        let (from, to) = (shown.get_untracked(), target.get());
        forget(frame);
        if wants_less_motion() || from == to {
            return set_shown.set(to);
        }
        let motion = Motion {
            from,
            to,
            start_ms: Date::now(),
        };
        advance(motion, set_shown, frame);
    });
    on_cleanup(move || forget(frame));
    shown
}

#[derive(Clone, Copy, Debug)]
struct Motion {
    from: f64,
    to: f64,
    start_ms: f64,
}

impl Motion {
    /// Returns the number after a time, slower at both ends.
    fn after_ms(self, time_ms: f64) -> f64 {
        let part = (time_ms / TIME_MS).clamp(0.0, 1.0);
        let eased = part * part * (3.0 - 2.0 * part);
        self.from + (self.to - self.from) * eased
    }
}

type Frame = StoredValue<Option<AnimationFrameRequestHandle>, LocalStorage>;

fn advance(motion: Motion, set_shown: WriteSignal<f64>, frame: Frame) {
    let next = request_animation_frame_with_handle(move || {
        let time_ms = Date::now() - motion.start_ms;
        let is_gone = set_shown.try_set(motion.after_ms(time_ms)).is_some();
        if !is_gone && time_ms < TIME_MS {
            advance(motion, set_shown, frame);
        }
    });
    frame.try_set_value(next.or_logged("moving a drawing"));
}

fn forget(frame: Frame) {
    let pending = frame.try_update_value(Option::take).flatten();
    if let Some(pending) = pending {
        pending.cancel();
    }
}

fn wants_less_motion() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)");
    let query = query.or_logged("asking for a media query").flatten();
    query.is_some_and(|query| query.matches())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_movement_begins_and_ends_at_its_numbers() {
        let motion = Motion {
            from: 2.0,
            to: 4.0,
            start_ms: 0.0,
        };
        let places = [-5.0, 0.0, TIME_MS / 2.0, TIME_MS, 9e9].map(|time| motion.after_ms(time));
        assert_eq!(places, [2.0, 2.0, 3.0, 4.0, 4.0]);
    }
}
