//! The note below the map: the meaning of its chips, the text that they are measured on, and the choice of one role.

use attention_figures::color::css;
use attention_trace::roles::Role;
use leptos::prelude::*;

use super::{
    chips::{Chip, RoleChips},
    corpus::RoleCorpus,
    listed::Listed,
    measured::{Measured, of_set, on_text},
    measured_on::MeasuredOn,
    names::{role_color, role_name},
    published::{has_published, published},
};
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::head_name,
    state::{AddressValue, HeadChoice, RolesOf, ViewState},
    widgets::numbers::share_of_one,
};

/// Returns the roles of heads on the text or sentences that the view chooses, while `wanted` is true.
fn measured_in_view(wanted: Memo<bool>) -> Memo<Measured> {
    let measured_on = measured_on();
    let fetched = published(move || wanted.get() && measured_on.get() == RolesOf::Sentences);
    let text = on_text(move || wanted.get() && measured_on.get() == RolesOf::Text);
    let (corpus, model) = (
        RoleCorpus::expect(),
        ViewState::expect().select(|view| view.model),
    );
    Memo::new(move |_| match measured_on.get() {
        RolesOf::Text => text.get(),
        RolesOf::Sentences => fetched.with(of_set),
        RolesOf::File => match corpus.found(model.get()) {
            Some(found) => of_set(&Some(Ok(found.set))),
            None => Measured::Nothing,
        },
    })
}

/// Returns what roles are measured on: this text if the sentences that the view asks for are not published.
fn measured_on() -> Memo<RolesOf> {
    let has_set = has_published();
    let chosen = ViewState::expect().select(|view| view.roles.of);
    Memo::new(move |_| match chosen.get() {
        RolesOf::Sentences if !has_set.get() => RolesOf::Text,
        chosen => chosen,
    })
}

/// Shows the chips on the map as long as the calling component exists.
pub fn show_chips() {
    let chips = RoleChips::expect();
    let role = ViewState::expect().select(|view| view.roles.role);
    let measured = measured_in_view(Memo::new(|_| true));
    // An effect because the map, whose code is here before this, asks the chips.
    Effect::new(move |_| measured.with(|measured| chips.show(measured.heads(), role.get())));
    on_cleanup(move || chips.hide());
}

/// Describes the score of a head in the chosen role, or in its clearest one, beside chance; `None` while roles are
/// hidden.
pub fn role_words(
    head: Signal<Option<HeadChoice>>,
) -> impl Fn() -> Option<String> + Copy + Send + Sync + 'static {
    let (i18n, state) = (use_i18n(), ViewState::expect());
    let name = head_name();
    let (measured_on, role) = (measured_on(), state.select(|view| view.roles.role));
    let measured = measured_in_view(state.select(|view| view.roles.on));
    move || {
        let head = head.get()?;
        let measured = measured.get();
        let roles = &measured.of(head)?.roles;
        let of = match measured_on.get() {
            RolesOf::Text => t_string!(i18n, roles.of_text),
            RolesOf::Sentences => t_string!(i18n, roles.of_sentences),
            RolesOf::File => t_string!(i18n, corpus.of),
        };
        let name = name(head.attention, head.head);
        let found = match role.get() {
            Some(role) => roles.of(role).map(|score| (role, score)),
            None => roles.clearest(),
        };
        let Some((role, score)) = found else {
            return Some(t_string!(i18n, roles.found_none, head = name, of = of));
        };
        let offset = roles.offset.filter(|_| role == Role::Offset);
        Some(t_string!(
            i18n,
            roles.found,
            head = name,
            role = role_name(i18n, role, offset),
            weight = share_of_one(score.weight, 2),
            chance = share_of_one(score.chance, 2),
            queries = score.queries,
            of = of
        ))
    }
}

/// The number of heads with a role, the roles, and all heads in order.
#[component]
pub fn Note() -> impl IntoView {
    let state = ViewState::expect();
    let (has_set, role) = (has_published(), state.select(|view| view.roles.role));
    let measured = measured_in_view(Memo::new(|_| true));
    view! {
        <div class="roles-note" data-testid="roles-note">
            <MeasuredOn has_set />
            <Said measured />
            <Filter measured role />
            <Listed measured role />
        </div>
    }
}

/// The number of heads with a role, or the reason why it is not known.
#[component]
fn Said(measured: Memo<Measured>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        measured.with(|measured| match measured {
            Measured::Waiting => t_string!(i18n, chapters.waiting).to_owned(),
            Measured::Nothing => t_string!(i18n, corpus.none).to_owned(),
            Measured::TooLong => t_string!(i18n, roles.too_long).to_owned(),
            Measured::Missing(reason) => {
                t_string!(i18n, encodings.missing_scores, reason = reason.clone()).to_string()
            }
            Measured::Here(heads) => {
                let clear = heads.iter().filter(|head| Chip::of(head, None).is_some());
                let (clear, heads) = (clear.count(), heads.len());
                t_string!(i18n, roles.said, clear = clear, heads = heads).to_string()
            }
        })
    };
    view! { <p role="status" data-testid="roles-said">{words}</p> }
}

/// The roles of heads, with their colours and the number of heads with each: the legend, and the filter.
#[component]
fn Filter(measured: Memo<Measured>, role: Memo<Option<Role>>) -> impl IntoView {
    let i18n = use_i18n();
    let (state, appearance) = (ViewState::expect(), Appearance::expect());
    let counts = Memo::new(move |_| {
        let measured = measured.read();
        let count = |role: Role| {
            let heads = measured.heads().iter();
            heads
                .filter(|head| Chip::of(head, Some(role)).is_some())
                .count()
        };
        let counted = Role::ALL.iter().map(|&role| (role, count(role)));
        counted
            .filter(|(other, count)| *count > 0 || Some(*other) == role.get())
            .collect::<Vec<_>>()
    });
    let button = move |(choice, count): (Role, usize)| {
        let color = move || format!("--role: {}", css(role_color(choice, appearance.get())));
        view! {
            <button
                type="button"
                class="chip role-choice"
                data-testid="role-choice"
                data-choice=choice.address_value()
                aria-pressed=move || (role.get() == Some(choice)).to_string()
                on:click=move |_| state.update_roles(|roles| {
                    roles.role = (roles.role != Some(choice)).then_some(choice);
                })
            >
                <span class="role-color" style=color aria-hidden="true"></span>
                {move || role_name(i18n, choice, None)}
                " "
                <span class="number">{count}</span>
            </button>
        }
    };
    view! {
        <div class="role-choices" role="group" aria-label=move || t_string!(i18n, roles.show)>
            <button
                type="button"
                class="chip role-choice"
                data-testid="role-choice"
                data-choice="all"
                aria-pressed=move || role.get().is_none().to_string()
                on:click=move |_| state.update_roles(|roles| roles.role = None)
            >
                {t!(i18n, roles.all)}
            </button>
            {move || counts.get().into_iter().map(button).collect_view()}
        </div>
    }
}
