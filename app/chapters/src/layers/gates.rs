//! One step of an LSTM or a GRU by hand: sliders for its numbers, and every gate with its formula.

use crate::layers::parameters::{Gated, LayersLab};
use attention_trace::gates::{GruStep, LstmStep};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::words::lab;
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    state::ViewState,
    widgets::{ScrollRegion, Segmented, Slider, numbers::decimal},
};

/// The numbers of a row have so many decimals.
const DECIMALS: usize = 3;

/// A number of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    Plain,
    Input,
    Forget,
    Output,
    Update,
    Reset,
    Candidate,
    Cell,
    State,
}

impl Gate {
    fn name(self, i18n: I18nContext<Locale>) -> &'static str {
        match self {
            Gate::Plain => t_string!(i18n, layers.plain_unit),
            Gate::Input => t_string!(i18n, layers.input_gate),
            Gate::Forget => t_string!(i18n, layers.forget_gate),
            Gate::Output => t_string!(i18n, layers.output_gate),
            Gate::Update => t_string!(i18n, layers.update_gate),
            Gate::Reset => t_string!(i18n, layers.reset_gate),
            Gate::Candidate => t_string!(i18n, layers.candidate),
            Gate::Cell => t_string!(i18n, layers.next_cell),
            Gate::State => t_string!(i18n, layers.next_state),
        }
    }
}

/// A row of the table: a number, its formula, the formula with numbers, and its value.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    gate: Gate,
    formula: &'static str,
    numbers: String,
    value: f64,
}

/// Returns the rows of the step that the view describes.
fn rows(lab: &LayersLab) -> Vec<Row> {
    let unit = lab.unit();
    let [x, h, c] =
        [lab.gates_input, lab.gates_state, lab.gates_cell].map(|tenths| f64::from(tenths) / 10.0);
    let row = |gate, formula, numbers, value| Row {
        gate,
        formula,
        numbers,
        value,
    };
    let u = unit.state_weight;
    let sum = format!("{} + {} · {}", short(x), short(u), bracketed(h));
    let of_gate = |bias: f64| format!("σ({sum} + {})", bracketed(bias));
    let plain = row(
        Gate::Plain,
        "h ← tanh(x + u·h)",
        format!("tanh({sum})"),
        unit.plain(x, h),
    );
    let [first, second, third] = unit.biases;
    let gated = match lab.gated {
        Gated::Lstm => {
            let LstmStep {
                input_gate: i,
                forget_gate: f,
                output_gate: o,
                candidate: g,
                cell,
                state,
            } = unit.lstm(x, h, c);
            let next = format!(
                "{} · {} + {} · {}",
                long(f),
                bracketed(c),
                long(i),
                in_brackets(long(g))
            );
            vec![
                row(Gate::Input, "i = σ(x + u·h + b)", of_gate(first), i),
                row(Gate::Forget, "f = σ(x + u·h + b)", of_gate(second), f),
                row(Gate::Output, "o = σ(x + u·h + b)", of_gate(third), o),
                row(
                    Gate::Candidate,
                    "g = tanh(x + u·h)",
                    format!("tanh({sum})"),
                    g,
                ),
                row(Gate::Cell, "c ← f·c + i·g", next, cell),
                row(
                    Gate::State,
                    "h ← o·tanh c",
                    format!("{} · tanh {}", long(o), in_brackets(long(cell))),
                    state,
                ),
            ]
        }
        Gated::Gru => {
            let GruStep {
                update_gate: z,
                reset_gate: r,
                candidate: n,
                state,
            } = unit.gru(x, h);
            let candidate = format!(
                "tanh({} + {} · {} · {})",
                short(x),
                short(u),
                long(r),
                bracketed(h)
            );
            let next = format!(
                "{} · {} + {} · {}",
                long(z),
                bracketed(h),
                long(1.0 - z),
                in_brackets(long(n))
            );
            vec![
                row(Gate::Update, "z = σ(x + u·h + b)", of_gate(first), z),
                row(Gate::Reset, "r = σ(x + u·h + b)", of_gate(second), r),
                row(Gate::Candidate, "n = tanh(x + u·r·h)", candidate, n),
                row(Gate::State, "h ← z·h + (1 − z)·n", next, state),
            ]
        }
    };
    std::iter::once(plain).chain(gated).collect()
}

fn short(value: f64) -> String {
    decimal(value as f32, 1)
}

fn long(value: f64) -> String {
    decimal(value as f32, DECIMALS)
}

/// Writes a number of the settings as a factor or a term.
fn bracketed(value: f64) -> String {
    in_brackets(short(value))
}

/// Puts a negative number in brackets.
fn in_brackets(written: String) -> String {
    match written.starts_with('−') {
        true => format!("({written})"),
        false => written,
    }
}

/// The choice of the unit, its numbers and the table of the step.
#[component]
pub fn GatesByHand() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let gated = Memo::new(move |_| lab.with(|lab| lab.gated));
    let is_lstm = move || gated.get() == Gated::Lstm;
    let name = Signal::derive(move || t_string!(i18n, layers.gates_table).to_owned());
    let bias = move |of_lstm: Gate, of_gru: Gate| {
        Signal::derive(move || {
            let gate = if is_lstm() { of_lstm } else { of_gru };
            t_string!(i18n, layers.bias_of, gate = gate.name(i18n))
        })
    };
    let row = move |row: Row| {
        view! {
            <tr data-testid="gate-row">
                <th scope="row">{row.gate.name(i18n)}</th>
                <td>{row.formula}</td>
                <td class="number">{row.numbers}</td>
                <td class="number"><strong>{long(row.value)}</strong></td>
            </tr>
        }
    };
    view! {
        <section class="lesson-figure" data-testid="gates">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, layers.gates_of).to_owned())
                options=vec![(Gated::Lstm, "LSTM".to_owned()), (Gated::Gru, "GRU".to_owned())]
                value=gated
                choose=move |gated| state.update_chapters(|chapters| {
                    chapters.of_mut::<LayersLab>().gated = gated;
                })
            />
            <div class="position-controls">
                <Tenths
                    name=Signal::derive(move || t_string!(i18n, layers.unit_input).to_owned())
                    test_id="gates-x"
                    bounds=LayersLab::GATE_VALUES
                    field=|lab| &mut lab.gates_input
                />
                <Tenths
                    name=Signal::derive(move || t_string!(i18n, layers.unit_state).to_owned())
                    test_id="gates-h"
                    bounds=LayersLab::GATE_VALUES
                    field=|lab| &mut lab.gates_state
                />
                <Show when=is_lstm>
                    <Tenths
                        name=Signal::derive(move || t_string!(i18n, layers.unit_cell).to_owned())
                        test_id="gates-c"
                        bounds=LayersLab::GATE_VALUES
                        field=|lab| &mut lab.gates_cell
                    />
                </Show>
                <Tenths
                    name=Signal::derive(move || t_string!(i18n, layers.unit_weight).to_owned())
                    test_id="gates-u"
                    bounds=LayersLab::GATE_WEIGHTS
                    field=|lab| &mut lab.gates_weight
                />
                <Tenths
                    name=bias(Gate::Forget, Gate::Update)
                    test_id="gates-keep"
                    bounds=LayersLab::GATE_BIASES
                    field=|lab| &mut lab.gates_keep
                />
                <Tenths
                    name=bias(Gate::Input, Gate::Reset)
                    test_id="gates-enter"
                    bounds=LayersLab::GATE_BIASES
                    field=|lab| &mut lab.gates_enter
                />
                <Show when=is_lstm>
                    <Tenths
                        name=bias(Gate::Output, Gate::Output)
                        test_id="gates-leave"
                        bounds=LayersLab::GATE_BIASES
                        field=|lab| &mut lab.gates_leave
                    />
                </Show>
            </div>
            <ScrollRegion class="lesson-table" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <td></td>
                            <th scope="col">{t!(i18n, layers.gate_formula)}</th>
                            <th scope="col">{t!(i18n, layers.gate_numbers)}</th>
                            <th scope="col">{t!(i18n, layers.gate_value)}</th>
                        </tr>
                    </thead>
                    <tbody>{move || lab.with(rows).into_iter().map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
        </section>
    }
}

/// A slider of a number with one decimal, which may be negative.
#[component]
fn Tenths(
    #[prop(into)] name: Signal<String>,
    test_id: &'static str,
    /// The least and the largest number, in tenths.
    bounds: (i32, i32),
    field: fn(&mut LayersLab) -> &mut i32,
) -> impl IntoView {
    let (state, lab) = (ViewState::expect(), lab());
    let now = Memo::new(move |_| *field(&mut lab.get()));
    // A slider counts from zero.
    let counted = move |value: i32| value.abs_diff(bounds.0) as usize;
    view! {
        <Slider
            name
            test_id
            range=(0, counted(bounds.1))
            value=Signal::derive(move || counted(now.get()))
            words=Signal::derive(move || short(f64::from(now.get()) / 10.0))
            set=move |value: usize| state.update_chapters(|chapters| {
                let value = bounds.0.saturating_add_unsigned(value as u32);
                *field(chapters.of_mut::<LayersLab>()) = value;
            })
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(lab: &LayersLab) -> Vec<(Gate, String)> {
        let rows = rows(lab).into_iter();
        rows.map(|row| (row.gate, long(row.value))).collect()
    }

    #[test]
    fn an_lstms_step_by_hand() {
        // x + u·h = 1.25: σ(1.25) = 0.777, σ(3.25) = 0.963, tanh 1.25 = 0.848.
        let lab = LayersLab::default();
        let expected = [
            (Gate::Plain, "0.848"),
            (Gate::Input, "0.777"),
            (Gate::Forget, "0.963"),
            (Gate::Output, "0.777"),
            (Gate::Candidate, "0.848"),
            // 0.963 · 1 + 0.777 · 0.848, and 0.777 · tanh 1.622.
            (Gate::Cell, "1.622"),
            (Gate::State, "0.719"),
        ];
        assert_eq!(
            values(&lab),
            expected.map(|(gate, value)| (gate, value.to_owned()))
        );
        assert_eq!(rows(&lab)[2].numbers, "σ(1.0 + 0.5 · 0.5 + 2.0)");
    }

    #[test]
    fn a_grus_step_by_hand() {
        let lab = LayersLab {
            gated: Gated::Gru,
            gates_state: -5,
            ..LayersLab::default()
        };
        // x + u·h = 0.75: z = σ(2.75) = 0.940, r = σ(0.75) = 0.679, n = tanh(1 − 0.170).
        let expected = [
            (Gate::Plain, "0.635"),
            (Gate::Update, "0.940"),
            (Gate::Reset, "0.679"),
            (Gate::Candidate, "0.681"),
            (Gate::State, "−0.429"),
        ];
        assert_eq!(
            values(&lab),
            expected.map(|(gate, value)| (gate, value.to_owned()))
        );
        assert_eq!(rows(&lab)[4].numbers, "0.940 · (−0.5) + 0.060 · 0.681");
    }
}
