//! Places that stay while what stands in them comes and goes.

use leptos::prelude::*;

/// How many places a list has that now needs `count`: as many as it ever needed. A place that is not needed is to be hidden.
/// An element that went would stay in the subscriber lists of all that it reads (reactive_graph 0.2.16).
pub fn kept_places(count: Memo<usize>) -> Memo<usize> {
    Memo::new(move |before: Option<&usize>| count.get().max(before.copied().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_were_needed_once_stay() {
        let owner = Owner::new();
        owner.set();
        let needed = RwSignal::new(2);
        let kept = kept_places(Memo::new(move |_| needed.get()));
        for (count, expected) in [(2, 2), (7, 7), (3, 7), (8, 8)] {
            needed.set(count);
            assert_eq!(kept.get_untracked(), expected);
        }
    }
}
