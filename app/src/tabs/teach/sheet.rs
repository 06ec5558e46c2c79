//! The hand-out of a route on paper: a sheet of A4 with its tasks, and one with the answers.

use leptos::prelude::*;

use crate::class::routes::{Exercise, Route};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::print_alone,
};
use attention_protocol::OrLogged;

/// The identifier of the sheet while it is printed.
const PRINTED: &str = "printed-sheet";

/// The page of a sheet, in CSS.
const PAGE: &str = "size: A4; margin: 14mm 16mm;";

/// The side of a hand-out that is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Tasks,
    Answers,
}

/// The buttons that print the hand-out of a route; nothing if it has none.
#[component]
pub fn SheetButtons(route: StoredValue<Route>) -> impl IntoView {
    let i18n = use_i18n();
    let print = move |side| {
        let name = match side {
            Side::Tasks => t_string!(i18n, class.sheet_tasks),
            Side::Answers => t_string!(i18n, class.sheet_answers),
        };
        let signed = t_string!(i18n, class.sheet_signed);
        let sheet = route.with_value(|route| html(route, side, name, signed));
        // Where printing is not allowed, the browser says so.
        print_alone(PRINTED, PAGE, &sheet).or_logged("printing a hand-out");
    };
    let has_sheet = route.with_value(|route| !route.sheet.is_empty());
    has_sheet.then(|| {
        view! {
            <button type="button" class="plain-button" data-testid="print-tasks" on:click=move |_| print(Side::Tasks)>
                {t!(i18n, class.print_tasks)}
            </button>
            <button type="button" class="plain-button" data-testid="print-answers" on:click=move |_| print(Side::Answers)>
                {t!(i18n, class.print_answers)}
            </button>
        }
    })
}

/// Returns a side of the hand-out; the answers repeat the tasks.
fn html(route: &Route, side: Side, name: &str, signed: &str) -> String {
    let (class, signed) = match side {
        Side::Tasks => (
            "tasks",
            format!("<p class=\"sheet-signed\">{}</p>", escaped(signed)),
        ),
        Side::Answers => ("answers", String::new()),
    };
    let exercises = route.sheet.iter().map(|Exercise { task, answer }| {
        let answer = match side {
            Side::Tasks => String::new(),
            Side::Answers => format!("<p class=\"sheet-answer\">{}</p>", escaped(&answer.now())),
        };
        format!("<li><p>{}</p>{answer}</li>", escaped(&task.now()))
    });
    format!(
        "<article class=\"sheet sheet-{class}\"><h1>{} · {}</h1>{signed}<ol>{}</ol></article>",
        escaped(&route.title.now()),
        escaped(name),
        exercises.collect::<String>()
    )
}

/// Returns a text as HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_html_acts_on_is_escaped() {
        assert_eq!(escaped("p < 1 & q"), "p &lt; 1 &amp; q");
    }
}
