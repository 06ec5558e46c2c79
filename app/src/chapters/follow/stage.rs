//! The stages of one head's way through a layer, as they are in each family of models.

use attention_trace::{AttentionKind, Family};

/// A stage, named by the part of the chapter's text that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Token to embedding, and its position.
    Embed,
    /// The norm before attention, in models that normalise first.
    Norm,
    /// Queries, keys, values.
    Project,
    /// RoPE turns queries and keys.
    Rotate,
    /// The score row.
    Scores,
    /// ÷√d_k.
    Scale,
    /// −∞ where attention is forbidden.
    Mask,
    /// The weights.
    Softmax,
    /// Values times weights.
    Weigh,
    /// The head's output.
    Sum,
    /// All heads side by side.
    Concatenate,
    /// Times `W^O`.
    Output,
    /// Added to the residual stream, and normalised where the family does it here.
    Add,
    /// The feed-forward network.
    FeedForward,
    /// Added again.
    AddAgain,
}

impl Stage {
    /// The stages of an attention of that kind in a model of that family, which rotates queries and keys
    /// or does not.
    pub fn list(family: Family, kind: AttentionKind, rotates: bool) -> Vec<Stage> {
        use Stage::*;
        let all = [
            Embed,
            Norm,
            Project,
            Rotate,
            Scores,
            Scale,
            Mask,
            Softmax,
            Weigh,
            Sum,
            Concatenate,
            Output,
            Add,
            FeedForward,
            AddAgain,
        ];
        let exists = |stage: &Stage| match stage {
            Norm => family == Family::Llama,
            Rotate => rotates,
            Mask => kind == AttentionKind::DecoderSelf,
            _ => true,
        };
        all.into_iter().filter(exists).collect()
    }

    /// The stages of the lecture's worked example, which begins with queries and keys and ends with
    /// the head's output.
    pub fn worked_example() -> Vec<Stage> {
        use Stage::*;
        vec![Scores, Scale, Softmax, Weigh, Sum]
    }

    /// The part of the text that explains it.
    pub fn part(self, family: Family) -> &'static str {
        let llama = family == Family::Llama;
        match self {
            Stage::Embed if llama => "embed-rope",
            Stage::Embed => "embed",
            Stage::Norm => "norm",
            Stage::Project if llama => "project-norm",
            Stage::Project => "project",
            Stage::Rotate => "rotate",
            Stage::Scores => "scores",
            Stage::Scale => "scale",
            Stage::Mask => "mask",
            Stage::Softmax => "softmax",
            Stage::Weigh => "weigh",
            Stage::Sum => "sum",
            Stage::Concatenate => "concatenate",
            Stage::Output => "output",
            Stage::Add if llama => "add",
            Stage::Add => "add-norm",
            Stage::FeedForward if llama => "swiglu",
            Stage::FeedForward => "feed-forward",
            Stage::AddAgain if llama => "add-again",
            Stage::AddAgain => "add-norm-again",
        }
    }

    /// The stage that a part explains, in either family.
    pub fn of_part(part: &str) -> Option<Stage> {
        let families = [Family::Marian, Family::Llama];
        families.into_iter().find_map(|family| {
            let stages = Stage::list(family, AttentionKind::DecoderSelf, true);
            stages.into_iter().find(|stage| stage.part(family) == part)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_its_own_stages() {
        let marian = Stage::list(Family::Marian, AttentionKind::EncoderSelf, false);
        assert!(!marian.contains(&Stage::Rotate) && !marian.contains(&Stage::Mask));
        let llama = Stage::list(Family::Llama, AttentionKind::DecoderSelf, true);
        let norm = llama.iter().position(|&stage| stage == Stage::Norm);
        let project = llama.iter().position(|&stage| stage == Stage::Project);
        assert!(norm < project && llama.contains(&Stage::Mask));
        assert!(llama.contains(&Stage::Rotate));
        let unrotated = Stage::list(Family::Llama, AttentionKind::DecoderSelf, false);
        assert!(!unrotated.contains(&Stage::Rotate));
    }

    #[test]
    fn every_stage_is_explained() {
        const TEXT: &str = include_str!("../../../../assets/chapters/follow.en.md");
        for family in [Family::Marian, Family::Llama] {
            for stage in Stage::list(family, AttentionKind::DecoderSelf, true) {
                let heading = format!("{{#{}}}", stage.part(family));
                assert!(TEXT.contains(&heading), "{heading}");
            }
        }
    }

    #[test]
    fn a_part_leads_back_to_its_stage() {
        for family in [Family::Marian, Family::Llama] {
            let rotates = family == Family::Llama;
            for stage in Stage::list(family, AttentionKind::DecoderSelf, rotates) {
                assert_eq!(Stage::of_part(stage.part(family)), Some(stage));
            }
        }
        assert_eq!(Stage::of_part("intro"), None);
    }
}
