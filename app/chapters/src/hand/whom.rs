//! Whom does "she" attend to? Every head's answer, in the whole sentence and in the shortened one.

use crate::hand::parameters::Hand;
use attention_trace::{AttentionKind, AttentionLayer, Excerpt, Quantity, Slice};
use leptos::prelude::*;

use super::{
    answers::{Answers, Both},
    both::read_both,
    sentences::{SENTENCES, Sentence, found},
};
use attention_core::{
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    names::token_name,
    navigation::ViewLink,
    state::{Language, Model, View, ViewState},
    widgets::{
        Check, Prose, ScrollRegion,
        numbers::{percent, share_of_one},
    },
};

/// The sentences to choose from, and the table.
#[component]
pub fn Whom() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let shown = live.select(|engine| {
        let job = engine.shown.as_ref()?.job.clone()?;
        Some((job.model, job.text))
    });
    let sentence = Memo::new(move |_| {
        shown.with(|shown| {
            let (model, text) = shown.as_ref()?;
            found(*model, text)
        })
    });
    // Both forms of a sentence have one table.
    let place = Memo::new(move |_| Some(sentence.get()?.0));
    let answers = answers(sentence);
    let both = RwSignal::new(Both::default());
    // An effect because a result goes when the next one comes: of the two forms, one is read after the other.
    Effect::new(move |_| {
        if let Some((at, answers)) = answers.get() {
            both.update(|both| both.put(at, answers));
        }
    });
    read_both(sentence, both);
    let compares = state.select(|view| view.chapters.of::<Hand>().both);
    let choice = |sentence: &'static Sentence| {
        let language = move || match sentence.language {
            Language::Chinese => t_string!(i18n, hand.in_chinese),
            _ => t_string!(i18n, hand.in_english),
        };
        view! {
            <dt>{language}" · "{sentence.asks}</dt>
            {sentence.forms.map(|text| view! { <dd><Form sentence text shown /></dd> }).collect_view()}
        }
    };
    view! {
        <section class="chapter-section" data-testid="whom">
            <Prose part="whom" />
            <dl class="whom-sentences">{SENTENCES.iter().map(choice).collect_view()}</dl>
            <Check
                name=Signal::derive(move || t_string!(i18n, hand.compare_forms).to_owned())
                test_id="hand-both"
                on=compares
                set=move |both| state.update_chapters(|chapters| chapters.of_mut::<Hand>().both = both)
            />
            {move || match place.get() {
                Some(at) => view! { <Table at both sentence compares /> }.into_any(),
                None => view! { <p class="hint">{t!(i18n, hand.choose_sentence)}</p> }.into_any(),
            }}
            <Prose part="distance" />
        </section>
    }
}

/// Has one form of a sentence read.
#[component]
fn Form(
    sentence: &'static Sentence,
    text: &'static str,
    shown: Memo<Option<(Model, String)>>,
) -> impl IntoView {
    let change = move |view: &mut View| {
        // From one form to the other: both are compared from then on.
        let is_other = sentence.forms.contains(&view.text.as_str()) && view.text != text;
        view.chapters.of_mut::<Hand>().both |= is_other && view.model == sentence.model();
        view.model = sentence.model();
        view.use_text(text.to_owned());
    };
    let current = move || {
        let of = |(model, shown): &(Model, String)| *model == sentence.model() && shown == text;
        shown.with(|shown| shown.as_ref().is_some_and(of))
    };
    view! {
        <ViewLink change class="link-button" current=Signal::derive(current) test_id="whom-sentence">
            {text}
        </ViewLink>
    }
}

/// Returns the answers of all heads on the sentence in sight, once its weights are here.
fn answers(sentence: Memo<Option<(usize, usize)>>) -> Memo<Option<(usize, Answers)>> {
    let live = Live::expect();
    let called = token_name();
    let kind = AttentionKind::EncoderSelf;
    let layers = live.parts(move || {
        let layers = sentence.get().and(live.trace());
        let layers = layers.map_or(0, |trace| trace.meta.spec.layers(kind));
        let weights = |layer| AttentionLayer { kind, layer }.at(Quantity::Pattern);
        (0..layers)
            .map(|layer| Excerpt::new(weights(layer), Slice::Whole))
            .collect()
    });
    Memo::new(move |_| {
        let (at, form) = sentence.get()?;
        let (trace, layers) = (live.trace()?, layers.get()?);
        let layers: Vec<_> = layers.iter().map(|Part(layer)| layer.as_ref()).collect();
        let tokens = trace.meta.axes(kind).0;
        let answers = Answers::new((&SENTENCES[at], form), tokens, called, &layers)?;
        Some((at, answers))
    })
}

#[component]
fn Table(
    /// The sentence, by its place.
    at: usize,
    both: RwSignal<Both>,
    /// The sentence and the form on screen.
    sentence: Memo<Option<(usize, usize)>>,
    /// True if the other form is shown beside the sentence.
    compares: Memo<bool>,
) -> impl IntoView {
    let i18n = use_i18n();
    let asks = SENTENCES[at].asks;
    let forms = Memo::new(move |_| {
        let mut forms = both.with(|both| both.of(at));
        if let Some((_, shown)) = sentence.get().filter(|_| !compares.get()) {
            forms[1 - shown] = None;
        }
        forms
    });
    let name = move || t_string!(i18n, hand.whom_table, word = asks);
    let names = SENTENCES[at]
        .names
        .map(|name| view! { <th scope="col">{name}</th> });
    let is_missing = move || forms.with(|forms| forms.iter().any(Option::is_none));
    view! {
        <ScrollRegion class="lesson-table" test_id="whom-table" name=Signal::derive(name)>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, many_heads.layer_and_head)}</th>
                        <th scope="col">{t!(i18n, hand.most_whole)}</th>
                        <th scope="col">{t!(i18n, hand.most_shortened)}</th>
                        {names}
                    </tr>
                </thead>
                <tbody>{move || forms.with(rows)}</tbody>
                <tfoot>
                    <tr>
                        <th scope="row" colspan="3">{t!(i18n, hand.mean)}</th>
                        {cells(forms, |of, name| Some(share_of_one(of.mean(name)?, 3)))}
                    </tr>
                    <tr>
                        <th scope="row" colspan="3">{t!(i18n, hand.distance)}</th>
                        {cells(forms, |of, name| Some(of.distances[name]?.to_string()))}
                    </tr>
                </tfoot>
            </table>
        </ScrollRegion>
        <p class="hint" role="status" data-testid="whom-missing">
            {move || is_missing().then(|| t_string!(i18n, hand.read_other))}
        </p>
    }
}

/// The answers in each form, as far as it was read.
type Forms = [Option<Answers>; 2];

/// A table row for each head with an answer.
fn rows(forms: &Forms) -> impl IntoView + use<> {
    let heads = forms.iter().flatten().next();
    let heads = heads.map_or(0, |answers| answers.heads.len());
    (0..heads).map(|head| row(forms, head)).collect_view()
}

fn row(forms: &Forms, head: usize) -> impl IntoView + use<> {
    let of = forms
        .each_ref()
        .map(|answers| answers.as_ref()?.heads.get(head));
    let label = of.iter().flatten().next();
    let label = label.map(|of| format!("{}.{}", of.layer + 1, of.head + 1));
    let most = forms.each_ref().map(|answers| {
        let answers = answers.as_ref()?;
        let (place, weight) = answers.heads.get(head)?.most;
        let token = answers.tokens.get(place)?;
        Some(format!("{token} {}", percent(weight, 0)))
    });
    let names = [0, 1, 2].map(|name| {
        let weights = of.map(|of| Some(share_of_one(of?.names[name]?, 3)));
        view! { <td class="number">{arrow(weights)}</td> }
    });
    view! {
        <tr>
            <th scope="row">{label}</th>
            {most.map(|most| view! { <td>{most.unwrap_or_else(nothing)}</td> })}
            {names}
        </tr>
    }
}

/// A cell for each name: what is told of it in both forms.
fn cells(
    forms: Memo<Forms>,
    told: impl Fn(&Answers, usize) -> Option<String> + Copy + Send + Sync + 'static,
) -> impl IntoView {
    [0, 1, 2].map(move |name| {
        let told = move |of: &Option<Answers>| told(of.as_ref()?, name);
        let text = move || forms.with(|forms| arrow(forms.each_ref().map(told)));
        view! { <td class="number">{text}</td> }
    })
}

/// Formats a value in the whole sentence and in the shortened one.
fn arrow(forms: [Option<String>; 2]) -> String {
    let [whole, shortened] = forms.map(|form| form.unwrap_or_else(nothing));
    format!("{whole} → {shortened}")
}

fn nothing() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_a_dash() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(arrow([text("0.25"), text("0.30")]), "0.25 → 0.30");
        assert_eq!(arrow([text("0.25"), None]), "0.25 → –");
    }
}
