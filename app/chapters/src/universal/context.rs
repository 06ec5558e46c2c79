//! State shared by the chapter's figures: halting in the model on screen and by the controls, and the token that is
//! examined.

use crate::universal::parameters::UniversalView;
use std::sync::Arc;

use attention_trace::{Edit, Stack, Token, TraceMeta};
use leptos::prelude::*;

use attention_core::{
    depths::{Halts, UsedBy, used_depths},
    engine::Live,
    state::ViewState,
};

/// The context shared by the chapter's figures.
#[derive(Clone, Copy)]
pub struct UniversalContext {
    /// The tokens and sizes of the result on screen, if its positions halt.
    pub meta: Memo<Option<Arc<TraceMeta>>>,
    /// The halting of the positions in the model.
    pub own: Memo<Option<Halts>>,
    /// The halting of the positions by the controls.
    pub halts: Memo<Option<Halts>>,
    /// The state of the chapter in the view.
    pub view: Memo<UniversalView>,
    encoder: Memo<Option<Vec<UsedBy>>>,
    decoder: Memo<Option<Vec<UsedBy>>>,
}

impl UniversalContext {
    /// Provides the context to the chapter's figures.
    pub fn provide() -> Self {
        let live = Live::expect();
        let view = ViewState::expect().select(|view| *view.chapters.of::<UniversalView>());
        let meta = Memo::new(move |_| {
            let trace = live.trace()?;
            Halts::of(&trace.meta.spec).map(|_| Arc::new(trace.meta.clone()))
        });
        let own = Memo::new(move |_| Halts::of(&meta.get()?.spec));
        let halts = Memo::new(move |_| Some(by_view(own.get()?, view.get())));
        let used = |stack| used_depths(stack, own.into(), halts.into());
        let context = UniversalContext {
            meta,
            own,
            halts,
            view,
            encoder: used(Stack::Encoder),
            decoder: used(Stack::Decoder),
        };
        provide_context(context);
        context
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the depths that each token of a stack used.
    pub fn used(self, stack: Stack) -> Memo<Option<Vec<UsedBy>>> {
        match stack {
            Stack::Encoder => self.encoder,
            Stack::Decoder => self.decoder,
        }
    }

    /// Returns the edits of the pass on screen; none if positions halt as in the model.
    pub fn edits(self) -> Vec<Edit> {
        match (self.halts.get(), self.own.get()) {
            (Some(halts), Some(own)) => halts.edits(own),
            _ => vec![],
        }
    }

    /// Returns the place of the examined token, and its use of the depths.
    pub fn token(self) -> Option<(usize, UsedBy)> {
        let view = self.view.get();
        self.used(view.stack).with(|used| {
            let used = used.as_ref()?;
            let place = view.token.min(used.len().checked_sub(1)?);
            Some((place, used[place].clone()))
        })
    }

    /// The tokens of the stack that the view has chosen.
    pub fn tokens(self) -> Vec<Token> {
        let used = self.used(self.view.get().stack);
        used.with(|used| {
            let used = used.as_deref().unwrap_or_default();
            used.iter().map(|it| it.token.clone()).collect()
        })
    }
}

/// Returns the halting by the view's settings.
fn by_view(own: Halts, view: UniversalView) -> Halts {
    let epsilon = view.epsilon.map(|hundredths| hundredths as f32 / 100.0);
    own.changed(epsilon, view.depths)
}

#[cfg(test)]
mod tests {
    use attention_trace::config::UniversalConfig;

    use super::*;

    #[test]
    fn a_view_that_says_nothing_leaves_the_model_its_way() {
        let own = Halts::of(&UniversalConfig::default().spec()).unwrap();
        assert_eq!(by_view(own, UniversalView::default()), own);
        let view = UniversalView {
            epsilon: Some(50),
            depths: Some(2),
            ..UniversalView::default()
        };
        let found = by_view(own, view);
        assert_eq!((found.halting.epsilon, found.depths), (0.5, 2));
        // What the model was trained with, said in so many words, is no change.
        let view = UniversalView {
            epsilon: Some(1),
            depths: Some(usize::MAX),
            ..UniversalView::default()
        };
        assert_eq!(by_view(own, view).edits(own), []);
    }
}
