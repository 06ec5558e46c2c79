//! Teaching with the page: routes with minutes, and a presenter mode.

mod bar;
mod figures;
mod fill;
mod notes;
mod presenter;
pub mod routes;
mod turn;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::{bar::RouteBar, presenter::Presenter, routes::Routes};
use attention_core::state::ViewState;

/// Returns the view of the open route and of presenter mode. In the chunk of the chapters.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(learn, fallible)]
pub fn class() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Class /> }.into_any())
}

/// The bar of the open route, and presenter mode while it is on.
#[component]
fn Class() -> impl IntoView {
    let routes = Routes::fetch();
    let presents = ViewState::expect().select(|view| view.class.present);
    view! {
        <RouteBar routes />
        <Show when=move || presents.get()>
            <Presenter routes />
        </Show>
    }
}
