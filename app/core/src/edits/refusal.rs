//! Why an edit was not taken.

use leptos::prelude::*;

use super::control::{EditControl, Refusal, Refused};
use crate::{
    i18n::{t_string, use_i18n},
    problems::edit_fault,
};

/// Shows the last refusal, if `is_meant` accepts it.
#[component]
pub fn RefusalNote(is_meant: impl Fn(&Refused) -> bool + Send + Sync + 'static) -> impl IntoView {
    let i18n = use_i18n();
    let control = EditControl::expect();
    let why = move || {
        let refused = control.refused().filter(&is_meant)?;
        Some(match refused.why {
            Refusal::Number => t_string!(i18n, edits.refused_number).to_owned(),
            Refusal::Full => t_string!(i18n, edits.refused_full).to_owned(),
            Refusal::Fault(fault) => edit_fault(i18n, fault),
        })
    };
    view! { <p class="edit-refused" role="alert" data-testid="edit-refused">{why}</p> }
}
