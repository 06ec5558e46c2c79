//! The last problem and the ways to continue.

use attention_chapters::Training;
use attention_protocol::Failure;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    models::ModelsSheet,
    report::Report,
    server::{NextAttempt, ServerActions, ServerRemedies},
};
use attention_core::{
    engine::{Backend, Live, Problem, ServerFault},
    i18n::{Locale, t, t_string, use_i18n},
    mine::{About, Mine},
    navigation::ViewLink,
    problems::{is_of_empty_text, problem_words, server_fault},
    state::{DeviceChoice, Model, View, ViewState},
};

/// The last problem, if there is one, with the possible remedies.
#[component]
pub fn ProblemMessage() -> impl IntoView {
    let i18n = use_i18n();
    let (live, sheet, mine) = (Live::expect(), ModelsSheet::expect(), Mine::expect());
    let state = ViewState::expect();
    let folder = state.select(|view| view.folder.clone());
    let host = state.select(|view| view.server_host().map(str::to_owned));
    // With it, where the model's files are, if they are on no server.
    let problem = live.select(move |engine| {
        let problem = engine.problem.clone()?;
        let origin = match engine.wanted().model {
            _ if !problem.is_about_files() => Origin::Served,
            Model::Trained(_) => Origin::Trained,
            Model::Mine(id) if is_served(mine.find(id), host.with(Option::is_some)) => {
                Origin::Server
            }
            Model::Mine(id) if mine.find(id).is_none() => Origin::NotChosen,
            Model::Mine(_) => Origin::Disk,
            Model::Served(_) => Origin::Served,
        };
        Some((problem, origin))
    });
    let on_cpu = live.select(|engine| engine.backend == Backend::Cpu);
    view! {
        {move || problem.get().map(|(problem, origin)| {
            if matches!(&problem, Problem::Failure(failure) if is_of_empty_text(failure)) {
                return view! { <EmptyText problem /> }.into_any();
            }
            let is_not_kept = origin == Origin::Trained;
            let is_on_disk = matches!(origin, Origin::NotChosen | Origin::Disk);
            let retry = is_worth_a_retry(&problem) && !is_not_kept && !is_on_disk && origin != Origin::Server;
            let cpu = is_about_the_device(&problem);
            let of_server = remedies(&problem, origin);
            view! {
                <div class="notice problem" role="alert" data-testid="problem">
                    <p class="notice-text">
                        {move || match origin {
                            Origin::Trained => t_string!(i18n, engine.not_kept).to_owned(),
                            Origin::NotChosen => not_chosen(i18n, folder.get()),
                            Origin::Server => t_string!(i18n, engine.on_server_only).to_owned(),
                            Origin::Served | Origin::Disk => words(i18n, &problem, host.get()),
                        }}
                        <NextAttempt />
                    </p>
                    <div class="notice-actions">
                        <Action when=retry test_id="retry" act=move || live.retry()>
                            {t!(i18n, engine.retry)}
                        </Action>
                        <Action
                            when=Signal::derive(move || cpu && !on_cpu.get())
                            test_id="use-cpu"
                            act=move || live.use_device(DeviceChoice::Cpu)
                        >
                            {t!(i18n, engine.use_cpu)}
                        </Action>
                        <ServerActions remedies=of_server />
                        <Action when=is_on_disk test_id="open-models" act=move || sheet.open()>
                            {t!(i18n, models.open)}
                        </Action>
                        <Show when=move || is_not_kept>
                            <ViewLink
                                change=open_training
                                class="link-button"
                                test_id="train-again"
                            >
                                {t!(i18n, engine.train_again)}
                            </ViewLink>
                        </Show>
                    </div>
                    <Report />
                </div>
            }
            .into_any()
        })}
    }
}

/// The origin of the files that caused a problem.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The page's server; also for a problem that is not about files.
    Served,
    /// The browser in which the model was trained.
    Trained,
    /// The disk of the person who made the link.
    NotChosen,
    /// The disk of the visitor.
    Disk,
    /// A server that is not used.
    Server,
}

/// Returns true if a model that is not here is that of a server; `names_server` is true if the address names one.
fn is_served(about: Option<About>, names_server: bool) -> bool {
    about.map_or(names_server, |about| about.served.is_some())
}

fn words(i18n: I18nContext<Locale>, problem: &Problem, host: Option<String>) -> String {
    match problem {
        Problem::Server(fault) => server_fault(i18n, fault, host.unwrap_or_default()),
        problem => problem_words(i18n, problem),
    }
}

/// Returns the ways to continue from a problem that a server can be involved in.
fn remedies(problem: &Problem, origin: Origin) -> ServerRemedies {
    let other_model = matches!(problem, Problem::Failure(Failure::OtherModel { .. }));
    ServerRemedies {
        use_server: origin == Origin::Server,
        use_model: other_model,
        agree: matches!(problem, Problem::Server(ServerFault::Unconfirmed)),
        use_browser: other_model || matches!(problem, Problem::Server(_)),
    }
}

/// A button of a notice, where it applies.
#[component]
pub fn Action(
    #[prop(into)] when: Signal<bool>,
    test_id: &'static str,
    act: impl Fn() + Copy + Send + Sync + 'static,
    children: ChildrenFn,
) -> impl IntoView {
    let children = StoredValue::new(children);
    view! {
        <Show when=move || when.get()>
            <button
                type="button"
                class="plain-button"
                data-testid=test_id
                on:click=move |_| act()
            >
                {children.with_value(|children| children())}
            </button>
        </Show>
    }
}

/// Returns the message for an address that names a model from a disk whose files were not chosen here.
fn not_chosen(i18n: I18nContext<Locale>, folder: String) -> String {
    match folder.as_str() {
        "" => t_string!(i18n, models.not_chosen).to_owned(),
        folder if folder.contains('/') => {
            t_string!(i18n, hub.not_here, model = folder.to_owned())
        }
        _ => t_string!(i18n, models.not_chosen_named, folder = folder),
    }
}

/// The hint for an empty text, which is not a fault to report.
#[component]
fn EmptyText(problem: Problem) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <p class="hint" role="status" data-testid="problem">
            {move || problem_words(i18n, &problem)}
        </p>
    }
}

/// Opens the chapter in which the model can be trained again: its settings are in the view.
fn open_training(view: &mut View) {
    view.open_chapter::<Training>();
}

/// Returns true if the same request may succeed at the next attempt.
fn is_worth_a_retry(problem: &Problem) -> bool {
    !matches!(
        problem,
        Problem::Failure(
            Failure::EmptyInput
                | Failure::Recorded
                | Failure::InputTooLong { .. }
                | Failure::ForcedToken { .. }
                | Failure::Picture { .. }
                | Failure::NoPicture { .. }
                | Failure::Edit { .. }
                | Failure::Template { .. }
                | Failure::NoWebGpu
                | Failure::OtherModel { .. }
        ) | Problem::Server(ServerFault::Unconfirmed | ServerFault::Unnamed)
    )
}

fn is_about_the_device(problem: &Problem) -> bool {
    matches!(
        problem,
        Problem::Died(_)
            | Problem::Silent
            | Problem::Failure(
                Failure::NoWebGpu | Failure::WrongNumbers { .. } | Failure::DeviceLost { .. }
            )
    )
}
