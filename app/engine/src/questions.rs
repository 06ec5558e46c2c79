//! The answers to questions about a loaded model, with one function for each kind of question.

use std::rc::Rc;

use attention_protocol::{
    Answer, Failure, Question, Reply, RequestId, ResultQuestion, RolesTurn, TextQuestion,
};
use attention_trace::{Array, Edit, Excerpt, LensQuestion, PatchingQuestion, SeriesQuestion};

use crate::{Engine, Host, Session};

/// An answer, and the numbers of its arrays.
struct Answered {
    answer: Answer,
    numbers: Option<Vec<u8>>,
}

impl From<Answer> for Answered {
    fn from(answer: Answer) -> Self {
        let numbers = None;
        Answered { answer, numbers }
    }
}

impl From<&[Option<Array>]> for Answered {
    fn from(arrays: &[Option<Array>]) -> Self {
        let shapes = arrays.iter().map(|it| Some(it.as_ref()?.shape.clone()));
        let shapes = shapes.collect();
        let bytes: Vec<&[u8]> = arrays.iter().flatten().map(Array::bytes).collect();
        Answered {
            answer: Answer::Arrays { shapes },
            numbers: Some(bytes.concat()),
        }
    }
}

impl<H: Host> Session<H> {
    /// Answers a question without interrupting a running request.
    pub async fn reply(&self, id: RequestId, question: Question) {
        match self.answer(id, question).await {
            Ok(Answered { answer, numbers }) => {
                self.host
                    .post(id, Reply::Answer { answer }, numbers.as_deref());
            }
            Err(failure) => self.host.post(id, Reply::Failed(failure), None),
        }
    }

    async fn answer(&self, id: RequestId, question: Question) -> Result<Answered, Failure> {
        match question {
            Question::Result { run, question } => match question {
                ResultQuestion::Parts(excerpts) => self.parts(run, &excerpts).await,
                ResultQuestion::Lens(question) => self.lens(run, &question).await,
            },
            Question::Text {
                text,
                edits,
                question,
            } => match question {
                TextQuestion::Score { target } => self.score(&text, &target, &edits).await,
                TextQuestion::Force { target } => self.force(&text, &target, &edits).await,
            },
            Question::Patching { question } => self.patch(id, &question).await,
            Question::Series { question } => self.series(id, &question).await,
            Question::Roles(turn) => self.roles(&turn).await,
            Question::Chat { turns } => {
                Ok(Answer::Chat(self.loaded()?.chat(&turns, self.host.today())?).into())
            }
        }
    }

    fn loaded(&self) -> Result<Rc<Engine>, Failure> {
        self.engine().ok_or(Failure::NotReady)
    }

    /// Returns the parts: recorded ones at once, others after reading or computing them.
    async fn parts(&self, run: RequestId, excerpts: &[Excerpt]) -> Result<Answered, Failure> {
        let (engine, found, meta, mut parts) = {
            let result = self.result.borrow();
            let kept = result.as_ref().filter(|kept| kept.run == run);
            let kept = kept.ok_or(Failure::NotReady)?;
            let recorded = |excerpt| kept.trace.as_ref()?.excerpt(excerpt);
            let parts: Vec<Option<Array>> = excerpts.iter().map(recorded).collect();
            let meta = kept.trace.as_ref().map(|trace| trace.meta.clone());
            (kept.engine.clone(), kept.found.clone(), meta, parts)
        };
        let missing = excerpts.iter().zip(&parts);
        let missing = missing.filter(|(_, part)| part.is_none());
        let missing: Vec<Excerpt> = missing.map(|(excerpt, _)| excerpt.clone()).collect();
        if !missing.is_empty() {
            let made = engine.parts(&found, meta.as_ref(), &missing).await?;
            let places = parts.iter_mut().filter(|part| part.is_none());
            places.zip(made).for_each(|(place, made)| *place = made);
        }
        Ok(parts.as_slice().into())
    }

    async fn lens(&self, run: RequestId, question: &LensQuestion) -> Result<Answered, Failure> {
        let (engine, found) = {
            let result = self.result.borrow();
            let kept = result.as_ref().filter(|kept| kept.run == run);
            let kept = kept.ok_or(Failure::NotReady)?;
            (kept.engine.clone(), kept.found.clone())
        };
        Ok(Answer::Lens(engine.lens(&found, question).await?).into())
    }

    async fn score(&self, text: &str, target: &[u32], edits: &[Edit]) -> Result<Answered, Failure> {
        let scores = self.loaded()?.score(text, target, edits).await?;
        Ok(scores.map(Some).as_slice().into())
    }

    async fn force(&self, text: &str, target: &str, edits: &[Edit]) -> Result<Answered, Failure> {
        let tokens = self.loaded()?.force(text, target, edits).await?;
        Ok(Answer::Forced(tokens).into())
    }

    /// Answers a patching question; ends early if a newer request stops it.
    async fn patch(&self, id: RequestId, question: &PatchingQuestion) -> Result<Answered, Failure> {
        let engine = self.loaded()?;
        let newest = self.newest.get();
        let current = || self.newest.get() == newest;
        Ok(Answer::Patching(engine.patch(&self.host, id, question, current).await?).into())
    }

    /// Answers a question by many passes; ends early if a newer request stops it.
    async fn series(&self, id: RequestId, question: &SeriesQuestion) -> Result<Answered, Failure> {
        let engine = self.loaded()?;
        let newest = self.newest.get();
        let current = || self.newest.get() == newest;
        Ok(Answer::Series(engine.series(&self.host, id, question, current).await?).into())
    }

    /// Takes a turn of the measurement of roles; ends early if a newer request arrives.
    async fn roles(&self, turn: &RolesTurn) -> Result<Answered, Failure> {
        let engine = self.loaded()?;
        let newest = self.newest.get();
        let current = || self.newest.get() == newest;
        Ok(engine.roles(&self.host, turn, current).await?.into())
    }
}
