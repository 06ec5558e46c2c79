//! State shared by the parts of the chapter: the chosen head, and its scores here and on the published sentences.

use attention_core::{
    roles::{Fetched, HeadMeasured, Measured, RoleCorpus, of_set, on_text, published},
    selection::{Chosen, chosen_head},
    state::{HeadChoice, RolesOf, ViewState},
};
use attention_trace::roles::{HeadRoles, Role, RoleScores};
use leptos::prelude::*;

/// The context of the chapter: take it with [`RolesContext::expect`].
#[derive(Clone, Copy)]
pub struct RolesContext {
    /// The chosen head, with its model.
    pub chosen: Memo<Option<Chosen>>,
    /// The measurements that the cards show: those on the visitor's sentences where they are chosen, else those published
    /// with the model.
    pub fetched: Memo<Fetched>,
    /// The scores of all heads on the text on screen.
    pub text: Memo<Measured>,
    /// The scores of all heads in these measurements.
    pub set: Memo<Measured>,
    /// The role that the card is about.
    pub role: Memo<Option<Role>>,
}

impl RolesContext {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let chosen = chosen_head();
        let (corpus, state) = (RoleCorpus::expect(), ViewState::expect());
        let (model, of) = (
            state.select(|view| view.model),
            state.select(|view| view.roles.of),
        );
        let published = published(|| true);
        let fetched = Memo::new(move |_| match of.get() {
            RolesOf::File => corpus.found(model.get()).map(|found| Ok(found.set)),
            RolesOf::Text | RolesOf::Sentences => published.get(),
        });
        let (text, set) = (on_text(|| true), Memo::new(move |_| fetched.with(of_set)));
        let asked = state.select(|view| view.roles.role);
        let role = Memo::new(move |_| {
            let head = chosen.get()?.head;
            let of = |measured: &Measured| Some(measured.of(head)?.roles.clone());
            let scores = set.with(of).or_else(|| text.with(of))?;
            about(&scores, asked.get())
        });
        let context = RolesContext {
            chosen,
            fetched,
            text,
            set,
            role,
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

    /// Returns the address of the chosen head.
    pub fn head(self) -> Option<HeadChoice> {
        Some(self.chosen.get()?.head)
    }

    /// Returns the published card of the chosen head.
    pub fn card(self) -> Option<HeadRoles> {
        let head = self.head()?;
        let fetched = self.fetched.read();
        // `Said` shows why they are missing.
        let published = fetched.as_ref()?.as_ref().ok()?;
        published.0.head(head.attention, head.head).cloned()
    }

    /// Returns the scores of all heads on the chosen data: on this text if no sentences are published.
    pub fn asked(self) -> Memo<Vec<HeadMeasured>> {
        let of = ViewState::expect().select(|view| view.roles.of);
        Memo::new(move |_| {
            let is_set = match of.get() {
                RolesOf::Text => false,
                RolesOf::Sentences => self.fetched.read().is_some(),
                RolesOf::File => true,
            };
            let measured = if is_set { self.set } else { self.text };
            measured.with(|measured| measured.heads().to_vec())
        })
    }
}

/// The role that is asked for, if the head has a score of it; else its clearest one, else the one that is most above
/// chance.
fn about(scores: &RoleScores, asked: Option<Role>) -> Option<Role> {
    let highest = || {
        let scores = scores.scores.iter();
        let highest =
            scores.max_by(|one, other| one.1.above_chance().total_cmp(&other.1.above_chance()));
        highest.map(|(role, _)| *role)
    };
    asked
        .filter(|role| scores.of(*role).is_some())
        .or_else(|| scores.clearest().map(|(role, _)| role))
        .or_else(highest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::roles::RoleScore;

    use super::*;

    #[test]
    fn the_card_is_about_what_is_asked_for_or_what_is_clearest() {
        let score = |weight: f32| RoleScore {
            weight,
            chance: 0.1,
            queries: 9,
        };
        let scores = |first: f32, end: f32| RoleScores {
            scores: BTreeMap::from([(Role::First, score(first)), (Role::End, score(end))]),
            offset: None,
        };
        assert_eq!(about(&scores(0.9, 0.2), Some(Role::End)), Some(Role::End));
        assert_eq!(
            about(&scores(0.9, 0.2), Some(Role::Next)),
            Some(Role::First)
        );
        assert_eq!(about(&scores(0.1, 0.2), None), Some(Role::End));
        assert_eq!(about(&RoleScores::default(), None), None);
    }
}
