//! T5's buckets against distance.

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::positions::Buckets;
use leptos::prelude::*;

use crate::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    positions::{Plot, PlotFigure},
};

/// Distances that are drawn; T5's last bucket begins a little earlier.
const DISTANCES: usize = 160;

/// The buckets of the recall model, whose training reached distance 32; a test compares its
/// configuration.
const RECALL: Buckets = Buckets {
    furthest: 24,
    ..Buckets::CAUSAL
};

/// The bucket of each distance of a key before its query.
fn of_distances(buckets: Buckets) -> Vec<f32> {
    let bucket = |distance: usize| buckets.bucket(-(distance as isize)) as f32;
    (0..DISTANCES).map(bucket).collect()
}

/// The figure.
#[component]
pub fn BucketsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let named = [
            (t_string!(i18n, encodings.buckets_decoder), Buckets::CAUSAL),
            (t_string!(i18n, encodings.buckets_encoder), Buckets::BOTH),
            (t_string!(i18n, encodings.buckets_recall), RECALL),
        ];
        let curve = |(index, (name, buckets)): (usize, (&str, Buckets))| {
            Curve::counted(name, &of_distances(buckets), categorical(index, theme))
        };
        Plot {
            x: Axis::new(
                t_string!(i18n, positions.distance),
                0.0,
                (DISTANCES - 1) as f64,
            ),
            y: Axis::new(
                t_string!(i18n, encodings.bucket),
                0.0,
                Buckets::CAUSAL.count as f64,
            ),
            curves: named.into_iter().enumerate().map(curve).collect(),
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, encodings.buckets).to_owned())
            text=Signal::derive(move || t_string!(i18n, encodings.buckets_text).to_owned())
            test_id="buckets"
            plot
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::LlamaConfig;

    use super::*;

    #[test]
    fn the_recall_models_buckets_are_those_of_its_configuration() {
        let config = include_str!("../../../../assets/models/positions/t5/config.json");
        let config: LlamaConfig = serde_json::from_str(config).unwrap();
        assert_eq!(config.buckets(), RECALL);
    }

    #[test]
    fn short_distances_have_a_bucket_each_and_long_ones_share() {
        let buckets = of_distances(Buckets::CAUSAL);
        assert_eq!(buckets[..17], (0..17).map(|d| d as f32).collect::<Vec<_>>());
        assert_eq!((buckets[127], buckets[159]), (31.0, 31.0));
    }
}
