//! The examples that a run learns from, and those it is evaluated on.

use std::collections::HashSet;

use attention_trace::training::{Example, ExampleFault, Task};

use super::draw::{Generator, between, generator, input};
use attention_trace::fnv1a;

/// The number of examples drawn to count the different ones and to hold some out.
const POOL: usize = 2_000;

/// The fewest different examples of which some are held out: with fewer, the remaining ones would not show the task.
const LEAST_TO_HOLD_OUT: usize = 20;

/// The most examples in an evaluation.
const EXAMINED: usize = 128;

/// The inverse of the fraction of examples that is held out.
const ONE_IN: u64 = 10;

/// The examples of a task.
pub struct Examples {
    task: Task,
    seed: u32,
    /// The different training examples: all examples if the visitor wrote them.
    learned: Vec<Example>,
    /// The examples of evaluations.
    pub examined: Vec<Example>,
    /// True if those are never learned from.
    pub held_out: bool,
}

impl Examples {
    /// Returns the examples of a task, in an order given by a seed.
    ///
    /// # Errors
    /// If the task has no answer to an input of its own.
    pub fn new(task: &Task, seed: u32) -> Result<Self, ExampleFault> {
        let pool = distinct(match task {
            Task::Lines { .. } | Task::Pairs { .. } => task.own(),
            _ => drawn(task, POOL, &mut generator(seed, 0))?,
        });
        let (mut examined, learned): (Vec<_>, Vec<_>) = pool.iter().cloned().partition(is_held_out);
        let held_out =
            pool.len() >= LEAST_TO_HOLD_OUT && !examined.is_empty() && !learned.is_empty();
        let learned = match held_out {
            true => learned,
            false => {
                examined.clone_from(&pool);
                pool
            }
        };
        examined.truncate(EXAMINED);
        Ok(Examples {
            task: task.clone(),
            seed,
            learned,
            examined,
            held_out,
        })
    }

    /// Returns the `count` examples of a step, counted from 1; they depend on the seed and the step's number.
    ///
    /// # Errors
    /// As `new`.
    pub fn of_step(&self, step: usize, count: usize) -> Result<Vec<Example>, ExampleFault> {
        let mut generator = generator(self.seed, step as u32);
        (0..count).map(|_| self.one(&mut generator)).collect()
    }

    fn one(&self, generator: &mut Generator) -> Result<Example, ExampleFault> {
        loop {
            let Some(input) = input(&self.task, generator) else {
                let place = between(0, self.learned.len() - 1, generator);
                return Ok(self.learned[place].clone());
            };
            let example = self.task.example(&input)?;
            if !(self.held_out && is_held_out(&example)) {
                return Ok(example);
            }
        }
    }
}

fn drawn(
    task: &Task,
    count: usize,
    generator: &mut Generator,
) -> Result<Vec<Example>, ExampleFault> {
    let inputs = (0..count).filter_map(|_| input(task, generator));
    inputs.map(|input| task.example(&input)).collect()
}

/// Returns the different examples, in the order of their first occurrence.
fn distinct(examples: Vec<Example>) -> Vec<Example> {
    let mut seen = HashSet::new();
    let new = |example: &Example| seen.insert(example.clone());
    examples.into_iter().filter(new).collect()
}

/// Returns true if the example is held out. It depends on its text alone, so that no seed learns from the held-out
/// examples of another.
fn is_held_out(example: &Example) -> bool {
    let sides = [&example.input, &example.output].map(|side| side.bytes());
    let hash = fnv1a(sides.into_iter().flatten());
    (hash >> 20).is_multiple_of(ONE_IN)
}

#[cfg(test)]
mod tests {
    use attention_trace::training::Sequences;

    use super::*;

    fn copy(letters: usize, shortest: usize, longest: usize) -> Task {
        Task::Copy {
            sequences: Sequences {
                letters,
                shortest,
                longest,
            },
        }
    }

    #[test]
    fn nothing_that_is_learned_from_is_examined() {
        for task in [
            copy(8, 3, 8),
            Task::Addition { digits: 1 },
            Task::Brackets { longest: 6 },
        ] {
            let examples = Examples::new(&task, 3).unwrap();
            assert!(examples.held_out, "{task:?}");
            for step in 1..50 {
                for example in examples.of_step(step, 8).unwrap() {
                    assert!(!examples.examined.contains(&example), "{example:?}");
                }
            }
        }
    }

    #[test]
    fn a_step_has_the_same_examples_whenever_it_is_made() {
        let one = Examples::new(&copy(8, 3, 8), 3).unwrap();
        let other = Examples::new(&copy(8, 3, 8), 4).unwrap();
        assert_eq!(one.of_step(5, 16).unwrap(), one.of_step(5, 16).unwrap());
        assert_ne!(one.of_step(5, 16).unwrap(), one.of_step(6, 16).unwrap());
        assert_ne!(one.of_step(5, 16).unwrap(), other.of_step(5, 16).unwrap());
    }

    #[test]
    fn too_few_examples_are_all_learned_from_and_examined() {
        let few = Examples::new(&copy(2, 1, 1), 1).unwrap();
        assert!(!few.held_out);
        assert_eq!(few.examined.len(), 2);
        assert_eq!(few.of_step(1, 9).unwrap().len(), 9);
    }

    #[test]
    fn the_visitors_own_are_dealt_in_the_same_way() {
        let text: String = (0..60).map(|n| format!("{n}={}\n", n * n)).collect();
        let own = Examples::new(&Task::Pairs { text }, 1).unwrap();
        assert!(own.held_out && !own.examined.is_empty());
        let learned: HashSet<Example> = (1..200)
            .flat_map(|step| own.of_step(step, 8).unwrap())
            .collect();
        assert_eq!(learned.len() + own.examined.len(), 60);
    }
}
