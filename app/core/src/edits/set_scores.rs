//! The importance of each head on a set of sentences, as `attn importance` measured it: those that are published with the
//! model, or those of a file that the address names. Fetched when it is shown.

use std::sync::Arc;

use attention_trace::{HeadScore, HeadScores, ModelSpec, read_head_scores};
use leptos::{prelude::*, task::spawn_local};

use crate::{
    assets,
    engine::{Importance, Live, Phase, describe},
    kept::KeptModels,
    mine::Mine,
    roles::{has_heads, weights_digest},
    state::{HeadChoice, ImportanceOf, Model, View, ViewState},
};

/// The file of scores, beside the checkpoint of a model that was measured.
const SCORES: &str = "importance.json";

/// BLEU may fall by so much before heads that are out are said to cost something.
const FREE: f64 = 1.0;

/// A file of scores of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    model: Model,
    /// The address of the file.
    address: String,
    /// True if the view names it, so that it can be about another model.
    is_named: bool,
}

/// The reason why scores are not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScoresFault {
    /// The file could not be fetched or read, for this reason.
    Missing(String),
    /// The file is about other weights than those of the model on screen, or does not say which.
    OtherWeights,
}

/// The scores of the model in use, or the error of fetching them. A context, available through [`SetScores::expect`].
#[derive(Clone, Copy)]
pub struct SetScores {
    /// The scores fetched last, with their file.
    fetched: RwSignal<Option<(Wanted, Result<Known, ScoresFault>)>>,
    /// The file of the scores that the view shows.
    wanted: Memo<Option<Wanted>>,
}

/// Scores that equal only themselves.
#[derive(Clone, Debug)]
pub struct Known(Arc<HeadScores>);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A summary of the scores for a sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct SetSummary {
    /// The number of sentence pairs.
    pub pairs: usize,
    /// BLEU of the whole model.
    pub bleu: f64,
    /// The head whose absence costs most, and BLEU without it.
    pub worst: (HeadChoice, f64),
    /// The number of heads that can be taken out, least important first, before BLEU falls by more than one.
    pub free: usize,
}

impl SetScores {
    /// Makes the context; the scores are fetched when the view first shows them.
    pub fn provide(state: ViewState) -> Self {
        let fetched = RwSignal::new(None);
        let wanted = state.select(wanted);
        let scores = SetScores { fetched, wanted };
        provide_context(scores);
        let (kept, mine, live) = (KeptModels::expect(), Mine::expect(), Live::expect());
        // What the view names can be about another model, so it is compared with the one that is loaded.
        let loaded = Memo::new(move |_| {
            let model = wanted.get()?.model;
            live.select_now(|engine| match &engine.phase {
                Phase::Ready {
                    model: loaded,
                    reply,
                } if *loaded == model => Some(reply.spec.clone()),
                _ => None,
            })
        });
        // An effect because the server lies outside the reactive graph.
        Effect::new(move |_| {
            let Some(wanted) = wanted.get() else { return };
            let spec = match wanted.is_named {
                true => loaded.get(),
                false => None,
            };
            if wanted.is_named && spec.is_none() {
                return;
            }
            let is_here = matches!(&*fetched.read_untracked(), Some((of, Ok(_))) if *of == wanted);
            if !is_here {
                spawn_local(async move {
                    let found = fetch(&wanted, spec, kept, mine).await;
                    fetched.try_set(Some((wanted, found)));
                });
            }
        });
        scores
    }

    /// The context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the importance of each head; `None` until the scores are here.
    pub fn importance(self) -> Option<Importance> {
        self.with(|found| match found {
            Ok(Known(scores)) => Some(importance(scores)),
            Err(_) => None,
        })
    }

    /// Returns the summary of the scores; `None` until they are here.
    pub fn summary(self) -> Option<SetSummary> {
        self.with(|found| match found {
            Ok(Known(scores)) => summary(scores),
            Err(_) => None,
        })
    }

    /// Returns the reason why the scores are not here.
    pub fn problem(self) -> Option<ScoresFault> {
        self.with(|found| found.as_ref().err().cloned())
    }

    /// Reads the scores of the model in use, once they are here.
    fn with<T>(self, read: impl FnOnce(&Result<Known, ScoresFault>) -> Option<T>) -> Option<T> {
        let wanted = self.wanted.get()?;
        match &*self.fetched.read() {
            Some((of, found)) if *of == wanted => read(found),
            _ => None,
        }
    }
}

/// Returns true if this build has the scores of a model.
pub fn has_scores(model: Model) -> bool {
    scores_of(model).is_some_and(|address| assets::is_served(&address))
}

/// Returns the address of a model's scores, if it was measured.
fn scores_of(model: Model) -> Option<String> {
    let served = model.as_served()?;
    served
        .has_importance
        .then(|| format!("{}{SCORES}", served.directory))
}

/// Returns the file whose scores a view shows.
fn wanted(view: &View) -> Option<Wanted> {
    let is_shown = view.importance && view.importance_of == ImportanceOf::Sentences;
    let is_named = !view.importance_at.is_empty();
    let address = match is_named {
        true => Some(view.importance_at.clone()),
        false => scores_of(view.model),
    };
    Some(Wanted {
        model: view.model,
        address: address.filter(|_| is_shown)?,
        is_named,
    })
}

/// Returns true if a view shows the importance on a set of sentences.
pub fn is_shown(view: &View) -> bool {
    wanted(view).is_some()
}

/// Fetches scores. With the specification of the loaded model they are compared with its heads, and with its weights if their
/// digest is known.
async fn fetch(
    wanted: &Wanted,
    spec: Option<ModelSpec>,
    kept: KeptModels,
    mine: Mine,
) -> Result<Known, ScoresFault> {
    let text = assets::fetch_text(&wanted.address).await;
    let text = text.map_err(|error| ScoresFault::Missing(describe(&error)))?;
    let scores = read_head_scores(&text);
    let scores = scores.map_err(|error| ScoresFault::Missing(error.to_string()))?;
    if let Some(spec) = spec {
        let own = weights_digest(wanted.model, kept, mine).await;
        check(&scores, &spec, own.as_deref())?;
    }
    Ok(Known(Arc::new(scores)))
}

/// Checks that scores are about a model's heads, and about the weights with this digest, if it is known.
fn check(scores: &HeadScores, spec: &ModelSpec, own: Option<&str>) -> Result<(), ScoresFault> {
    let heads = scores.alone.iter().chain(&scores.pruned);
    let is_of_weights = match (&scores.weights, own) {
        (Some(of), Some(own)) => of == own,
        (of, None) => of.is_some(),
        (None, Some(_)) => false,
    };
    match is_of_weights && has_heads(spec, heads.map(|of| (of.attention, of.head))) {
        true => Ok(()),
        false => Err(ScoresFault::OtherWeights),
    }
}

/// By how much the mean `log p` of a reference's token changes when a head is off.
fn importance(scores: &HeadScores) -> Importance {
    let change = |of: &HeadScore| (choice(of), (scores.whole.loss - of.score.loss) as f32);
    Importance {
        heads: scores.alone.len(),
        changes: scores.alone.iter().map(change).collect(),
        goes_on: false,
    }
}

fn choice(of: &HeadScore) -> HeadChoice {
    HeadChoice {
        attention: of.attention,
        head: of.head,
    }
}

fn summary(scores: &HeadScores) -> Option<SetSummary> {
    let alone = scores.alone.iter();
    let worst = alone.max_by(|one, other| one.score.loss.total_cmp(&other.score.loss))?;
    let pruned = scores.pruned.iter();
    let is_free = |of: &&HeadScore| of.score.bleu >= scores.whole.bleu - FREE;
    Some(SetSummary {
        pairs: scores.pairs,
        bleu: scores.whole.bleu,
        worst: (choice(worst), worst.score.bleu),
        free: pruned.take_while(is_free).count(),
    })
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        Search, SetScore,
        config::{LlamaConfig, MarianConfig},
    };

    use super::*;

    /// Scores with each head off by itself and taken out, cheapest first: BLEU and loss.
    fn scores() -> HeadScores {
        let of = |text: &str, bleu: f64, loss: f64| {
            let HeadChoice { attention, head } = text.parse().unwrap();
            HeadScore {
                attention,
                head,
                score: SetScore { bleu, loss },
            }
        };
        HeadScores {
            weights: None,
            pairs: 100,
            search: Search::Greedy,
            whole: SetScore {
                bleu: 40.0,
                loss: 1.25,
            },
            alone: vec![
                of("encoder.0.0", 39.9, 1.5),
                of("encoder.0.1", 40.1, 1.0),
                of("cross.0.0", 21.0, 3.25),
            ],
            pruned: vec![
                of("encoder.0.1", 40.1, 1.0),
                of("encoder.0.0", 39.0, 1.75),
                of("cross.0.0", 1.0, 9.0),
            ],
        }
    }

    #[test]
    fn a_heads_importance_is_what_the_loss_becomes_without_it() {
        let found = importance(&scores());
        let changes: Vec<f32> = found.changes.iter().map(|known| known.1).collect();
        assert_eq!(changes, [-0.25, 0.25, -2.0]);
        assert_eq!((found.heads, found.goes_on), (3, false));
    }

    #[test]
    fn a_file_that_is_named_is_about_the_weights_on_screen() {
        let of = |weights: Option<&str>| HeadScores {
            weights: weights.map(str::to_owned),
            ..scores()
        };
        let spec = MarianConfig::default().spec();
        let checked = |weights, own| check(&of(weights), &spec, own);
        assert_eq!(checked(Some("ab"), Some("ab")), Ok(()));
        assert_eq!(checked(Some("ab"), None), Ok(()));
        let fault = Err(ScoresFault::OtherWeights);
        assert_eq!(checked(Some("ab"), Some("cd")), fault);
        assert_eq!(checked(None, Some("cd")), fault);
        let decoder = LlamaConfig::default().spec();
        assert_eq!(check(&of(Some("ab")), &decoder, Some("ab")), fault);
        let view = "model=sentences&importance=1&importance-of=sentences&importance-at=a/b.json";
        let wanted = wanted(&View::from_fragment(view)).unwrap();
        assert_eq!(
            (wanted.address.as_str(), wanted.is_named),
            ("a/b.json", true)
        );
    }

    #[test]
    fn heads_go_until_bleu_falls_by_more_than_one() {
        let said = summary(&scores()).unwrap();
        assert_eq!(said.worst, ("cross.0.0".parse().unwrap(), 21.0));
        assert_eq!((said.pairs, said.free), (100, 2));
    }

    #[test]
    fn only_the_translator_has_published_scores() {
        let shown = |address: &str| is_shown(&View::from_fragment(address));
        assert!(shown("importance=1&importance-of=sentences"));
        assert!(!shown("importance=1"));
        assert!(!shown("importance-of=sentences"));
        assert!(!shown(
            "model=sentences&importance=1&importance-of=sentences"
        ));
    }
}
