//! The exercises in words.

use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::numbers::decimal,
};

use super::{Verdict, tasks::Mistake};
use crate::kit::evidence::Gap;

/// The task of a chapter in words.
pub fn task_words(name: &str) -> String {
    let i18n = use_i18n();
    match name {
        "start" => t_string!(i18n, exercises.task_start),
        "hand" => t_string!(i18n, exercises.task_hand),
        "follow" => t_string!(i18n, exercises.task_follow),
        "scale" => t_string!(i18n, exercises.task_scale),
        "heads" => t_string!(i18n, exercises.task_heads),
        "positions" => t_string!(i18n, exercises.task_positions),
        "masks" => t_string!(i18n, exercises.task_masks),
        "norms" => t_string!(i18n, exercises.task_norms),
        "search" => t_string!(i18n, exercises.task_search),
        "training" => t_string!(i18n, exercises.task_training),
        "recurrent" => t_string!(i18n, exercises.task_recurrent),
        "layers" => t_string!(i18n, exercises.task_layers),
        "embedding" => t_string!(i18n, exercises.task_embedding),
        _ => "",
    }
    .to_owned()
}

/// The reason why there is no task now.
pub fn reason(gap: Gap) -> String {
    let i18n = use_i18n();
    match gap {
        Gap::Loading => t_string!(i18n, exercises.loading),
        Gap::Model => t_string!(i18n, exercises.no_model),
        Gap::Sentence => t_string!(i18n, exercises.no_sentence),
    }
    .to_owned()
}

/// The verdict on what was typed.
pub fn verdict_words(verdict: Verdict, typed: &str) -> String {
    let i18n = use_i18n();
    match verdict {
        Verdict::Empty => t_string!(i18n, exercises.empty).to_owned(),
        Verdict::NoNumber => t_string!(i18n, exercises.no_number, typed = typed).to_string(),
        Verdict::Right => t_string!(i18n, exercises.right).to_owned(),
        Verdict::Wrong => t_string!(i18n, exercises.wrong).to_owned(),
        Verdict::Known(mistake) => {
            t_string!(i18n, exercises.known, mistake = mistake_words(mistake)).to_string()
        }
    }
}

fn mistake_words(mistake: Mistake) -> &'static str {
    let i18n = use_i18n();
    match mistake {
        Mistake::NoScale => t_string!(i18n, exercises.no_scale),
        Mistake::Scaled => t_string!(i18n, exercises.scaled),
        Mistake::NoRoot => t_string!(i18n, exercises.no_root),
        Mistake::NotNormalised => t_string!(i18n, exercises.not_normalised),
        Mistake::NoPowers => t_string!(i18n, exercises.no_powers),
        Mistake::MaskedWeights => t_string!(i18n, exercises.masked_weights),
        Mistake::MaskedWithZero => t_string!(i18n, exercises.masked_with_zero),
        Mistake::NoHalf => t_string!(i18n, exercises.no_half),
        Mistake::Sign => t_string!(i18n, exercises.sign),
        Mistake::NoTwo => t_string!(i18n, exercises.no_two),
        Mistake::NoMean => t_string!(i18n, exercises.no_mean),
        Mistake::Sample => t_string!(i18n, exercises.sample),
        Mistake::Variance => t_string!(i18n, exercises.variance),
        Mistake::NotAveraged => t_string!(i18n, exercises.not_averaged),
        Mistake::Seen => t_string!(i18n, exercises.seen),
        Mistake::NotTurned => t_string!(i18n, exercises.not_turned),
        Mistake::Exponential => t_string!(i18n, exercises.exponential),
        Mistake::FirstOnly => t_string!(i18n, exercises.first_only),
        Mistake::NoTarget => t_string!(i18n, exercises.no_target),
        Mistake::ByProbability => t_string!(i18n, exercises.by_probability),
        Mistake::NoSlope => t_string!(i18n, exercises.no_slope),
        Mistake::OffByOne => t_string!(i18n, exercises.off_by_one),
        Mistake::NoIdentity => t_string!(i18n, exercises.no_identity),
        Mistake::NoSquare => t_string!(i18n, exercises.no_square),
        Mistake::Transposed => t_string!(i18n, exercises.transposed),
    }
}

/// A result with three decimals, a count with none.
pub fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value}"),
        false => decimal(value as f32, 3),
    }
}
