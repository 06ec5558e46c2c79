//! The entry point, which starts the page.

use attention_app::{App, show_panics};

fn main() {
    show_panics();
    leptos::mount::mount_to_body(App);
}
