//! Words and numbers that stand in the text of every question.

use super::{
    evidence::{Evidence, SelfFacts},
    questions::Asked,
};
use crate::{
    i18n::{t_string, use_i18n},
    names::head_name,
    state::HeadChoice,
    widgets::{
        Values,
        numbers::{decimal, grouped},
    },
};

/// What stands in the places of a question's text and of its explanation: the head, the token that is read, sizes,
/// what the question adds, and what is right.
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
        let mut values: Values = vec![
            ("head", name(*head)),
            ("other", name(evidence.facts.other())),
            ("query", names.get(*query).cloned().unwrap_or_default()),
            ("place", (query + 1).to_string()),
            ("n", names.len().to_string()),
            ("step", (evidence.step + 1).to_string()),
            ("width", grouped(spec.width as u64)),
            ("head_width", stack.head_width.to_string()),
            ("root", decimal((stack.head_width as f32).sqrt(), 2)),
            ("right", asked.expected.words(truths)),
        ];
        values.extend(asked.values.iter().cloned());
        values
    }
}
