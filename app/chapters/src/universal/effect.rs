//! Effect of different halting on the text that was written: the probability of each of its tokens, computed again
//! with teacher forcing.

use attention_trace::{Array, Decoding, Edit, Excerpt, Site, Slice, Token, log_probability};
use leptos::prelude::*;

use super::context::UniversalContext;
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    selection::MOST_TOKENS,
    widgets::{ScrollRegion, numbers::decimal},
};

/// The row of the logits that each token was written from, and the token.
type Written = Vec<(usize, Token)>;

fn written(decoding: &Decoding) -> Written {
    let steps = decoding.steps.iter().take(MOST_TOKENS);
    steps
        .map(|step| (step.row, step.chosen.token.clone()))
        .collect()
}

/// Returns `log p` of each written token from the logits of every row, `[rows, vocabulary]`; `None` if a row or a
/// token has no logits.
fn log_p(logits: &Array, written: &[(usize, Token)]) -> Option<Vec<f32>> {
    let of_token =
        |(row, token): &(usize, Token)| log_probability(logits.row(&[*row])?, token.id as usize);
    written.iter().map(of_token).collect()
}

/// Returns the written text, once there is one.
fn text() -> Memo<Written> {
    let live = Live::expect();
    Memo::new(move |_| {
        let trace = live.trace();
        let decoding = trace.as_ref().and_then(|trace| trace.decoding.as_ref());
        decoding.map(written).unwrap_or_default()
    })
}

/// Returns `log p` of the written text in a pass with these edits; `None` until the pass is done.
fn log_p_with(
    edits: impl Fn() -> Option<Vec<Edit>> + Send + Sync + 'static,
) -> Memo<Option<Vec<f32>>> {
    let text = text();
    let logits = Live::expect().part(move || {
        let rows = text.with(|text| text.iter().map(|(row, _)| row + 1).max())?;
        Some(Excerpt::new(Site::LOGITS, Slice::Rows(0, rows)).with_edits(edits()?))
    });
    Memo::new(move |_| {
        let logits = logits.get()?.0;
        text.with(|text| log_p(&logits, text))
    })
}

/// Returns `log p` of each token if positions halt as in the model.
pub fn own_log_p(context: UniversalContext) -> Memo<Option<Vec<f32>>> {
    log_p_with(move || context.own.get().map(|_| vec![]))
}

/// Returns the same for a pass in which every position stops after the first depth.
pub fn shallow_log_p(context: UniversalContext) -> Memo<Option<Vec<f32>>> {
    log_p_with(move || {
        let own = context.own.get()?;
        Some(own.changed(None, Some(1)).edits(own))
    })
}

/// The table: each token with its `log p` as trained and by the controls.
#[component]
pub fn Effect() -> impl IntoView {
    let i18n = use_i18n();
    let context = UniversalContext::expect();
    let own = own_log_p(context);
    let now = log_p_with(move || context.own.get().map(|_| context.edits()));
    let text = text();
    let (label, title) = (token_label(), token_name());
    let name = Signal::derive(move || t_string!(i18n, universal.effect).to_owned());
    let rows = move || {
        let (own, now) = (own.get()?, now.get()?);
        let row = |((_, token), (own, now)): ((usize, Token), (f32, f32))| {
            view! {
                <tr>
                    <th scope="row" title=title(&token)>{label(&token)}</th>
                    <td class="number">{decimal(own, 2)}</td>
                    <td class="number">{decimal(now, 2)}</td>
                </tr>
            }
        };
        let pairs = text.get().into_iter().zip(own.into_iter().zip(now));
        Some(pairs.map(row).collect_view())
    };
    let sum = |numbers: Option<Vec<f32>>| Some(numbers?.iter().sum::<f32>());
    let totals = move || {
        let (own, now) = (sum(own.get())?, sum(now.get())?);
        Some(t_string!(
            i18n,
            universal.totals,
            own = decimal(own, 2),
            now = decimal(now, 2)
        ))
    };
    view! {
        <section class="lesson-figure" data-testid="halting-effect">
            <ScrollRegion class="lesson-table" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, universal.written)}</th>
                            <th scope="col">{t!(i18n, universal.own_log_p)}</th>
                            <th scope="col">{t!(i18n, universal.now_log_p)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
            <p class="lesson-reading number" role="status" data-testid="halting-totals">
                {move || totals().unwrap_or_else(|| t_string!(i18n, chapters.waiting).to_owned())}
            </p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(id: u32) -> Token {
        Token {
            id,
            text: String::new(),
            unknown: false,
        }
    }

    #[test]
    fn probabilities_of_a_row_sum_to_one() {
        let logits = Array {
            shape: vec![2, 3],
            data: vec![0.0, 1.0, -2.0, 300.0, 299.0, 0.0],
        };
        for row in 0..2 {
            let all: Vec<_> = (0..3).map(|id| (row, token(id))).collect();
            let sum: f32 = log_p(&logits, &all)
                .unwrap()
                .iter()
                .map(|it| it.exp())
                .sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
        assert_eq!(log_p(&logits, &[(2, token(0))]), None);
        assert_eq!(log_p(&logits, &[(0, token(3))]), None);
    }
}
