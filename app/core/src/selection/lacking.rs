//! What a view is about and the model on screen lacks: says so, and offers the model that has it.

use attention_trace::{AttentionKind, ModelSpec};
use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{Model, Tab, View},
};

/// What a view needs of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing that some models lack.
    Nothing,
    /// Attention of any kind.
    Attention,
    /// Attention of a text to itself.
    SelfAttention,
    /// A way to know positions other than to read one token after another.
    Positions,
    /// Layers of a Transformer, around a residual stream.
    Layers,
}

impl Needs {
    /// Whether a model has it.
    pub fn are_met_by(self, spec: &ModelSpec) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Attention => !spec.kinds().is_empty(),
            Needs::SelfAttention => {
                let mut kinds = spec.kinds().into_iter();
                kinds.any(|kind| kind != AttentionKind::Cross)
            }
            Needs::Positions | Needs::Layers => spec.recurrence.is_none(),
        }
    }
}

/// Whether the model on screen has what is needed; it is taken to have it as long as nothing is on screen.
pub fn has_what_is_needed(needs: Needs) -> Memo<bool> {
    let live = Live::expect();
    Memo::new(move |_| {
        let trace = live.trace();
        trace.is_none_or(|trace| needs.are_met_by(&trace.meta.spec))
    })
}

/// What the model on screen lacks, the way to the translator with the same text, and to the chapter about such models.
#[component]
pub fn Lacking(
    /// What it lacks.
    needs: Needs,
) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || match needs {
        Needs::Nothing | Needs::Attention => t_string!(i18n, heads.lacks_attention),
        Needs::SelfAttention => t_string!(i18n, heads.lacks_self_attention),
        Needs::Positions => t_string!(i18n, heads.lacks_positions),
        Needs::Layers => t_string!(i18n, heads.lacks_layers),
    };
    view! {
        <div class="lacking" data-testid="lacking">
            <p>{words}</p>
            <p class="lacking-ways">
                <ViewLink change=with_translator class="link-button" test_id="use-translator">
                    {t!(i18n, heads.use_translator)}
                </ViewLink>
                " "
                <ViewLink change=about_recurrent class="link-button" test_id="about-recurrent">
                    {t!(i18n, heads.about_recurrent)}
                </ViewLink>
            </p>
        </div>
    }
}

/// The same text, read by the translator.
fn with_translator(view: &mut View) {
    view.model = Model::Translator;
    view.prefix.clear();
    view.step = 0;
    view.closeup = None;
}

fn about_recurrent(view: &mut View) {
    view.tab = Tab::Learn;
    view.chapters.open("recurrent");
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        RecurrentAttention,
        config::{GruConfig, LlamaConfig, MarianConfig},
    };

    use super::*;

    #[test]
    fn recurrent_models_lack_what_transformers_have() {
        let fixed = GruConfig::default().spec();
        let bahdanau = GruConfig {
            attention: RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        let all = [
            Needs::Nothing,
            Needs::Attention,
            Needs::SelfAttention,
            Needs::Positions,
            Needs::Layers,
        ];
        let met = |spec: &ModelSpec| all.map(|needs| needs.are_met_by(spec));
        assert_eq!(met(&fixed), [true, false, false, false, false]);
        assert_eq!(met(&bahdanau.spec()), [true, true, false, false, false]);
        assert_eq!(met(&MarianConfig::default().spec()), [true; 5]);
        assert_eq!(met(&LlamaConfig::default().spec()), [true; 5]);
    }

    #[test]
    fn the_translator_reads_the_same_text() {
        let mut view = View::from_fragment("model=recurrent-fixed&text=Oui.&step=3");
        with_translator(&mut view);
        assert_eq!((view.model, view.step), (Model::Translator, 0));
        assert_eq!(view.text, "Oui.");
    }
}
