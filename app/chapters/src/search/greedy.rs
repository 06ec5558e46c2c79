//! Greedy search: the row of every step, its largest probability, and their product.

use attention_trace::search::{Path, TableModel};
use leptos::prelude::*;

use super::context::{NAMES, SearchContext, cost_in_words, probability, product, short, written};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::ScrollRegion,
};

#[derive(Clone, Debug, PartialEq)]
struct GreedyStep {
    /// The tokens before it.
    before: Vec<usize>,
    /// The model's probabilities, `[tokens]`.
    row: Vec<f64>,
    token: usize,
}

fn steps(model: &TableModel, found: &Path) -> Vec<GreedyStep> {
    let step = |(place, &token): (usize, &usize)| {
        let before = found.tokens[..place].to_vec();
        let row = model.row(&before)?.to_vec();
        Some(GreedyStep { before, row, token })
    };
    found.tokens.iter().enumerate().filter_map(step).collect()
}

/// The steps, and the most probable sequence beside the one that they find.
#[component]
pub fn GreedyView() -> impl IntoView {
    let i18n = use_i18n();
    let context = SearchContext::expect();
    let name = Signal::derive(move || t_string!(i18n, search.greedy_steps).to_owned());
    let taken = Memo::new(move |_| {
        let found = context.greedy_path();
        context.model.with(|model| steps(model, &found))
    });
    let row = move |(place, step): (usize, GreedyStep)| {
        let cells = step.row.iter().enumerate().map(|(token, &p)| {
            view! { <td class="number" class:chosen=token == step.token>{short(p)}</td> }
        });
        let before = match step.before.is_empty() {
            true => "–".to_owned(),
            false => written(&step.before),
        };
        view! {
            <tr>
                <th scope="row">{place + 1}</th>
                <td>{before}</td>
                {cells.collect_view()}
                <td>{NAMES.get(step.token).copied()}</td>
            </tr>
        }
    };
    let reading = move || {
        let found = context.greedy_path();
        t_string!(
            i18n,
            search.greedy_finds,
            sequence = written(&found.tokens),
            product = product(&found),
            probability = probability(found.probability())
        )
    };
    let better = move || {
        let (found, best) = (context.greedy_path(), context.best_path()?);
        let is_better = best.probability() > found.probability() + 1e-12;
        Some(match is_better {
            true => t_string!(
                i18n,
                search.better_is,
                sequence = written(&best.tokens),
                product = product(&best),
                probability = probability(best.probability())
            ),
            false => t_string!(i18n, search.none_better).to_owned(),
        })
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="greedy-steps" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, search.step_number)}</th>
                        <th scope="col">{t!(i18n, search.so_far)}</th>
                        {NAMES.map(|name| view! { <th scope="col">{name}</th> }).collect_view()}
                        <th scope="col">{t!(i18n, search.taken)}</th>
                    </tr>
                </thead>
                <tbody>{move || taken.get().into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </ScrollRegion>
        <p class="lesson-reading number" role="status" data-testid="greedy-finds">{reading}</p>
        <p class="lesson-reading number" data-testid="better">{better}</p>
        <p class="hint" data-testid="search-cost">
            {move || cost_in_words(i18n, context.greedy.with(|tree| tree.cost))}
        </p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::search::greedy;

    use super::*;

    #[test]
    fn every_step_takes_the_largest_of_its_row() {
        let model = TableModel::default();
        let tree = greedy(&model, &[]);
        let steps = steps(&model, &tree.path(tree.results[0]));
        let taken: Vec<f64> = steps.iter().map(|step| step.row[step.token]).collect();
        assert_eq!(taken, [0.5, 0.4, 0.4, 0.6]);
        assert_eq!(steps[3].before, [0, 1, 2]);
    }
}
