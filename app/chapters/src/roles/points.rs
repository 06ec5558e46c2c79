//! Heads as points over any two of their scores; a button lies over each, so that they are clicked, and reached by keyboard.

mod drawn;
mod placed;

use crate::roles::parameters::RolesLab;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    roles::role_name,
    state::ViewState,
    widgets::{KeyHint, Select},
};
use attention_trace::roles::Role;
use leptos::prelude::*;

use self::{drawn::Drawn, placed::points};
use super::context::RolesContext;

/// The choice of both scores, and the figure.
#[component]
pub fn Points() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = RolesContext::expect();
    let lab = state.select(|view| *view.chapters.of::<RolesLab>());
    let axes = Memo::new(move |_| [lab.get().across, lab.get().up]);
    let measured = context.asked();
    // What the model on screen has, and what is chosen.
    let offered = Memo::new(move |_| {
        let measured = measured.read();
        let has = |role: Role| measured.iter().any(|head| head.roles.of(role).is_some());
        let offered = Role::ALL.iter().copied();
        offered
            .filter(|role| has(*role) || axes.get().contains(role))
            .collect::<Vec<_>>()
    });
    let points = Memo::new(move |_| measured.with(|heads| points(heads, axes.get())));
    let names = move || {
        let offered = offered.get().into_iter();
        offered
            .map(|role| role_name(i18n, role, None))
            .collect::<Vec<_>>()
    };
    let place = move |axis: usize| {
        let place = offered
            .read()
            .iter()
            .position(|role| *role == axes.get()[axis]);
        place.unwrap_or_default()
    };
    let choose = move |axis: usize, place: usize| {
        let role = offered.with_untracked(|offered| offered.get(place).copied());
        state.update_chapters(|chapters| {
            let own = match axis {
                0 => &mut chapters.of_mut::<RolesLab>().across,
                _ => &mut chapters.of_mut::<RolesLab>().up,
            };
            *own = role.unwrap_or(*own);
        });
    };
    view! {
        <div class="position-controls">
            <Select
                name=Signal::derive(move || t_string!(i18n, roles.across).to_owned())
                test_id="roles-across"
                options=Signal::derive(names)
                chosen=Signal::derive(move || place(0))
                choose=move |place| choose(0, place)
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, roles.up).to_owned())
                test_id="roles-up"
                options=Signal::derive(names)
                chosen=Signal::derive(move || place(1))
                choose=move |place| choose(1, place)
            />
        </div>
        <Drawn points axes />
        <p class="hint">
            {t!(i18n, roles.points_hint)}
            <KeyHint>{t!(i18n, roles.points_keys)}</KeyHint>
        </p>
    }
}
