//! The address that was opened last: the parts that the page cannot follow, and a record of whether the visitor has
//! changed anything since. Until then the address stays as it is.

use std::cell::RefCell;

use attention_trace::Trace;
use leptos::prelude::*;

use super::{
    faults::{AddressFault, FaultKind},
    lacking::beyond,
    reader::Reader,
    view::View,
};

/// The opened address, with its effects so far.
struct Opened {
    fragment: String,
    /// The view that the page made of the address, as long as the visitor has changed nothing.
    view: View,
    /// True if the whole address was understood when it was read.
    was_understood: bool,
    /// True once the visitor has acted on the page.
    is_touched: bool,
    /// True once the address has been compared with a result.
    is_compared: bool,
}

thread_local! {
    /// The address, global to the page like the address bar.
    static OPENED: RefCell<Option<Opened>> = const { RefCell::new(None) };
    static FAULTS: ArcRwSignal<Vec<AddressFault>> = ArcRwSignal::new(Vec::new());
}

/// Returns the parts of the address opened last that the page cannot follow, until the visitor closes the notice;
/// reactive.
pub fn address_faults() -> Vec<AddressFault> {
    FAULTS.with(ArcRwSignal::clone).get()
}

/// Closes the notice about the address.
pub fn close_address_faults() {
    FAULTS.with(ArcRwSignal::clone).set(Vec::new());
}

/// Compares the address with the result of its own job, once, and notes the parts that the result lacks. Does nothing
/// once the visitor has changed the view.
pub fn compare_with_result(view: &View, trace: &Trace) {
    let lacking = with_current(view, |opened| {
        let is_first = !std::mem::replace(&mut opened.is_compared, true);
        is_first.then(|| opened.view.lacking(&opened.fragment, trace))
    });
    note(lacking.flatten().unwrap_or_default());
}

/// Checks an index of the address against the number of items; does nothing once the visitor has changed the view.
pub fn compare_with_count(view: &View, name: &str, count: usize) {
    let fault = with_current(view, |opened| {
        beyond(&Reader::new(&opened.fragment), name, count)
    });
    note(fault.flatten().into_iter().collect());
}

/// Notes that the item named in the address does not exist; does nothing once the visitor has changed the view.
pub fn note_missing(view: &View, name: &str) {
    let fault = with_current(view, |opened| {
        let reader = Reader::new(&opened.fragment);
        let value = reader.get(name)?;
        Some(AddressFault {
            name: name.to_owned(),
            value: reader.in_address(name, value),
            kind: FaultKind::UnknownValue,
        })
    });
    note(fault.flatten().into_iter().collect());
}

fn note(faults: Vec<AddressFault>) {
    if !faults.is_empty() {
        FAULTS.with(ArcRwSignal::clone).update(|known| {
            let new = faults.into_iter().filter(|fault| !known.contains(fault));
            let new: Vec<_> = new.collect();
            known.extend(new);
        });
    }
}

/// Stores an address with the view that it spells.
pub(super) fn remember(fragment: String, view: View, faults: Vec<AddressFault>) {
    let opened = Opened {
        fragment,
        view,
        was_understood: faults.is_empty(),
        is_touched: false,
        is_compared: false,
    };
    OPENED.set(Some(opened));
    FAULTS.with(ArcRwSignal::clone).set(faults);
}

/// Records that the visitor has acted: later changes of the view are the visitor's.
pub(super) fn touch() {
    OPENED.with_borrow_mut(|opened| {
        if let Some(opened) = opened {
            opened.is_touched = true;
        }
    });
}

/// True if the address bar, which holds `fragment`, must stay unchanged: the page did not understand all of it, and the
/// visitor has changed nothing since.
pub(super) fn is_kept(view: &View, fragment: &str) -> bool {
    let is_kept = |opened: &mut Opened| !opened.was_understood && opened.fragment == fragment;
    with_current(view, is_kept) == Some(true)
}

/// Reads the opened address if the view is the one it spells, as changed by the page alone.
fn with_current<T>(view: &View, read: impl FnOnce(&mut Opened) -> T) -> Option<T> {
    OPENED.with_borrow_mut(|opened| {
        let opened = opened.as_mut()?;
        if !opened.is_touched && opened.view != *view {
            opened.view = view.clone();
        }
        (opened.view == *view).then(|| read(opened))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(fragment: &str) -> View {
        let (view, faults) = View::from_address(fragment);
        remember(fragment.to_owned(), view.clone(), faults);
        view
    }

    #[test]
    fn an_address_that_was_not_understood_stays_until_the_visitor_changes_the_view() {
        let fragment = "model=gpt2&cell=1.2";
        let mut view = open(fragment);
        assert!(is_kept(&view, fragment));
        // The page goes to the step of the cell by itself.
        view.step = 1;
        assert!(is_kept(&view, fragment));
        assert!(!is_kept(&view, "cell=1.2"));
        touch();
        assert!(is_kept(&view, fragment));
        view.step = 2;
        assert!(!is_kept(&view, fragment));
    }

    #[test]
    fn an_address_that_was_understood_is_spelled_by_the_page() {
        let view = open("layer=1");
        assert!(!is_kept(&view, "layer=1"));
    }

    #[test]
    fn an_index_is_compared_until_the_visitor_changes_the_view() {
        let owner = Owner::new();
        owner.set();
        let mut view = open("stage=4294967295&tab=learn&chapter=follow");
        compare_with_count(&view, "stage", 9);
        compare_with_count(&view, "stop", 9);
        let quoted: Vec<_> = address_faults().iter().map(AddressFault::quoted).collect();
        assert_eq!(quoted, ["stage=4294967295"]);
        close_address_faults();
        touch();
        view.chapters.stage = 2;
        compare_with_count(&view, "stage", 1);
        note_missing(&view, "chapter");
        assert!(address_faults().is_empty());
    }
}
