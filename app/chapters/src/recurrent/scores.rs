//! BLEU of the recurrent translators and the Transformer by the length of the source, as measured by `attn compare`
//! and fetched when the chapter is opened.

use std::sync::{Arc, LazyLock};

use attention_trace::{BinScore, BleuByLength, LengthBin, read_bleu_by_length};
use leptos::{prelude::*, task::spawn_local};

use attention_core::{
    assets,
    engine::describe,
    state::{Language, Model},
};

/// The file of scores, beside the recurrent models.
const SCORES: &str = "by-length.json";

/// The models that are compared, from the oldest: the recurrent translators from French, and the Transformer.
pub static COMPARED: LazyLock<Vec<Model>> = LazyLock::new(|| {
    let is_recurrent =
        |model: &Model| model.card().is_recurrent && model.card().reads.contains(&Language::French);
    let recurrent = Model::served().filter(is_recurrent);
    recurrent
        .chain([Model::translator_from(Language::French)])
        .collect()
});

/// The scores, or the error of fetching them; `None` until they are loaded.
pub type Fetched = Option<Result<Scores, String>>;

#[derive(Clone, Debug, PartialEq)]
pub struct Scores(Arc<BleuByLength>);

impl Scores {
    /// The bins, shortest sources first.
    pub fn bins(&self) -> &[LengthBin] {
        &self.0.bins
    }

    /// The scores of a model, bin by bin; nothing of one that was not compared.
    pub fn of(&self, model: Model) -> &[BinScore] {
        // By the name of its folder.
        let folder = model
            .directory()
            .and_then(|path| path.trim_end_matches('/').split('/').next_back());
        let scores = folder.and_then(|name| self.0.models.get(name));
        scores.map_or(&[], Vec::as_slice)
    }

    /// Returns the number of pairs that each model was scored on in a bin: one number, or the fewest and the most.
    pub fn pairs_of(&self, bin: usize) -> String {
        let pairs = || COMPARED.iter().filter_map(|&model| self.of(model).get(bin));
        let counts = || pairs().map(|score| score.pairs);
        match (counts().min(), counts().max()) {
            (Some(fewest), Some(most)) if fewest != most => format!("{fewest}–{most}"),
            (Some(all), _) => all.to_string(),
            (None, _) => String::new(),
        }
    }

    /// Returns the bin of a source with this many words; a source longer than all bins is in the last.
    pub fn bin_of(&self, words: usize) -> Option<usize> {
        let bins = self.bins();
        let found = bins.iter().position(|bin| words <= bin.to);
        found.or(bins.len().checked_sub(1))
    }

    /// The share of its BLEU in one bin that a model still has in another.
    pub fn kept(&self, model: Model, [from, to]: [usize; 2]) -> Option<f64> {
        let scores = self.of(model);
        let (before, after) = (scores.get(from)?.bleu, scores.get(to)?.bleu);
        (before > 0.0).then(|| after / before)
    }
}

/// Fetches the scores; the signal is `None` until they arrive.
pub fn fetch_scores() -> ReadSignal<Fetched> {
    let (scores, set_scores) = signal(None);
    spawn_local(async move {
        let address = COMPARED[0].shared_file(SCORES).unwrap_or_default();
        let text = assets::fetch_text(&address).await;
        let scores = text.map_err(|error| describe(&error)).and_then(|text| {
            let scores = read_bleu_by_length(&text).map_err(|error| error.to_string())?;
            Ok(Scores(Arc::new(scores)))
        });
        set_scores.try_set(Some(scores));
    });
    scores
}

/// The scores once they are here.
pub fn known(fetched: &Fetched) -> Option<&Scores> {
    // The figure of lengths shows why they are missing.
    fetched.as_ref()?.as_ref().ok()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn served() -> Scores {
        let text = include_str!("../../../../assets/models/recurrent/by-length.json");
        Scores(Arc::new(read_bleu_by_length(text).unwrap()))
    }

    #[test]
    fn every_model_has_a_score_in_every_bin() {
        let scores = served();
        assert_eq!(COMPARED.len(), 4);
        for &model in &*COMPARED {
            assert_eq!(scores.of(model).len(), scores.bins().len(), "{model:?}");
        }
        let luong = scores.of("recurrent-luong".parse().unwrap());
        assert_ne!(luong, scores.of(Model::default()));
    }

    #[test]
    fn bins_follow_one_another_and_say_what_is_joined() {
        let scores = served();
        for pair in scores.bins().windows(2) {
            assert_eq!(pair[0].to + 1, pair[1].from);
            assert!(pair[0].is_joined <= pair[1].is_joined);
        }
        assert_eq!(scores.bin_of(1), Some(0));
        assert_eq!(scores.bin_of(5), Some(1));
        assert_eq!(scores.bin_of(9_999), Some(scores.bins().len() - 1));
    }

    #[test]
    fn what_is_kept_is_a_ratio() {
        let scores = served();
        let fixed = scores.of(COMPARED[0]);
        let kept = scores.kept(COMPARED[0], [1, 4]).unwrap();
        assert!((kept * fixed[1].bleu - fixed[4].bleu).abs() < 1e-9);
        assert_eq!(scores.kept(COMPARED[0], [0, 99]), None);
    }
}
