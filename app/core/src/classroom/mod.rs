//! The class of a server: those who follow see the view of who leads, and who leads sees their predictions as counts.

mod answers;
mod worker;

use std::{collections::BTreeMap, time::Duration};

use attention_protocol::{
    OrLogged, WRONG_TOKEN,
    class::{ClassReply, ClassRequest, LONGEST_VIEW_BYTES},
};
use js_sys::Math;
use leptos::prelude::*;

pub use self::answers::ClassAnswers;
use self::{answers::name, worker::ClassWorker};
use crate::{
    engine::{Live, connect_to, wait_before_attempt_s},
    state::{Attendance, Server, View, ViewState},
    widgets::ClassPredictions,
};

/// The path of a server's class.
const PATH: &str = "class";

/// The time between two views that are shown.
const BETWEEN_VIEWS: Duration = Duration::from_millis(150);

/// The state of the connection to a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// The address names no class.
    #[default]
    Outside,
    /// The class does not answer yet, or not any more.
    Connecting,
    /// The visitor follows who leads.
    Follows,
    /// The visitor leads the class.
    Leads,
    /// The server refuses the token.
    Refused,
    /// The server is on another host than the page's, and the visitor has not agreed.
    Unconfirmed,
}

/// The predictions of a chapter.
type Predictions = (String, BTreeMap<String, String>);

/// The class that the address names. A context: take it with [`Classroom::expect`].
#[derive(Clone, Copy)]
pub struct Classroom {
    state: ViewState,
    live: Live,
    worker: StoredValue<Option<ClassWorker>, LocalStorage>,
    status: RwSignal<Status>,
    members: RwSignal<usize>,
    answers: RwSignal<ClassAnswers>,
    /// True if the visitor sees what is shown, and does not look around alone.
    keeps_up: RwSignal<bool>,
    /// The view that was shown or seen last.
    shown: StoredValue<Option<String>>,
    is_due: StoredValue<bool>,
    sent: StoredValue<Predictions>,
    attempts: StoredValue<u32>,
    /// Distinguishes this page from those of the other members.
    member: StoredValue<String>,
}

impl Classroom {
    /// Provides the context, and joins the class that the address names.
    pub fn provide(state: ViewState, live: Live) {
        let classroom = Classroom {
            state,
            live,
            worker: StoredValue::new_local(None),
            status: RwSignal::new(Status::Outside),
            members: RwSignal::new(0),
            answers: RwSignal::new(ClassAnswers::default()),
            keeps_up: RwSignal::new(true),
            shown: StoredValue::new(None),
            is_due: StoredValue::new(false),
            sent: StoredValue::new(Predictions::default()),
            attempts: StoredValue::new(0),
            member: StoredValue::new(format!("{}{}", Math::random(), Math::random())),
        };
        provide_context(classroom);
        let open = state.select(|view| view.chapters.open.clone());
        provide_context(ClassPredictions::new(move |question| {
            let question = name(&open.get(), question);
            classroom.answers.with(|answers| answers.counts(&question))
        }));
        let place = state.select(|view| (view.class.attendance.clone(), view.server.clone()));
        // Effects because the connection lies outside the reactive graph.
        Effect::new(move |_| classroom.join(place.get()));
        Effect::new(move |_| {
            state.track();
            classroom.show_soon();
        });
        let predictions = state.select(|view| {
            let chapters = &view.chapters;
            (chapters.open.clone(), chapters.reading.predictions.clone())
        });
        Effect::new(move |_| classroom.send_predictions(predictions.get()));
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the state of the connection; subscribes to it.
    pub fn status(self) -> Status {
        self.status.get()
    }

    /// Returns the number of those who follow; subscribes to it.
    pub fn members(self) -> usize {
        self.members.get()
    }

    /// Returns the predictions of all members; subscribes to them.
    pub fn answers(self) -> ClassAnswers {
        self.answers.get()
    }

    /// Returns true if the visitor sees what is shown; subscribes to it.
    pub fn keeps_up(self) -> bool {
        self.keeps_up.get()
    }

    /// Lets the visitor look around alone, or brings back what is shown.
    pub fn keep_up(self, keeps_up: bool) {
        self.keeps_up.set(keeps_up);
        if let Some(shown) = self.shown.get_value().filter(|_| keeps_up) {
            self.follow(&shown);
        }
    }

    /// Leaves the class for good.
    pub fn leave(self) {
        self.state
            .update_class(|class| class.attendance = Attendance::Absent);
    }

    fn join(self, (attendance, server): (Attendance, Option<Server>)) {
        self.worker.set_value(None);
        let server = server.filter(|_| attendance != Attendance::Absent);
        let Some(server) = server else {
            return self.status.set(Status::Outside);
        };
        if !self.live.may_reach(&server) {
            return self.status.set(Status::Unconfirmed);
        }
        self.status.set(Status::Connecting);
        self.connect(&server);
    }

    fn connect(self, server: &Server) {
        let started = ClassWorker::start(connect_to(server, PATH), move |reply| self.hear(reply));
        let started = started.or_logged("joining the class");
        self.worker.set_value(started);
    }

    fn hear(self, reply: ClassReply) {
        match reply {
            ClassReply::Booted => {
                let lead = match self.state.get_untracked().class.attendance {
                    Attendance::Leads(token) => token,
                    Attendance::Follows | Attendance::Absent => String::new(),
                };
                let member = self.member.get_value();
                self.post(ClassRequest::Join { member, lead });
            }
            ClassReply::Joined { leads } => self.joined(leads),
            ClassReply::Show { fragment } => {
                self.shown.set_value(Some(fragment.clone()));
                if self.keeps_up.get_untracked() {
                    self.follow(&fragment);
                }
            }
            ClassReply::Following { members } => self.members.set(members),
            ClassReply::Answered {
                member,
                question,
                answer,
            } => self
                .answers
                .update(|answers| answers.store(member, question, answer)),
            ClassReply::Closed(closed) if closed.code == WRONG_TOKEN => {
                self.status.set(Status::Refused);
            }
            ClassReply::Closed(_) => self.try_again(),
        }
    }

    fn joined(self, leads: bool) {
        self.attempts.set_value(0);
        self.status.set(match leads {
            true => Status::Leads,
            false => Status::Follows,
        });
        // Who joins again after a loss shows and sends everything anew.
        self.sent.set_value(Predictions::default());
        if leads {
            self.shown.set_value(None);
            self.show_soon();
        } else {
            let view = self.state.get_untracked();
            self.send_predictions((view.chapters.open, view.chapters.reading.predictions));
        }
    }

    /// Connects again after a time that grows with each attempt.
    fn try_again(self) {
        self.status.set(Status::Connecting);
        let attempts = self.attempts.get_value();
        self.attempts.set_value(attempts + 1);
        let again = move || {
            let view = self.state.get_untracked();
            let is_wanted = self.status.get_untracked() == Status::Connecting;
            if let Some(server) = view.server.filter(|_| is_wanted) {
                self.connect(&server);
            }
        };
        set_timeout(
            again,
            Duration::from_secs(wait_before_attempt_s(attempts).into()),
        );
    }

    /// Shows the view to the class, if the visitor leads, at most once in a while.
    fn show_soon(self) {
        let leads = self.status.get_untracked() == Status::Leads;
        if !leads || self.is_due.get_value() {
            return;
        }
        self.is_due.set_value(true);
        let show = move || {
            self.is_due.set_value(false);
            self.show();
        };
        set_timeout(show, BETWEEN_VIEWS);
    }

    fn show(self) {
        let fragment = self.state.get_untracked().for_class();
        let is_new = self.shown.get_value().as_ref() != Some(&fragment);
        if is_new && fragment.len() <= LONGEST_VIEW_BYTES {
            self.shown.set_value(Some(fragment.clone()));
            self.post(ClassRequest::Show { fragment });
        }
    }

    fn follow(self, fragment: &str) {
        let view = self.state.get_untracked();
        let followed = view.following(fragment);
        if followed != view {
            self.state.replace(followed);
            self.live.follow_view();
        }
    }

    /// Sends the predictions that have changed since those of the same chapter were sent.
    fn send_predictions(self, now: Predictions) {
        if self.status.get_untracked() != Status::Follows {
            return;
        }
        let (before, (chapter, predictions)) = (self.sent.get_value(), &now);
        let of_chapter = if before.0 == *chapter {
            before.1
        } else {
            BTreeMap::new()
        };
        let is_new =
            |(question, answer): &(&String, &String)| of_chapter.get(*question) != Some(answer);
        for (question, answer) in predictions.iter().filter(is_new) {
            self.answer(chapter, question, answer);
        }
        let is_gone = |question: &&String| !predictions.contains_key(*question);
        for question in of_chapter.keys().filter(is_gone) {
            self.answer(chapter, question, "");
        }
        self.sent.set_value(now);
    }

    fn answer(self, chapter: &str, question: &str, answer: &str) {
        self.post(ClassRequest::Answer {
            question: name(chapter, question),
            answer: answer.to_owned(),
        });
    }

    fn post(self, request: ClassRequest) {
        self.worker.with_value(|worker| {
            if let Some(worker) = worker {
                worker.post(request);
            }
        });
    }
}

impl View {
    /// Returns the view as it is shown to a class, complete: without what belongs to who leads.
    fn for_class(&self) -> String {
        let mut view = View {
            server: None,
            device: View::default().device,
            evidence: View::default().evidence,
            ..self.clone()
        };
        view.class.attendance = Attendance::Absent;
        view.chapters.quiz = Default::default();
        view.chapters.reading.predictions.clear();
        view.to_complete_fragment()
    }
}
