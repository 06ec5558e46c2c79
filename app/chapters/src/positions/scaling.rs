//! RoPE's base and the ways to scale it: the speed of each pair's rotation, and the effect on the decay.

use crate::positions::parameters::Encodings;
use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::positions::{RopeScaling, ScaledRope, rope_decay_at};
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{Plot, PlotFigure, Prose, Segmented, Slider},
};

/// The width of a head.
const WIDTH: usize = 64;
/// The number of positions in training, as for Llama 2.
const TRAINED: usize = 4096;
/// The bases that are compared: half the usual one's exponent, RoPE's own, Llama 3's.
const BASES: [f32; 3] = [100.0, 10_000.0, 500_000.0];
/// The base that is scaled.
const BASE: f32 = 10_000.0;
/// The number of distances in the decay.
const DISTANCES: usize = 513;

/// Returns the number of positions for a full turn of each pair, as powers of ten.
fn turns(wavelengths: &[f64]) -> Vec<f32> {
    let turn = |length: &f64| (length * std::f64::consts::TAU).log10() as f32;
    wavelengths.iter().map(turn).collect()
}

/// Returns `q·k` against distance for vectors of equal entries, as a share of its value at distance 0.
fn decay(wavelengths: &[f64]) -> Vec<f32> {
    let ones = vec![1.0; WIDTH];
    let decay = rope_decay_at(&ones, &ones, DISTANCES, wavelengths);
    decay.iter().map(|value| value / WIDTH as f32).collect()
}

fn scaled(scaling: RopeScaling, factor: usize, base: f32) -> Vec<f64> {
    let rope = ScaledRope {
        scaling,
        factor: factor as f64,
        trained: TRAINED,
        ramp: scaling.ramp(),
    };
    rope.wavelengths(WIDTH, base)
}

/// Both figures and their controls.
#[component]
pub fn ScalingFigures() -> impl IntoView {
    let wanted = ViewState::expect().select(|view| {
        let encodings = view.chapters.of::<Encodings>();
        (encodings.scaling, encodings.factor)
    });
    let lines = Memo::new(move |_| {
        let (scaling, factor) = wanted.get();
        let bases = BASES.map(|base| (format!("b = {base}"), scaled(RopeScaling::None, 1, base)));
        let changed = (scaling != RopeScaling::None).then(|| {
            let name = format!("b = {BASE}, {} × {factor}", name(scaling));
            (name, scaled(scaling, factor, BASE))
        });
        bases.into_iter().chain(changed).collect::<Vec<_>>()
    });
    view! {
        <Prose part="scaling" />
        <ScalingControls />
        <div class="position-figures">
            <Turns lines />
            <Decay lines />
        </div>
    }
}

type Lines = Memo<Vec<(String, Vec<f64>)>>;

/// Returns a way's own name; nothing for RoPE as it was trained.
pub fn name(scaling: RopeScaling) -> &'static str {
    match scaling {
        RopeScaling::None => "",
        RopeScaling::Linear => "linear",
        RopeScaling::Ntk => "NTK-aware",
        RopeScaling::Yarn => "YaRN",
        RopeScaling::Llama3 => "Llama 3",
    }
}

#[component]
fn ScalingControls() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let scaling = state.select(|view| view.chapters.of::<Encodings>().scaling);
    let factor = state.select(|view| view.chapters.of::<Encodings>().factor);
    let words = move |scaling: RopeScaling| match scaling {
        RopeScaling::None => t_string!(i18n, encodings.not_scaled).to_owned(),
        RopeScaling::Linear => t_string!(i18n, encodings.linear).to_owned(),
        other => name(other).to_owned(),
    };
    let options = move || {
        RopeScaling::ALL
            .map(|scaling| (scaling, words(scaling)))
            .to_vec()
    };
    view! {
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, encodings.scaling).to_owned())
                options=Signal::derive(options)
                value=scaling
                choose=move |scaling| {
                    state.update_chapters(|chapters| chapters.of_mut::<Encodings>().scaling = scaling)
                }
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, encodings.factor).to_owned())
                test_id="scaling-factor"
                range=Encodings::FACTORS
                value=factor
                words=Signal::derive(move || factor.get().to_string())
                set=move |factor| {
                    state.update_chapters(|chapters| chapters.of_mut::<Encodings>().factor = factor)
                }
            />
        </div>
    }
}

#[component]
fn Turns(lines: Lines) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let pairs = (WIDTH / 2 - 1) as f64;
        let trained = Curve {
            points: vec![
                (0.0, (TRAINED as f64).log10()),
                (pairs, (TRAINED as f64).log10()),
            ],
            ..Curve::counted("", &[], categorical(5, theme)).faint()
        };
        let curves = lines.with(|lines| {
            let curve = |(index, (name, lengths)): (usize, &(String, Vec<f64>))| {
                Curve::counted(name.clone(), &turns(lengths), categorical(index, theme))
            };
            lines
                .iter()
                .enumerate()
                .map(curve)
                .chain([trained])
                .collect::<Vec<_>>()
        });
        Plot {
            x: Axis::new(t_string!(i18n, encodings.pair), 0.0, pairs),
            y: Axis::around_curves(t_string!(i18n, encodings.positions_a_turn), &curves),
            curves,
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, encodings.turns).to_owned())
            text=Signal::derive(move || t_string!(i18n, encodings.turns_text, trained = TRAINED))
            test_id="rope-turns"
            plot
        />
    }
}

#[component]
fn Decay(lines: Lines) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let curves: Vec<_> = lines.with(|lines| {
            let curve = |(index, (name, lengths)): (usize, &(String, Vec<f64>))| {
                Curve::counted(name.clone(), &decay(lengths), categorical(index, theme))
            };
            lines.iter().enumerate().map(curve).collect()
        });
        Plot {
            x: Axis::new(
                t_string!(i18n, positions.distance),
                0.0,
                (DISTANCES - 1) as f64,
            ),
            y: Axis::around_curves("q·k", &curves),
            curves,
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, encodings.base_decay).to_owned())
            text=Signal::derive(move || t_string!(i18n, encodings.base_decay_text).to_owned())
            test_id="rope-decays"
            plot
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pair_needs_two_pi_positions_for_a_turn() {
        let plain = turns(&scaled(RopeScaling::None, 1, BASE));
        assert!((plain[0] - (std::f32::consts::TAU).log10()).abs() < 1e-6);
        assert_eq!(plain.len(), WIDTH / 2);
    }

    #[test]
    fn the_decay_begins_at_one_and_a_larger_base_falls_more_slowly() {
        let at = |base| decay(&scaled(RopeScaling::None, 1, base));
        let (small, large) = (at(BASES[0]), at(BASES[2]));
        assert!((small[0] - 1.0).abs() < 1e-6 && (large[0] - 1.0).abs() < 1e-6);
        let mean = |decay: &[f32]| decay.iter().sum::<f32>() / decay.len() as f32;
        assert!(mean(&small) < mean(&large));
    }
}
