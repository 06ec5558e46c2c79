//! An English sentence read by a small LSTMN: the weights of the words before at each word, and the next words that it
//! predicts.

use attention_figures::{bars::Series, color::categorical};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::lessons::{MOST_WORDS, TapeReading, words};
use leptos::prelude::*;

use super::{context::EmbeddingContext, form::SentenceField, lines::Lines, reading::PAPERS};
use attention_core::{
    appearance::Appearance,
    assets,
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    state::ViewState,
    widgets::{
        BarFigure, Bars,
        numbers::{decimal, percent, share_of_one},
        player::{Player, Transport},
    },
};

/// The directory of the model.
const MODEL: &str = "models/lstmn/";

/// Sentences in which an earlier word matters: an agreement at a distance, a condition, a pronoun.
const EXAMPLES: [&str; 4] = [
    PAPERS,
    "The books that I bought yesterday are on the table.",
    "If you don't hurry, you will miss the train.",
    "Tom said that he had lost his key.",
];

/// Returns the number of words of a sentence if the model does not read that many.
fn refused(sentence: &str) -> Option<usize> {
    let count = words(sentence).len();
    (count == 0 || count > MOST_WORDS).then_some(count)
}

/// The sentence, its lines and the predictions at the current word.
#[component]
pub fn TapesFigure() -> impl IntoView {
    let context = EmbeddingContext::expect();
    let sentence = Memo::new(move |_| {
        let given = context.lab.with(|lab| lab.tape_sentence.clone());
        given.unwrap_or(PAPERS.to_owned())
    });
    let read = Lessons::expect().ask(
        move || {
            let sentence = sentence.get();
            refused(&sentence).is_none().then(|| Question::ReadTapes {
                model: assets::checkpoint(MODEL),
                sentence,
            })
        },
        |answer| match answer {
            Answer::ReadTapes(read) => Some(TapeReading::clone(read)),
            _ => None,
        },
    );
    let refusal = Memo::new(move |_| sentence.with(|sentence| refused(sentence)));
    view! {
        <section class="lesson-figure" data-testid="tapes">
            <TapeForm sentence refusal />
            <Show when=move || refusal.get().is_none()>
                <LessonNotice asked=read />
                <Steps read />
            </Show>
        </section>
    }
}

/// The field for the sentence, and examples.
#[component]
fn TapeForm(sentence: Memo<String>, refusal: Memo<Option<usize>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let text = ViewState::expect().select(|view| view.text.trim().to_owned());
    let show = move |text: String| {
        context.update(|lab| {
            lab.tape_sentence = (text != PAPERS).then_some(text);
            lab.tape_word = usize::MAX;
        });
    };
    // The model knows English words alone, and a text that it refuses is no offer.
    let is_offered = move || text.with(|text| text.is_ascii() && refused(text).is_none());
    view! {
        <SentenceField
            sentence
            refused=refusal
            examples=&EXAMPLES
            button=Signal::derive(move || t_string!(i18n, embedding.read).to_owned())
            show=Callback::new(show)
            test_ids=["tapes-sentence", "tapes-read", "tapes-example", "tapes-refused"]
        >
            <Show when=is_offered>
                <button
                    type="button"
                    class="link-button"
                    data-testid="tapes-own"
                    on:click=move |_| show(text.get_untracked())
                >
                    {t!(i18n, embedding.own_text)}
                </button>
            </Show>
        </SentenceField>
    }
}

/// The player over the words, and what it shows.
#[component]
fn Steps(read: Asked<TapeReading>) -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let names = Signal::derive(move || {
        read.answer.with(|read| {
            let words = read.iter().flat_map(|read| &read.words);
            words.map(|word| word.text.clone()).collect::<Vec<_>>()
        })
    });
    let rows = Memo::new(move |_| {
        read.answer.with(|read| {
            let weights = &read.as_ref()?.weights;
            let rows = 0..weights.shape[0];
            let row = |step| weights.row(&[step]).map(<[f32]>::to_vec);
            rows.map(row).collect::<Option<Vec<_>>>()
        })
    });
    let player = Player::new(
        move || context.lab.with(|lab| lab.tape_word),
        move || names.with(Vec::len),
        move |word| context.update(|lab| lab.tape_word = word),
    );
    let at = Memo::new(move |_| player.timeline().step);
    let words = Signal::derive(move || {
        t_string!(
            i18n,
            embedding.word_of,
            word = at.get() + 1,
            count = names.with(Vec::len)
        )
    });
    let said = move || {
        let at = at.get();
        read.answer.with(|read| {
            let read = read.as_ref()?;
            let word = read.words.get(at)?.text.clone();
            let Some((first, weight)) = read.strongest(at) else {
                return Some(t_string!(i18n, embedding.tape_empty).to_owned());
            };
            Some(t_string!(
                i18n,
                embedding.tape_looks,
                word = word,
                first = read.words.get(first)?.text.clone(),
                weight = share_of_one(weight, 3),
                cosine = decimal(read.cosine_with_last(at)?, 2)
            ))
        })
    };
    let unknown = move || {
        names.track();
        read.answer.with(|read| {
            read.as_ref()
                .is_some_and(|read| read.words.iter().any(|word| !word.known))
        })
    };
    view! {
        <Transport
            player
            label=Signal::derive(move || t_string!(i18n, embedding.tape_scrub).to_owned())
            words
            has_keys=false
        />
        <Lines rows names weighs_itself=false at player test_ids=["tape-line", "tape-word"] />
        <p class="lesson-reading number" role="status" data-testid="tape-said">{said}</p>
        <Show when=unknown>
            <p class="hint" data-testid="tape-unknown">
                {move || {
                    let words = read.answer.with(|read| {
                        let words = read.iter().flat_map(|read| &read.words);
                        let unknown = words.filter(|word| !word.known);
                        unknown.map(|word| word.text.clone()).collect::<Vec<_>>().join(", ")
                    });
                    t_string!(i18n, embedding.tape_unknown, words = words)
                }}
            </p>
        </Show>
        <NextWords read at />
    }
}

/// The likeliest next words after the current one.
#[component]
fn NextWords(read: Asked<TapeReading>, at: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let chart = move || {
        read.answer.with(|read| {
            let read = read.as_ref()?;
            let next = &read.next.get(at.get())?.likeliest;
            let names: Vec<String> = next.iter().map(|word| word.text.clone()).collect();
            let follows = read.words.get(at.get() + 1);
            Some(Bars {
                marked: follows.and_then(|word| names.iter().position(|name| *name == word.text)),
                names,
                top: 1.0,
                series: vec![Series {
                    label: None,
                    values: next.iter().map(|word| word.probability).collect(),
                    colors: vec![categorical(0, appearance.get())],
                }],
            })
        })
    };
    let follows = move || {
        let at = at.get();
        read.answer.with(|read| {
            let read = read.as_ref()?;
            let probability = read.next.get(at)?.followed?;
            Some(t_string!(
                i18n,
                embedding.tape_follows,
                word = read.words.get(at + 1)?.text.clone(),
                probability = percent(probability, 2)
            ))
        })
    };
    view! {
        <h3 class="panel-title">{t!(i18n, embedding.tape_next)}</h3>
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, embedding.tape_next).to_owned())
            test_id="tape-next"
            chart=Signal::derive(chart)
        />
        <p class="lesson-reading number" data-testid="tape-follows">{follows}</p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_read_and_sentences_of_no_words_or_too_many_are_not() {
        for example in EXAMPLES {
            assert_eq!(refused(example), None, "{example}");
        }
        assert_eq!(refused(" "), Some(0));
        assert_eq!(refused(&"no ".repeat(MOST_WORDS + 1)), Some(MOST_WORDS + 1));
    }
}
