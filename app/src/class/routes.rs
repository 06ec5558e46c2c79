//! Routes through the page for a lesson: `assets/routes.json`, a file that teachers can copy and change.

use std::{collections::BTreeMap, sync::Arc};

use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::Locale as _;
use serde::Deserialize;

use attention_core::{assets, engine::describe, language::current_language, state::View};

const FILE: &str = "routes.json";

/// A text in several languages.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Words(BTreeMap<String, String>);

impl Words {
    /// Returns the text in a language, by the language's name in addresses; empty if there is none.
    pub fn of(&self, language: &str) -> &str {
        self.0.get(language).map_or("", String::as_str)
    }

    /// Returns the text in the page's language; subscribes to its change.
    pub fn now(&self) -> String {
        self.of(current_language().as_str()).to_owned()
    }
}

/// A route through the page for a lesson.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// The name in addresses.
    pub name: String,
    pub title: Words,
    /// The minutes of the plan that no stop has.
    #[serde(default)]
    pub reserve: u32,
    /// The stops of the route, in order.
    pub stops: Vec<Stop>,
    /// The exercises of the hand-out.
    #[serde(default)]
    pub sheet: Vec<Exercise>,
    /// The homework after the lesson.
    #[serde(default)]
    pub homework: Option<Words>,
}

/// A task of a hand-out. The answers are a sheet of their own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exercise {
    pub task: Words,
    pub answer: Words,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The minutes planned for the stop.
    pub minutes: u32,
    /// The view of the stop, written as in an address.
    pub link: String,
    pub title: Words,
    /// The task of the students.
    pub students: Words,
    /// The notes for the teacher.
    pub teacher: Words,
}

impl Route {
    /// Returns the minutes of the whole plan.
    pub fn minutes(&self) -> u32 {
        self.minutes_from(0)
    }

    /// Returns the minutes of the plan from a stop on, with those in reserve.
    pub fn minutes_from(&self, stop: usize) -> u32 {
        let stops = self.stops.iter().skip(stop);
        stops.map(|stop| stop.minutes).sum::<u32>() + self.reserve
    }

    /// Returns the number of a stop, limited to the last one, from 0.
    pub fn nearest(&self, stop: usize) -> usize {
        stop.min(self.stops.len().saturating_sub(1))
    }

    /// Returns a visitor's view at a stop; `None` beyond the last.
    pub fn view(&self, visitor: &View, stop: usize) -> Option<View> {
        let mut view = visitor.at_link(&self.stops.get(stop)?.link);
        self.name.clone_into(&mut view.class.route);
        view.class.stop = stop;
        Some(view)
    }

    /// Returns a stop's address for anyone, without `#`; `None` beyond the last.
    pub fn fragment(&self, stop: usize) -> Option<String> {
        let link = &self.stops.get(stop)?.link;
        let view = self.view(&View::from_fragment(link), stop)?;
        Some(view.to_fragment())
    }
}

/// The fetched routes, or the reason why they could not be fetched.
pub type Fetched = Result<Arc<[Route]>, String>;

/// The routes, which are fetched in the background.
#[derive(Clone, Copy)]
pub struct Routes(ReadSignal<Option<Fetched>>);

impl Routes {
    /// Starts to fetch the routes.
    pub fn fetch() -> Self {
        let (routes, set_routes) = signal(None);
        spawn_local(async move {
            let text = assets::fetch_text(FILE).await;
            let routes = text.map_err(|error| describe(&error)).and_then(|text| {
                let routes: Vec<Route> =
                    serde_json::from_str(&text).map_err(|error| error.to_string())?;
                Ok(routes.into())
            });
            set_routes.try_set(Some(routes));
        });
        Routes(routes)
    }

    /// Returns all routes once they are fetched; subscribes to the change.
    pub fn all(self) -> Option<Fetched> {
        self.0.get()
    }

    /// Returns the route of the given name, once it is fetched.
    pub fn find(self, name: &str) -> Option<Route> {
        self.0.with(|fetched| {
            // The list of routes shows why they are missing.
            let routes = fetched.as_ref()?.as_ref().ok()?;
            routes.iter().find(|route| route.name == name).cloned()
        })
    }

    /// Returns the reason why the routes could not be fetched, if so.
    pub fn problem(self) -> Option<String> {
        self.0
            .with(|fetched| fetched.as_ref()?.as_ref().err().cloned())
    }
}
