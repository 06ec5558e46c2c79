//! Roles of heads on the sentences that are published with a model, as measured by `attn roles`; fetched when they are
//! shown.

use std::sync::Arc;

use attention_trace::roles::{RoleSet, read_role_set};
use leptos::{prelude::*, task::spawn_local};

use super::corpus::OUR_SENTENCES;
use crate::{
    assets,
    engine::describe,
    state::{Model, ViewState},
};

/// The published roles of a model's heads. Two values are equal only if they are the same allocation.
#[derive(Clone, Debug)]
pub struct Published(pub Arc<RoleSet>);

impl PartialEq for Published {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The roles, or the reason why they could not be fetched; `None` until they arrive, and for a model without any.
pub type Fetched = Option<Result<Published, String>>;

/// Returns the file of a model's roles, if this build has one.
fn file_of(model: Model) -> Option<String> {
    let file = format!("{}roles.json", model.directory()?);
    assets::is_served(&file).then_some(file)
}

/// True if the view's model has published roles.
pub fn has_published() -> Memo<bool> {
    ViewState::expect().select(|view| file_of(view.model).is_some())
}

/// Returns the published roles of the view's model, fetched as soon as they are wanted.
pub fn published(wanted: impl Fn() -> bool + Send + Sync + 'static) -> Memo<Fetched> {
    let file = ViewState::expect().select(|view| file_of(view.model));
    let fetched = RwSignal::new(None::<(String, Result<Published, String>)>);
    // An effect because the server lies outside the reactive graph.
    Effect::new(move |_| {
        let Some(file) = file.get().filter(|_| wanted()) else {
            return;
        };
        let is_here = |found: &Option<(String, Result<Published, String>)>| {
            let here = found.as_ref().filter(|(name, _)| *name == file);
            here.is_some_and(|(_, found)| found.is_ok())
        };
        if !fetched.with_untracked(is_here) {
            spawn_local(async move {
                let found = fetch(&file).await;
                fetched.try_set(Some((file, found)));
            });
        }
    });
    Memo::new(move |_| {
        let file = file.get()?;
        let fetched = fetched.read();
        let (_, found) = fetched.as_ref().filter(|(name, _)| *name == file)?;
        Some(found.clone())
    })
}

/// Returns the sentences that are published with a model, or those that were written for this page.
///
/// # Errors
/// The message of the browser or the server if they could not be fetched.
pub(super) async fn published_texts(model: Model) -> Result<Vec<String>, String> {
    match file_of(model) {
        Some(file) => Ok(fetch(&file).await?.0.texts.clone()),
        None => Ok(OUR_SENTENCES.lines().map(str::to_owned).collect()),
    }
}

/// Returns a text as a visitor would type it, without the token for the task, and the model that adds that token.
pub fn as_typed(text: &str) -> (String, Option<Model>) {
    let found = Model::served().find_map(|model| {
        let rest = text.strip_prefix(model.card().prefix?)?;
        Some((rest.trim_start().to_owned(), Some(model)))
    });
    found.unwrap_or_else(|| (text.to_owned(), None))
}

async fn fetch(file: &str) -> Result<Published, String> {
    let text = assets::fetch_text(file).await;
    let text = text.map_err(|error| describe(&error))?;
    let set = read_role_set(&text).map_err(|error| error.to_string())?;
    Ok(Published(Arc::new(set)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_that_says_what_is_wanted_is_the_models() {
        let (text, model) = as_typed(">>cmn<< Tom is here.");
        assert_eq!(text, "Tom is here.");
        assert_eq!(model, Some("to-chinese".parse().unwrap()));
        assert_eq!(as_typed("Oui."), ("Oui.".to_owned(), None));
    }
}
