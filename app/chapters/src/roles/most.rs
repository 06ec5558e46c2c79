//! The sentences on which the chosen head fits a role best; each is a link that runs it.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    navigation::ViewLink,
    roles::{as_typed, role_name},
    state::{View, ViewState},
    widgets::{Select, numbers::percent},
};
use attention_trace::{
    AttentionKind, Token,
    roles::{Mark, MostSentence, Role, SentenceTokens},
};
use leptos::prelude::*;

use super::context::RolesContext;

/// The role, and the sentences.
#[component]
pub fn Most() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = RolesContext::expect();
    let roles = Memo::new(move |_| {
        let card = context.card();
        card.map(|card| card.roles.scores.into_keys().collect::<Vec<Role>>())
            .unwrap_or_default()
    });
    let listed = Memo::new(move |_| {
        let (card, role) = (context.card()?, context.role.get()?);
        let fetched = context.fetched.read();
        // `Said` shows why they are missing.
        let set = &fetched.as_ref()?.as_ref().ok()?.0;
        let kind = card.attention.kind;
        let most = card.most.get(&role)?.iter();
        let listed = most.filter_map(|MostSentence(index, weight, marks)| {
            let marked = set.tokens.get(*index).filter(|_| !marks.is_empty());
            Some(Listed {
                text: set.texts.get(*index)?.clone(),
                weight: *weight,
                marked: marked.map(|tokens| Marked::of(tokens, kind, marks)),
            })
        });
        Some(listed.collect::<Vec<_>>())
    });
    let names = move || {
        let roles = roles.get().into_iter();
        roles
            .map(|role| role_name(i18n, role, None))
            .collect::<Vec<_>>()
    };
    let chosen = move || {
        let role = context.role.get();
        let place = roles.read().iter().position(|&other| Some(other) == role);
        place.unwrap_or_default()
    };
    let choose = move |place: usize| {
        let role = roles.with_untracked(|roles| roles.get(place).copied());
        state.update_roles(|roles| roles.role = role);
    };
    let sentences = move || {
        let sentences = listed.get().unwrap_or_default().into_iter();
        sentences
            .map(|listed| view! { <Sentence listed /> })
            .collect_view()
    };
    view! {
        <Show when=move || !roles.read().is_empty()>
            <h3 class="panel-title">{t!(i18n, roles.most)}</h3>
            <Select
                name=Signal::derive(move || t_string!(i18n, roles.by_role).to_owned())
                test_id="most-role"
                options=Signal::derive(names)
                chosen=Signal::derive(chosen)
                choose
            />
            <ul class="most-sentences" data-testid="most">{sentences}</ul>
            <p class="hint" class:is-hidden=move || listed.read().is_some()>
                {t!(i18n, roles.most_none)}
            </p>
        </Show>
    }
}

/// A sentence on which the head fits the role.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    text: String,
    /// The mean weight on the keys of the role.
    weight: f32,
    marked: Option<Marked>,
}

/// The tokens of a sentence, with the queries and keys of its strongest weights.
#[derive(Clone, Debug, PartialEq)]
struct Marked {
    /// Each line has tokens, each as a query and as a key or not: one line for self-attention, the target's and the
    /// source's for cross-attention.
    lines: Vec<Vec<(String, bool, bool)>>,
    /// The query, the key and the weight of each.
    pairs: Vec<(String, String, f32)>,
}

impl Marked {
    fn of(tokens: &SentenceTokens, kind: AttentionKind, marks: &[Mark]) -> Self {
        let (queries, keys) = tokens.axes(kind);
        let line = |tokens: &[String], of: [bool; 2]| {
            let token = |(place, token): (usize, &String)| {
                let is_query = of[0] && marks.iter().any(|mark| mark.0 == place);
                let is_key = of[1] && marks.iter().any(|mark| mark.1 == place);
                (token.clone(), is_query, is_key)
            };
            tokens.iter().enumerate().map(token).collect()
        };
        let pair = |mark: &Mark| {
            Some((
                queries.get(mark.0)?.clone(),
                keys.get(mark.1)?.clone(),
                mark.2,
            ))
        };
        Marked {
            lines: match kind {
                AttentionKind::Cross => {
                    vec![line(queries, [true, false]), line(keys, [false, true])]
                }
                _ => vec![line(queries, [true, true])],
            },
            pairs: marks.iter().filter_map(pair).collect(),
        }
    }
}

#[component]
fn Sentence(listed: Listed) -> impl IntoView {
    let Listed {
        text,
        weight,
        marked,
    } = listed;
    let (text, model) = as_typed(&text);
    let shown = text.clone();
    let text = StoredValue::new(text);
    view! {
        <li>
            <ViewLink
                change=move |view: &mut View| {
                    view.model = model.unwrap_or(view.model);
                    view.use_text(text.get_value());
                }
                class="own-sentence"
                test_id="most-sentence"
            >
                {shown}
            </ViewLink>
            " "
            <span class="number">{percent(weight, 0)}</span>
            {marked.map(|marked| view! { <Marks marked /> })}
        </li>
    }
}

/// The tokens with those of the strongest weights marked, and these weights in words.
#[component]
fn Marks(marked: Marked) -> impl IntoView {
    let i18n = use_i18n();
    let name = token_name();
    let named = move |text: &str| {
        name(&Token {
            id: 0,
            text: text.to_owned(),
            unknown: false,
        })
    };
    let Marked { lines, pairs } = marked;
    let line = move |tokens: Vec<(String, bool, bool)>| {
        let tokens = tokens.into_iter().map(|(text, is_query, is_key)| {
            view! {
                <span class="token" class:is-query=is_query class:is-key=is_key>{named(&text)}</span>
                " "
            }
        });
        view! { <p class="most-tokens" aria-hidden="true">{tokens.collect_view()}</p> }
    };
    let words = move || {
        let marks = pairs.iter().map(|(query, key, weight)| {
            t_string!(
                i18n,
                corpus.mark,
                query = named(query),
                key = named(key),
                weight = percent(*weight, 0)
            )
            .to_string()
        });
        t_string!(
            i18n,
            corpus.marked,
            marks = marks.collect::<Vec<_>>().join("; ")
        )
        .to_string()
    };
    view! {
        {lines.into_iter().map(line).collect_view()}
        <p class="hint" data-testid="most-marks">{words}</p>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_and_keys_are_marked_where_they_stand() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let tokens = SentenceTokens {
            source: texts(&["le", "chat"]),
            target: texts(&["<pad>", "the"]),
        };
        let marks = [Mark(1, 0, 0.75)];
        let cross = Marked::of(&tokens, AttentionKind::Cross, &marks);
        assert_eq!(cross.lines.len(), 2);
        assert_eq!(cross.lines[0][1], ("the".to_owned(), true, false));
        assert_eq!(cross.lines[1][0], ("le".to_owned(), false, true));
        assert_eq!(cross.pairs, [("the".to_owned(), "le".to_owned(), 0.75)]);
        let own = Marked::of(&tokens, AttentionKind::EncoderSelf, &marks);
        assert_eq!(
            own.lines,
            [[
                ("le".to_owned(), false, true),
                ("chat".to_owned(), true, false)
            ]]
        );
    }
}
