//! The terms of the glossary, and the button that opens a term's definition in a text.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use crate::{
    i18n::{Locale, t_string},
    state::AddressValue,
};

/// The terms in the order of the list: each with its keys in `glossary.json`, the first of which `data-term` carries.
macro_rules! terms {
    ($($term:ident: $name:ident, $text:ident;)*) => {
        /// A term of the field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Term {
            $(#[doc = concat!("`glossary.", stringify!($name), "`")] $term,)*
        }

        impl AddressValue for Term {
            fn values() -> Vec<(Self, &'static str)> {
                vec![$((Term::$term, stringify!($name)),)*]
            }
        }

        impl Term {
            /// Returns the term's name.
            pub fn name(self, i18n: I18nContext<Locale>) -> &'static str {
                match self {
                    $(Term::$term => t_string!(i18n, glossary.$name),)*
                }
            }

            /// Returns the term's definition, in a sentence or two.
            pub fn text(self, i18n: I18nContext<Locale>) -> &'static str {
                match self {
                    $(Term::$term => t_string!(i18n, glossary.$text),)*
                }
            }
        }
    };
}

terms! {
    Token: token, token_text;
    Embedding: embedding, embedding_text;
    PositionEncoding: position_encoding, position_encoding_text;
    Sinusoidal: sinusoidal, sinusoidal_text;
    Rope: rope, rope_text;
    Encoder: encoder, encoder_text;
    Decoder: decoder, decoder_text;
    Layer: layer, layer_text;
    ResidualStream: residual_stream, residual_stream_text;
    Head: head, head_text;
    Query: query, query_text;
    Key: key, key_text;
    Value: value, value_text;
    Score: score, score_text;
    Softmax: softmax, softmax_text;
    AttentionWeight: attention_weight, attention_weight_text;
    SelfAttention: self_attention, self_attention_text;
    MaskedSelfAttention: masked_self_attention, masked_self_attention_text;
    CrossAttention: cross_attention, cross_attention_text;
    FeedForward: feed_forward, feed_forward_text;
    LayerNorm: layer_norm, layer_norm_text;
    Logit: logit, logit_text;
    LogProbability: log_probability, log_probability_text;
    Nat: nat, nat_text;
    Chance: chance, chance_text;
    Argmax: argmax, argmax_text;
    Greedy: greedy, greedy_text;
    BeamSearch: beam_search, beam_search_text;
    Perplexity: perplexity, perplexity_text;
    Bleu: bleu, bleu_text;
    RolePrevious: role_previous, role_previous_text;
    RoleNext: role_next, role_next_text;
    RoleOwn: role_own, role_own_text;
    RoleSame: role_same, role_same_text;
    RoleFirst: role_first, role_first_text;
    RoleEnd: role_end, role_end_text;
    RolePunctuation: role_punctuation, role_punctuation_text;
    RoleOffset: role_offset, role_offset_text;
    RoleAlignment: role_alignment, role_alignment_text;
    RoleInduction: role_induction, role_induction_text;
    AttentionSink: attention_sink, attention_sink_text;
    SlidingWindow: sliding_window, sliding_window_text;
    ReceptiveField: receptive_field, receptive_field_text;
    NoPe: nope, nope_text;
    QkNorm: qk_norm, qk_norm_text;
    ExposureBias: exposure_bias, exposure_bias_text;
    Autoregressive: autoregressive, autoregressive_text;
    PermutationEquivariance: permutation_equivariance, permutation_equivariance_text;
    KvCache: kv_cache, kv_cache_text;
    MultiQuery: multi_query, multi_query_text;
    GroupedQuery: grouped_query, grouped_query_text;
    LatentAttention: latent_attention, latent_attention_text;
    LinearAttention: linear_attention, linear_attention_text;
    DeltaRule: delta_rule, delta_rule_text;
    DifferentialAttention: differential_attention, differential_attention_text;
    Superposition: superposition, superposition_text;
    SparseAutoencoder: sparse_autoencoder, sparse_autoencoder_text;
    MixtureOfExperts: mixture_of_experts, mixture_of_experts_text;
    Lecture: lecture, lecture_text;
}

/// Words that open the definition of a term.
#[component]
pub fn TermButton(
    /// The term to define.
    #[prop(into)]
    term: Signal<Term>,
    /// The words of the button.
    children: Children,
) -> impl IntoView {
    view! {
        <button type="button" class="term" data-term=move || term.get().address_value()>
            {children()}
        </button>
    }
}

/// Makes words within a translated text a term: `t!(i18n, heads.strongest, <key> = gloss(Term::Key))`.
pub fn gloss(
    term: impl Into<Signal<Term>>,
) -> impl Fn(ChildrenFn) -> AnyView + Clone + Send + Sync + 'static {
    let term = term.into();
    move |words| view! { <TermButton term>{words()}</TermButton> }.into_any()
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
    };

    use super::*;

    #[test]
    fn every_definition_belongs_to_a_term() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../assets/locales/en/glossary.json"
        );
        let strings: BTreeMap<String, String> =
            serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let terms = Term::values().into_iter();
        let expected: BTreeSet<String> = terms
            .flat_map(|(_, word)| [word.to_owned(), format!("{word}_text")])
            .collect();
        assert_eq!(strings.into_keys().collect::<BTreeSet<_>>(), expected);
    }

    #[test]
    fn a_term_is_found_by_its_word() {
        for (term, word) in Term::values() {
            assert_eq!(Term::from_address_value(word), Some(term));
        }
        assert_eq!(Term::from_address_value("attention span"), None);
    }
}
