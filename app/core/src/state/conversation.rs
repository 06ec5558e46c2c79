//! The conversation with an instruct model, from which the model's chat template makes the text that it reads.

use attention_trace::{Role, Turn};

use super::{reader::Reader, sentences::Excess, writer::Writer};

/// The entries of the address: the visitor's and the model's turns, and the system message.
const TURNS: &str = "chat";
const SYSTEM: &str = "system";

/// The question that a conversation begins with until the visitor asks another.
pub const FIRST_QUESTION: &str = "Why is the sky blue?";

/// A conversation that the model is to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// The instructions in front; a blank message is left out.
    pub system: String,
    /// The turns of visitor and model by turns, the visitor's first and last.
    turns: Vec<String>,
}

impl Conversation {
    /// Creates a conversation of one question.
    pub fn of_question(question: &str) -> Self {
        Conversation {
            system: String::new(),
            turns: vec![question.to_owned()],
        }
    }

    /// Returns the texts of the visitor and the model by turns.
    pub fn texts(&self) -> &[String] {
        &self.turns
    }

    /// Returns the visitor's last text.
    pub fn question(&self) -> &str {
        self.turns.last().map_or("", String::as_str)
    }

    /// Returns who says the turn at an index.
    pub fn role(index: usize) -> Role {
        match index % 2 {
            0 => Role::User,
            _ => Role::Assistant,
        }
    }

    /// Changes the turn at an index.
    pub fn say(&mut self, index: usize, text: String) {
        if let Some(turn) = self.turns.get_mut(index) {
            *turn = text;
        }
    }

    /// Adds the model's answer, and an empty turn of the visitor.
    pub fn answer(&mut self, answer: String) {
        self.turns.extend([answer, String::new()]);
    }

    /// Removes the last question and the answer before it, if there is one.
    pub fn take_back(&mut self) {
        if self.turns.len() > 2 {
            self.turns.truncate(self.turns.len() - 2);
        }
    }

    /// Returns the turns as the template takes them, the system message first.
    pub fn turns(&self) -> Vec<Turn> {
        let is_there = !self.system.trim().is_empty();
        let system = is_there.then(|| Turn::new(Role::System, self.system.clone()));
        let turns = self.turns.iter().enumerate();
        let turns = turns.map(|(index, text)| Turn::new(Self::role(index), text.clone()));
        system.into_iter().chain(turns).collect()
    }

    /// Returns what the conversation has too much of for an address.
    pub fn excess(&self) -> Option<Excess> {
        Excess::of(&self.spelled()).or_else(|| Excess::of(&self.system))
    }

    /// Returns the turns as a JSON list of texts.
    fn spelled(&self) -> String {
        serde_json::Value::from(self.turns.clone()).to_string()
    }

    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.append(TURNS, &self.spelled());
        fragment.text(SYSTEM, &self.system, "");
    }

    pub(super) fn read(reader: &Reader) -> Option<Self> {
        reader.text(TURNS)?;
        let turns = reader.parsed(TURNS, |text| {
            // The entry is refused, and the page quotes it.
            let turns: Vec<String> = serde_json::from_str(text).ok()?;
            (turns.len() % 2 == 1).then_some(turns)
        })?;
        Some(Conversation {
            system: reader.text(SYSTEM).unwrap_or_default().to_owned(),
            turns,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::View;

    prop_compose! {
        /// Generates an arbitrary conversation.
        pub fn conversation()(
            system in any::<String>(), first in any::<String>(), more in prop::collection::vec(any::<[String; 2]>(), 0..3),
        ) -> Conversation {
            Conversation { system, turns: [first].into_iter().chain(more.into_iter().flatten()).collect() }
        }
    }

    #[test]
    fn turns_take_turns_and_a_blank_system_message_is_none() {
        let mut talk = Conversation::of_question("a");
        talk.answer("b".to_owned());
        talk.say(2, "c".to_owned());
        " ".clone_into(&mut talk.system);
        let turns = [
            Turn::new(Role::User, "a"),
            Turn::new(Role::Assistant, "b"),
            Turn::new(Role::User, "c"),
        ];
        assert_eq!(talk.turns(), turns);
        "s".clone_into(&mut talk.system);
        assert_eq!(talk.turns()[0], Turn::new(Role::System, "s"));
        talk.take_back();
        talk.take_back();
        assert_eq!(talk.texts(), ["a"]);
    }

    #[test]
    fn an_address_has_the_turns_as_a_list() {
        let view = View::from_fragment(r#"model=mine&chat=["a","b","c"]&system=s&text=x"#);
        let talk = view.conversation.clone().unwrap();
        assert_eq!((talk.system.as_str(), talk.question()), ("s", "c"));
        assert_eq!(View::from_fragment(&view.to_fragment()), view);
        for wrong in [
            "chat=[]",
            r#"chat=["a","b"]"#,
            "chat=[1]",
            "chat=a",
            "system=s",
        ] {
            let (view, faults) = View::from_address(wrong);
            assert_eq!((view.conversation, faults.len()), (None, 1), "{wrong}");
        }
    }

    #[test]
    fn another_text_ends_the_conversation_and_its_own_does_not() {
        let mut view = View {
            conversation: Some(Conversation::of_question("a")),
            ..View::default()
        };
        view.use_written("<user>a".to_owned());
        assert!(view.conversation.is_some());
        assert_eq!(view.text, "<user>a");
        view.use_text("b".to_owned());
        assert_eq!(view.conversation, None);
    }
}
