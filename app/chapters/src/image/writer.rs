//! A digit that a model writes cell by cell, and the weights of the cell that is written on those before it.

use attention_trace::{
    Array, AttentionKind, Quantity, Search, Step, Token, Trace, lessons::Picture,
};
use leptos::prelude::*;

use super::{
    choice::drawn,
    field::{PictureField, Touch, arrow},
    looks::strongest,
    place_name,
    stroke::moved,
};
use attention_core::{
    appearance::Appearance,
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    selection::{HeadNumbers, HeadSelects, Selection},
    state::{HeadChoice, Model, SamplingChoice, Task, View, ViewState},
    steps::Steps,
    widgets::{numbers::share_of_one, player::Transport},
};

/// The figure, or a link to the model that writes digits while another is on screen.
#[component]
pub fn WriterFigure() -> impl IntoView {
    let i18n = use_i18n();
    let is_here = ViewState::expect().select(|view| view.model.card().task == Task::Picture);
    let change = |view: &mut View| {
        view.use_model(Model::first(|card| card.task == Task::Picture));
    };
    view! {
        <Show
            when=move || is_here.get()
            fallback=move || view! {
                <ViewLink change class="link-button" test_id="use-digit-writer">
                    {t!(i18n, image.use_writer)}
                </ViewLink>
            }
        >
            <Written />
        </Show>
    }
}

/// The written picture, with the head whose weights are shown.
#[derive(Clone, Debug, PartialEq)]
struct Writing {
    numbers: HeadNumbers,
    head: HeadChoice,
    /// The level of each cell that was written, 0 to [`Picture::INK`].
    levels: Vec<u8>,
    /// The probability of each cell's level.
    probabilities: Vec<f32>,
    /// The row of the attention map that wrote the first cell; the key after it is that cell.
    first_row: usize,
}

impl Writing {
    fn of(trace: &Trace, selection: Selection) -> Option<Self> {
        trace.meta.spec.attention(AttentionKind::DecoderSelf)?;
        let steps = &trace.decoding.as_ref()?.steps;
        let cells = steps.iter().map_while(|step| level(&step.chosen.token));
        let levels: Vec<u8> = cells.take(Picture::CELLS).collect();
        let head = selection
            .with_kind(AttentionKind::DecoderSelf)
            .head(&trace.meta);
        Some(Writing {
            numbers: head.numbers(&trace.meta),
            head,
            probabilities: steps.iter().map(probability).collect(),
            first_row: steps.first()?.row,
            levels,
        })
    }

    /// Returns the picture up to the cell of a step.
    fn picture(&self, step: usize) -> Picture {
        let written = self.levels.iter().take(step + 1).copied();
        let rest = std::iter::repeat(0);
        let levels = written.chain(rest).take(Picture::CELLS).collect();
        Picture::new(levels).unwrap_or_else(|_| Picture::blank())
    }

    /// Returns the weights of a step's row on the cells, and their sum on the tokens before the first cell.
    fn weights(&self, map: &Array, step: usize) -> Option<(Vec<f32>, f32)> {
        let row = map.row(&[self.first_row + step])?;
        let (before, cells) = row.split_at_checked(self.first_row + 1)?;
        let rest = std::iter::repeat(0.0);
        let cells = cells.iter().copied().chain(rest).take(Picture::CELLS);
        Some((cells.collect(), before.iter().sum()))
    }
}

/// Returns the level that a token stands for; `None` if it is no level.
fn level(token: &Token) -> Option<u8> {
    let sign = token.text.chars().last()?;
    Picture::level_of(sign)
}

fn probability(step: &Step) -> f32 {
    step.chosen.log_probability.exp()
}

#[component]
fn Written() -> impl IntoView {
    let i18n = use_i18n();
    let (live, steps, state) = (Live::expect(), Steps::expect(), ViewState::expect());
    let selection = Selection::of_page();
    let writing = Memo::new(move |_| Writing::of(&*live.trace()?, selection.get()));
    let map = live.part(move || {
        let head = writing.with(|writing| Some(writing.as_ref()?.head))?;
        Some(head.excerpt(Quantity::Pattern))
    });
    let step = Memo::new(move |_| steps.timeline().step);
    let weights = Memo::new(move |_| {
        map.with(|map| {
            let Part(map) = map.as_ref()?;
            writing.with(|writing| writing.as_ref()?.weights(map, step.get()))
        })
    });
    let numbers = Memo::new(move |_| writing.with(|writing| Some(writing.as_ref()?.numbers)));
    let words = Signal::derive(move || {
        let timeline = steps.timeline();
        t_string!(
            i18n,
            decoding.step_of,
            step = timeline.step + 1,
            count = timeline.count
        )
    });
    view! {
        <section class="lesson-figure" data-testid="writer">
            <DigitChoice />
            <div class="position-controls">
                <HeadSelects numbers test_ids=["writer-layer", "writer-head"] />
            </div>
            <Transport
                player=steps.player()
                label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                words
                has_keys=false
            />
            <div class="picture-and-tools">
                <Canvas writing step weights choose=move |cell| state.set_step(cell) />
                <div class="picture-tools">
                    <Reading writing step weights />
                </div>
            </div>
        </section>
    }
}

/// The digit, and whether its cells are the most probable ones or drawn.
#[component]
fn DigitChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    // A text that is no digit presses none of the buttons.
    let digit = state.select(|view| view.text.trim().parse::<u8>().ok());
    let sampling = state.select(|view| SamplingChoice::of(view.search));
    view! {
        <div
            class="segmented"
            role="group"
            data-testid="writer-digits"
            aria-label=move || t_string!(i18n, image.digit)
        >
            {(0..10_u8).map(|number| view! {
                <button
                    type="button"
                    aria-pressed=move || (digit.get() == Some(number)).to_string()
                    on:click=move |_| {
                        state.set_text(number.to_string());
                        live.run();
                    }
                >
                    {number.to_string()}
                </button>
            }).collect_view()}
        </div>
        <div class="button-row">
            <button
                type="button"
                class="plain-button"
                data-testid="draw-anew"
                on:click=move |_| {
                    let drawn = sampling.get_untracked();
                    let seed = drawn.map_or(1, |choice| choice.seed.wrapping_add(1));
                    state.set_search(SamplingChoice { seed, ..drawn.unwrap_or_default() }.search());
                    live.run();
                }
            >
                {t!(i18n, image.draw_anew)}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="most-probable"
                prop:disabled=move || sampling.get().is_none()
                on:click=move |_| {
                    state.set_search(Search::Greedy);
                    live.run();
                }
            >
                {t!(i18n, image.most_probable)}
            </button>
        </div>
    }
}

#[component]
fn Canvas(
    writing: Memo<Option<Writing>>,
    step: Memo<usize>,
    weights: Memo<Option<(Vec<f32>, f32)>>,
    choose: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let drawing = move || {
        let picture = writing.with(|writing| {
            let writing = writing.as_ref()?;
            Some(writing.picture(step.get()))
        });
        let picture = picture.unwrap_or_else(Picture::blank);
        weights.with(|weights| {
            let weights = weights.as_ref().map(|(cells, _)| cells.as_slice());
            drawn(&picture, weights, Some(step.get()), appearance.get())
        })
    };
    let count = move || writing.with_untracked(|it| it.as_ref().map_or(0, |it| it.levels.len()));
    let choose = move |cell: usize| {
        if cell < count() {
            choose(cell);
        }
    };
    view! {
        <PictureField
            test_id="writer-field"
            label=Signal::derive(move || t_string!(
                i18n,
                image.writer_label,
                place = place_name(i18n, step.get())
            ))
            drawing=Signal::derive(drawing)
            holds=Signal::stored(false)
            touch=move |touch| {
                let (Touch::Down(cell) | Touch::Along(cell)) = touch;
                choose(cell);
            }
            key=move |event| {
                let to = arrow(event);
                if let Some((right, down)) = to {
                    choose(moved(step.get_untracked(), right, down));
                }
                to.is_some()
            }
        />
    }
}

/// The level of the step's cell and its probability, and where most of the weight of its row lies.
#[component]
fn Reading(
    writing: Memo<Option<Writing>>,
    step: Memo<usize>,
    weights: Memo<Option<(Vec<f32>, f32)>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let level = move || {
        let (level, probability) = writing.with(|writing| {
            let writing = writing.as_ref()?;
            let step = step.get();
            Some((
                *writing.levels.get(step)?,
                *writing.probabilities.get(step)?,
            ))
        })?;
        Some(t_string!(
            i18n,
            image.written_level,
            place = place_name(i18n, step.get()),
            level = level / Picture::STEP,
            probability = share_of_one(probability, 2)
        ))
    };
    let looks = move || {
        weights.with(|weights| {
            let (cells, before) = weights.as_ref()?;
            let first = strongest(cells, 1)
                .first()
                .copied()
                .filter(|(_, weight)| *weight > 0.0);
            let before = share_of_one(*before, 3);
            Some(match first {
                Some((cell, weight)) => t_string!(
                    i18n,
                    image.writer_looks,
                    place = place_name(i18n, cell),
                    weight = share_of_one(weight, 3),
                    before = before
                ),
                None => t_string!(i18n, image.writer_starts, before = before),
            })
        })
    };
    view! {
        <p class="lesson-reading number" role="status" data-testid="writer-level">{level}</p>
        <p class="lesson-reading number" data-testid="writer-looks">{looks}</p>
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use attention_trace::{TraceMeta, config::LlamaConfig};

    use super::*;

    fn writing() -> Writing {
        let meta = TraceMeta {
            spec: LlamaConfig::default().spec(),
            source: Vec::new(),
            target: Vec::new(),
            pieces: attention_trace::Pieces::default(),
        };
        let head = Selection::of(&View::default());
        let head = head.with_kind(AttentionKind::DecoderSelf).head(&meta);
        Writing {
            numbers: head.numbers(&meta),
            head,
            levels: vec![4, 16, 8],
            probabilities: vec![0.5; 3],
            first_row: 1,
        }
    }

    #[test]
    fn a_picture_has_the_cells_up_to_the_step() {
        let picture = writing().picture(1);
        assert_eq!(&picture.levels()[..4], [4, 16, 0, 0]);
        assert_eq!(picture.levels().len(), Picture::CELLS);
    }

    #[test]
    fn the_row_of_a_step_is_divided_between_the_prompt_and_the_cells() {
        // Rows and keys: the start, the digit, the first two cells.
        let map = Array {
            shape: vec![4, 4],
            data: vec![
                1.0, 0.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.0, 0.25, 0.25, 0.5, 0.0, 0.125, 0.125, 0.5,
                0.25,
            ],
        };
        let (cells, before) = writing().weights(&map, 2).unwrap();
        assert_eq!((&cells[..3], before), (&[0.5, 0.25, 0.0][..], 0.25));
        assert_eq!(cells.len(), Picture::CELLS);
        assert_eq!(writing().weights(&map, 0).unwrap().1, 1.0);
        assert_eq!(writing().weights(&map, 3), None);
    }

    #[test]
    fn the_numbers_of_the_text_are_those_of_the_readme() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let readme = root.join("../../assets/models/digit-writer/README.md");
        let readme = fs::read_to_string(readme).unwrap();
        let numbers = ["1.88", "360", "28 %", "34 %", "31 %", "21 %", "89.7 %"];
        for (language, gap) in [("en", " %"), ("zh", "%")] {
            let text = root.join("src/image").join(language).join("text.md");
            let text = fs::read_to_string(text).unwrap();
            let (_, written) = text.split_once("{#written}").unwrap();
            for number in numbers {
                assert!(readme.contains(number), "README: {number}");
                let number = number.replace(" %", gap);
                assert!(written.contains(&number), "{language}: {number}");
            }
        }
        assert!(readme.contains("| 9, 90 % |") && readme.contains("| 89, 89 % |"));
    }

    #[test]
    fn levels_are_read_from_the_signs_that_the_model_writes() {
        let token = |text: &str| Token {
            id: 7,
            text: text.to_owned(),
            unknown: false,
        };
        let levels = ["▁▫", "▁░", "▁▒", "▁▓", "▁█", "▁7", "</s>"].map(|text| level(&token(text)));
        let expected = [Some(0), Some(4), Some(8), Some(12), Some(16), None, None];
        assert_eq!(levels, expected);
    }
}
