//! The chain rule on two texts that a model reads token by token.

use attention_figures::{bars::Series, color::categorical};
use attention_trace::judging::Chain;
use leptos::{ev::SubmitEvent, html, prelude::*};

use super::{
    factors::{Factor, after_change, chain, factors, first_difference, has_changed},
    reader::{Reader, Ways, reader},
    written::from_log2,
};
use crate::{
    forcing::{ReadToken, Refusal, Unknown, tokens_of},
    judging::parameters::{Direction, Judging},
};
use attention_core::{
    appearance::Appearance,
    engine::{Forced, ForcedTarget, Job, Live},
    i18n::{t, t_string, use_i18n},
    names::token_name,
    selection::WhenLive,
    state::ViewState,
    widgets::{
        BarFigure, Bars, Expected, Prompt, ScrollRegion, Segmented,
        numbers::{decimal, share_of_one},
    },
};

/// The readings of both texts, shown once a model that reads them is loaded.
#[component]
pub fn ChainRule() -> impl IntoView {
    let live = Live::expect();
    let reader = live.select(reader);
    let reads = Memo::new(move |_| reader.with(Option::is_some));
    view! {
        <Ways />
        <WhenLive>
            <Show when=move || reads.get()>
                <Readings reader />
            </Show>
        </WhenLive>
    }
}

/// A text's tokens with the model's probabilities, and the first difference from the other text.
#[derive(Clone, Copy)]
struct Reading {
    tokens: Memo<Vec<ReadToken>>,
    chain: Memo<Option<Chain>>,
    /// The names of the tokens on screen.
    names: Memo<Vec<String>>,
    /// The first place where the other text has another token.
    differs: Memo<Option<usize>>,
}

#[component]
fn Readings(reader: Memo<Option<Reader>>) -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let typed = state.select(|view| view.chapters.of::<Judging>().read.clone());
    let direction = state.select(|view| view.chapters.of::<Judging>().direction);
    let own = Memo::new(move |_| reader.with(|reader| reader.as_ref().map(Reader::own_texts)));
    let texts = Memo::new(move |_| {
        let own = own.get().unwrap_or_default();
        let [first, second] = typed.get();
        [
            first.unwrap_or(own[0].to_owned()),
            second.unwrap_or(own[1].to_owned()),
        ]
    });
    let forced = live.forced(move || {
        let reader = reader.get();
        let target = |job: &Job| {
            texts.get().map(|target| ForcedTarget {
                job: job.clone(),
                target,
            })
        };
        let targets = reader.map(|reader| target(&reader.job).to_vec());
        targets.unwrap_or_default()
    });
    let answers = [0, 1].map(|index| {
        Memo::new(move |_| forced.with(|forced| forced.get(index).cloned().flatten()))
    });
    let tokens = answers.map(|answer| Memo::new(move |_| tokens_of(answer.get())));
    let differs = Memo::new(move |_| {
        tokens[0].with(|one| tokens[1].with(|other| first_difference(one, other)))
    });
    let name = token_name();
    let readings = tokens.map(|tokens| Reading {
        tokens,
        chain: Memo::new(move |_| tokens.with(|tokens| chain(tokens))),
        names: Memo::new(move |_| {
            tokens.with(|tokens| tokens.iter().map(|read| name(&read.token)).collect())
        }),
        differs,
    });
    let most = Memo::new(move |_| {
        readings
            .iter()
            .map(|&reading| most_bits(reading))
            .fold(1.0, f32::max)
    });
    let source = move || {
        reader
            .get()?
            .source
            .map(|source| t_string!(i18n, judging.given_source, source = source))
    };
    view! {
        <section class="lesson-figure" data-testid="chain">
            <ReadForm own=own texts />
            {move || source().map(|words| view! {
                <p class="hint" data-testid="chain-source">{words}</p>
            })}
            <Segmented
                label=Signal::derive(move || t_string!(i18n, judging.direction).to_owned())
                options=Signal::derive(move || vec![
                    (Direction::LeftToRight, t_string!(i18n, judging.left_to_right).to_owned()),
                    (Direction::RightToLeft, t_string!(i18n, judging.right_to_left).to_owned()),
                ])
                value=direction
                choose=move |direction| state.update_chapters(|chapters| {
                    chapters.of_mut::<Judging>().direction = direction;
                })
            />
            <Show when=move || direction.get() == Direction::RightToLeft>
                <p class="notice" role="status" data-testid="no-factors">
                    {t!(i18n, judging.no_factors)}
                </p>
            </Show>
            <div class="map-pair factor-pair">
                {[0, 1].map(|index| view! {
                    <FactorTable
                        number=index
                        text=Signal::derive(move || texts.get()[index].clone())
                        answer=answers[index]
                        reading=readings[index]
                        direction
                        most
                    />
                }).collect_view()}
            </div>
            <Compared readings />
        </section>
        <LaterPrompt readings />
    }
}

fn most_bits(reading: Reading) -> f32 {
    reading.chain.with(|chain| {
        let bits = chain.iter().flat_map(|chain| &chain.bits);
        bits.copied().fold(0.0, f64::max) as f32
    })
}

/// A form for the two texts; an empty field is read as an empty text.
#[component]
fn ReadForm(own: Memo<Option<[&'static str; 2]>>, texts: Memo<[String; 2]>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_own = state.select(|view| view.chapters.of::<Judging>().read == [None, None]);
    let fields = [NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new()];
    let set =
        move |read| state.update_chapters(|chapters| chapters.of_mut::<Judging>().read = read);
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        let own = own.get_untracked().unwrap_or_default();
        set([0, 1].map(|index| {
            let text = fields[index].get_untracked()?.value();
            (text != own[index]).then_some(text)
        }));
    };
    let field = move |index: usize| {
        view! {
            <label class="judged-text">
                <span>{move || t_string!(i18n, judging.text_number, number = index + 1)}</span>
                <input
                    class="text-box"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    data-testid=format!("read-{}", index + 1)
                    node_ref=fields[index]
                    prop:value=move || texts.get()[index].clone()
                />
            </label>
        }
    };
    view! {
        <form class="lesson-figure judged-form" on:submit=submit>
            {[0, 1].map(field).collect_view()}
            <div class="position-controls">
                <button type="submit" class="plain-button" data-testid="read-both">
                    {t!(i18n, judging.read_both)}
                </button>
                <Show when=move || !is_own.get()>
                    <button
                        type="button"
                        class="link-button"
                        data-testid="read-own"
                        on:click=move |_| set([None, None])
                    >
                        {t!(i18n, judging.read_own)}
                    </button>
                </Show>
            </div>
        </form>
    }
}

/// A text's factors as bars and as a table, with the text's probability, bits and perplexity.
#[component]
fn FactorTable(
    /// The text's number, from 0.
    number: usize,
    text: Signal<String>,
    answer: Memo<Option<Forced>>,
    reading: Reading,
    direction: Memo<Direction>,
    /// The most bits of a token in either text, which is the top of both charts.
    most: Memo<f32>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let rows = Memo::new(move |_| {
        let chain = reading.chain.get();
        let of = |chain: &Chain| {
            reading
                .names
                .with(|names| factors(names, chain, direction.get(), reading.differs.get()))
        };
        chain.as_ref().map(of).unwrap_or_default()
    });
    let said = Memo::new(move |_| {
        let is_said = direction.get() == Direction::LeftToRight;
        reading.chain.get().filter(|_| is_said)
    });
    let chart = Signal::derive(move || {
        let chain = said.get()?;
        Some(Bars {
            names: reading.names.get(),
            top: most.get(),
            marked: reading.differs.get(),
            series: vec![Series {
                label: None,
                values: chain.bits.iter().map(|&bits| bits as f32).collect(),
                colors: vec![categorical(number, appearance.get())],
            }],
        })
    });
    let totals = move || {
        let chain = said.get()?;
        Some(t_string!(
            i18n,
            judging.totals,
            probability = from_log2(chain.log2()),
            bits = decimal(-chain.log2() as f32, 2),
            tokens = chain.bits.len(),
            perplexity = from_log2(chain.perplexity().log2())
        ))
    };
    let name = Signal::derive(move || {
        format!(
            "{}: {}",
            t_string!(i18n, judging.text_number, number = number + 1),
            text.get()
        )
    });
    view! {
        <figure class="factor-table">
            <figcaption>{name}</figcaption>
            <Refusal answer />
            <Unknown given=reading.tokens />
            <BarFigure
                name=Signal::derive(move || format!("{}, {}", t_string!(i18n, judging.bars), name.get()))
                test_id=format!("bits-{}", number + 1)
                height=160.0
                chart
            />
            <ScrollRegion class="lesson-table" test_id=["factors-1", "factors-2"][number] name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, judging.factor)}</th>
                            <th scope="col">"p"</th>
                            <th scope="col">"−log₂ p"</th>
                            <th scope="col">{t!(i18n, judging.product)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {move || rows.get().into_iter().map(|row| view! { <Row row /> }).collect_view()}
                    </tbody>
                </table>
            </ScrollRegion>
            <p class="lesson-reading number" data-testid=format!("chain-totals-{}", number + 1)>{totals}</p>
        </figure>
    }
}

#[component]
fn Row(row: Factor) -> impl IntoView {
    let values = row.values.unwrap_or_else(|| ["–"; 3].map(str::to_owned));
    let cells = values.map(|value| view! { <td class="number">{value}</td> });
    view! {
        <tr class:differs=row.differs>
            <th scope="row">{row.name}</th>
            {cells.collect_view()}
        </tr>
    }
}

/// A line that names the more probable text and the ratio of the probabilities.
#[component]
fn Compared(readings: [Reading; 2]) -> impl IntoView {
    let i18n = use_i18n();
    let difference = Memo::new(move |_| {
        let [one, other] = readings.map(|reading| reading.chain.get());
        Some(one?.log2() - other?.log2())
    });
    let words = move || {
        let difference = difference.get()?;
        let times = from_log2(difference.abs());
        Some(match difference {
            0.0 => t_string!(i18n, judging.as_probable).to_owned(),
            difference if difference > 0.0 => {
                t_string!(i18n, judging.first_more_probable, times = times)
            }
            _ => t_string!(i18n, judging.second_more_probable, times = times),
        })
    };
    view! { <p class="lesson-reading number" role="status" data-testid="chain-compared">{words}</p> }
}

/// Asks if another word changes the factors of the tokens after it; only shown if the texts differ in one token.
#[component]
fn LaterPrompt(readings: [Reading; 2]) -> impl IntoView {
    let i18n = use_i18n();
    let found = Memo::new(move |_| {
        readings[0].tokens.with(|one| {
            readings[1].tokens.with(|other| {
                let (one, other) = after_change(one, other)?;
                Some((has_changed(one, other), [one[0].clone(), other[0].clone()]))
            })
        })
    });
    let is_asked = Memo::new(move |_| found.with(Option::is_some));
    let expected = Signal::derive(move || Some(Expected::Truth(found.get()?.0)));
    let name = token_name();
    let values = Signal::derive(move || {
        let (_, [one, other]) = found.get()?;
        let p = |read: &ReadToken| share_of_one(read.log_probability.exp(), 3);
        Some(vec![
            ("token", name(&one.token)),
            ("one", p(&one)),
            ("other", p(&other)),
        ])
    });
    view! {
        <Show when=move || is_asked.get()>
            <Prompt
                question="ask-later"
                answer="answer-later"
                values
                asks=Signal::derive(move || t_string!(i18n, predictions.factors).to_owned())
                expected
            />
        </Show>
    }
}
