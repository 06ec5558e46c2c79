//! The computation of a number, as text and tables.

use leptos::prelude::*;

use super::derivation::{Derivation, Normalised, Operation, Products};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{ScrollRegion, numbers::decimal},
};

/// Describes the cell at a row and a column.
pub type Describe = Callback<(usize, usize), AnyView>;

/// A callback that describes a cell, given by row and column, by its derivation.
pub fn explained(
    made: impl Fn(usize, usize) -> Option<Derivation> + Send + Sync + 'static,
) -> Describe {
    Callback::new(move |(row, column)| match made(row, column) {
        Some(made) => view! { <DerivationView made /> }.into_any(),
        None => ().into_any(),
    })
}

/// A number, its row and column, and its derivation.
#[component]
pub fn DerivationView(
    /// The number with its computation.
    made: Derivation,
) -> impl IntoView {
    let of = made.place.join(" · ");
    let place = made
        .place
        .into_iter()
        .map(|name| view! { <span class="token">{name}</span> })
        .collect_view();
    let value = made.value;
    view! {
        <div class="made">
            <p class="made-head">
                <span class="made-place">{place}</span>
                <span class="made-value number" data-testid="made-value">{exact(value)}</span>
            </p>
            {match made.operation {
                Operation::Given => ().into_any(),
                Operation::Products(products) => view! { <ProductsView of products /> }.into_any(),
                Operation::Sum(terms) => view! { <Terms terms between="+" /> }.into_any(),
                Operation::Product(terms) => {
                    view! { <Terms terms=terms.to_vec() between="×" /> }.into_any()
                }
                Operation::Quotient { above, below } => {
                    view! { <Terms terms=vec![above, below] between="÷" /> }.into_any()
                }
                Operation::Softmax { scores, index } => {
                    view! { <SoftmaxView of scores index /> }.into_any()
                }
                Operation::Mask { score, forbidden } => {
                    view! { <MaskView score forbidden /> }.into_any()
                }
                Operation::Normalised(normalised) => {
                    view! { <NormalisedView normalised /> }.into_any()
                }
                Operation::Rotated { own, partner, cosine, sine } => view! {
                    <p class="made-line number">
                        {format!(
                            "{} · cos φ ({}) {} {} · sin φ ({})",
                            exact(own), exact(cosine),
                            if sine < 0.0 { "−" } else { "+" },
                            exact(partner), exact(sine.abs()),
                        )}
                    </p>
                }.into_any(),
                Operation::Function { function, argument } => view! {
                    <p class="made-line number">{format!("{function}({})", exact(argument))}</p>
                }.into_any(),
            }}
        </div>
    }
}

/// Four decimals, and of large numbers fewer.
fn exact(value: f32) -> String {
    decimal(value, decimals(value.abs()))
}

/// The decimals of numbers that stand together, by the largest of them.
fn decimals(largest: f32) -> usize {
    match largest {
        _ if largest < 100.0 => 4,
        _ if largest < 100_000.0 => 2,
        _ => 0,
    }
}

#[component]
fn Terms(terms: Vec<(String, f32)>, between: &'static str) -> impl IntoView {
    let terms = terms
        .into_iter()
        .enumerate()
        .map(|(index, (name, value))| {
            view! {
                {(index > 0).then(|| view! { <span class="made-sign">{between}</span> })}
                <span class="made-term">
                    <span class="made-term-value number">{exact(value)}</span>
                    <span class="hint">{name}</span>
                </span>
            }
        })
        .collect_view();
    view! { <p class="made-line">{terms}</p> }
}

/// Factors above each other, products below.
#[component]
fn ProductsView(of: String, products: Products) -> impl IntoView {
    let i18n = use_i18n();
    let total = products.total();
    let Products {
        left,
        right,
        terms,
        rest,
        bias,
    } = products;
    let row = |cells: Vec<String>| {
        let cells = cells.into_iter();
        cells
            .map(|cell| view! { <td class="number">{cell}</td> })
            .collect_view()
    };
    let heads = terms
        .iter()
        .map(|(index, ..)| view! { <th scope="col" class="number">{index + 1}</th> })
        .collect_view();
    let lefts = terms.iter().map(|term| decimal(term.1, 3)).collect();
    let rights = terms.iter().map(|term| decimal(term.2, 3)).collect();
    let products = terms
        .iter()
        .map(|term| decimal(term.1 * term.2, 3))
        .collect();
    view! {
        <ScrollRegion name=Signal::derive({
            let of = of.clone();
            move || format!("{}: {of}", t_string!(i18n, chapters.products))
        })>
            <table class="made-products" data-testid="made-products">
                <thead><tr><th scope="row">{t!(i18n, chapters.dimension)}</th>{heads}</tr></thead>
                <tbody>
                    <tr><th scope="row">{left}</th>{row(lefts)}</tr>
                    <tr><th scope="row">{right}</th>{row(rights)}</tr>
                    <tr class="made-product-row">
                        <th scope="row">{t!(i18n, chapters.product)}</th>
                        {row(products)}
                    </tr>
                </tbody>
            </table>
        </ScrollRegion>
        <p class="made-line number">
            {match (rest, bias) {
                (None, None) => ().into_any(),
                (rest, bias) => view! {
                    {rest.map(|(count, sum)| {
                        let sum = exact(sum);
                        t!(i18n, chapters.rest_of_products, count = count, sum = sum)
                    })}
                    " "
                    {bias.map(|bias| t!(i18n, chapters.bias_added, bias = exact(bias)))}
                    " "
                }.into_any(),
            }}
            {t!(i18n, chapters.sum_is, sum = exact(total))}
        </p>
    }
}

/// e^x of every score, its sum, and the share of one.
#[component]
fn SoftmaxView(of: String, scores: Vec<(String, f32)>, index: usize) -> impl IntoView {
    let i18n = use_i18n();
    let largest = scores
        .iter()
        .map(|(_, score)| *score)
        .fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scores
        .iter()
        .map(|(_, score)| (score - largest).exp())
        .collect();
    let sum: f32 = powers.iter().sum();
    let own = powers.get(index).copied().unwrap_or_default();
    let finite = scores.iter().map(|(_, score)| score.abs());
    let finite = finite.filter(|magnitude| magnitude.is_finite());
    let digits = decimals(finite.fold(0.0, f32::max));
    let rows = scores
        .into_iter()
        .zip(&powers)
        .enumerate()
        .map(|(row, ((name, score), power))| {
            view! {
                <tr class:chosen=row == index>
                    <th scope="row" class="token">{name}</th>
                    <td class="number">{decimal(score, digits)}</td>
                    <td class="number">{decimal(score - largest, digits)}</td>
                    <td class="number">{exact(*power)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <p class="made-line number" data-testid="made-softmax">
            {t!(
                i18n, chapters.softmax_share,
                numerator = exact(own), denominator = exact(sum), share = exact(own / sum)
            )}
        </p>
        <ScrollRegion
            class="table-scroll made-softmax"
            name=Signal::derive(move || format!("softmax: {of}"))
        >
            <table>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, heads.key)}</th>
                        <th scope="col">"s"</th>
                        <th scope="col">"s − max"</th>
                        <th scope="col">"e^(s − max)"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}

#[component]
fn MaskView(score: f32, forbidden: bool) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <p class="made-line">
            {move || if forbidden {
                t_string!(i18n, chapters.masked_cell, score = exact(score))
            } else {
                t_string!(i18n, chapters.open_cell, score = exact(score))
            }}
        </p>
    }
}

#[component]
fn NormalisedView(normalised: Normalised) -> impl IntoView {
    let Normalised {
        input,
        mean,
        spread,
        gain,
        bias,
    } = normalised;
    let above = match mean {
        Some(mean) => format!("({} − μ {})", exact(input), exact(mean)),
        None => exact(input),
    };
    let name = if mean.is_some() { "σ" } else { "RMS" };
    let gain = gain.map_or_else(String::new, |gain| format!(" × γ {}", exact(gain)));
    let bias = bias.map_or_else(String::new, |bias| format!(" + β {}", exact(bias)));
    view! {
        <p class="made-line number">
            {format!("{above} ÷ {name} {}{gain}{bias}", exact(spread))}
        </p>
    }
}
