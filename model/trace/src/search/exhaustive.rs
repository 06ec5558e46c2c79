//! Every sequence there is.

use super::{
    cost::{Cost, TooMany, sequences},
    path::Path,
    table::TableModel,
};

/// The rule for when a sequence is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// A sequence has as many tokens as there are steps; the end is a token like any other.
    #[default]
    AllSteps,
    /// A sequence goes up to the end, or has as many tokens as there are steps if the end is not reached. Their
    /// probabilities sum to one.
    End,
}

/// The result of looking at every sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Exhaustive {
    /// The sequences, the most probable first; those that are as probable in the order of their tokens.
    pub found: Vec<Path>,
    /// The cost of the search.
    pub cost: Cost,
}

/// Looks at every sequence of a table.
///
/// # Errors
/// If there are too many.
pub fn exhaustive(model: &TableModel, ending: Ending) -> Result<Exhaustive, TooMany> {
    sequences(model.vocabulary() as u64, model.steps() as u32)?;
    let mut cost = Cost::default();
    let mut found = vec![];
    let mut open = vec![Path::default()];
    while let Some(path) = open.pop() {
        let is_over = match ending {
            Ending::AllSteps => false,
            Ending::End => model.is_over(&path.tokens),
        };
        let row = model.row(&path.tokens).filter(|_| !is_over);
        let Some(row) = row else {
            found.push(path);
            continue;
        };
        cost.count(row);
        let next = row.iter().enumerate();
        open.extend(next.map(|(token, &probability)| path.with(token, probability)));
    }
    found.sort_by(|one, other| {
        let by_probability = other.probability().total_cmp(&one.probability());
        by_probability.then_with(|| one.tokens.cmp(&other.tokens))
    });
    Ok(Exhaustive { found, cost })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::table::tests::{lecture, tables};
    use super::*;

    #[test]
    fn of_all_256_sequences_0_054_is_the_most_probable() {
        let all = exhaustive(&lecture(), Ending::AllSteps).unwrap();
        assert_eq!(all.found.len(), 256);
        assert_eq!(all.found[0].tokens, [0, 2, 1, 3]);
        assert!((all.found[0].probability() - 0.054).abs() < 1e-12);
        assert_eq!(all.found[1].tokens, [0, 1, 2, 3]);
        assert!((all.found[1].probability() - 0.048).abs() < 1e-12);
        // 1 + 4 + 16 + 64 beginnings, four probabilities each.
        let (rows, probabilities) = (85, 340);
        assert_eq!(
            all.cost,
            Cost {
                rows,
                probabilities
            }
        );
    }

    #[test]
    fn up_to_the_end_a_eos_scores_0_10_and_leads_without_alpha() {
        let all = exhaustive(&lecture(), Ending::End).unwrap();
        // 1 + 3 + 9 + 27 that end, and 81 that do not.
        assert_eq!(all.found.len(), 121);
        let a_eos = all.found.iter().find(|path| path.tokens == [0, 3]).unwrap();
        assert!((a_eos.probability() - 0.10).abs() < 1e-12);
        assert!((all.found[0].probability() - 0.10).abs() < 1e-12);
        let best = |alpha: f64| {
            let score = |path: &&Path| path.score(alpha);
            let best = all
                .found
                .iter()
                .max_by(|a, b| score(a).total_cmp(&score(b)));
            best.unwrap().tokens.clone()
        };
        assert!(best(0.0).len() <= 2);
        assert_eq!(best(0.75), [0, 2, 1, 3]);
        assert_eq!(best(1.0), [0, 2, 1, 3]);
    }

    #[test]
    fn a_table_with_too_many_sequences_is_refused() {
        let even = vec![vec![0.1; 10]; 5];
        let model = TableModel::new(even, []).unwrap();
        let error = exhaustive(&model, Ending::AllSteps).unwrap_err();
        assert_eq!((error.vocabulary, error.length), (10, 5));
        assert!((error.power_of_ten() - 5.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn probabilities_of_all_sequences_sum_to_one(table in tables()) {
            for ending in [Ending::AllSteps, Ending::End] {
                let all = exhaustive(&table, ending).unwrap();
                let sum: f64 = all.found.iter().map(Path::probability).sum();
                prop_assert!((sum - 1.0).abs() < 1e-9);
            }
        }
    }
}
