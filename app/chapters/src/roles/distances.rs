//! Distances of the chosen head's attention on the published sentences.

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    widgets::{BarFigure, Bars},
};
use attention_figures::{bars::Series, color::categorical};
use attention_trace::roles::REACH;
use leptos::prelude::*;

use super::context::RolesContext;

/// The bars of the distances.
#[component]
pub fn Distances() -> impl IntoView {
    let i18n = use_i18n();
    let context = RolesContext::expect();
    let appearance = Appearance::expect();
    let distances = Memo::new(move |_| context.card().map(|card| card.distances));
    let chart = Signal::derive(move || {
        let values = distances.get()?;
        Some(Bars {
            names: names(t_string!(i18n, roles.farther)),
            top: 1.0,
            marked: None,
            series: vec![Series {
                label: None,
                values,
                colors: vec![categorical(0, appearance.get())],
            }],
        })
    });
    view! {
        <Show when=move || distances.read().is_some()>
            <p class="hint">{t!(i18n, roles.distances)}</p>
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, roles.distances).to_owned())
                test_id="role-distances"
                chart
            />
        </Show>
    }
}

/// Returns the names of the bars: everything farther back, each offset, everything farther ahead.
fn names(farther: &str) -> Vec<String> {
    let reach = REACH as isize;
    let offset = |offset: isize| match offset < 0 {
        true => format!("−{}", offset.unsigned_abs()),
        false => offset.to_string(),
    };
    let ends = || std::iter::once(farther.to_owned());
    ends()
        .chain((-reach..=reach).map(offset))
        .chain(ends())
        .collect()
}

#[cfg(test)]
mod tests {
    use attention_trace::roles::HeadTally;

    use super::*;

    #[test]
    fn every_bar_has_a_name() {
        let names = names("…");
        assert_eq!(names.len(), HeadTally::default().distances().len());
        assert_eq!([&names[1], &names[9], &names[17]], ["−8", "0", "8"]);
    }
}
