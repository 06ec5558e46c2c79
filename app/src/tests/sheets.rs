//! Tests of the hand-outs: the answers have the numbers that the page's own functions compute.

use super::routes::routes;
use attention_trace::{
    Halting, Ponder,
    alignment::AlignmentCounts,
    judging::{Chain, Overlap, brevity},
    layers::{Convolutions, LayerSize, SequenceLayer},
    positions::{SinusoidalLayout, sinusoidal},
    roles::RoleScore,
    search::{Cost, TableModel, greedy},
    total_variation, window_factor,
};

/// Numbers of an answer: the route, the number of the exercise from 1, and what the answer says in every language.
type Numbers = (&'static str, usize, Vec<String>);

fn softmax(scores: &[f64]) -> Vec<f64> {
    let powers: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// Returns a count with a comma between thousands.
fn grouped(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        _ => format!("{},{:03}", grouped(count / 1000), count % 1000),
    }
}

fn letters(text: &str) -> Vec<String> {
    text.chars().map(String::from).collect()
}

fn of_one_head() -> Vec<Numbers> {
    let queries: [[f64; 5]; 5] = [
        [0.1, 0.0, 0.0, 0.2, 0.0],
        [0.0, 0.2, 0.1, 0.0, 0.0],
        [0.1, 0.0, 0.0, 0.0, 0.2],
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.1, 0.0, 0.0],
    ];
    let query = (0..5).map(|column| queries.iter().map(|row| 5.0 * row[column]).sum());
    let query: Vec<String> = query.map(|sum: f64| format!("{sum:.0}")).collect();
    let weights = softmax(&[112.0 / 8.0, 96.0 / 8.0]);
    let weights: Vec<String> = weights
        .iter()
        .map(|weight| format!("{weight:.2}"))
        .collect();
    let small = softmax(&[112.0, 96.0])[1];
    assert!((small - 1.1e-7).abs() < 0.05e-7, "{small}");
    let parameters = grouped(4 * 512 * 512);
    vec![
        ("ninety", 1, vec![format!("({})", query.join(", "))]),
        ("ninety", 2, weights.clone()),
        ("week-1", 2, weights),
        ("ninety", 3, vec!["1.1 × 10⁻⁷".to_owned()]),
        ("ninety", 4, vec![(512 / 8).to_string(), parameters.clone()]),
        (
            "week-1",
            7,
            vec![(512 / 8).to_string(), parameters, (512 / 16).to_string()],
        ),
        ("week-1", 1, vec![format!("{:.1}", 5.0 + 4.4)]),
        ("week-1", 3, vec![format!("{}", 4.0_f64.log2())]),
        ("week-1", 5, vec![format!("{}", 64.0_f64.sqrt())]),
        ("week-1", 6, vec![grouped(12 * 12 * 8 * 6)]),
    ]
}

fn of_the_transformer() -> Vec<Numbers> {
    let masked = (0..6).flat_map(|query| (0..6).map(move |key| key > query));
    let masked = masked.filter(|is_masked| *is_masked).count().to_string();
    let root = ((1.0_f64 + 9.0) / 2.0).sqrt();
    let normed = format!("({:.3}, {:.3})", 1.0 / root, 3.0 / root);
    let start: Vec<String> = sinusoidal(0..1, 4, SinusoidalLayout::Interleaved)
        .iter()
        .map(f32::to_string)
        .collect();
    let turn = std::f64::consts::TAU;
    let chain = Chain::of(&[0.25_f32.ln(); 4]).unwrap();
    let tree = greedy(&TableModel::default(), &[]);
    let found = tree.path(tree.results[0]).probability();
    let overlap = |n| {
        let overlap = Overlap::of_grams(&letters("ABCDEF"), &letters("ABBCD"), n);
        format!("{}/{}", overlap.matched, overlap.candidate)
    };
    vec![
        ("ninety", 5, vec![masked.clone()]),
        ("week-2", 4, vec![masked]),
        ("ninety", 6, vec![normed.clone()]),
        ("week-2", 5, vec![normed]),
        (
            "ninety",
            7,
            vec![
                format!("{found:.3}"),
                format!("{:.3}", 0.5 * 0.3 * 0.6 * 0.6),
            ],
        ),
        (
            "week-2",
            2,
            vec![
                format!("({})", start.join(", ")),
                format!("{turn:.2}"),
                format!("{:.0}", turn * 100.0),
            ],
        ),
        (
            "week-2",
            6,
            vec![
                format!("{:.3}", 4.0 * 0.25_f64.ln()).replace('-', "−"),
                format!("{:.3}", 4.0_f64.ln()),
                format!("{:.0}", chain.perplexity()),
            ],
        ),
        (
            "week-2",
            7,
            vec![format!("{} × 10⁵", Cost::of_beam(5, 10_000, 10) / 100_000)],
        ),
        (
            "week-2",
            8,
            vec![
                overlap(1),
                overlap(2),
                overlap(3),
                format!("{:.3}", brevity(5, 6)),
            ],
        ),
    ]
}

fn of_what_came_before() -> Vec<Numbers> {
    let size = LayerSize {
        tokens: 100,
        width: 512,
        kernel: 3,
    };
    let recurrent = SequenceLayer::Recurrent.operations(size).by_token / 2;
    let convolution = SequenceLayer::Convolution.operations(size).by_token;
    let pairs = SequenceLayer::SelfAttention.operations(size).by_pair / 2;
    let field = |dilated| {
        Convolutions { kernel: 3, dilated }
            .receptive_field(4)
            .to_string()
    };
    let halting = Halting {
        epsilon: 0.01,
        ponder_cost: 0.0,
    };
    let ponder = Ponder::of(&[0.3, 0.4, 0.5], halting);
    vec![
        (
            "week-3",
            1,
            vec![
                format!("{:.1}", 256.0 / 5.0),
                format!("{:.2}", 256.0 / 50.0),
            ],
        ),
        ("week-3", 2, vec![(6 * 3).to_string()]),
        ("week-3", 3, vec![format!("{:.3}", window_factor(4.0, 4))]),
        (
            "week-3",
            4,
            vec![
                format!("{:.2}", 3.0 / 2.0_f64.sqrt()),
                format!("{:.2}", 1.0 / 2.0_f64.sqrt()),
            ],
        ),
        ("week-3", 5, vec![format!("{:.1}", 0.9 * 2.0 - 0.5)]),
        (
            "week-3",
            6,
            vec![
                format!("{:.4}", 0.9_f64.powi(50)),
                format!("{:.3}", 0.99_f64.powi(50)),
            ],
        ),
        ("week-3", 7, vec![field(false), field(true)]),
        (
            "week-3",
            8,
            vec![grouped(recurrent), grouped(convolution), grouped(pairs)],
        ),
        (
            "week-3",
            9,
            vec![
                ponder.depth.to_string(),
                format!("R = {:.1}", ponder.remainder),
                format!("{:.1}", ponder.cost()),
            ],
        ),
    ]
}

fn of_heads_and_sizes() -> Vec<Numbers> {
    let role = RoleScore {
        weight: 0.6,
        chance: 0.2,
        queries: 3,
    };
    assert!(role.is_clear());
    let counts = AlignmentCounts {
        links: 4,
        sure: 4,
        sure_found: 3,
        possible_found: 3,
    };
    let moved = total_variation(&[0.7, 0.2, 0.1], &[1.0 / 3.0; 3]);
    vec![
        ("week-4", 1, vec![format!("{:.1}", role.above_chance())]),
        ("week-4", 2, vec![counts.error_rate().to_string()]),
        ("week-4", 3, vec![format!("{moved:.3}")]),
        (
            "week-4",
            4,
            vec![format!("({:.1}, {:.1})", 0.5 * 0.2 + 0.5, 0.5 * 0.8)],
        ),
        ("week-4", 5, vec![format!("{:.2}", 2.0_f64.exp())]),
        (
            "week-4",
            6,
            vec![format!("{:.0}%", 100.0 * (2.0 + 1.0) / (3.0 + 1.0))],
        ),
        ("week-4", 7, vec![grouped(4 * 768 * 768 + 2 * 768 * 3072)]),
    ]
}

#[test]
fn answers_have_the_numbers_that_are_computed() {
    let routes = routes();
    let parts = [
        of_one_head(),
        of_the_transformer(),
        of_what_came_before(),
        of_heads_and_sizes(),
    ];
    for (name, number, expected) in parts.into_iter().flatten() {
        let route = routes.iter().find(|route| route.name == name).unwrap();
        let answer = &route.sheet[number - 1].answer;
        for number_of in expected {
            for language in ["en", "zh"] {
                let answer = answer.of(language);
                assert!(
                    answer.contains(&number_of),
                    "{name} {number}: {number_of}: {answer}"
                );
            }
        }
    }
}
