//! The Web Worker that does the lectures' small computations, in burn, gradients included.
//!
//! It is separate from the worker that owns a model, which is downloaded first and must be small; the page starts this
//! one when a chapter needs it.

mod gradients;
mod loaded;
mod pictures;
mod recall;
mod sentences;
mod served;
mod tapes;

use attention_model::lessons;
use attention_protocol::lessons::{Answer, LessonFailure, LessonReply, Question};
use attention_protocol::{Message, RequestId, post_to_page, receive};
use wasm_bindgen::{JsCast, prelude::*};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// Listens to the page and announces it. Must be called once.
#[wasm_bindgen]
pub fn listen() {
    console_error_panic_hook::set_once();
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        match receive::<Question>(&event) {
            Ok(message) => spawn_local(async move {
                post(message.id, reply(&message.body).await);
            }),
            Err(error) => {
                let failure = LessonFailure::Protocol(error.to_string());
                post(0, LessonReply::Failed(failure));
            }
        }
    });
    scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // The listener lives as long as the worker.
    listener.forget();
    post(0, LessonReply::Booted);
}

async fn reply(question: &Question) -> LessonReply {
    match answer(question).await {
        Ok(answer) => LessonReply::Answered(answer),
        Err(Unanswered(failure)) => LessonReply::Failed(failure),
    }
}

/// The reason why a question has no answer.
struct Unanswered(LessonFailure);

impl From<lessons::LessonError> for Unanswered {
    fn from(error: lessons::LessonError) -> Self {
        Unanswered(LessonFailure::Refused(error.to_string()))
    }
}

impl From<LessonFailure> for Unanswered {
    fn from(failure: LessonFailure) -> Self {
        Unanswered(failure)
    }
}

async fn answer(question: &Question) -> Result<Answer, Unanswered> {
    Ok(match question {
        Question::RandomProducts(random) => Answer::Products(lessons::random_product_variance(
            random.pairs,
            random.width,
            random.seed,
        )?),
        Question::Products { query, key } => {
            Answer::Products(lessons::product_variance(query, key)?)
        }
        Question::Softmax { scores, scales } => {
            Answer::Softmax(lessons::softmax_at(scores, scales)?)
        }
        Question::Jacobian { scores, scale } => {
            Answer::Jacobian(lessons::jacobian(scores, *scale)?)
        }
        Question::Normalise { scores } => Answer::Normalised(lessons::normalise(scores)?),
        Question::Attend {
            memory,
            parameters,
            draws,
            seed,
        } => Answer::Attended(lessons::attend(memory, parameters, *draws, *seed)?),
        Question::Norm { norm, activations } => Answer::Normed(lessons::norm(*norm, activations)?),
        Question::FeedForward {
            activations,
            weights,
        } => Answer::FedForward(lessons::feed_forward(activations, weights)?),
        Question::ByHand(input) => Answer::ByHand(Box::new(lessons::by_hand(input)?)),
        Question::TimeLayer(point) => Answer::Timed(lessons::time_layer(*point, now_ms)?),
        Question::FullyConnected {
            values,
            positions,
            seed,
        } => Answer::FullyConnected(lessons::fully_connected(values, *positions, *seed)?),
        Question::Convolve { values, kernel } => {
            Answer::Convolved(lessons::convolve(values, kernel)?)
        }
        Question::Pool {
            values,
            scores,
            sharpness,
        } => Answer::Pooled(lessons::pool(values, scores, *sharpness)?),
        Question::SeePicture { model, picture } => {
            Answer::SeenPicture(Box::new(pictures::see(model, picture).await?))
        }
        Question::EmbedSentence {
            model,
            sentence,
            off,
        } => Answer::EmbeddedSentence(Box::new(sentences::see(model, sentence, off).await?)),
        Question::ReadTapes { model, sentence } => {
            Answer::ReadTapes(Box::new(tapes::read(model, sentence).await?))
        }
        Question::Recall { run, steps } => Answer::Recalled(Box::new(recall::after(*run, *steps)?)),
        Question::WriteStates(pairs) => {
            Answer::WrittenStates(Box::new(lessons::write_states(pairs)?))
        }
        Question::GradientsBack(stack) => {
            Answer::GradientsBack(Box::new(lessons::gradients_back(stack)?))
        }
        Question::Gradient { model, asked } => {
            Answer::Gradient(Box::new(gradients::of(model, asked).await?))
        }
        Question::Estimates { model, asked } => {
            Answer::Estimates(Box::new(gradients::estimates(model, asked).await?))
        }
    })
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Returns the time of the browser's clock in milliseconds.
fn now_ms() -> f64 {
    scope()
        .performance()
        .map_or(0.0, |performance| performance.now())
}

fn post(id: RequestId, body: LessonReply) {
    let message = Message {
        id,
        body,
        buffer: None,
    };
    if let Err(error) = post_to_page(&scope(), message) {
        // Nobody is left to tell but the console.
        wasm_bindgen::throw_str(&error.to_string());
    }
}
