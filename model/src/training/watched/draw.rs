//! Random inputs of the tasks that generate their own.

use attention_trace::training::{Sequences, Task, spelled};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// The random number generator of examples, the same on every machine, in browsers too.
pub type Generator = Xoshiro256PlusPlus;

/// Returns the generator of one of the streams of a seed.
pub fn generator(seed: u32, stream: u32) -> Generator {
    Generator::seed_from_u64(u64::from(seed) << 32 | u64::from(stream))
}

/// Draws a number from `first` to `last`.
pub fn between(first: usize, last: usize, generator: &mut Generator) -> usize {
    // Drawn with 32 bits, since browsers have no wider `usize`.
    generator.random_range(first as u32..=last as u32) as usize
}

/// Draws a random input of `task`; `None` for a task whose examples the visitor wrote.
pub fn input(task: &Task, generator: &mut Generator) -> Option<String> {
    Some(match task {
        Task::Back { sequences, .. }
        | Task::Copy { sequences }
        | Task::Reverse { sequences }
        | Task::Sort { sequences } => letters(*sequences, generator),
        Task::Repeat { sequences } => different_letters(*sequences, generator),
        Task::Addition { digits } => {
            let [a, b] = [(); 2].map(|()| number(*digits, generator));
            format!("{a}+{b}")
        }
        Task::Brackets { longest } => brackets(*longest, generator),
        Task::Numerals { digits } => spelled(number(*digits, generator) as u64),
        Task::Lines { .. } | Task::Pairs { .. } => return None,
    })
}

fn letters(sequences: Sequences, generator: &mut Generator) -> String {
    let alphabet: Vec<char> = sequences.alphabet().collect();
    let length = between(sequences.shortest, sequences.longest, generator);
    let mut letter = || alphabet[between(0, alphabet.len() - 1, generator)];
    (0..length).map(|_| letter()).collect()
}

/// Draws letters of which none occurs twice: in a repeat, one letter alone says which one follows.
fn different_letters(sequences: Sequences, generator: &mut Generator) -> String {
    let mut alphabet: Vec<char> = sequences.alphabet().collect();
    let length = between(sequences.shortest, sequences.longest, generator);
    let mut letter = || alphabet.swap_remove(between(0, alphabet.len() - 1, generator));
    (0..length).map(|_| letter()).collect()
}

/// Draws a number of at most `digits` digits; each number of digits is equally frequent.
fn number(digits: usize, generator: &mut Generator) -> usize {
    let digits = between(1, digits, generator) as u32;
    let least = if digits == 1 {
        0
    } else {
        10_usize.pow(digits - 1)
    };
    between(least, 10_usize.pow(digits) - 1, generator)
}

/// Draws brackets that open and close at random; at least one is left open.
fn brackets(longest: usize, generator: &mut Generator) -> String {
    let pairs = Task::BRACKETS;
    let length = between(1, longest, generator);
    let (mut text, mut open) = (String::new(), vec![]);
    for place in 1..=length {
        let may_close = open.len() > usize::from(place == length);
        let closing = (may_close && between(0, 1, generator) == 0).then(|| open.pop());
        match closing.flatten() {
            Some(closing) => text.push(closing),
            None => {
                let (opening, closing) = pairs[between(0, pairs.len() - 1, generator)];
                text.push(opening);
                open.push(closing);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Vec<Task> {
        let sequences = Sequences::default();
        vec![
            Task::Back {
                places: 2,
                sequences,
            },
            Task::Copy { sequences },
            Task::Reverse { sequences },
            Task::Sort { sequences },
            Task::Addition { digits: 4 },
            Task::Brackets { longest: 12 },
            Task::Numerals { digits: 4 },
        ]
    }

    #[test]
    fn every_input_that_is_drawn_has_an_answer() {
        for task in tasks() {
            let mut generator = generator(7, 0);
            for _ in 0..500 {
                let input = input(&task, &mut generator).unwrap();
                assert!(task.example(&input).is_ok(), "{task:?}: {input}");
            }
        }
    }

    #[test]
    fn lengths_are_all_those_asked_for() {
        let task = Task::Copy {
            sequences: Sequences {
                letters: 3,
                shortest: 2,
                longest: 5,
            },
        };
        let mut generator = generator(1, 0);
        let drawn: Vec<usize> = (0..200)
            .map(|_| input(&task, &mut generator).unwrap().len())
            .collect();
        assert!((2..=5).all(|length| drawn.contains(&length)));
        assert!(drawn.iter().all(|length| (2..=5).contains(length)));
    }

    #[test]
    fn seed_and_stream_decide_what_is_drawn() {
        let task = Task::Addition { digits: 2 };
        let draw = |seed, stream| {
            let mut generator = generator(seed, stream);
            [(); 3].map(|()| input(&task, &mut generator).unwrap())
        };
        assert_eq!(draw(1, 0), draw(1, 0));
        assert_ne!(draw(1, 0), draw(2, 0));
        assert_ne!(draw(1, 0), draw(1, 1));
    }
}
