//! The bar of a class: whom it follows, who follows, and the predictions as a file.

use leptos::{prelude::*, task::spawn_local};

use attention_core::{
    assets::download::save,
    classroom::{Classroom, Status},
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{Attendance, View, ViewState},
    widgets::CopyButton,
};
use attention_protocol::OrLogged;

/// The name of the file with the predictions.
const CSV: &str = "predictions.csv";

/// The class of the address; nothing where it names none.
#[component]
pub fn ClassBar() -> impl IntoView {
    let i18n = use_i18n();
    let classroom = Classroom::expect();
    let live = Live::expect();
    let is_inside = Memo::new(move |_| classroom.status() != Status::Outside);
    let leads = Memo::new(move |_| classroom.status() == Status::Leads);
    let follows = Memo::new(move |_| classroom.status() == Status::Follows);
    view! {
        <Show when=move || is_inside.get()>
            <section
                class="class-bar"
                aria-label=move || t_string!(i18n, class.together)
                data-testid="class-bar"
            >
                <p role="status" data-testid="class-status"><State /></p>
                <Show when=move || classroom.status() == Status::Unconfirmed>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="class-agree"
                        on:click=move |_| live.agree()
                    >
                        {t!(i18n, class.join)}
                    </button>
                </Show>
                <Show when=move || follows.get()>
                    <KeepUp />
                </Show>
                <Show when=move || leads.get()>
                    <CopyLink />
                    <SaveAnswers />
                </Show>
                <button
                    type="button"
                    class="link-button class-leave"
                    data-testid="class-leave"
                    on:click=move |_| classroom.leave()
                >
                    {t!(i18n, class.leave_class)}
                </button>
            </section>
        </Show>
    }
}

/// The state of the class in words.
#[component]
fn State() -> impl IntoView {
    let i18n = use_i18n();
    let classroom = Classroom::expect();
    let host = ViewState::expect().select(|view| view.server_host().unwrap_or_default().to_owned());
    let wants_to_lead =
        ViewState::expect().select(|view| matches!(view.class.attendance, Attendance::Leads(_)));
    move || match classroom.status() {
        Status::Outside => String::new(),
        Status::Connecting => t_string!(i18n, class.connecting).to_owned(),
        Status::Refused => t_string!(i18n, class.refused).to_owned(),
        Status::Unconfirmed => {
            t_string!(i18n, class.unconfirmed, host = host.get())
        }
        Status::Leads => t_string!(i18n, class.leads, members = classroom.members()),
        Status::Follows if wants_to_lead.get() => t_string!(i18n, class.not_leading).to_owned(),
        Status::Follows if classroom.keeps_up() => t_string!(i18n, class.follows).to_owned(),
        Status::Follows => t_string!(i18n, class.alone).to_owned(),
    }
}

/// The switch between following and looking around alone.
#[component]
fn KeepUp() -> impl IntoView {
    let i18n = use_i18n();
    let classroom = Classroom::expect();
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="class-keep-up"
            on:click=move |_| classroom.keep_up(!untrack(|| classroom.keeps_up()))
        >
            {move || match classroom.keeps_up() {
                true => t_string!(i18n, class.look_alone),
                false => t_string!(i18n, class.come_back),
            }}
        </button>
    }
}

/// A button that copies the link by which others follow.
#[component]
fn CopyLink() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    view! {
        <CopyButton
            test_id="class-link"
            text=move || link_to_follow(&state.get_untracked()).unwrap_or_default()
            name=Signal::derive(move || t_string!(i18n, class.class_link).to_owned())
            copied=Signal::derive(move || t_string!(i18n, shell.copied).to_owned())
            refused=Signal::derive(move || t_string!(i18n, shell.not_copied).to_owned())
        />
    }
}

/// A button that saves the predictions, once there are any.
#[component]
fn SaveAnswers() -> impl IntoView {
    let i18n = use_i18n();
    let classroom = Classroom::expect();
    let has_any = Memo::new(move |_| !classroom.answers().is_empty());
    let save_all = move |_| {
        let csv = untrack(|| classroom.answers()).csv();
        spawn_local(async move {
            save(CSV, csv.as_bytes())
                .await
                .or_logged("saving the predictions");
        });
    };
    view! {
        <Show when=move || has_any.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="class-save"
                on:click=save_all
            >
                {t!(i18n, class.save_answers)}
            </button>
        </Show>
    }
}

/// Returns the address by which others join the class of a view; what they see, who leads shows.
fn link_to_follow(view: &View) -> Option<String> {
    let mut shared = View {
        server: view.server.clone(),
        ..View::default()
    };
    shared.class.attendance = Attendance::Follows;
    let location = window().location();
    let page = location
        .origin()
        .and_then(|origin| Ok(origin + &location.pathname()?));
    let page = page.or_logged("reading the page's address")?;
    Some(format!("{page}#{}", shared.to_fragment()))
}
