//! The predictions of a class, as plain data.

use std::collections::BTreeMap;

/// The separator between a chapter and a question in the name under which a prediction is sent.
const SEPARATOR: char = '/';

/// Returns the name of a chapter's question.
pub fn name(chapter: &str, question: &str) -> String {
    format!("{chapter}{SEPARATOR}{question}")
}

/// Predictions by question and member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassAnswers(BTreeMap<String, BTreeMap<usize, String>>);

impl ClassAnswers {
    /// Stores a member's prediction; an empty one is deleted.
    pub fn store(&mut self, member: usize, question: String, answer: String) {
        let answers = self.0.entry(question).or_default();
        match answer.is_empty() {
            true => answers.remove(&member),
            false => answers.insert(member, answer),
        };
        self.0.retain(|_, answers| !answers.is_empty());
    }

    /// Returns the predictions of a question with the number of members who made each, the most frequent first.
    pub fn counts(&self, question: &str) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for answer in self.0.get(question).into_iter().flat_map(BTreeMap::values) {
            *counts.entry(answer).or_default() += 1;
        }
        let counts = counts.into_iter();
        let mut counts: Vec<_> = counts.map(|(it, count)| (it.to_owned(), count)).collect();
        counts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        counts
    }

    /// Returns true if nobody has predicted anything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the predictions as CSV by RFC 4180, a line for each.
    pub fn csv(&self) -> String {
        let mut csv = String::from("member,chapter,question,prediction\r\n");
        for (question, answers) in &self.0 {
            let (chapter, question) = question.split_once(SEPARATOR).unwrap_or(("", question));
            for (member, answer) in answers {
                let [chapter, question, answer] = [chapter, question, answer].map(field);
                csv.push_str(&format!("{member},{chapter},{question},{answer}\r\n"));
            }
        }
        csv
    }
}

/// Returns a field, quoted; spreadsheets execute what begins as a formula, so that gets an apostrophe.
fn field(text: &str) -> String {
    let is_formula = text.starts_with(['=', '@', '+', '\t', '\r'])
        || text.starts_with('-') && text.parse::<f64>().is_err();
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(list: &[(usize, &str, &str)]) -> ClassAnswers {
        let mut answers = ClassAnswers::default();
        for &(member, question, answer) in list {
            answers.store(member, question.to_owned(), answer.to_owned());
        }
        answers
    }

    #[test]
    fn the_last_prediction_of_a_member_counts() {
        let all = answers(&[
            (1, "follow/key", "3"),
            (2, "follow/key", "4"),
            (1, "follow/key", "4"),
            (3, "follow/key", "2"),
            (3, "follow/key", ""),
            (3, "scale/ratio", "8"),
        ]);
        assert_eq!(all.counts("follow/key"), [("4".to_owned(), 2)]);
        assert_eq!(all.counts("nothing"), []);
        assert!(!all.is_empty() && answers(&[(1, "q", "3"), (1, "q", "")]).is_empty());
    }

    #[test]
    fn the_table_keeps_every_text_in_its_field() {
        let all = answers(&[
            (1, "follow/key", "a \"b\", c"),
            (2, "follow/key", "=1+1"),
            (3, "follow/key", "-0.5"),
        ]);
        let expected = "member,chapter,question,prediction\r\n\
            1,\"follow\",\"key\",\"a \"\"b\"\", c\"\r\n\
            2,\"follow\",\"key\",\"'=1+1\"\r\n\
            3,\"follow\",\"key\",\"-0.5\"\r\n";
        assert_eq!(all.csv(), expected);
    }
}
