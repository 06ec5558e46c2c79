//! Parts of the result on screen that were too large to come with it.

use std::{collections::VecDeque, sync::Arc};

use attention_protocol::RequestId;
use attention_trace::{Array, Excerpt};

use super::{super::data::Command, Engine};

/// The most that parts may take; the oldest make room.
const MOST_BYTES: usize = 32 << 20;

/// What was asked for and what has come, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts(VecDeque<Part>);

#[derive(Clone, Debug)]
struct Part {
    id: RequestId,
    excerpt: Excerpt,
    array: Option<Arc<Array>>,
}

impl Parts {
    fn find(&self, excerpt: &Excerpt) -> Option<&Part> {
        self.0.iter().find(|part| part.excerpt == *excerpt)
    }

    fn receive(&mut self, id: RequestId, array: Arc<Array>) {
        if let Some(part) = self.0.iter_mut().find(|part| part.id == id) {
            part.array = Some(array);
        }
        while self.0.len() > 1 && self.bytes() > MOST_BYTES {
            self.0.pop_front();
        }
    }

    fn bytes(&self) -> usize {
        let arrays = self.0.iter().filter_map(|part| part.array.as_ref());
        arrays.map(|array| array.bytes().len()).sum()
    }
}

impl Engine {
    /// A part of the result on screen, once it has come.
    pub fn part(&self, excerpt: &Excerpt) -> Option<Arc<Array>> {
        self.parts.find(excerpt)?.array.clone()
    }

    /// Whether a model that made the result on screen can be asked for parts of it.
    pub fn has_parts(&self) -> bool {
        self.shown_run.is_some()
    }

    /// Asks for a part of the result on screen, unless that was done before or nobody has it.
    pub(super) fn want(&mut self, excerpt: Excerpt) -> Vec<Command> {
        let asked = self.parts.find(&excerpt).is_some();
        let Some(run) = self.shown_run.filter(|_| !asked) else {
            return Vec::new();
        };
        let id = self.next_id();
        self.parts.0.push_back(Part {
            id,
            excerpt: excerpt.clone(),
            array: None,
        });
        let worker = self.worker;
        vec![Command::Fetch {
            worker,
            id,
            run,
            excerpt,
        }]
    }

    pub(super) fn received(&mut self, id: RequestId, array: Arc<Array>) {
        self.parts.receive(id, array);
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::Slice;

    use super::*;

    #[test]
    fn the_oldest_parts_make_room() {
        let mut parts = Parts::default();
        let large = Arc::new(Array {
            shape: vec![MOST_BYTES / 8],
            data: vec![0.0; MOST_BYTES / 8],
        });
        for id in 0..3 {
            let excerpt = Excerpt::new("a", Slice::Head(id as usize));
            parts.0.push_back(Part {
                id,
                excerpt,
                array: None,
            });
            parts.receive(id, large.clone());
        }
        let kept: Vec<RequestId> = parts.0.iter().map(|part| part.id).collect();
        assert_eq!(kept, [1, 2]);
    }
}
