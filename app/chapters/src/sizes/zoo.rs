//! The parts of the encoder–decoder that GPT, BERT and the model on screen keep, from their descriptions.

use attention_figures::kept_parts::{KeptPart, kept_parts};
use attention_trace::{
    ModelSpec, Stack,
    config::{BertConfig, Gpt2Config, MarianConfig},
};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{StagedFigure, player::Player},
};

/// The models of the picture; the one on screen is the last.
const COUNT: usize = 4;

/// Returns the parts that a model keeps; none of a recurrent one.
fn kept(spec: &ModelSpec) -> Vec<KeptPart> {
    if spec.recurrence.is_some() {
        return Vec::new();
    }
    let decoder = spec.stack(Stack::Decoder);
    let has = |part: &KeptPart| match part {
        KeptPart::SourceEmbedding | KeptPart::EncoderSelf | KeptPart::EncoderNetwork => {
            spec.stack(Stack::Encoder).is_some()
        }
        KeptPart::Cross => decoder.is_some_and(|stack| stack.cross_attention),
        KeptPart::TargetEmbedding
        | KeptPart::MaskedSelf
        | KeptPart::DecoderNetwork
        | KeptPart::Output => decoder.is_some(),
    };
    KeptPart::ALL.into_iter().filter(has).collect()
}

/// Returns what the Transformer, GPT and BERT keep.
fn known() -> [Vec<KeptPart>; COUNT - 1] {
    [
        kept(&MarianConfig::default().spec()),
        kept(&Gpt2Config::default().spec()),
        kept(&BertConfig::default().spec()),
    ]
}

/// The picture with its player.
#[component]
pub fn Zoo() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let live = Live::expect();
    let own = Memo::new(move |_| live.trace().map(|trace| trace.meta.spec.clone()));
    let models = Memo::new(move |_| {
        let own = own.with(|spec| spec.as_ref().map_or_else(Vec::new, kept));
        known().into_iter().chain([own]).collect::<Vec<_>>()
    });
    let names = move || {
        [
            t_string!(i18n, sizes.part_embedding),
            t_string!(i18n, sizes.part_self),
            t_string!(i18n, sizes.part_network),
            t_string!(i18n, sizes.part_embedding),
            t_string!(i18n, sizes.part_masked),
            t_string!(i18n, sizes.part_cross),
            t_string!(i18n, sizes.part_network),
            t_string!(i18n, sizes.part_output),
        ]
        .map(str::to_owned)
    };
    let wanted = state.select(|view| view.chapters.stage);
    let player = Player::new(
        move || wanted.get(),
        || COUNT,
        move |model| state.update_chapters(|chapters| chapters.stage = model),
    );
    state.compare_count("stage", move || player.timeline().count);
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let step = player.timeline().step;
        match step {
            0 => t_string!(i18n, sizes.keeps_all).to_owned(),
            1 => t_string!(i18n, sizes.keeps_gpt).to_owned(),
            2 => t_string!(i18n, sizes.keeps_bert).to_owned(),
            _ => {
                let (all, count) = (
                    KeptPart::ALL.len(),
                    models.read().last().map_or(0, Vec::len),
                );
                t_string!(i18n, sizes.keeps_own, count = count, all = all)
            }
        }
    });
    view! {
        <section class="lesson-figure">
            <StagedFigure
                test_id="kept-parts"
                name=Signal::derive(move || t_string!(i18n, sizes.kept_parts).to_owned())
                player
                words
                draw=move |width| Some(kept_parts(width, &names(), &models.read()))
            />
        </section>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{GruConfig, LlamaConfig};

    use super::*;

    #[test]
    fn gpt_keeps_the_decoder_without_cross_attention_and_bert_the_encoder() {
        use KeptPart::*;
        let [transformer, gpt, bert] = known();
        assert_eq!(transformer, KeptPart::ALL);
        assert_eq!(gpt, [TargetEmbedding, MaskedSelf, DecoderNetwork, Output]);
        assert_eq!(bert, [SourceEmbedding, EncoderSelf, EncoderNetwork]);
        assert_eq!(kept(&LlamaConfig::default().spec()), gpt);
        assert_eq!(kept(&GruConfig::default().spec()), []);
    }
}
