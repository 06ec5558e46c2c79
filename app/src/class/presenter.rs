//! Presenter mode: one figure fills the screen, and keys move to the next one.

use leptos::{ev, ev::KeyboardEvent, prelude::*};

use super::{
    figures::{keep_marked, play},
    notes::NotesWindow,
    routes::Routes,
    turn::{Action, Of, Turned},
};
use attention_chapters::Page;
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::go_to,
    state::{Tab, View, ViewState},
    steps::Steps,
    widgets::{keys::is_free, player::Action as Play},
};
use attention_protocol::OrLogged;

/// The attribute of the page in presenter mode, read by style sheets.
const PRESENTS: &str = "data-present";

/// The states that a presentation moves.
#[derive(Clone, Copy)]
struct Stage {
    state: ViewState,
    live: Live,
    steps: Steps,
    routes: Routes,
    figure: Signal<Of>,
}

impl Stage {
    fn act(self, action: Action) {
        match action {
            Action::Forward => self.turn(1),
            Action::Back => self.turn(-1),
            Action::Leave => self.state.update_class(|class| class.present = false),
            Action::Notes => self.state.update_class(|class| class.notes = !class.notes),
        }
    }

    fn turn(self, by: isize) {
        match self.state.get_untracked().tab {
            Tab::Learn if play(by) => {}
            Tab::Learn => self.turn_figure(by),
            Tab::Explore if self.turn_step(by) => {}
            Tab::Explore | Tab::Teach => self.turn_place(by),
        }
        // What is presented begins at the top.
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }

    fn turn_figure(self, by: isize) {
        match self.figure.get_untracked().turned(by) {
            Turned::Figure(figure) => self.state.update_class(|class| class.figure = figure),
            Turned::Place => self.turn_place(by),
        }
    }

    /// Goes to the next decoding step or the one before; returns `false` if there is none.
    fn turn_step(self, by: isize) -> bool {
        let player = self.steps.player();
        let timeline = untrack(|| player.timeline());
        let action = if by > 0 { Play::Forward } else { Play::Back };
        let moves = timeline.after(action).step != timeline.step;
        if moves {
            player.apply(action);
        }
        moves
    }

    /// Goes to the route's next stop, or without a route to the next chapter; from the tab "Teach" to the open chapter.
    fn turn_place(self, by: isize) {
        let view = self.state.get_untracked();
        if let Some(there) = untrack(|| self.place(&view, by)) {
            go_to(self.state, self.live, there);
        }
    }

    fn place(self, view: &View, by: isize) -> Option<View> {
        if let Some(route) = self.routes.find(&view.class.route) {
            let stop = route.nearest(view.class.stop).checked_add_signed(by)?;
            return route.view(view, stop);
        }
        let mut there = view.clone();
        let open = Page::open_in(view);
        match view.tab {
            Tab::Explore => return None,
            Tab::Learn => open.neighbour(by)?.open(&mut there),
            Tab::Teach => there.tab = Tab::Learn,
        }
        there.class.figure = 0;
        Some(there)
    }
}

/// The presentation, active as long as the component is mounted.
#[component]
pub fn Presenter(routes: Routes) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let figure = keep_marked(state.select(|view| view.class.figure));
    let stage = Stage {
        state,
        live: Live::expect(),
        steps: Steps::expect(),
        routes,
        figure,
    };
    mark_page();
    let act = move |event: KeyboardEvent| {
        if let Some(action) = action_of(&event) {
            event.prevent_default();
            stage.act(action);
        }
    };
    let typed = window_event_listener(ev::keydown, act);
    on_cleanup(move || typed.remove());
    let in_chapters = state.select(|view| view.tab == Tab::Learn);
    let place = move || {
        let Of { number, count } = figure.get();
        let is_shown = in_chapters.get() && count > 0;
        is_shown.then(|| t_string!(i18n, class.figure, figure = number + 1, count = count))
    };
    let button = move |action: Action, test_id: &'static str, name: fn() -> String| {
        view! {
            <button type="button" class="plain-button" data-testid=test_id on:click=move |_| stage.act(action)>
                {name}
            </button>
        }
    };
    view! {
        <section class="presenter" data-testid="presenter" aria-label=move || t_string!(i18n, class.presenter)>
            // The header with the page's heading is not shown.
            <h1 class="visually-hidden">{t!(i18n, class.presenter)}</h1>
            {button(Action::Back, "present-back", || t_string!(use_i18n(), class.back).to_owned())}
            <span class="number" role="status" data-testid="present-figure">{place}</span>
            {button(Action::Forward, "present-forward", || t_string!(use_i18n(), class.forward).to_owned())}
            {button(Action::Notes, "present-notes", || t_string!(use_i18n(), class.notes).to_owned())}
            <NotesWindow routes typed=Callback::new(act) />
            {button(Action::Leave, "present-leave", || t_string!(use_i18n(), class.stop).to_owned())}
            <p class="hint presenter-keys">{t!(i18n, class.keys)}</p>
        </section>
    }
}

/// Returns the action of a key, unless another element of the page handles it.
fn action_of(event: &KeyboardEvent) -> Option<Action> {
    let action = Action::of_key(&event.key())?;
    (!event.default_prevented() && is_free(event)).then_some(action)
}

/// Marks the page for its style sheets for the lifetime of the owner.
fn mark_page() {
    let root = || document().document_element();
    if let Some(root) = root() {
        root.set_attribute(PRESENTS, "")
            .or_logged("marking the page as presented");
    }
    on_cleanup(move || {
        if let Some(root) = root() {
            root.remove_attribute(PRESENTS)
                .or_logged("marking the page as presented");
        }
    });
}
