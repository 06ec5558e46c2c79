//! T5's buckets against distance.

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::positions::Buckets;
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t_string, use_i18n},
    widgets::{Plot, PlotFigure},
};

/// The number of distances in the plot; T5's last bucket begins a little earlier.
const DISTANCES: usize = 160;

/// The bucket of each distance of a key before its query.
fn of_distances(buckets: Buckets) -> Vec<f32> {
    let bucket = |distance: usize| buckets.bucket(-(distance as isize)) as f32;
    (0..DISTANCES).map(bucket).collect()
}

/// The figure of T5's buckets.
#[component]
pub fn BucketsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let live = Live::expect();
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let own = live
            .trace()
            .and_then(|trace| trace.meta.spec.positions.buckets);
        let own = own.map(|buckets| (t_string!(i18n, encodings.buckets_own), buckets));
        let named = [
            (t_string!(i18n, encodings.buckets_decoder), Buckets::CAUSAL),
            (t_string!(i18n, encodings.buckets_encoder), Buckets::BOTH),
        ]
        .into_iter()
        .chain(own);
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
            curves: named.enumerate().map(curve).collect(),
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
    use super::*;

    #[test]
    fn short_distances_have_a_bucket_each_and_long_ones_share() {
        let buckets = of_distances(Buckets::CAUSAL);
        assert_eq!(buckets[..17], (0..17).map(|d| d as f32).collect::<Vec<_>>());
        assert_eq!((buckets[127], buckets[159]), (31.0, 31.0));
    }
}
