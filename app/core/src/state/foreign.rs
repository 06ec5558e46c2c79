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
    fn values() -> Vec<(Self, &'static str)> {
        vec![(Stack::Encoder, "encoder"), (Stack::Decoder, "decoder")]
    }
}

impl AddressValue for Tokenization {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (Tokenization::Characters, "characters"),
            (Tokenization::Words, "words"),
        ]
    }
}

impl AddressValue for EndToken {
    fn values() -> Vec<(Self, &'static str)> {
        vec![(EndToken::TakenOut, "out"), (EndToken::Kept, "kept")]
    }
}

impl AddressValue for TrainingDevice {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
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
        ]
    }
}

impl AddressValue for Objective {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (Objective::Logit, "logit"),
            (Objective::LogProbability, "log-p"),
        ]
    }
}

impl AddressValue for ScoreFunction {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (ScoreFunction::Additive, "additive"),
            (ScoreFunction::Dot, "dot"),
            (ScoreFunction::ScaledDot, "scaled-dot"),
            (ScoreFunction::Bilinear, "bilinear"),
            (ScoreFunction::Perceptron, "perceptron"),
        ]
    }
}

impl AddressValue for Ending {
    fn values() -> Vec<(Self, &'static str)> {
        vec![(Ending::AllSteps, "four-steps"), (Ending::End, "end")]
    }
}

impl AddressValue for TakenInto {
    fn values() -> Vec<(Self, &'static str)> {
        vec![(TakenInto::Other, "other"), (TakenInto::Clean, "clean")]
    }
}

impl AddressValue for Patched {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (Patched::Residual, "residual"),
            (Patched::Attention, "attention"),
            (Patched::FeedForward, "mlp"),
            (Patched::Heads, "heads"),
        ]
    }
}

impl AddressValue for WorkedExample {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (WorkedExample::FourWords, "four-words"),
            (WorkedExample::ThinkingMachines, "thinking-machines"),
        ]
    }
}

impl AddressValue for RopeScaling {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
            (RopeScaling::None, "none"),
            (RopeScaling::Linear, "linear"),
            (RopeScaling::Ntk, "ntk"),
            (RopeScaling::Yarn, "yarn"),
            (RopeScaling::Llama3, "llama3"),
        ]
    }
}

impl AddressValue for Known {
    fn values() -> Vec<(Self, &'static str)> {
        vec![
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
        ]
    }
}
