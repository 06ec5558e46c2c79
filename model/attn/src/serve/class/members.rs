//! The members of a class, their predictions, and the view that is shown to them.

use std::collections::BTreeMap;

use attention_protocol::class::ClassReply;
use attention_protocol::frame::to_frame;

use super::super::outbox::Outbox;

/// The number of a connection, in the order of arrival.
pub type Id = u64;

/// The members whose numbers are kept.
const MOST_MEMBERS: usize = 4096;

/// The predictions of one member that are kept.
const MOST_ANSWERS: usize = 512;

/// The connections and the answers of a class.
#[derive(Default)]
pub struct Members {
    next: Id,
    connections: BTreeMap<Id, Connection>,
    /// The numbers of members by the text that their page keeps, from 1.
    numbers: BTreeMap<String, usize>,
    /// The view that was shown last.
    shown: Option<String>,
    /// The answers by member and question.
    answers: BTreeMap<usize, BTreeMap<String, String>>,
}

struct Connection {
    outbox: Outbox,
    role: Role,
}

/// The part that a connection has in the class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It has not joined yet.
    Nobody,
    Leads,
    /// It follows, as the member of this number.
    Follows(usize),
}

impl Members {
    /// Notes a connection that was made, and greets it.
    pub fn enter(&mut self, outbox: Outbox) -> Id {
        self.next += 1;
        let role = Role::Nobody;
        self.connections
            .insert(self.next, Connection { outbox, role });
        self.tell(self.next, &ClassReply::Booted);
        self.next
    }

    /// Forgets a connection. What its member answered stays.
    pub fn leave(&mut self, id: Id) {
        self.connections.remove(&id);
        self.count();
    }

    /// Lets a connection join: to lead, or as the member whose page keeps the text `key`. Returns false if the class has had
    /// as many members as it keeps numbers of.
    pub fn join(&mut self, id: Id, key: String, leads: bool) -> bool {
        let role = match leads {
            true => Some(Role::Leads),
            false => self.number(key).map(Role::Follows),
        };
        let (Some(role), Some(connection)) = (role, self.connections.get_mut(&id)) else {
            return false;
        };
        connection.role = role;
        self.tell(id, &ClassReply::Joined { leads });
        match (role, self.shown.clone()) {
            (Role::Leads, _) => self.tell_all_answers(id),
            (_, Some(fragment)) => self.tell(id, &ClassReply::Show { fragment }),
            (_, None) => {}
        }
        self.count();
        true
    }

    /// Returns the number of the member whose page keeps this text, the next one for a new member; `None` if there is none.
    fn number(&mut self, key: String) -> Option<usize> {
        let known = self.numbers.get(&key).copied();
        let next = self.numbers.len() + 1;
        let number = known.or_else(|| (next <= MOST_MEMBERS).then_some(next))?;
        self.numbers.insert(key, number);
        Some(number)
    }

    /// Shows a view to all who follow, if the connection leads.
    pub fn show(&mut self, id: Id, fragment: String) {
        if self.role(id) != Some(Role::Leads) {
            return;
        }
        self.shown = Some(fragment.clone());
        let follows = |role| matches!(role, Role::Follows(_));
        self.tell_those(follows, &ClassReply::Show { fragment });
    }

    /// Keeps a member's answer, and tells who leads.
    pub fn answer(&mut self, id: Id, question: String, answer: String) {
        let Some(Role::Follows(member)) = self.role(id) else {
            return;
        };
        let answers = self.answers.entry(member).or_default();
        if answers.len() >= MOST_ANSWERS && !answers.contains_key(&question) {
            return;
        }
        match answer.is_empty() {
            true => answers.remove(&question),
            false => answers.insert(question.clone(), answer.clone()),
        };
        let answered = ClassReply::Answered {
            member,
            question,
            answer,
        };
        self.tell_those(|role| role == Role::Leads, &answered);
    }

    fn role(&self, id: Id) -> Option<Role> {
        Some(self.connections.get(&id)?.role)
    }

    fn tell(&self, id: Id, reply: &ClassReply) {
        if let Some(connection) = self.connections.get(&id) {
            tell(connection, reply);
        }
    }

    fn tell_those(&self, has: impl Fn(Role) -> bool, reply: &ClassReply) {
        let all = self.connections.values();
        let those = all.filter(|connection| has(connection.role));
        those.for_each(|connection| tell(connection, reply));
    }

    fn tell_all_answers(&self, id: Id) {
        for (&member, answers) in &self.answers {
            for (question, answer) in answers {
                let answered = ClassReply::Answered {
                    member,
                    question: question.clone(),
                    answer: answer.clone(),
                };
                self.tell(id, &answered);
            }
        }
    }

    /// Tells who leads how many follow.
    fn count(&self) {
        let roles = self.connections.values().map(|connection| connection.role);
        let members = roles
            .filter(|role| matches!(role, Role::Follows(_)))
            .count();
        self.tell_those(
            |role| role == Role::Leads,
            &ClassReply::Following { members },
        );
    }
}

fn tell(connection: &Connection, reply: &ClassReply) {
    match to_frame(0, reply, &[]) {
        Ok(frame) => connection.outbox.put(frame),
        Err(error) => tracing::error!(%error, "a reply cannot be written"),
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use attention_protocol::frame::from_frame;

    use super::super::super::outbox::{Waiting, outbox};
    use super::*;

    fn enter(members: &mut Members, key: &str, leads: bool) -> (Id, Waiting) {
        let (outbox, waiting) = outbox(1 << 20);
        let id = members.enter(outbox);
        assert!(members.join(id, key.to_owned(), leads));
        (id, waiting)
    }

    /// Returns all that waits after the greeting.
    fn all(waiting: &mut Waiting) -> Vec<ClassReply> {
        let mut context = Context::from_waker(Waker::noop());
        let frames = std::iter::from_fn(|| match pin!(waiting.next()).poll(&mut context) {
            Poll::Ready(frame) => frame,
            Poll::Pending => None,
        });
        let mut replies = frames.map(|frame| from_frame(&frame).unwrap().body);
        assert_eq!(replies.next(), Some(ClassReply::Booted));
        replies.collect()
    }

    #[test]
    fn who_follows_sees_the_view_of_who_leads_and_nothing_of_the_others() {
        let mut members = Members::default();
        let (teacher, mut to_teacher) = enter(&mut members, "t", true);
        let (one, mut to_one) = enter(&mut members, "a", false);
        members.show(teacher, "text=a".to_owned());
        // Who follows shows nothing to anybody.
        members.show(one, "text=b".to_owned());
        let (_, mut to_two) = enter(&mut members, "b", false);
        members.answer(one, "follow/key".to_owned(), "3".to_owned());
        let joined = ClassReply::Joined { leads: false };
        let shown = ClassReply::Show {
            fragment: "text=a".to_owned(),
        };
        assert_eq!(all(&mut to_one), [joined.clone(), shown.clone()]);
        assert_eq!(all(&mut to_two), [joined, shown]);
        let told = all(&mut to_teacher);
        let following = |members| ClassReply::Following { members };
        assert_eq!(told[1..4], [following(0), following(1), following(2)]);
        let ClassReply::Answered { member: 1, .. } = told[4] else {
            panic!("{told:?}");
        };
    }

    #[test]
    fn a_member_who_comes_again_keeps_the_number_and_the_answers() {
        let mut members = Members::default();
        let (first, _to_first) = enter(&mut members, "a", false);
        members.answer(first, "q".to_owned(), "3".to_owned());
        members.leave(first);
        let (other, _to_other) = enter(&mut members, "b", false);
        members.answer(other, "q".to_owned(), "5".to_owned());
        let (again, _to_again) = enter(&mut members, "a", false);
        members.answer(again, "q".to_owned(), "4".to_owned());
        members.answer(again, "gone".to_owned(), "1".to_owned());
        members.answer(again, "gone".to_owned(), String::new());
        let (_, mut to_teacher) = enter(&mut members, "t", true);
        let answers = all(&mut to_teacher).into_iter();
        let answers = answers.filter_map(|reply| match reply {
            ClassReply::Answered { member, answer, .. } => Some((member, answer)),
            _ => None,
        });
        let answers: Vec<(usize, String)> = answers.collect();
        assert_eq!(answers, [(1, "4".to_owned()), (2, "5".to_owned())]);
    }

    #[test]
    fn a_class_keeps_a_bounded_number_of_members() {
        let mut members = Members::default();
        for number in 0..MOST_MEMBERS {
            let (id, _waiting) = enter(&mut members, &number.to_string(), false);
            members.leave(id);
        }
        let (late, _waiting) = outbox(1 << 20);
        let late = members.enter(late);
        assert!(!members.join(late, "late".to_owned(), false));
        // Those who were there come again, and somebody leads.
        enter(&mut members, "0", false);
        enter(&mut members, "t", true);
    }

    #[test]
    fn a_member_keeps_a_bounded_number_of_answers() {
        let mut members = Members::default();
        let (id, _receiver) = enter(&mut members, "a", false);
        for question in 0..2 * MOST_ANSWERS {
            members.answer(id, question.to_string(), "1".to_owned());
        }
        assert_eq!(members.answers[&1].len(), MOST_ANSWERS);
        // Those that are kept can still be changed.
        members.answer(id, "0".to_owned(), "2".to_owned());
        assert_eq!(members.answers[&1]["0"], "2");
    }
}
