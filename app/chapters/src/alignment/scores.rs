//! Scores of each head on pairs aligned by hand, as `attn align` measured them; fetched when the chapter is opened.

use std::sync::Arc;

use attention_trace::{
    Token, TraceMeta,
    alignment::{AlignmentScores, AlignmentSet, has_han, read_alignment_scores},
};
use leptos::{prelude::*, task::spawn_local};

use attention_core::{
    assets,
    engine::describe,
    state::{Model, ViewState},
};

/// The file beside a model's weights.
const FILE: &str = "alignment-errors.json";

/// Scores that equal only themselves.
#[derive(Clone, Debug)]
pub struct Known(Arc<AlignmentScores>);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The scores, or why they are not here; `None` as long as they are on their way, and of a model without any.
pub type Fetched = Option<Result<Known, String>>;

/// Fetches the scores of the view's model, and anew where another is chosen.
pub fn fetched() -> ReadSignal<Fetched> {
    let (scores, set_scores) = signal(None);
    let chosen = ViewState::expect().select(|view| view.model);
    // An effect because the server lies outside the reactive graph.
    Effect::new(move |_| {
        let model = chosen.get();
        set_scores.set(None);
        let Some(file) = file(model) else { return };
        spawn_local(async move {
            let text = assets::fetch_text(&file).await;
            let found = text.map_err(|error| describe(&error)).and_then(|text| {
                let scores = read_alignment_scores(&text).map_err(|error| error.to_string())?;
                Ok(Known(Arc::new(scores)))
            });
            // Another model may have been chosen meanwhile.
            if chosen.try_get_untracked() == Some(model) {
                set_scores.try_set(Some(found));
            }
        });
    });
    scores
}

/// Returns the file of a model's scores; `None` if this build has none.
fn file(model: Model) -> Option<String> {
    let file = format!("{}{FILE}", model.directory()?);
    assets::is_served(&file).then_some(file)
}

impl Known {
    /// Returns the scores on the pairs in the text's language.
    pub fn of(&self, meta: &TraceMeta) -> Option<AlignmentSet> {
        let is_chinese = |tokens: &[Token]| tokens.iter().any(|token| has_han(&token.text));
        let language = match is_chinese(&meta.source) || is_chinese(&meta.target) {
            true => "zh",
            false => "fr",
        };
        let mut sets = self.0.sets.iter();
        sets.find(|set| set.language == language).cloned()
    }
}
