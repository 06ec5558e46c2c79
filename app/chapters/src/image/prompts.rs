//! The chapter's questions to predict before a figure shows the answer.

use attention_trace::lessons::{Picture, SeenPicture};
use leptos::prelude::*;

use super::{context::ImageContext, looks::strongest, place_name};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        Expected, Prompt,
        numbers::{decimal, percent, share_of_one},
    },
};

/// Asks for the number of attention weights over one picture.
#[component]
pub fn CountPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let count = Picture::CELLS * Picture::CELLS;
    let values = Signal::stored(Some(vec![
        ("side", Picture::SIDE.to_string()),
        ("cells", Picture::CELLS.to_string()),
        ("count", count.to_string()),
        ("even", share_of_one(1.0 / Picture::CELLS as f32, 4)),
    ]));
    view! {
        <Prompt
            question="ask-count"
            answer="answer-count"
            values
            asks=Signal::derive(move || t_string!(i18n, image.ask_count).to_owned())
            expected=Signal::stored(Some(Expected::count(count)))
        />
    }
}

/// Asks for the share of a position's weights, in per cent, inside the window of a 3 × 3 convolution.
#[component]
pub fn NearPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    let known = Memo::new(move |_| {
        let cell = context.lab.with(|lab| lab.cell);
        let row = context.row()?;
        let first = *strongest(&row, 1).first()?;
        Some((cell, near_share(&row, cell), first))
    });
    let values = Signal::derive(move || {
        let (cell, near, (first, weight)) = known.get()?;
        Some(vec![
            ("place", place_name(i18n, cell)),
            ("near", percent(near, 1)),
            ("far", percent(1.0 - near, 1)),
            ("first", place_name(i18n, first)),
            ("weight", share_of_one(weight, 4)),
        ])
    });
    let expected = Signal::derive(move || {
        let (_, near, _) = known.get()?;
        Some(Expected::Number {
            right: f64::from(100.0 * near),
            tolerance: 5.0,
        })
    });
    view! {
        <Prompt
            question="ask-near"
            answer="answer-near"
            values
            asks=Signal::derive(move || t_string!(i18n, image.ask_near).to_owned())
            expected
        />
    }
}

/// Computes the share of the weights on a cell and its neighbours, at most eight.
fn near_share(row: &[f32], cell: usize) -> f32 {
    let place = |cell: usize| (cell / Picture::SIDE, cell % Picture::SIDE);
    let (r, c) = place(cell);
    let is_near = |&(other, _): &(usize, &f32)| {
        let (row, column) = place(other);
        row.abs_diff(r) <= 1 && column.abs_diff(c) <= 1
    };
    let near = row.iter().enumerate().filter(is_near);
    near.map(|(_, weight)| weight).sum()
}

/// Asks if the model names the same digit without attention.
#[component]
pub fn WithoutPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    let named = Memo::new(move |_| {
        context.seen.answer.with(|seen| {
            let seen = seen.as_ref()?;
            let with = SeenPicture::likeliest(&seen.probabilities)?;
            let without = SeenPicture::likeliest(&seen.probabilities_without)?;
            Some((with, without, seen.gamma))
        })
    });
    let values = Signal::derive(move || {
        let (with, without, gamma) = named.get()?;
        Some(vec![
            ("with", with.to_string()),
            ("without", without.to_string()),
            ("gamma", decimal(gamma, 3)),
        ])
    });
    let expected = Signal::derive(move || {
        let (with, without, _) = named.get()?;
        Some(Expected::Truth(with == without))
    });
    view! {
        <Prompt
            question="ask-without"
            answer="answer-without"
            values
            asks=Signal::derive(move || t_string!(i18n, image.ask_without).to_owned())
            expected
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_a_corner_four_cells_are_near() {
        let row = vec![1.0 / 64.0; 64];
        assert_eq!(near_share(&row, 0), 4.0 / 64.0);
        assert_eq!(near_share(&row, 27), 9.0 / 64.0);
        assert_eq!(near_share(&row, 7), 4.0 / 64.0);
    }
}
