//! A question on a text: where the question's words look, head by head, in a model that was not trained to answer.

use attention_trace::{Array, AttentionKind, AttentionLayer, Excerpt, Quantity, Slice, Token};
use leptos::prelude::*;

use super::sentences::places;
use attention_core::{
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    names::token_name,
    navigation::ViewLink,
    state::{Language, Model, View},
    widgets::{
        Prose, ScrollRegion,
        numbers::{percent, share_of_one},
    },
};

/// The lecture's question on Marco Polo, in one sentence, since translators read one at a time.
const TEXT: &str = "Some say that Marco Polo learned about China through contact with Persian traders; how did he learn about China?";
/// The words that the question begins with.
const QUESTION: &str = "how did he learn about China?";
/// The answer in the text.
const ANSWER: &str = "contact with Persian traders";

/// The model that reads it.
fn reader() -> Model {
    Model::translator_from(Language::English)
}

/// The weights of one head from the question's words, as means over them.
#[derive(Clone, Debug, PartialEq)]
struct HeadLook {
    layer: usize,
    head: usize,
    /// The token of the text that gets most, by its place, and the weight.
    most: (usize, f32),
    /// The weight on all words of the answer together.
    answer: f32,
}

/// The weights of all heads from the question's words.
#[derive(Clone, Debug, PartialEq)]
struct Looks {
    tokens: Vec<String>,
    /// The weights of each head, layer by layer.
    heads: Vec<HeadLook>,
    /// The weight on the answer if all tokens got the same.
    even: f32,
}

impl Looks {
    /// Out of the weights of each layer, `[h, n, n]`; `None` where question, answer or weights are missing.
    fn new(tokens: &[Token], called: impl Fn(&Token) -> String, layers: &[&Array]) -> Option<Self> {
        let (question, answer) = (places(tokens, QUESTION)?, places(tokens, ANSWER)?);
        let look = |layer: usize, head: usize| {
            let mut means = vec![0.0; tokens.len()];
            for asks in question.clone() {
                let row = layers[layer].row(&[head, asks])?;
                for (mean, weight) in means.iter_mut().zip(row) {
                    *mean += weight / question.len() as f32;
                }
            }
            let text = means[..question.start].iter().copied().enumerate();
            Some(HeadLook {
                layer,
                head,
                most: text.max_by(|one, other| one.1.total_cmp(&other.1))?,
                answer: means.get(answer.clone())?.iter().sum(),
            })
        };
        let heads = layers.iter().enumerate().flat_map(|(layer, weights)| {
            let heads = weights.shape.first().copied().unwrap_or(0);
            (0..heads).map(move |head| (layer, head))
        });
        let heads: Vec<HeadLook> = heads
            .map(|(layer, head)| look(layer, head))
            .collect::<Option<_>>()?;
        (!heads.is_empty()).then(|| Looks {
            tokens: tokens.iter().map(called).collect(),
            heads,
            even: answer.len() as f32 / tokens.len() as f32,
        })
    }

    /// The mean over all heads of the weight on the answer.
    fn mean(&self) -> f32 {
        let weights = self.heads.iter().map(|head| head.answer);
        weights.sum::<f32>() / self.heads.len() as f32
    }

    /// Returns the number of heads that give the answer more than an even share.
    fn above_even(&self) -> usize {
        let heads = self.heads.iter();
        heads.filter(|head| head.answer > self.even).count()
    }
}

/// The question, the way to have it read, and the table.
#[component]
pub fn Question() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let is_shown = live.select(|engine| {
        let job = engine.shown.as_ref().and_then(|shown| shown.job.as_ref());
        job.is_some_and(|job| job.model == reader() && job.text == TEXT)
    });
    let looks = looks(is_shown);
    let change = |view: &mut View| {
        view.model = reader();
        view.use_text(TEXT.to_owned());
    };
    view! {
        <section class="chapter-section" data-testid="question">
            <Prose part="question" />
            <p>
                <ViewLink change class="link-button" current=is_shown test_id="question-text">
                    {TEXT}
                </ViewLink>
            </p>
            {move || match is_shown.get() {
                true => view! { <Table looks /> }.into_any(),
                false => view! { <p class="hint">{t!(i18n, hand.choose_question)}</p> }.into_any(),
            }}
            <Prose part="answering" />
        </section>
    }
}

/// Returns the weights from the question's words once they are here.
fn looks(is_shown: Memo<bool>) -> Memo<Option<Looks>> {
    let live = Live::expect();
    let called = token_name();
    let kind = AttentionKind::EncoderSelf;
    let layers = live.parts(move || {
        let trace = live.trace().filter(|_| is_shown.get());
        let layers = trace.map_or(0, |trace| trace.meta.spec.layers(kind));
        let weights = |layer| AttentionLayer { kind, layer }.at(Quantity::Pattern);
        (0..layers)
            .map(|layer| Excerpt::new(weights(layer), Slice::Whole))
            .collect()
    });
    Memo::new(move |_| {
        let (trace, layers) = (live.trace().filter(|_| is_shown.get())?, layers.get()?);
        let layers: Vec<_> = layers.iter().map(|Part(layer)| layer.as_ref()).collect();
        Looks::new(trace.meta.axes(kind).0, called, &layers)
    })
}

#[component]
fn Table(looks: Memo<Option<Looks>>) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, hand.question_table).to_owned());
    let rows = move || looks.with(|looks| looks.as_ref().map(rows));
    let reading = move || {
        looks.with(|looks| {
            let looks = looks.as_ref()?;
            Some(t_string!(
                i18n,
                hand.question_reading,
                above = looks.above_even(),
                heads = looks.heads.len(),
                even = share_of_one(looks.even, 3),
                mean = share_of_one(looks.mean(), 3)
            ))
        })
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="question-table" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, many_heads.layer_and_head)}</th>
                        <th scope="col">{t!(i18n, hand.question_most)}</th>
                        <th scope="col">{t!(i18n, hand.question_answer, answer = ANSWER)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
        <p class="lesson-reading" role="status" data-testid="question-reading">{reading}</p>
    }
}

fn rows(looks: &Looks) -> impl IntoView + use<> {
    let row = |head: &HeadLook| {
        let (place, weight) = head.most;
        let token = looks.tokens.get(place).cloned().unwrap_or_default();
        let is_above = head.answer > looks.even;
        view! {
            <tr class:chosen=is_above>
                <th scope="row">{format!("{}.{}", head.layer + 1, head.head + 1)}</th>
                <td>{token} " " {percent(weight, 0)}</td>
                <td class="number">{share_of_one(head.answer, 3)}</td>
            </tr>
        }
    };
    looks.heads.iter().map(row).collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text in pieces as a tokenizer might cut it.
    fn tokens() -> Vec<Token> {
        let pieces = TEXT.split(' ').enumerate().map(|(id, word)| Token {
            id: id as u32,
            text: format!("▁{word}"),
            unknown: false,
        });
        pieces.collect()
    }

    #[test]
    fn question_and_answer_are_in_the_text_which_is_one_sentence() {
        assert!(TEXT.ends_with(QUESTION) && TEXT.contains(ANSWER));
        assert_eq!(reader().sentences(TEXT), [TEXT]);
    }

    #[test]
    fn a_head_is_read_at_the_questions_words_alone() {
        let tokens = tokens();
        let count = tokens.len();
        let (question, answer) = (
            places(&tokens, QUESTION).unwrap(),
            places(&tokens, ANSWER).unwrap(),
        );
        assert_eq!((question.len(), answer.len()), (6, 4));
        // One head looks at the first token, the other from every word of the question at "Persian".
        let at_first = (0..count * count).map(|place| f32::from(u8::from(place % count == 0)));
        let mut data: Vec<f32> = at_first.collect();
        for row in 0..count {
            let at = if question.contains(&row) {
                answer.start + 2
            } else {
                0
            };
            data.extend((0..count).map(|key| f32::from(u8::from(key == at))));
        }
        let layer = Array {
            shape: vec![2, count, count],
            data,
        };
        let looks = Looks::new(&tokens, |token| token.text.clone(), &[&layer]).unwrap();
        assert_eq!(looks.heads[0].answer, 0.0);
        assert!((looks.heads[1].answer - 1.0).abs() < 1e-6);
        assert_eq!(looks.tokens[looks.heads[1].most.0], "▁Persian");
        assert!((looks.even - 4.0 / count as f32).abs() < 1e-6);
        assert!((looks.mean() - 0.5).abs() < 1e-6);
        assert_eq!(looks.above_even(), 1);
    }

    #[test]
    fn a_text_without_the_question_has_no_looks() {
        let tokens = &tokens()[..8];
        let layer = Array {
            shape: vec![1, 8, 8],
            data: vec![0.125; 64],
        };
        assert_eq!(
            Looks::new(tokens, |token| token.text.clone(), &[&layer]),
            None
        );
    }
}
