//! The gradient of a loss on its way back through two stacks of untrained layers, which read the visitor's sentence: one
//! with residual connections, one without.

use attention_figures::flowing_back::{FlowingBack, Passed};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array, Excerpt, Slice,
    lessons::{self, GradientSite, StackGradients, StackNorm, UntrainedStack},
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use crate::{
    follow::FollowContext,
    norms::parameters::{Norms, Placement},
};
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    lessons::{LessonNotice, Lessons},
    state::ViewState,
    widgets::{
        Segmented, Slider, StagedFigure,
        numbers::{decimal, significant},
        player::Player,
    },
};

/// The most tokens that the stacks read, and the fewest.
const MOST_TOKENS: usize = 24;
const LEAST_TOKENS: usize = 3;
/// The width of the stacks: the first numbers of each token's vector.
const WIDTH: usize = 32;

/// The first numbers of the first tokens of `[n, d]`.
fn corner(x: &Array) -> Option<Array> {
    let &[tokens, width] = x.shape.as_slice() else {
        return None;
    };
    let (tokens, width) = (tokens.min(MOST_TOKENS), width.min(WIDTH));
    let mut data = Vec::with_capacity(tokens * width);
    for token in 0..tokens {
        data.extend_from_slice(&x.row(&[token])?[..width]);
    }
    Some(Array {
        shape: vec![tokens, width],
        data,
    })
}

fn stack_norm(placement: Placement) -> StackNorm {
    match placement {
        Placement::None => StackNorm::None,
        Placement::Pre => StackNorm::Pre,
        Placement::Post => StackNorm::Post,
    }
}

fn site_name(i18n: I18nContext<Locale>, site: GradientSite) -> String {
    match site {
        GradientSite::Layer(layer) => t_string!(i18n, norms.back_layer, layer = layer + 1),
        GradientSite::FeedForward(layer) => t_string!(i18n, norms.back_network, layer = layer + 1),
        GradientSite::Attention(layer) => t_string!(i18n, norms.back_attention, layer = layer + 1),
        GradientSite::Embedding => t_string!(i18n, norms.back_embedding).to_owned(),
    }
}

/// The share of the topmost layer's gradient that reaches the tokens' vectors.
fn arriving(gradients: &StackGradients) -> Option<f32> {
    let [(_, first), .., (_, last)] = gradients.norms.as_slice() else {
        return None;
    };
    Some(last / first)
}

/// The settings of the stacks, and the picture with its player.
#[component]
pub fn GradientsBack() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let lab = state.select(|view| *view.chapters.of::<Norms>());
    let update = move |change: fn(&mut Norms, usize), value: usize| {
        state.update_chapters(|chapters| change(chapters.of_mut::<Norms>(), value));
    };
    let vectors = context.part(|place| {
        let stack = place.choice.attention.kind.stack();
        Excerpt::new(place.meta.spec.layer_input(stack, 0), Slice::Whole)
    });
    let tokens = Memo::new(move |_| vectors.with(|part| corner(&part.as_ref()?.0)));
    let stacks = Memo::new(move |_| {
        let tokens = tokens.get().filter(|it| it.shape[0] >= LEAST_TOKENS)?;
        let lab = lab.get();
        Some(UntrainedStack {
            tokens,
            layers: lab.layers,
            norm: stack_norm(lab.placement),
            seed: lab.seed.into(),
        })
    });
    let asked = Lessons::expect().ask(
        move || Some(Question::GradientsBack(Box::new(stacks.get()?))),
        |answer| match answer {
            Answer::GradientsBack(back) => Some(lessons::GradientsBack::clone(back)),
            _ => None,
        },
    );
    let names = move || {
        [
            t_string!(i18n, norms.with_residual),
            t_string!(i18n, norms.without_residual),
        ]
        .map(str::to_owned)
    };
    let flowing = Memo::new(move |_| {
        asked.answer.with(|back| {
            let back = back.as_ref()?;
            let places = back.residual.norms.iter().zip(&back.plain.norms);
            let passed = places.map(|(&(site, residual), &(_, plain))| Passed {
                name: site_name(i18n, site),
                is_on_stream: matches!(site, GradientSite::Layer(_) | GradientSite::Embedding),
                norms: [residual, plain],
            });
            Some(FlowingBack {
                loss: t_string!(i18n, norms.back_loss).to_owned(),
                stacks: names(),
                passed: passed.collect(),
            })
        })
    });
    let player = Player::new(
        move || lab.with(|lab| lab.step),
        move || flowing.with(|it| it.as_ref().map_or(0, FlowingBack::steps)),
        move |step| update(|lab, step| lab.step = step, step),
    );
    let words = Signal::derive(move || {
        let step = player.timeline().step;
        asked.answer.with(|back| {
            let Some(back) = back.as_ref() else {
                return String::new();
            };
            let place = step.checked_sub(1);
            let at = |gradients: &StackGradients| Some(gradients.norms.get(place?)?.1);
            match (place, at(&back.residual), at(&back.plain)) {
                (Some(place), Some(residual), Some(plain)) => t_string!(
                    i18n,
                    norms.back_step,
                    place = site_name(i18n, back.residual.norms[place].0),
                    residual = significant(residual),
                    plain = significant(plain)
                ),
                _ => t_string!(
                    i18n,
                    norms.back_losses,
                    residual = decimal(back.residual.loss, 2),
                    plain = decimal(back.plain.loss, 2)
                ),
            }
        })
    });
    let arrives = move || {
        asked.answer.with(|back| {
            let back = back.as_ref()?;
            Some(t_string!(
                i18n,
                norms.back_arrives,
                residual = significant(arriving(&back.residual)?),
                plain = significant(arriving(&back.plain)?)
            ))
        })
    };
    let is_short = move || {
        tokens.with(|tokens| {
            let count = tokens.as_ref().map(|tokens| tokens.shape[0]);
            count.is_some_and(|count| count < LEAST_TOKENS)
        })
    };
    view! {
        <section class="lesson-figure" data-testid="back">
            <div class="position-controls">
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, norms.back_norm).to_owned())
                    options=Signal::derive(move || vec![
                        (Placement::None, t_string!(i18n, norms.back_none).to_owned()),
                        (Placement::Pre, t_string!(i18n, norms.back_pre).to_owned()),
                        (Placement::Post, t_string!(i18n, norms.back_post).to_owned()),
                    ])
                    value=Memo::new(move |_| lab.with(|lab| lab.placement))
                    choose=move |placement| state.update_chapters(|chapters| {
                        chapters.of_mut::<Norms>().placement = placement;
                    })
                />
                <Slider
                    name=Signal::derive(move || t_string!(i18n, norms.back_layers).to_owned())
                    test_id="back-layers"
                    range=Norms::LAYERS
                    value=Signal::derive(move || lab.with(|lab| lab.layers))
                    words=Signal::derive(move || lab.with(|lab| lab.layers.to_string()))
                    set=move |layers| update(|lab, layers| lab.layers = layers, layers)
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="back-draw-again"
                    on:click=move |_| update(|lab, _| lab.seed = lab.seed.wrapping_add(1), 0)
                >
                    {t!(i18n, positions.draw_again)}
                </button>
            </div>
            <LessonNotice asked />
            <Show when=is_short>
                <p class="hint" data-testid="back-short">{t!(i18n, norms.back_short)}</p>
            </Show>
            <StagedFigure
                test_id="back-picture"
                name=Signal::derive(move || t_string!(i18n, norms.back).to_owned())
                player
                words
                has_keys=false
                draw=move |width| flowing.with(|it| Some(it.as_ref()?.picture(width)))
            />
            <p class="lesson-reading number" role="status" data-testid="back-arrives">{arrives}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stacks_read_the_first_numbers_of_the_first_tokens() {
        let array = Array {
            shape: vec![30, 40],
            data: (0..1200).map(|place| place as f32).collect(),
        };
        let found = corner(&array).unwrap();
        assert_eq!(found.shape, [MOST_TOKENS, WIDTH]);
        assert_eq!(found.row(&[1]).unwrap()[..2], [40.0, 41.0]);
        let narrow = Array {
            shape: vec![2, 3],
            data: vec![1.0; 6],
        };
        assert_eq!(corner(&narrow).unwrap(), narrow);
    }

    #[test]
    fn what_arrives_is_compared_with_what_sets_out() {
        let gradients = |norms: &[f32]| StackGradients {
            loss: 1.0,
            norms: norms
                .iter()
                .map(|&norm| (GradientSite::Embedding, norm))
                .collect(),
        };
        assert_eq!(arriving(&gradients(&[4.0, 9.0, 1.0])), Some(0.25));
        assert_eq!(arriving(&gradients(&[4.0])), None);
    }
}
