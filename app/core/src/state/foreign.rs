//! Address values of choices defined in `attention_trace` and `attention_protocol`: only this crate can implement the
//! trait for them.

use attention_protocol::training::TrainingDevice;
use attention_trace::{
    Patched, Stack, TakenInto,
    alignment::EndToken,
    config::Known,
    derived::Objective,
    judging::Tokenization,
    lessons::{ScoreFunction, WorkedExample},
    positions::RopeScaling,
    search::Ending,
};

use super::values::AddressValue;

impl AddressValue for Stack {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Stack::Encoder, "encoder"), (Stack::Decoder, "decoder")];
}

impl AddressValue for Tokenization {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Tokenization::Characters, "characters"),
        (Tokenization::Words, "words"),
    ];
}

impl AddressValue for EndToken {
    const VALUES: &'static [(Self, &'static str)] =
        &[(EndToken::TakenOut, "out"), (EndToken::Kept, "kept")];
}

impl AddressValue for TrainingDevice {
    const VALUES: &'static [(Self, &'static str)] = &[
        (TrainingDevice::Cpu, "cpu"),
        (
            TrainingDevice::WebGpu {
                allow_software: false,
            },
            "webgpu",
        ),
        (
            TrainingDevice::WebGpu {
                allow_software: true,
            },
            "webgpu-software",
        ),
    ];
}

impl AddressValue for Objective {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Objective::Logit, "logit"),
        (Objective::LogProbability, "log-p"),
    ];
}

impl AddressValue for ScoreFunction {
    const VALUES: &'static [(Self, &'static str)] = &[
        (ScoreFunction::Additive, "additive"),
        (ScoreFunction::Dot, "dot"),
        (ScoreFunction::ScaledDot, "scaled-dot"),
        (ScoreFunction::Bilinear, "bilinear"),
        (ScoreFunction::Perceptron, "perceptron"),
    ];
}

impl AddressValue for Ending {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Ending::AllSteps, "four-steps"), (Ending::End, "end")];
}

impl AddressValue for TakenInto {
    const VALUES: &'static [(Self, &'static str)] =
        &[(TakenInto::Other, "other"), (TakenInto::Clean, "clean")];
}

impl AddressValue for Patched {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Patched::Residual, "residual"),
        (Patched::Attention, "attention"),
        (Patched::FeedForward, "mlp"),
        (Patched::Heads, "heads"),
    ];
}

impl AddressValue for WorkedExample {
    const VALUES: &'static [(Self, &'static str)] = &[
        (WorkedExample::FourWords, "four-words"),
        (WorkedExample::ThinkingMachines, "thinking-machines"),
    ];
}

impl AddressValue for RopeScaling {
    const VALUES: &'static [(Self, &'static str)] = &[
        (RopeScaling::None, "none"),
        (RopeScaling::Linear, "linear"),
        (RopeScaling::Ntk, "ntk"),
        (RopeScaling::Yarn, "yarn"),
        (RopeScaling::Llama3, "llama3"),
    ];
}

impl AddressValue for Known {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Known::PaperBase, "paper-base"),
        (Known::PaperBig, "paper-big"),
        (Known::Translator, "translator"),
        (Known::Sentences, "sentences"),
        (Known::Gpt2Small, "gpt-2-small"),
        (Known::Llama2, "llama-2-7b"),
        (Known::Llama32, "llama-3.2-1b"),
        (Known::Llama3, "llama-3-8b"),
        (Known::Llama31, "llama-3.1-405b"),
        (Known::Qwen3, "qwen-3-0.6b"),
        (Known::BertBase, "bert-base"),
    ];
}
