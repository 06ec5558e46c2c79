//! What belongs to each chapter: its misconceptions and its questions. The words are in `kits` beside the translations.

use super::questions::{Question, question};

/// How many questions a test has.
pub const QUESTIONS: usize = 5;

/// A widespread mistake, and where on the page one sees that it is one.
#[derive(Clone, Copy, Debug)]
pub struct Misconception {
    /// The part of the text.
    pub part: &'static str,
    /// The view that shows it, as an address has it.
    pub link: &'static str,
}

/// What belongs to a chapter.
#[derive(Clone, Copy, Debug)]
pub struct Kit {
    /// The chapter's name.
    pub chapter: &'static str,
    /// What is often misunderstood.
    pub misconceptions: &'static [Misconception],
    /// The questions of its test.
    pub questions: [Question; QUESTIONS],
}

impl Kit {
    /// Whether its test is taken before the chapter too. What the first chapter asks about is in words that it is the first
    /// to explain.
    pub fn is_asked_before(&self) -> bool {
        self.chapter != "start"
    }
}

/// A misconception: its part, and where it is seen.
const fn mistake(part: &'static str, link: &'static str) -> Misconception {
    Misconception { part, link }
}

/// The kits, one for each chapter at most.
pub static KITS: &[Kit] = &[
    Kit {
        chapter: "start",
        misconceptions: &[
            mistake(
                "wrong-explanation",
                "show=claim&tool=importance&importance=1",
            ),
            mistake("wrong-lookup", "v=2&tab=learn&chapter=start&stage=4"),
        ],
        questions: [
            question!(tokens),
            question!(width),
            question!(sum, Weights),
            question!(strongest, Weights),
            question!(half, Weights),
        ],
    },
    Kit {
        chapter: "follow",
        misconceptions: &[
            mistake("wrong-copy", "v=2&tab=learn&chapter=follow&stage=2"),
            mistake("wrong-symmetric", "kind=encoder"),
        ],
        questions: [
            question!(head_width),
            question!(root),
            question!(scores),
            question!(strongest, Weights),
            question!(difference, Weights),
        ],
    },
    Kit {
        chapter: "hand",
        misconceptions: &[mistake(
            "wrong-inputs",
            "v=2&tab=learn&chapter=follow&stage=2",
        )],
        questions: [
            question!(tokens),
            question!(vector),
            question!(head_width),
            question!(scores),
            question!(sum, Weights),
        ],
    },
    Kit {
        chapter: "scale",
        misconceptions: &[mistake(
            "wrong-cosmetic",
            "tab=learn&chapter=scale&scale-width=1",
        )],
        questions: [
            question!(deviation),
            question!(scaled_deviation),
            question!(wider_root),
            question!(shifted, Weights),
            question!(sharper, Weights, Scores, ScaledScores),
        ],
    },
    Kit {
        chapter: "scores",
        misconceptions: &[mistake("wrong-distance", "tab=learn&chapter=scores")],
        questions: [
            question!(score, Scores, ScaledScores),
            question!(zero),
            question!(nearest, Queries, Keys),
            question!(nearest_scores_most, Queries, Keys, Scores),
            question!(longest, Keys),
        ],
    },
    Kit {
        chapter: "heads",
        misconceptions: &[
            mistake("wrong-jobs", "show=claim&tool=importance&importance=1"),
            mistake("wrong-cost", "tab=learn&chapter=sizes"),
        ],
        questions: [
            question!(heads),
            question!(concatenated),
            question!(other, OtherWeights),
            question!(agree, Weights, OtherWeights),
            question!(wider, Weights, OtherWeights),
        ],
    },
    Kit {
        chapter: "roles",
        misconceptions: &[
            mistake(
                "wrong-name",
                "show=claim&tool=roles&roles=1&roles-of=sentences",
            ),
            mistake(
                "wrong-weight",
                "show=claim&tool=roles&roles=1&roles-of=sentences&role=end",
            ),
        ],
        questions: [
            question!(on_previous, Weights),
            question!(by_chance),
            question!(above_chance, Weights),
            question!(is_clear, Weights),
            question!(on_first, Weights),
        ],
    },
    Kit {
        chapter: "layers",
        misconceptions: &[
            mistake(
                "wrong-always-cheaper",
                "tab=learn&chapter=layers&counted-n=4096",
            ),
            mistake(
                "wrong-sees-all",
                "v=2&tab=learn&chapter=layers&layers-k=2&layers-dilated=1&stage=4",
            ),
            mistake("wrong-fully-connected", "tab=learn&chapter=layers"),
        ],
        questions: [
            question!(recurrent_steps),
            question!(stacked_field),
            question!(dilated_layers),
            question!(score_products),
            question!(pairs_cost_less),
        ],
    },
    Kit {
        chapter: "recurrent",
        misconceptions: &[
            mistake(
                "wrong-forgets",
                "model=recurrent-fixed&tab=learn&chapter=recurrent",
            ),
            mistake(
                "wrong-given",
                "model=recurrent-bahdanau&tab=learn&chapter=recurrent",
            ),
            mistake(
                "wrong-came-later",
                "v=2&tab=learn&chapter=recurrent&length-bin=5",
            ),
        ],
        questions: [
            question!(vector_numbers),
            question!(direction_width),
            question!(alignment_weights),
            question!(window_positions),
            question!(window_half),
        ],
    },
    Kit {
        chapter: "embedding",
        misconceptions: &[
            mistake("wrong-hops-agree", "tab=learn&chapter=embedding&hops=free"),
            mistake(
                "wrong-is-lstmn",
                "model=sentences&text=The+FBI+is+chasing+a+criminal+on+the+run+.&tab=learn&chapter=embedding",
            ),
        ],
        questions: [
            question!(tokens_before),
            question!(hop_weights),
            question!(hop_total),
            question!(embedding_numbers),
            question!(largest_penalty),
        ],
    },
    Kit {
        chapter: "image",
        misconceptions: &[
            mistake("wrong-explains", "v=2&tab=learn&chapter=image&picture=17"),
            mistake(
                "wrong-knows-place",
                "v=2&tab=learn&chapter=image&image-cell=1",
            ),
        ],
        questions: [
            question!(sentence_weights),
            question!(more_than_a_sentence),
            question!(twice_the_side),
            question!(seen_before),
            question!(beyond_a_kernel),
        ],
    },
    Kit {
        chapter: "masks",
        misconceptions: &[mistake("wrong-after-softmax", "tab=learn&chapter=masks")],
        questions: [
            question!(masked),
            question!(rows, Weights),
            question!(visible),
            question!(alone),
            question!(ahead, Weights),
        ],
    },
    Kit {
        chapter: "forcing",
        misconceptions: &[mistake("wrong-own-text", "tab=learn&chapter=forcing")],
        questions: [
            question!(predictions),
            question!(forced_passes),
            question!(loss),
            question!(text_loss),
            question!(perplexity),
        ],
    },
    Kit {
        chapter: "search",
        misconceptions: &[
            mistake(
                "wrong-optimal",
                "tab=learn&chapter=search&search-by=exhaustive",
            ),
            mistake(
                "wrong-wider",
                "v=2&tab=learn&chapter=search&search-by=beam&search-k=3&search-alpha=0&stage=4",
            ),
            mistake(
                "wrong-temperature",
                "tab=learn&chapter=search&search-by=sampling&search-t=200",
            ),
        ],
        questions: [
            question!(all_sequences),
            question!(greedy_product),
            question!(greedy_is_best),
            question!(beam_candidates),
            question!(length_score_of_text),
        ],
    },
    Kit {
        chapter: "judging",
        misconceptions: &[
            mistake(
                "wrong-meaning",
                "tab=learn&chapter=judging&judged-reference=She+put+butter+on+the+bread.&judged-candidate=She+put+socks+on+the+bread.&judged-by=words",
            ),
            mistake("wrong-one-bleu", "tab=learn&chapter=judging"),
            mistake(
                "wrong-comparable",
                "model=sentences&tab=learn&chapter=judging",
            ),
        ],
        questions: [
            question!(chain),
            question!(bits),
            question!(bits_perplexity),
            question!(shortened_brevity),
            question!(shortened_recall),
        ],
    },
    Kit {
        chapter: "order",
        misconceptions: &[mistake("wrong-reading", "tab=learn&chapter=order")],
        questions: [
            question!(reversed_row),
            question!(reversed_column, Weights),
            question!(distance, Weights),
            question!(near, Weights),
            question!(knows_order),
        ],
    },
    Kit {
        chapter: "positions",
        misconceptions: &[
            mistake("wrong-overwrites", "tab=learn&chapter=positions"),
            mistake(
                "wrong-any-length",
                "tab=learn&chapter=positions&way=learned",
            ),
        ],
        questions: [
            question!(adds_vectors),
            question!(pairs),
            question!(period),
            question!(offset, Weights),
            question!(shifted_offset, Weights),
        ],
    },
    Kit {
        chapter: "norms",
        misconceptions: &[mistake("wrong-batch", "tab=learn&chapter=norms&norm=batch")],
        questions: [
            question!(pre_norm),
            question!(subtracts_mean),
            question!(mean_square),
            question!(inner_ratio),
            question!(sublayers),
        ],
    },
    Kit {
        chapter: "lens",
        misconceptions: &[
            mistake("wrong-thinks", "tab=learn&chapter=lens&lens-layer=1"),
            mistake(
                "wrong-cause",
                "v=2&tab=learn&chapter=lens&lens-head=cross.1.1",
            ),
        ],
        questions: [
            question!(writing_heads),
            question!(lens_readings),
            question!(frozen_norms),
            question!(logit_gap),
            question!(half_gap),
        ],
    },
    Kit {
        chapter: "patching",
        misconceptions: &[
            mistake(
                "wrong-needed",
                "tab=learn&chapter=patching&patch-into=clean",
            ),
            mistake("wrong-sums", "tab=learn&chapter=patching"),
        ],
        questions: [
            question!(lens_readings),
            question!(writing_heads),
            question!(reached_positions),
            question!(logit_gap),
            question!(half_gap),
        ],
    },
    Kit {
        chapter: "explanation",
        misconceptions: &[
            mistake(
                "wrong-because",
                "v=2&tab=learn&chapter=explanation&kind=encoder&layer=1&reweighed=permuted.0.encoder.1.1",
            ),
            mistake(
                "wrong-useless",
                "tab=learn&chapter=explanation&explained-where=all&reweighed=uniform.all",
            ),
        ],
        questions: [
            question!(uniform_weight),
            question!(permuted_top, Weights),
            question!(swapped, Weights),
            question!(moved_to_uniform, Weights),
            question!(permuted_spread, Weights),
        ],
    },
    Kit {
        chapter: "derived",
        misconceptions: &[
            mistake("wrong-weight", "v=2&tab=learn&chapter=derived&head=8"),
            mistake("wrong-rollout", "v=2&tab=learn&chapter=derived&layer=3"),
        ],
        questions: [
            question!(mixed_own, Weights),
            question!(mixed_other, Weights),
            question!(rolled_own, Weights),
            question!(rolled_sum, Weights),
            question!(flow_sum, Weights),
        ],
    },
    Kit {
        chapter: "alignment",
        misconceptions: &[
            mistake(
                "wrong-label",
                "tab=learn&chapter=alignment&aligned-row=reading",
            ),
            mistake("wrong-end", "tab=learn&chapter=alignment&aligned-end=kept"),
        ],
        questions: [
            question!(writing_row),
            question!(reading_row),
            question!(one_wrong),
            question!(one_possible),
            question!(end_out, Weights),
        ],
    },
    Kit {
        chapter: "compare",
        misconceptions: &[
            mistake(
                "wrong-numbers",
                "tab=learn&chapter=compare&model=positions-rope&compare=models&compare-model=positions-t5",
            ),
            mistake("wrong-pale", "tab=learn&chapter=compare&compare-scaled=1"),
        ],
        questions: [
            question!(cancels, Weights, OtherWeights),
            question!(at_strongest, Weights, OtherWeights),
            question!(apart, Weights, OtherWeights),
            question!(most_changed, Weights, OtherWeights),
            question!(agree, Weights, OtherWeights),
        ],
    },
    Kit {
        chapter: "universal",
        misconceptions: &[
            mistake(
                "wrong-same-maps",
                "model=universal&tab=learn&chapter=universal",
            ),
            mistake(
                "wrong-saves-time",
                "model=universal&tab=learn&chapter=universal&halt-depths=1",
            ),
        ],
        questions: [
            question!(block_passes),
            question!(halting_depth),
            question!(halting_remainder),
            question!(halting_mean),
            question!(source_keys_change),
        ],
    },
    Kit {
        chapter: "sizes",
        misconceptions: &[mistake("wrong-quadratic", "tab=learn&chapter=sizes")],
        questions: [
            question!(query_parameters),
            question!(attention_parameters),
            question!(feed_forward_parameters),
            question!(embedding_parameters),
            question!(doubled),
        ],
    },
    Kit {
        chapter: "training",
        misconceptions: &[mistake("wrong-certain", "show=next")],
        questions: [
            question!(even_loss),
            question!(loss),
            question!(gradient),
            question!(perplexity),
            question!(certain),
        ],
    },
];

impl Kit {
    /// The kit of a chapter, if it has one.
    pub fn of(chapter: &str) -> Option<&'static Kit> {
        KITS.iter().find(|kit| kit.chapter == chapter)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;
    use crate::kit::{
        evidence::{Evidence, Need, tests::evidence},
        questions::tests::written,
        words::WORDS,
    };
    use attention_chapters::CHAPTERS;
    use attention_core::state::MOST_QUESTIONS;

    /// The text of a kit in a language.
    fn text(language: &str, kit: &Kit) -> String {
        let chapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("chapters/src");
        let folder = chapters.join(kit.chapter).join(language);
        fs::read_to_string(folder.join("kit.md")).unwrap()
    }

    #[test]
    fn every_chapter_has_one() {
        for chapter in CHAPTERS {
            assert!(Kit::of(chapter.name).is_some(), "{}", chapter.name);
        }
        const { assert!(QUESTIONS <= MOST_QUESTIONS) };
    }

    #[test]
    fn its_parts_are_in_its_text_and_no_others() {
        for kit in KITS {
            let questions = kit
                .questions
                .iter()
                .flat_map(|question| [question.ask, question.why]);
            let mistakes = kit
                .misconceptions
                .iter()
                .map(|misconception| misconception.part);
            let parts: BTreeSet<String> = questions
                .chain(mistakes)
                .chain(["references"])
                .map(str::to_owned)
                .collect();
            for language in ["en", "zh"] {
                let text = text(language, kit);
                let found = text.split("{#").skip(1);
                let found: BTreeSet<String> = found
                    .filter_map(|rest| Some(rest.split_once('}')?.0.to_owned()))
                    .collect();
                assert_eq!(found, parts, "{language}: {}", kit.chapter);
            }
        }
    }

    /// Evidence that decides every question.
    fn decisive() -> Evidence {
        let weights = [0.2, 0.3, 0.5, 0.1, 0.6, 0.3, 0.3, 0.3, 0.4];
        let others = [0.2, 0.3, 0.5, 0.05, 0.15, 0.8, 0.3, 0.3, 0.4];
        let vectors = [9.0, 0.0, 1.0, 0.5, -1.0, 0.0];
        let mut evidence = evidence(
            false,
            &[
                (Need::Weights, &weights),
                (Need::OtherWeights, &others),
                (Need::Queries, &vectors),
                (Need::Keys, &vectors),
                (Need::Scores, &weights),
                (Need::ScaledScores, &weights),
            ],
        );
        evidence.decoding = Some(written(&[0.5, 0.125]));
        evidence
    }

    #[test]
    fn every_place_of_a_questions_text_is_filled() {
        let evidence = decisive();
        for kit in KITS {
            for question in &kit.questions {
                let asked = (question.answer)(&evidence).unwrap();
                let own = asked.values.iter().map(|(name, _)| *name);
                let known: BTreeSet<&str> = WORDS.into_iter().chain(own).collect();
                for (language, part) in [
                    ("en", question.ask),
                    ("zh", question.ask),
                    ("en", question.why),
                ] {
                    let text = text(language, kit);
                    let (_, rest) = text.split_once(&format!("{{#{part}}}")).unwrap();
                    let own = rest.split("\n## ").next().unwrap();
                    for place in own.split("{{").skip(1) {
                        let (name, _) = place.split_once("}}").unwrap();
                        assert!(known.contains(name), "{}, {part}: {name}", kit.chapter);
                    }
                }
            }
        }
    }

    #[test]
    fn what_shows_a_mistake_is_a_view() {
        for kit in KITS {
            for Misconception { link, .. } in kit.misconceptions {
                let view = crate::tests::view(link);
                let spelled = view.to_fragment();
                let spelled: Vec<_> = spelled.split('&').collect();
                for entry in link
                    .split('&')
                    .filter(|entry| !entry.starts_with("chapter="))
                {
                    assert!(spelled.contains(&entry), "{link}: {entry}");
                }
                let chapters = CHAPTERS
                    .iter()
                    .any(|chapter| chapter.name == view.chapters.open);
                assert!(chapters, "{link}");
            }
        }
    }

    #[test]
    fn the_questions_of_a_kit_differ() {
        for kit in KITS {
            let names: BTreeSet<_> = kit.questions.iter().map(|question| question.ask).collect();
            assert_eq!(names.len(), QUESTIONS, "{}", kit.chapter);
        }
    }
}
