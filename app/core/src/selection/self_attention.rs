//! A head of self-attention and a token of its text: the subject of the chapters on self-attention.

use std::sync::Arc;

use attention_trace::{AttentionKind, AttentionLayer, Excerpt, Token, TraceMeta};
use leptos::prelude::*;

use super::{HeadChoice, MOST_TOKENS, Selection};
use crate::{
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    names::{token_label, token_name},
    state::{Cell, ViewState},
    widgets::TokenChoice,
};

/// A head of self-attention and a token.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfPlace {
    /// The tokens and sizes of the trace.
    pub meta: Arc<TraceMeta>,
    /// The head on screen.
    pub head: HeadChoice,
    /// The position of the token.
    pub query: usize,
}

impl SelfPlace {
    /// Resolves the place that the view asks for, or the nearest one; cross-attention is replaced by the self-attention
    /// that reads the visitor's text.
    fn of(meta: Arc<TraceMeta>, selection: Selection, kinds: Kinds) -> Self {
        let reading = meta.spec.permuted();
        let head = selection.head(&meta);
        let has_none = meta.spec.attention(reading).is_none();
        let head = match (kinds, head.attention.kind) {
            // What a recurrent model reads has tokens all the same.
            _ if has_none => HeadChoice {
                attention: AttentionLayer {
                    kind: reading,
                    layer: 0,
                },
                head: 0,
            },
            (Kinds::Reading, _) | (_, AttentionKind::Cross) => {
                selection.with_kind(reading).head(&meta)
            }
            (Kinds::OfSelf, _) => head,
        };
        let count = meta.axes(head.attention.kind).0.len().min(MOST_TOKENS);
        SelfPlace {
            query: selection.query(count, count / 2),
            head,
            meta,
        }
    }

    /// Returns the tokens, at most as many as a chapter computes with.
    pub fn tokens(&self) -> &[Token] {
        let tokens = self.meta.axes(self.head.attention.kind).0;
        &tokens[..tokens.len().min(MOST_TOKENS)]
    }

    /// Returns the head's kind if it differs from the kind of the selection.
    fn kind_in_the_place_of(&self, selection: Selection) -> Option<AttentionKind> {
        let kind = self.head.attention.kind;
        (selection.head(&self.meta).attention.kind != kind).then_some(kind)
    }

    /// Returns the kinds of self-attention that the model has.
    pub fn kinds(&self) -> Vec<AttentionKind> {
        let mut kinds = self.meta.spec.kinds();
        kinds.retain(|&kind| kind != AttentionKind::Cross);
        kinds
    }
}

/// The kinds of self-attention that may be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// The self-attention that reads the visitor's text.
    Reading,
    /// Any kind of self-attention.
    OfSelf,
}

/// The place, and the values that figures need of it. A context of a chapter.
#[derive(Clone, Copy)]
pub struct SelfAttention {
    place: Memo<Option<SelfPlace>>,
    names: Memo<Arc<[String]>>,
    state: ViewState,
    live: Live,
}

impl SelfAttention {
    /// Creates the context and provides it to the components below.
    pub fn provide(kinds: Kinds) -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let selection = Selection::of_page();
        let place = Memo::new(move |_| {
            let meta = Arc::new(live.trace()?.meta.clone());
            Some(SelfPlace::of(meta, selection.get(), kinds))
        });
        let name = token_name();
        let names = Memo::new(move |_| {
            place.with(|place| {
                let tokens = place.as_ref().map_or(&[][..], SelfPlace::tokens);
                tokens.iter().map(name).collect()
            })
        });
        let context = SelfAttention {
            place,
            names,
            state,
            live,
        };
        provide_context(context);
        context
    }

    /// Returns the context that the chapter provided.
    ///
    /// # Panics
    /// Outside such a chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Reads the place; `None` until there is a trace.
    pub fn with<T>(self, read: impl FnOnce(&SelfPlace) -> T) -> Option<T> {
        self.place.with(|place| place.as_ref().map(read))
    }

    /// Returns the tokens of the text that the head reads.
    pub fn tokens(self) -> Vec<Token> {
        self.with(|place| place.tokens().to_vec())
            .unwrap_or_default()
    }

    pub fn names(self) -> Arc<[String]> {
        self.names.get()
    }

    /// Returns the position of the chosen token.
    pub fn query(self) -> usize {
        self.with(|place| place.query).unwrap_or(0)
    }

    /// Returns the name of the chosen token.
    pub fn query_name(self) -> Option<String> {
        self.names().get(self.query()).cloned()
    }

    /// Chooses a token that the head in sight reads. The head's kind is chosen with it if another was: a cell of
    /// cross-attention would be elsewhere.
    pub fn choose(self, query: usize) {
        let place = self.place.get_untracked();
        self.state.update(|view| {
            let instead = |place: &SelfPlace| place.kind_in_the_place_of(Selection::of(view));
            if let Some(kind) = place.as_ref().and_then(instead) {
                view.use_kind(kind);
            }
            view.use_cell(Some(Cell { query, key: 0 }));
        });
    }

    /// Returns a part of the trace or the checkpoint, which is requested if it is not loaded yet.
    pub fn part(
        self,
        wanted: impl Fn(&SelfPlace) -> Excerpt + Send + Sync + 'static,
    ) -> Memo<Option<Part>> {
        self.live.part(move || self.with(&wanted))
    }
}

/// The control that chooses the token.
#[component]
pub fn ChosenToken(
    /// True to show each token's number in the vocabulary.
    #[prop(optional)]
    with_ids: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    view! {
        <TokenChoice
            name=Signal::derive(move || t_string!(i18n, chapters.token).to_owned())
            tokens=Signal::derive(move || context.tokens())
            chosen=Signal::derive(move || context.query())
            label=token_label()
            with_ids
            choose=move |query| context.choose(query)
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        ModelSpec, RecurrentAttention,
        config::{GruConfig, LlamaConfig, MarianConfig},
    };

    use super::*;
    use crate::state::View;

    fn place(spec: ModelSpec, kind: AttentionKind, kinds: Kinds) -> SelfPlace {
        let token = |id| Token {
            id,
            text: format!("▁{id}"),
            unknown: false,
        };
        let meta = TraceMeta {
            spec,
            source: (0..4).map(token).collect(),
            target: (0..100).map(token).collect(),
            pieces: attention_trace::Pieces::default(),
        };
        let view = View {
            kind: Some(kind),
            ..View::default()
        };
        SelfPlace::of(Arc::new(meta), Selection::of(&view), kinds)
    }

    #[test]
    fn instead_of_cross_attention_it_is_what_reads_the_visitors_text() {
        use AttentionKind::{Cross, DecoderSelf, EncoderSelf};
        let translator = || MarianConfig::default().spec();
        let kind = |kind, kinds| place(translator(), kind, kinds).head.attention.kind;
        assert_eq!(kind(Cross, Kinds::Reading), EncoderSelf);
        assert_eq!(kind(Cross, Kinds::OfSelf), EncoderSelf);
        assert_eq!(kind(DecoderSelf, Kinds::Reading), EncoderSelf);
        assert_eq!(kind(DecoderSelf, Kinds::OfSelf), DecoderSelf);
        let llama = place(LlamaConfig::default().spec(), Cross, Kinds::OfSelf);
        assert_eq!(llama.head.attention.kind, DecoderSelf);
        assert_eq!(llama.kinds(), [DecoderSelf]);
    }

    #[test]
    fn of_a_recurrent_model_it_is_the_text_that_its_encoder_reads() {
        let bahdanau = GruConfig {
            attention: RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        for spec in [GruConfig::default().spec(), bahdanau.spec()] {
            for kind in AttentionKind::ALL {
                let place = place(spec.clone(), kind, Kinds::OfSelf);
                assert_eq!(place.head.attention.kind, AttentionKind::EncoderSelf);
                assert_eq!((place.tokens().len(), place.kinds().len()), (4, 0));
            }
        }
    }

    #[test]
    fn a_token_is_chosen_with_its_kind_where_another_kind_was() {
        use AttentionKind::{Cross, DecoderSelf, EncoderSelf};
        let instead = |spec, kind| {
            let place = place(spec, kind, Kinds::OfSelf);
            let view = View {
                kind: Some(kind),
                ..View::default()
            };
            place.kind_in_the_place_of(Selection::of(&view))
        };
        let translator = || MarianConfig::default().spec();
        assert_eq!(instead(translator(), Cross), Some(EncoderSelf));
        assert_eq!(instead(translator(), DecoderSelf), None);
        // It has one kind, whatever the view says.
        assert_eq!(instead(LlamaConfig::default().spec(), Cross), None);
    }

    #[test]
    fn a_long_text_is_read_as_far_as_chapters_compute() {
        let spec = LlamaConfig::default().spec();
        let place = place(spec, AttentionKind::Cross, Kinds::Reading);
        assert_eq!(place.tokens().len(), MOST_TOKENS);
        assert_eq!(place.query, MOST_TOKENS / 2);
    }
}
