//! A figure's result in a sentence, for the frame around it.

use leptos::prelude::*;

/// The findings of the figures inside a frame. A context: the frame provides it; a figure without a frame has none.
#[derive(Clone, Copy)]
pub struct Finding(RwSignal<Vec<Memo<Option<String>>>>);

impl Finding {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let finding = Finding(RwSignal::new(Vec::new()));
        provide_context(finding);
        finding
    }

    /// The sentence of the first figure that has one; `None` as long as nothing was found.
    pub fn get(self) -> Option<String> {
        let told = self.0.get().into_iter();
        told.filter_map(|words| words.try_get().flatten()).next()
    }

    /// Gives the finding to the frame, as long as the calling component is there. Without a frame nothing happens.
    pub fn tell(words: impl Fn() -> Option<String> + Send + Sync + 'static) {
        let Some(Finding(told)) = use_context() else {
            return;
        };
        let words = Memo::new(move |_| words());
        told.update(|told| told.push(words));
        on_cleanup(move || {
            told.try_update(|told| told.retain(|other| *other != words));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_figure_that_found_something_is_told_of() {
        let owner = Owner::new();
        owner.set();
        Finding::tell(|| Some("without a frame".to_owned()));
        let finding = Finding::provide();
        let found = RwSignal::new(None::<String>);
        let figure = owner.with(Owner::new);
        figure.with(|| Finding::tell(move || found.get()));
        Finding::tell(|| Some("the other".to_owned()));
        assert_eq!(finding.get().as_deref(), Some("the other"));
        found.set(Some("one".to_owned()));
        assert_eq!(finding.get().as_deref(), Some("one"));
        figure.cleanup();
        assert_eq!(finding.get().as_deref(), Some("the other"));
    }
}
