//! Words and numbers that stand in the text of every question.

use super::{
    evidence::{Evidence, SelfFacts},
    questions::Asked,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    names::head_name,
    state::HeadChoice,
    widgets::{
        Values,
        numbers::{decimal, grouped},
    },
};

/// The names of the places that every question's text may have.
pub const WORDS: [&str; 10] = [
    "head",
    "other",
    "query",
    "place",
    "n",
    "step",
    "width",
    "head_width",
    "root",
    "right",
];

/// Returns a function that fills the placeholders of a question and its explanation: the head, the token that is read,
/// sizes, values of the question, and the right answer.
pub fn words() -> impl Fn(&Evidence, &Asked) -> Values + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let head_name = head_name();
    move |evidence, asked| {
        let SelfFacts {
            spec,
            stack,
            head,
            query,
            names,
        } = &evidence.facts;
        let name = |head: HeadChoice| head_name(head.attention, head.head);
        let truths = [t_string!(i18n, kits.yes), t_string!(i18n, kits.no)];
        let values = [
            name(*head),
            name(evidence.facts.other()),
            names.get(*query).cloned().unwrap_or_default(),
            (query + 1).to_string(),
            names.len().to_string(),
            (evidence.step + 1).to_string(),
            grouped(spec.width as u64),
            stack.head_width.to_string(),
            decimal((stack.head_width as f32).sqrt(), 2),
            asked.expected.words(truths),
        ];
        let values = WORDS.into_iter().zip(values);
        values.chain(asked.values.iter().cloned()).collect()
    }
}
