//! A notice that the model on screen lacks the subject of a view, with a link to a model that has it.

use attention_trace::{AttentionKind, ModelSpec};
use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{Model, Tab, Task, View},
};

/// The key of the chapter about recurrent models, which explains the features that they lack.
pub const ABOUT_RECURRENCE: &str = "recurrent";

/// A feature that a view needs of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No feature beyond those of every model.
    Nothing,
    /// Attention of any kind.
    Attention,
    /// Attention of a text to itself.
    SelfAttention,
    /// An encoding of positions, beyond reading one token after another.
    Positions,
    /// Layers of a Transformer, around a residual stream.
    Layers,
    /// Positions that halt, each after as many uses of one block as it needs.
    Halting,
}

impl Needs {
    /// True if a model has the feature.
    pub fn are_met_by(self, spec: &ModelSpec) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Attention => !spec.kinds().is_empty(),
            Needs::SelfAttention => {
                let mut kinds = spec.kinds().into_iter();
                kinds.any(|kind| kind != AttentionKind::Cross)
            }
            Needs::Positions | Needs::Layers => spec.recurrence.is_none(),
            Needs::Halting => spec.halting().is_some(),
        }
    }
}

/// Returns a memo that is true if the model on screen has the needed feature, and while no model is on screen.
pub fn has_what_is_needed(needs: Needs) -> Memo<bool> {
    let live = Live::expect();
    Memo::new(move |_| {
        let trace = live.trace();
        trace.is_none_or(|trace| needs.are_met_by(&trace.meta.spec))
    })
}

/// Names the feature that the model on screen lacks, and links to a model that has it, with the same text, and to the
/// chapter about such models.
#[component]
pub fn Lacking(
    /// The feature that is needed.
    needs: Needs,
) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || match needs {
        Needs::Nothing | Needs::Attention => t_string!(i18n, heads.lacks_attention),
        Needs::SelfAttention => t_string!(i18n, heads.lacks_self_attention),
        Needs::Positions => t_string!(i18n, heads.lacks_positions),
        Needs::Layers => t_string!(i18n, heads.lacks_layers),
        Needs::Halting => t_string!(i18n, heads.lacks_halting),
    };
    let ways = match needs {
        Needs::Halting => view! {
            <ViewLink change=with_universal class="link-button" test_id="use-universal">
                {t!(i18n, heads.use_universal)}
            </ViewLink>
        }
        .into_any(),
        _ => view! {
            <TranslatorLink />
            " "
            <ViewLink change=about_recurrent class="link-button" test_id="about-recurrent">
                {t!(i18n, heads.about_recurrent)}
            </ViewLink>
        }
        .into_any(),
    };
    view! {
        <div class="lacking" data-testid="lacking">
            <p>{words}</p>
            <p class="lacking-ways">{ways}</p>
        </div>
    }
}

/// A link to the translator, which has every feature of [`Needs`] but halting. It keeps the text if the translator can
/// read it.
#[component]
pub fn TranslatorLink() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <ViewLink change=with_translator class="link-button" test_id="use-translator">
            {t!(i18n, heads.use_translator)}
        </ViewLink>
    }
}

/// Switches to a model that halts. The text of a translator that shares a language with it is kept.
fn with_universal(view: &mut View) {
    let halting = Model::first(|card| card.halts);
    match view.model.card().task {
        Task::Translate if view.model.shares_language(halting) => with(view, halting),
        _ => view.use_model(halting),
    }
}

/// Switches to a translator without recurrence and halting, and keeps the text if such a translator reads its language.
/// Of several, the one with the same output is taken.
fn with_translator(view: &mut View) {
    let is_plain = |model: &Model| {
        let card = model.card();
        card.task == Task::Translate && !card.is_recurrent && !card.halts
    };
    let readers = || {
        Model::served()
            .filter(is_plain)
            .filter(|model| view.model.shares_language(*model))
    };
    let writes = view.model.card().writes;
    let same_output = readers().find(|model| model.card().writes == writes);
    match same_output.or_else(|| readers().next()) {
        Some(translator) => with(view, translator),
        None => view.use_model(Model::default()),
    }
}

/// Switches to another model for the same text.
fn with(view: &mut View, model: Model) {
    view.model = model;
    view.prefix.clear();
    view.step = 0;
    view.closeup = None;
}

fn about_recurrent(view: &mut View) {
    view.tab = Tab::Learn;
    view.chapters.open(ABOUT_RECURRENCE);
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        RecurrentAttention,
        config::{GruConfig, LlamaConfig, MarianConfig, UniversalConfig},
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
            Needs::Halting,
        ];
        let met = |spec: &ModelSpec| all.map(|needs| needs.are_met_by(spec));
        assert_eq!(met(&fixed), [true, false, false, false, false, false]);
        assert_eq!(
            met(&bahdanau.spec()),
            [true, true, false, false, false, false]
        );
        for transformer in [
            MarianConfig::default().spec(),
            LlamaConfig::default().spec(),
        ] {
            assert_eq!(met(&transformer), [true, true, true, true, true, false]);
        }
        assert_eq!(met(&UniversalConfig::default().spec()), [true; 6]);
    }

    #[test]
    fn the_translator_reads_the_same_text() {
        let mut view = View::from_fragment("model=recurrent-fixed&text=Oui.&step=3");
        with_translator(&mut view);
        assert_eq!((view.model, view.step), (Model::default(), 0));
        assert_eq!(view.text, "Oui.");
        let mut english = View::from_fragment("model=recurrent-chinese&text=Yes.");
        with_translator(&mut english);
        assert_eq!(english.model.to_string(), "to-chinese");
        assert_eq!(english.text, "Yes.");
        let mut english = View::from_fragment("model=sentences&text=Yes.");
        with_translator(&mut english);
        assert_eq!(english.model.to_string(), "to-french");
        assert_eq!(english.text, "Yes.");
    }

    #[test]
    fn letters_are_no_text_for_the_translator() {
        let mut view = View::from_fragment("model=positions-rope&text=abc");
        assert_eq!(view.model.card().task, Task::Letters);
        with_translator(&mut view);
        assert_eq!(view.model, Model::default());
        assert_eq!(view.text, Model::default().first_text());
    }

    #[test]
    fn the_universal_transformer_reads_a_french_text_and_no_english_one() {
        let mut view = View::from_fragment("text=Oui.");
        with_universal(&mut view);
        assert_eq!(
            (view.model.to_string().as_str(), view.text.as_str()),
            ("universal", "Oui.")
        );
        let mut view = View::from_fragment("model=sentences&text=Yes.");
        with_universal(&mut view);
        assert_eq!(view.text, view.model.first_text());
    }
}
