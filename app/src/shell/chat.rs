//! The chat form of the input: a conversation, from which the model's chat template makes the text that it reads.

use attention_protocol::{ChatTemplate, Failure, OrLogged};
use attention_trace::Role;
use leptos::{ev::KeyboardEvent, prelude::*};
use leptos_i18n::I18nContext;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlTextAreaElement};

use super::input::{TEXT_BOX, sends, too_much};
use attention_core::{
    engine::{Live, Phase, Question},
    i18n::{Locale, t, t_string, use_i18n},
    problems::failure_words,
    state::{AddressValue, Conversation, Excess, FIRST_QUESTION, Model, ViewState, flat},
    widgets::Segmented,
};

/// The forms of the input.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    Text,
    Chat,
}

impl AddressValue for Form {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// The chat's text on its way to the model. A context of the input.
#[derive(Clone, Copy)]
struct Chat {
    state: ViewState,
    live: Live,
    /// True if the conversation runs as soon as its text is written.
    is_due: RwSignal<bool>,
    /// The text of the conversation, or why there is none; `None` until the model's worker has written it.
    written: Memo<Option<Result<String, Failure>>>,
    /// The amount by which the conversation or its text is too long.
    excess: RwSignal<Option<Excess>>,
}

impl Chat {
    /// Runs the conversation, at once if its text is written.
    fn send(self) {
        match self.written.get_untracked() {
            Some(Ok(_)) if self.excess.read_untracked().is_none() => self.live.run(),
            Some(_) => {}
            None => self.is_due.set(true),
        }
    }

    /// Changes the conversation, unless it becomes too long; returns true if it changed.
    fn change(self, change: impl FnOnce(&mut Conversation)) -> bool {
        let Some(mut conversation) = self.state.get_untracked().conversation else {
            return false;
        };
        change(&mut conversation);
        let excess = conversation.excess();
        self.excess.set(excess);
        if excess.is_none() {
            self.state
                .update(|view| view.conversation = Some(conversation));
        }
        excess.is_none()
    }

    /// Changes the conversation by what was typed into a field, which shows `kept` again if that is too long.
    fn typed(
        self,
        field: &HtmlTextAreaElement,
        kept: &str,
        change: impl FnOnce(&mut Conversation, String),
    ) {
        let text = field.value();
        if !self.change(|conversation| change(conversation, text)) {
            field.set_value(kept);
        }
    }
}

/// Opens models with a chat template as a chat, until the visitor has given a text, and makes the text of conversations.
pub fn provide_chat() {
    let (live, state) = (Live::expect(), ViewState::expect());
    let turns = state.select(|view| Some((view.model, view.conversation.as_ref()?.turns())));
    let known = live.ask(move || {
        let asked = turns.get();
        asked
            .map(|(model, turns)| Question::Chat(model, turns))
            .into_iter()
            .collect()
    });
    let chat = Chat {
        state,
        live,
        is_due: RwSignal::new(false),
        written: Memo::new(move |_| known.read().first()?.chat()),
        excess: RwSignal::new(None),
    };
    provide_context(chat);
    let opened = live.select(|engine| match &engine.phase {
        Phase::Ready { model, reply } if reply.chat == Some(ChatTemplate::Writes) => Some(*model),
        _ => None,
    });
    // Effects because the view changes everywhere, and the text comes from the worker.
    Effect::new(move |before: Option<Option<Model>>| {
        let opened = opened.get();
        let view = state.get_untracked();
        let is_new = before.flatten() != opened && opened == Some(view.model);
        if is_new && view.conversation.is_none() && view.text == view.model.first_text() {
            state.update(|view| {
                view.conversation = Some(Conversation::of_question(FIRST_QUESTION));
            });
            chat.is_due.set(true);
        }
        opened
    });
    Effect::new(move |_| {
        let Some(Ok(text)) = chat.written.get() else {
            return;
        };
        let view = state.get_untracked();
        if view.conversation.is_none() {
            return;
        }
        chat.excess.set(Excess::of(&text));
        if chat.excess.get_untracked().is_some() {
            return;
        }
        if view.text != text {
            state.update(|view| view.use_written(text));
        }
        if chat.is_due.get_untracked() {
            chat.is_due.set(false);
            live.run();
        }
    });
}

/// The choice between the plain text and the chat, for models with a chat template; a template that writes nothing is
/// reported.
#[component]
pub fn FormChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let template = live.select(|engine| match &engine.phase {
        Phase::Ready { reply, .. } => reply.chat.clone(),
        _ => None,
    });
    let is_chat = state.select(|view| view.conversation.is_some());
    let is_offered =
        Memo::new(move |_| is_chat.get() || *template.read() == Some(ChatTemplate::Writes));
    let fault = Memo::new(move |_| match template.get() {
        Some(ChatTemplate::Fails(fault)) if !is_chat.get() => Some(fault),
        _ => None,
    });
    let form = Memo::new(move |_| {
        if is_chat.get() {
            Form::Chat
        } else {
            Form::Text
        }
    });
    let choose = move |form| {
        state.update(|view| match (form, view.conversation.clone()) {
            (Form::Chat, None) => {
                let question = match view.text == view.model.first_text() {
                    true => FIRST_QUESTION.to_owned(),
                    false => view.text.clone(),
                };
                view.conversation = Some(Conversation::of_question(&question));
            }
            (Form::Text, Some(conversation)) => {
                let text = match conversation.question().trim() {
                    "" => view.model.first_text(),
                    question => question,
                };
                view.use_text(text.to_owned());
            }
            _ => {}
        });
    };
    view! {
        <Show when=move || is_offered.get()>
            <Segmented
                label=Signal::derive(move || t_string!(i18n, chat.form).to_owned())
                options=Signal::derive(move || vec![
                    (Form::Text, t_string!(i18n, chat.text).to_owned()),
                    (Form::Chat, t_string!(i18n, chat.chat).to_owned()),
                ])
                value=form
                choose
            />
        </Show>
        {move || fault.get().map(|fault| view! {
            <p class="hint warning chat-fault" role="status" data-testid="chat-fault">
                {move || failure_words(i18n, &Failure::Template { fault: fault.clone() })}
                " "
                {t!(i18n, chat.text_stays)}
            </p>
        })}
    }
}

/// The conversation with its fields and buttons.
#[component]
pub fn ChatForm() -> impl IntoView {
    let i18n = use_i18n();
    let chat: Chat = expect_context();
    let count = chat.state.select(|view| {
        let conversation = view.conversation.as_ref();
        conversation.map_or(0, |conversation| conversation.texts().len())
    });
    let fault = Memo::new(move |_| match chat.written.get() {
        Some(Err(failure)) => Some(failure),
        _ => None,
    });
    view! {
        <div class="chat" role="group" aria-label=move || t_string!(i18n, chat.conversation) data-testid="chat">
            <div class="chat-turns">
                <System />
                <For each=move || 0..count.get() key=|index| *index let(index)>
                    <Field index count />
                </For>
            </div>
            <div class="chat-actions">
                <button type="button" class="main-button" data-testid="run" on:click=move |_| chat.send()>
                    {t!(i18n, chat.send)}
                </button>
                <TakeAnswer />
                <Show when=move || { count.get() > 2 }>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="chat-back"
                        on:click=move |_| {
                            chat.change(Conversation::take_back);
                        }
                    >
                        {t!(i18n, chat.take_back)}
                    </button>
                </Show>
            </div>
            {move || fault.get().map(|failure| view! {
                <p class="hint warning" role="alert" data-testid="chat-problem">
                    {move || failure_words(i18n, &failure)}
                </p>
            })}
            {move || chat.excess.get().map(|excess| view! {
                <p class="hint warning" role="alert" data-testid="text-too-much">
                    {move || too_much(i18n, excess)}
                </p>
            })}
        </div>
    }
}

/// The field of the system message, folded while it is empty.
#[component]
fn System() -> impl IntoView {
    let i18n = use_i18n();
    let chat: Chat = expect_context();
    let system = chat.state.select(|view| {
        let conversation = view.conversation.as_ref();
        conversation.map_or_else(String::new, |conversation| conversation.system.clone())
    });
    let is_open = !system.read_untracked().is_empty();
    view! {
        <details class="chat-system" open=is_open>
            <summary data-testid="chat-system-fold">{t!(i18n, chat.system)}</summary>
            <textarea
                class="text-box chat-box"
                rows="1"
                spellcheck="false"
                data-testid="chat-system"
                aria-label=move || t_string!(i18n, chat.system)
                placeholder=move || t_string!(i18n, chat.system_hint)
                prop:value=system
                on:input:target=move |event| {
                    chat.typed(&event.target(), &system.read_untracked(), |conversation, text| {
                        conversation.system = text;
                    });
                }
                on:keydown=move |event| send_at(chat, &event)
            ></textarea>
        </details>
    }
}

/// The field of a turn, by its index.
#[component]
fn Field(index: usize, count: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let chat: Chat = expect_context();
    let text = chat.state.select(move |view| {
        let conversation = view.conversation.as_ref();
        let text = conversation.and_then(|conversation| conversation.texts().get(index));
        text.cloned().unwrap_or_default()
    });
    let role = Conversation::role(index);
    let is_last = move || index + 1 == count.get();
    view! {
        <label class="chat-turn" class:is-model=role == Role::Assistant>
            <span class="chat-role">{move || name(i18n, role)}</span>
            <textarea
                class="text-box chat-box"
                id=move || is_last().then_some(TEXT_BOX)
                rows="1"
                spellcheck="false"
                data-testid=move || if is_last() { "input" } else { "chat-turn" }
                aria-describedby="input-keys"
                placeholder=move || is_last().then(|| t_string!(i18n, chat.question_hint))
                prop:value=text
                on:input:target=move |event| {
                    chat.typed(&event.target(), &text.read_untracked(), |conversation, text| {
                        conversation.say(index, text);
                    });
                }
                on:keydown=move |event| send_at(chat, &event)
            ></textarea>
        </label>
    }
}

/// Sends the conversation at the key that sends.
fn send_at(chat: Chat, event: &KeyboardEvent) {
    if sends(event) {
        event.prevent_default();
        chat.send();
    }
}

fn name(i18n: I18nContext<Locale>, role: Role) -> &'static str {
    match role {
        Role::System => t_string!(i18n, chat.system),
        Role::User => t_string!(i18n, chat.user),
        Role::Assistant => t_string!(i18n, chat.assistant),
    }
}

/// The button that makes the answer on screen the model's turn, if it answers this conversation.
#[component]
fn TakeAnswer() -> impl IntoView {
    let i18n = use_i18n();
    let chat: Chat = expect_context();
    let asked = chat.state.select(|view| (view.model, view.text.clone()));
    let answered = chat.live.select(|engine| {
        let shown = engine.shown.as_ref().filter(|_| engine.running.is_none())?;
        let job = shown.job.as_ref()?;
        let best = shown.trace.decoding.as_ref()?.hypotheses.first()?;
        Some(((job.model, job.text.clone()), best.text.clone()))
    });
    let answer = Memo::new(move |_| {
        let is_written = matches!(&*chat.written.read(), Some(Ok(text)) if *text == asked.read().1);
        let (of, answer) = answered.get()?;
        (is_written && of == asked.get() && !answer.is_empty()).then_some(answer)
    });
    let take = move |_| {
        if let Some(answer) = answer.get_untracked()
            && chat.change(|conversation| conversation.answer(answer))
        {
            focus_last();
        }
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid="chat-take"
            disabled=move || answer.read().is_none()
            on:click=take
        >
            {t!(i18n, chat.take)}
        </button>
    }
}

/// Puts the focus into the last turn once it is there.
fn focus_last() {
    request_animation_frame(|| {
        let field = document().get_element_by_id(TEXT_BOX);
        if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
            field.focus().or_logged("moving the focus");
        }
    });
}
