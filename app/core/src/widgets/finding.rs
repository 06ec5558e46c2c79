//! What a figure found, in a sentence, for the frame around it.

use leptos::prelude::*;

/// The finding of the figure inside a frame. A context: the frame provides it, and a figure without a frame has none.
#[derive(Clone, Copy)]
pub struct Finding(RwSignal<Option<String>>);

impl Finding {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let finding = Finding(RwSignal::new(None));
        provide_context(finding);
        finding
    }

    /// The sentence; `None` as long as nothing was found.
    pub fn get(self) -> Option<String> {
        self.0.get()
    }

    /// Tells the frame what was found, as long as the calling component is there. Without a frame nothing happens.
    pub fn tell(words: impl Fn() -> Option<String> + Send + Sync + 'static) {
        let Some(finding) = use_context::<Finding>() else {
            return;
        };
        let words = Memo::new(move |_| words());
        // An effect because the frame is above the figure.
        Effect::new(move |_| {
            finding.0.try_set(words.get());
        });
        on_cleanup(move || {
            finding.0.try_set(None);
        });
    }
}
