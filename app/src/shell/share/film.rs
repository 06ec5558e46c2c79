//! Decoding as a film.

use attention_protocol::OrLogged;
use leptos::{prelude::*, task::spawn_local};

use super::{
    Failed,
    pass::{Pass, Taken},
};
use attention_core::{
    appearance::Appearance,
    assets::download::save,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    taking::{can_film, film, stop_film},
};

/// A button that films the decoding on screen, step by step, if there is one and the browser can.
#[component]
pub fn TakeFilm() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let appearance = Appearance::expect();
    let pass = Pass::of_screen();
    let failed = RwSignal::new(None::<String>);
    let progress = RwSignal::new(None::<(u32, u32)>);
    let is_stopped = StoredValue::new(false);
    let has_steps = Memo::new(move |_| {
        let trace = live.trace();
        let decoding = trace.as_ref().and_then(|trace| trace.decoding.as_ref());
        decoding.is_some_and(|decoding| !decoding.steps.is_empty())
    });
    let is_busy = Memo::new(move |_| progress.get().is_some());
    let take = move |_| {
        failed.set(None);
        is_stopped.set_value(false);
        progress.set(Some((0, 0)));
        let theme = untrack(|| appearance.get());
        pass.use_now(failed, move |mut taken: Taken| async move {
            taken.options.theme = Some(theme);
            let told = move |step, steps| {
                progress.try_set(Some((step, steps)));
            };
            let filmed = film(&taken.trace, &taken.options, told).await;
            progress.try_set(None);
            match filmed {
                Ok((ending, contents)) => save(&taken.file_name(&ending), &contents).await,
                // The visitor knows.
                Err(_) if is_stopped.try_get_value() == Some(true) => Ok(()),
                Err(error) => Err(error),
            }
        });
    };
    let stop = move |_| {
        is_stopped.set_value(true);
        spawn_local(async move {
            stop_film().await.or_logged("stopping a film");
        });
    };
    let words = move || {
        progress
            .get()
            .map(|(step, steps)| t_string!(i18n, take.filming, step = step, steps = steps))
    };
    view! {
        <Show when=move || has_steps.get() && can_film()>
            <div class="take-files">
                <Show
                    when=move || is_busy.get()
                    fallback=move || view! {
                        <button type="button" class="plain-button" data-testid="take-film" on:click=take>
                            {t!(i18n, take.film)}
                        </button>
                    }
                >
                    <span role="status" data-testid="filming">{words}</span>
                    <button type="button" class="plain-button" data-testid="stop-film" on:click=stop>
                        {t!(i18n, take.stop)}
                    </button>
                </Show>
            </div>
        </Show>
        <Failed reason=failed />
    }
}
