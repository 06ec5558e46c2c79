//! Edits that change nothing of the text on screen.

use attention_trace::TraceMeta;

use crate::state::{Given as _, GivenEdit, GivenWeight, WeightPlace};

/// The reason why an edit that is on changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Idle {
    /// The model has no such head.
    Head,
    /// The text has no such query.
    Query,
    /// The text has no such key.
    Key,
    /// The query does not see the key, which comes later.
    Masked,
}

impl Idle {
    /// Of an edit in the result on screen; `None` where it is in effect.
    pub fn of(edit: &GivenEdit, meta: &TraceMeta) -> Option<Self> {
        match edit {
            GivenEdit::Weight(given) => Self::of_weight(*given, meta),
            edit => (!edit.is_in(&meta.spec)).then_some(Idle::Head),
        }
    }

    fn of_weight(given: GivenWeight, meta: &TraceMeta) -> Option<Self> {
        if !given.is_in(&meta.spec) {
            return Some(Idle::Head);
        }
        let WeightPlace { head, query, key } = given.place;
        let (queries, keys) = meta.axes(head.attention.kind);
        if key >= keys.len() {
            Some(Idle::Key)
        } else if query.is_some_and(|query| query >= queries.len()) {
            Some(Idle::Query)
        } else {
            let is_hidden = given.edit().misses(&meta.spec, meta.source.len(), false);
            is_hidden.then_some(Idle::Masked)
        }
    }
}

/// Returns true if a weight that is on changes the result on screen.
pub fn is_in_effect(given: GivenWeight, meta: &TraceMeta) -> bool {
    Idle::of_weight(given, meta).is_none()
}

#[cfg(test)]
mod tests {
    use super::{
        super::control::tests::{given, meta},
        *,
    };

    #[test]
    fn a_weight_that_does_not_fit_says_why() {
        let meta = meta(4, 6);
        for (text, idle) in [
            ("cross.1.3.5.3.500", None),
            ("cross.1.3.all.3.0", None),
            ("cross.1.3.5.4.500", Some(Idle::Key)),
            ("cross.1.3.all.4.0", Some(Idle::Key)),
            ("cross.1.3.6.3.500", Some(Idle::Query)),
            ("cross.3.0.0.0.500", Some(Idle::Head)),
            ("encoder.0.0.4.0.500", Some(Idle::Query)),
            ("decoder.0.0.2.2.500", None),
            ("decoder.0.0.2.3.500", Some(Idle::Masked)),
        ] {
            assert_eq!(Idle::of(&given(text)[0].into(), &meta), idle, "{text}");
        }
    }
}
