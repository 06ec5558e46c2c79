//! The alignment error rate of links against those that a person drew (Och and Ney 2003).

use std::collections::BTreeSet;

use super::Link;

/// Links that a person drew, each a word of the source and one of the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gold {
    /// The links that are beyond doubt, S.
    pub sure: BTreeSet<(usize, usize)>,
    /// The links that may be drawn or left out: function words, idioms. Together with the sure ones they are P.
    pub possible: BTreeSet<(usize, usize)>,
}

impl Gold {
    /// The same with source and target exchanged.
    pub fn swapped(&self) -> Gold {
        let swapped =
            |links: &BTreeSet<(usize, usize)>| links.iter().map(|&(s, t)| (t, s)).collect();
        Gold {
            sure: swapped(&self.sure),
            possible: swapped(&self.possible),
        }
    }

    /// Counts the links `A` and those of them that agree with these.
    pub fn count(&self, links: &[Link]) -> AlignmentCounts {
        let found: BTreeSet<_> = links
            .iter()
            .map(|link| (link.source, link.target))
            .collect();
        let sure_found = found.intersection(&self.sure).count();
        AlignmentCounts {
            links: found.len(),
            sure: self.sure.len(),
            sure_found,
            possible_found: sure_found
                + found
                    .difference(&self.sure)
                    .filter(|link| self.possible.contains(link))
                    .count(),
        }
    }
}

/// Counts, which add up over sentences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlignmentCounts {
    /// The number of links, |A|.
    pub links: usize,
    /// Sure links that a person drew, |S|.
    pub sure: usize,
    /// The number of sure links that were found, |A ∩ S|.
    pub sure_found: usize,
    /// Links that are at least possible, |A ∩ P|.
    pub possible_found: usize,
}

impl AlignmentCounts {
    /// `1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)`: 0 where all sure links were found and no impossible one, 1 where none
    /// is right. 0 of nothing.
    pub fn error_rate(self) -> f64 {
        match self.links + self.sure {
            0 => 0.0,
            all => 1.0 - (self.sure_found + self.possible_found) as f64 / all as f64,
        }
    }
}

impl std::ops::AddAssign for AlignmentCounts {
    fn add_assign(&mut self, more: Self) {
        self.links += more.links;
        self.sure += more.sure;
        self.sure_found += more.sure_found;
        self.possible_found += more.possible_found;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn link((source, target): (usize, usize)) -> Link {
        Link {
            source,
            target,
            weight: 1.0,
        }
    }

    fn gold(sure: &[(usize, usize)], possible: &[(usize, usize)]) -> Gold {
        Gold {
            sure: sure.iter().copied().collect(),
            possible: possible.iter().copied().collect(),
        }
    }

    #[test]
    fn the_rate_is_that_of_the_paper() {
        let gold = gold(&[(0, 0), (1, 1)], &[(2, 1), (2, 2)]);
        // One sure, one possible and one wrong link.
        let counts = gold.count(&[(0, 0), (2, 2), (3, 3)].map(link));
        assert_eq!((counts.links, counts.sure), (3, 2));
        assert_eq!((counts.sure_found, counts.possible_found), (1, 2));
        assert!((counts.error_rate() - (1.0 - 3.0 / 5.0)).abs() < 1e-12);
    }

    #[test]
    fn nothing_found_is_all_wrong_and_of_nothing_nothing_is() {
        assert_eq!(gold(&[(0, 0)], &[]).count(&[]).error_rate(), 1.0);
        assert_eq!(Gold::default().count(&[]).error_rate(), 0.0);
    }

    prop_compose! {
        fn set()(links in prop::collection::btree_set((0usize..5, 0usize..5), 0..9)) -> BTreeSet<(usize, usize)> {
            links
        }
    }

    proptest! {
        #[test]
        fn it_lies_between_nothing_and_one_and_a_persons_own_links_have_none(
            sure in set(), possible in set(), found in set(),
        ) {
            let gold = Gold { sure: sure.clone(), possible };
            let links: Vec<Link> = found.into_iter().map(link).collect();
            let rate = gold.count(&links).error_rate();
            prop_assert!((0.0..=1.0).contains(&rate));
            let own: Vec<Link> = sure.into_iter().map(link).collect();
            prop_assert_eq!(gold.count(&own).error_rate(), 0.0);
            let turned: Vec<Link> = links.iter().map(|l| link((l.target, l.source))).collect();
            prop_assert_eq!(gold.swapped().count(&turned).error_rate(), rate);
        }
    }
}
