//! The texts that the model writes: with all keys, under the window alone, and with the first tokens kept.

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{Tab, Tool, View, ViewState},
    widgets::ScrollRegion,
};
use attention_trace::{Series, SeriesQuestion, Window, WrittenText};
use leptos::prelude::*;

use super::{parameters::LongTexts, passes::Named, windows::ways};
use crate::series::{Measured, SeriesControls};

/// The most tokens that are written for each text.
const TOKENS: usize = 32;

/// A window among the settings of the figure.
type Setting = fn(LongTexts) -> Window;

/// The words of the rows in the page's markup, and the window of each but the first.
const ROWS: [(&str, Option<Setting>); 3] = [
    ("all", None),
    ("alone", Some(LongTexts::alone)),
    ("kept", Some(LongTexts::kept)),
];

/// Opens the model's head with the window given in its passes, and both texts beside it.
fn explore(view: &mut View, window: Setting) {
    let asked = *view.chapters.of::<LongTexts>();
    view.edits.give(asked.given(window(asked)));
    view.tab = Tab::Explore;
    view.open_tool(Tool::Weight);
}

/// The button that has the texts written, and the texts.
#[component]
pub fn WrittenFigure(
    /// The tokens that the model on screen had to name; nothing is shown of one that writes no text.
    named: Named,
) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let asked = ViewState::expect().select(|view| *view.chapters.of::<LongTexts>());
    let read = live.select(|engine| Some(engine.shown.as_ref()?.job.as_ref()?.input()));
    let question = Signal::derive(move || {
        let trace = live.trace()?;
        let asked = asked.get();
        let edits = ROWS.map(|(_, window)| {
            window.map_or_else(Vec::new, |window| asked.in_layers_of(window(asked), &trace))
        });
        Some(SeriesQuestion::Written {
            text: read.get()?,
            edits: edits.to_vec(),
            tokens: TOKENS,
        })
    });
    let measured = Measured::new(question);
    let texts = Memo::new(move |_| {
        measured.read.with(|read| match &read.known {
            Some(Series::Texts { texts, .. }) => texts.clone(),
            _ => vec![],
        })
    });
    let writes = Memo::new(move |_| !named.sought.read().is_empty());
    view! {
        <Show when=move || writes.get()>
            <SeriesControls
                measured
                name=Signal::derive(move || t_string!(i18n, long.write, count = TOKENS).to_string())
                test_id="write-under-windows"
            />
            <Texts texts />
        </Show>
    }
}

/// A row for each way of seeing keys: its text, and a link that opens the model with that window.
#[component]
fn Texts(texts: Memo<Vec<WrittenText>>) -> impl IntoView {
    let i18n = use_i18n();
    let asked = ViewState::expect().select(|view| *view.chapters.of::<LongTexts>());
    let name = Signal::derive(move || t_string!(i18n, long.written).to_owned());
    let row = move |(index, (word, window)): (usize, (&'static str, Option<Setting>))| {
        let text = move || {
            let texts = texts.read();
            match texts.get(index) {
                None => "–".to_owned(),
                Some(text) if text.is_done => text.text.clone(),
                Some(text) => t_string!(i18n, long.growing, count = text.tokens).to_string(),
            }
        };
        let link = window.map(|window| {
            view! {
                <ViewLink
                    change=move |view: &mut View| explore(view, window)
                    class="link-button"
                    test_id="explore-window"
                >
                    {t!(i18n, long.explore)}
                </ViewLink>
            }
        });
        view! {
            <tr data-window=word>
                <th scope="row">{move || ways(i18n, asked.get())[index].clone()}</th>
                <td class="written-under" data-testid="written-under">{text}</td>
                <td>{link}</td>
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="window-texts" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, long.way)}</th>
                        <th scope="col">{t!(i18n, long.text)}</th>
                        <th scope="col">{t!(i18n, long.step_by_step)}</th>
                    </tr>
                </thead>
                <tbody>{ROWS.into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </ScrollRegion>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_gives_the_window_of_its_row_and_opens_the_model() {
        let went = |window: Setting, layer: Option<usize>| {
            let mut view = View::from_fragment("tab=learn&chapter=long");
            *view.chapters.of_mut::<LongTexts>() = LongTexts {
                keys: 6,
                first: 2,
                layer,
                ..LongTexts::default()
            };
            explore(&mut view, window);
            assert_eq!((view.tab, view.tool), (Tab::Explore, Tool::Weight));
            view.edits.window().unwrap().to_string()
        };
        assert_eq!(went(LongTexts::alone, None), "6.0.all");
        assert_eq!(went(LongTexts::kept, None), "6.2.all");
        assert_eq!(went(LongTexts::kept, Some(1)), "6.2.decoder.1");
    }
}
