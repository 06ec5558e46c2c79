//! Counts for operators, in the text format of Prometheus. None of them tells visitors apart.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The counts since the start of the server.
#[derive(Default)]
pub struct Metrics {
    pub visitors: Gauge,
    pub visitors_total: Counter,
    /// Visitors that were refused: a wrong token, a foreign page, no place.
    pub refused_total: Counter,
    /// Visitors that were dropped: a frame that is no message, too much that waits.
    pub dropped_total: Counter,
    pub runs_total: Counter,
    pub waiting: Gauge,
    pub tokens_total: Counter,
    /// The time of decoding in microseconds.
    pub decoding_us: Counter,
}

/// A number that only grows.
#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that grows and shrinks.
#[derive(Default)]
pub struct Gauge(AtomicU64);

impl Gauge {
    pub fn set(&self, number: usize) {
        self.0.store(number as u64, Relaxed);
    }

    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    pub fn sub(&self, less: u64) {
        self.0.fetch_sub(less, Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

impl Metrics {
    /// Returns all counts as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, help: &str, value: String| {
            let lines = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n{name}{value}\n");
            text.push_str(&lines);
        };
        let plain = |number: u64| format!(" {number}");
        for (name, help, gauge) in [
            ("attn_visitors", "Visitors at present.", &self.visitors),
            (
                "attn_queue",
                "Requests that wait for their turn.",
                &self.waiting,
            ),
        ] {
            metric(name, "gauge", help, plain(gauge.get()));
        }
        for (name, help, counter) in [
            (
                "attn_visitors_total",
                "Visitors since the start.",
                &self.visitors_total,
            ),
            (
                "attn_refused_total",
                "Visitors refused.",
                &self.refused_total,
            ),
            (
                "attn_dropped_total",
                "Visitors dropped.",
                &self.dropped_total,
            ),
            ("attn_runs_total", "Finished runs.", &self.runs_total),
        ] {
            metric(name, "counter", help, plain(counter.get()));
        }
        let help = "Time of decoding per token, in milliseconds.";
        let sum = self.decoding_us.get() as f64 / 1000.0;
        let count = self.tokens_total.get();
        let name = "attn_token_milliseconds";
        metric(
            name,
            "summary",
            help,
            format!("_sum {sum}\n{name}_count {count}"),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_number_under_its_name() {
        let metrics = Metrics::default();
        metrics.visitors.set(2);
        metrics.runs_total.add(3);
        metrics.tokens_total.add(4);
        metrics.decoding_us.add(6500);
        let text = metrics.text();
        for line in [
            "# TYPE attn_visitors gauge",
            "attn_visitors 2",
            "attn_runs_total 3",
            "# TYPE attn_token_milliseconds summary",
            "attn_token_milliseconds_sum 6.5",
            "attn_token_milliseconds_count 4",
        ] {
            assert!(text.lines().any(|it| it == line), "{line} in {text}");
        }
    }
}
