//! The table with a field for every number.

use crate::search::parameters::SearchLab;
use attention_trace::search::{LECTURE, LECTURE_PREFIXES, TableFault, TableRow};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::context::{NAMES, SearchContext, written};
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    state::ViewState,
    widgets::{Changes, Drafts, EditableMatrix, numbers::share_of_one},
};

/// The editor. Rows that do not sum to one are told, and the results stay those of the last table that was right.
#[component]
pub fn TableEditor() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SearchContext::expect();
    let drafts = Drafts::default();
    let table = Memo::new(move |_| context.lab.with(|lab| lab.table));
    let is_changed = move || table.get() != LECTURE || drafts.has_errors();
    let set = move |changes: Changes| {
        state.update_chapters(|chapters| {
            for (cell, hundredths) in changes {
                chapters.of_mut::<SearchLab>().set(cell, hundredths);
            }
        });
    };
    let reset = move |_| {
        drafts.clear();
        state.update_chapters(|chapters| chapters.of_mut::<SearchLab>().table = LECTURE);
    };
    let fault = move || {
        let fault = context.fault.get()?;
        Some(view! {
            <p class="notice problem" role="alert" data-testid="table-fault">
                {fault_in_words(i18n, &fault)}
            </p>
        })
    };
    view! {
        <section class="lesson-figure" data-testid="search-table">
            <EditableMatrix
                id="search-p"
                symbol="<math><mi>p</mi></math>"
                name=Signal::derive(move || t_string!(i18n, search.table).to_owned())
                shape=(LECTURE.len(), NAMES.len())
                values=Signal::derive(move || table.get().concat())
                bounds=SearchLab::CELLS
                rows=Signal::derive(move || row_names(i18n))
                columns=Signal::derive(|| NAMES.map(str::to_owned).to_vec())
                changed=move |(row, column): (usize, usize)| table.get()[row][column] != LECTURE[row][column]
                drafts
                set
            />
            {fault}
            <button
                type="button"
                class="plain-button"
                data-testid="search-reset"
                disabled=move || !is_changed()
                on:click=reset
            >
                {t!(i18n, search.reset)}
            </button>
        </section>
    }
}

/// Returns the names of the rows: those of the steps, and those of the lecture's prefixes.
fn row_names(i18n: I18nContext<Locale>) -> Vec<String> {
    let steps = (0..LECTURE.len() - LECTURE_PREFIXES.len()).map(TableRow::Step);
    let after = LECTURE_PREFIXES.map(|prefix| TableRow::After(prefix.to_vec()));
    steps.chain(after).map(|row| row_name(i18n, &row)).collect()
}

fn row_name(i18n: I18nContext<Locale>, row: &TableRow) -> String {
    match row {
        TableRow::Step(step) => t_string!(i18n, search.step, step = step + 1),
        TableRow::After(prefix) => t_string!(i18n, search.after, prefix = written(prefix)),
    }
}

fn fault_in_words(i18n: I18nContext<Locale>, fault: &TableFault) -> String {
    match fault {
        TableFault::Sum { row, sum } => t_string!(
            i18n,
            search.fault_sum,
            row = row_name(i18n, row),
            sum = share_of_one(*sum as f32, 2)
        ),
        TableFault::NotAProbability { row, .. } | TableFault::Width { row, .. } => {
            t_string!(i18n, search.fault_negative, row = row_name(i18n, row))
        }
    }
}
