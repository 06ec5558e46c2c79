//! The training data: sentences whose final mark was removed.

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::lessons::{MOST_WORDS, Mark, unmarked, words};

use attention_trace::fnv1a;

/// Sentences out of a thousand that are held out.
const HELD_OUT_PER_MILLE: u64 = 50;

/// A sentence and its mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The words, the mark left out.
    pub words: Vec<String>,
    /// The mark that ended the sentence.
    pub mark: Mark,
}

/// All sentences, split into training and test set.
#[derive(Clone, Debug, Default)]
pub struct MarkedSentences {
    /// The sentences of the training set.
    pub train: Vec<Marked>,
    /// The sentences of the test set.
    pub test: Vec<Marked>,
}

/// Returns the sentences in the first column of tab-separated lines: those that end in one mark and have at most
/// [`MOST_WORDS`] words, each once, in the order of their words. Sentences of the same words are in one part, so that
/// training on "Run!" does not give away the answer to "Run.".
pub fn marked_sentences<'a>(texts: impl IntoIterator<Item = &'a str>) -> MarkedSentences {
    let mut found = BTreeSet::new();
    for line in texts.into_iter().flat_map(str::lines) {
        let (rest, mark) = unmarked(line.split('\t').next().unwrap_or_default());
        let words = words(rest);
        if let Some(mark) = mark.filter(|_| (1..=MOST_WORDS).contains(&words.len())) {
            found.insert((words, mark.place()));
        }
    }
    let mut split = MarkedSentences::default();
    for (words, place) in found {
        let hash = fnv1a(words.iter().flat_map(|word| word.bytes().chain([0])));
        let part = match (hash >> 20) % 1_000 < HELD_OUT_PER_MILLE {
            true => &mut split.test,
            false => &mut split.train,
        };
        part.push(Marked {
            words,
            mark: Mark::ALL[place],
        });
    }
    split
}

/// Returns the words that occur most often, the most frequent first; equally frequent ones in alphabetical order.
pub fn frequent_words(sentences: &[Marked], most: usize) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in sentences.iter().flat_map(|sentence| &sentence.words) {
        *counts.entry(word).or_default() += 1;
    }
    let mut ranked: Vec<(&str, usize)> = counts.into_iter().collect();
    ranked.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let words = ranked.into_iter().take(most);
    words.map(|(word, _)| word.to_owned()).collect()
}

/// Returns the mark that most sentences have.
pub fn most_frequent(sentences: &[Marked]) -> Mark {
    let count = |mark: &Mark| sentences.iter().filter(|one| one.mark == *mark).count();
    Mark::ALL
        .into_iter()
        .max_by_key(count)
        .unwrap_or(Mark::Period)
}

/// Returns the mark that most sentences with each first word have.
pub fn by_first_word(sentences: &[Marked]) -> BTreeMap<&str, Mark> {
    let mut counts: BTreeMap<&str, [usize; Mark::ALL.len()]> = BTreeMap::new();
    for sentence in sentences {
        counts.entry(&sentence.words[0]).or_default()[sentence.mark.place()] += 1;
    }
    let of = |counts: [usize; Mark::ALL.len()]| {
        let places = Mark::ALL.into_iter().rev();
        places
            .max_by_key(|mark| counts[mark.place()])
            .unwrap_or(Mark::Period)
    };
    counts
        .into_iter()
        .map(|(word, counts)| (word, of(counts)))
        .collect()
}

/// Returns sentences in batches of equal length, of at most so many.
pub fn of_one_length<T>(
    sentences: Vec<&T>,
    length: impl Fn(&T) -> usize,
    most: usize,
) -> Vec<Vec<&T>> {
    let mut by_length: BTreeMap<usize, Vec<&T>> = BTreeMap::new();
    for sentence in sentences {
        by_length
            .entry(length(sentence))
            .or_default()
            .push(sentence);
    }
    let batches = by_length.values().flat_map(|all| all.chunks(most));
    batches.map(<[_]>::to_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_come_once_and_those_without_a_mark_do_not() {
        let text = "Run!\tCours !\nRun.\tCours.\nRUN!\tx\nwhat\ty\nIs it?!\tz\n?\tw\n";
        let all = marked_sentences([text, text]);
        let mut found: Vec<(String, Mark)> = [all.train, all.test]
            .concat()
            .into_iter()
            .map(|one| (one.words.join(" "), one.mark))
            .collect();
        found.sort_by_key(|(words, mark)| (words.clone(), mark.place()));
        let run = |mark| ("run".to_owned(), mark);
        assert_eq!(found, [run(Mark::Period), run(Mark::Exclamation)]);
    }

    #[test]
    fn a_twentieth_is_held_out_and_the_same_words_are_in_one_part() {
        let line = |number: usize| format!("Number {number}{}\n", ['.', '?', '!'][number % 3]);
        let text: String = (0..4000).map(line).collect();
        let other: String = (0..4000)
            .map(|number| format!("Number {number}?\n"))
            .collect();
        let all = marked_sentences([text.as_str(), &other]);
        let share = all.test.len() as f64 / (all.test.len() + all.train.len()) as f64;
        assert!((0.03..0.07).contains(&share), "{share}");
        let tested: BTreeSet<_> = all.test.iter().map(|one| &one.words).collect();
        assert!(all.train.iter().all(|one| !tested.contains(&one.words)));
    }

    #[test]
    fn what_is_counted_is_ranked() {
        let marked = |text: &str, mark| Marked {
            words: words(text),
            mark,
        };
        let sentences = [
            marked("are you here", Mark::Question),
            marked("you are", Mark::Period),
            marked("are they", Mark::Question),
            marked("are", Mark::Period),
        ];
        assert_eq!(frequent_words(&sentences, 3), ["are", "you", "here"]);
        assert_eq!(by_first_word(&sentences)["are"], Mark::Question);
        assert_eq!(by_first_word(&sentences)["you"], Mark::Period);
        assert_eq!(most_frequent(&sentences[1..]), Mark::Period);
    }
}
