//! Routes through the page for a lesson: `assets/routes.json`, a file that teachers can copy and change.

use std::{collections::BTreeMap, sync::Arc};

use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::Locale as _;
use serde::Deserialize;

use attention_core::{assets, engine::describe, language::current_language, state::View};

/// The file of routes.
const FILE: &str = "routes.json";

/// Words by language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Words(BTreeMap<String, String>);

impl Words {
    /// In a language, by its name in addresses; empty where there are none.
    pub fn of(&self, language: &str) -> &str {
        self.0.get(language).map_or("", String::as_str)
    }

    /// In the page's language; subscribes to its change.
    pub fn now(&self) -> String {
        self.of(current_language().as_str()).to_owned()
    }
}

/// A route.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Its name in addresses.
    pub name: String,
    /// What it is called.
    pub title: Words,
    /// Where it goes, in order.
    pub stops: Vec<Stop>,
}

/// A stop of a route.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// How long the plan stays there.
    pub minutes: u32,
    /// The view that it opens, as an address has it.
    pub link: String,
    /// What it is called.
    pub title: Words,
    /// What students do there.
    pub students: Words,
    /// What the teacher says.
    pub teacher: Words,
}

impl Route {
    /// The minutes of the plan.
    pub fn minutes(&self) -> u32 {
        self.minutes_from(0)
    }

    /// The minutes of the plan from a stop on.
    pub fn minutes_from(&self, stop: usize) -> u32 {
        self.stops.iter().skip(stop).map(|stop| stop.minutes).sum()
    }

    /// The last stop that is not beyond the end, from 0.
    pub fn nearest(&self, stop: usize) -> usize {
        stop.min(self.stops.len().saturating_sub(1))
    }

    /// A visitor's view at a stop; `None` beyond the last.
    pub fn view(&self, visitor: &View, stop: usize) -> Option<View> {
        let mut view = visitor.at_link(&self.stops.get(stop)?.link);
        self.name.clone_into(&mut view.class.route);
        view.class.stop = stop;
        Some(view)
    }

    /// A stop's address for anyone, without `#`; `None` beyond the last.
    pub fn fragment(&self, stop: usize) -> Option<String> {
        let link = &self.stops.get(stop)?.link;
        let view = self.view(&View::from_fragment(link), stop)?;
        Some(view.to_fragment())
    }
}

/// The routes, or why they could not be fetched.
pub type Fetched = Result<Arc<[Route]>, String>;

/// The routes as they are fetched.
#[derive(Clone, Copy)]
pub struct Routes(ReadSignal<Option<Fetched>>);

impl Routes {
    /// Fetches them.
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

    /// All of them, once they are here; subscribes to that.
    pub fn all(self) -> Option<Fetched> {
        self.0.get()
    }

    /// The route of that name, once it is here.
    pub fn find(self, name: &str) -> Option<Route> {
        self.0.with(|fetched| {
            let routes = fetched.as_ref()?.as_ref().ok()?;
            routes.iter().find(|route| route.name == name).cloned()
        })
    }

    /// Why there are none, if they could not be fetched.
    pub fn problem(self) -> Option<String> {
        self.0
            .with(|fetched| fetched.as_ref()?.as_ref().err().cloned())
    }
}
