//! The sentences on which the chosen head fits a role best; each is a link that runs it.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    roles::role_name,
    state::{Model, View, ViewState},
    widgets::{Select, numbers::percent},
};
use attention_trace::roles::Role;
use leptos::prelude::*;

use super::context::RolesContext;

/// The role, and the sentences.
#[component]
pub fn Most() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = RolesContext::expect();
    let roles = Memo::new(move |_| {
        let card = context.card();
        card.map(|card| card.roles.scores.into_keys().collect::<Vec<Role>>())
            .unwrap_or_default()
    });
    let listed = Memo::new(move |_| {
        let (card, role) = (context.card()?, context.role.get()?);
        let fetched = context.fetched.read();
        // `Said` shows why they are missing.
        let set = &fetched.as_ref()?.as_ref().ok()?.0;
        let most = card.most.get(&role)?.iter();
        let text = |&(index, weight): &(usize, f32)| Some((set.texts.get(index)?.clone(), weight));
        Some(most.filter_map(text).collect::<Vec<_>>())
    });
    let names = move || {
        let roles = roles.get().into_iter();
        roles
            .map(|role| role_name(i18n, role, None))
            .collect::<Vec<_>>()
    };
    let chosen = move || {
        let role = context.role.get();
        let place = roles.read().iter().position(|&other| Some(other) == role);
        place.unwrap_or_default()
    };
    let choose = move |place: usize| {
        let role = roles.with_untracked(|roles| roles.get(place).copied());
        state.update_roles(|roles| roles.role = role);
    };
    let sentences = move || {
        let sentences = listed.get().unwrap_or_default().into_iter();
        sentences
            .map(|(text, weight)| view! { <Sentence text weight /> })
            .collect_view()
    };
    view! {
        <Show when=move || !roles.read().is_empty()>
            <h3 class="panel-title">{t!(i18n, roles.most)}</h3>
            <Select
                name=Signal::derive(move || t_string!(i18n, roles.by_role).to_owned())
                test_id="most-role"
                options=Signal::derive(names)
                chosen=Signal::derive(chosen)
                choose
            />
            <ul class="most-sentences" data-testid="most">{sentences}</ul>
            <p class="hint" class:is-hidden=move || listed.read().is_some()>
                {t!(i18n, roles.most_none)}
            </p>
        </Show>
    }
}

#[component]
fn Sentence(text: String, weight: f32) -> impl IntoView {
    let (text, model) = as_typed(&text);
    let shown = text.clone();
    let text = StoredValue::new(text);
    view! {
        <li>
            <ViewLink
                change=move |view: &mut View| {
                    view.model = model.unwrap_or(view.model);
                    view.use_text(text.get_value());
                }
                class="own-sentence"
                test_id="most-sentence"
            >
                {shown}
            </ViewLink>
            " "
            <span class="number">{percent(weight, 0)}</span>
        </li>
    }
}

/// Returns a text as a visitor would type it, without the token for the task, and the model that adds that token.
fn as_typed(text: &str) -> (String, Option<Model>) {
    let found = Model::served().find_map(|model| {
        let rest = text.strip_prefix(model.card().prefix?)?;
        Some((rest.trim_start().to_owned(), Some(model)))
    });
    found.unwrap_or_else(|| (text.to_owned(), None))
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
