//! The chosen patched run, and those kept for comparison.

use crate::patching::parameters::KeptPatch;
use attention_core::{
    engine::PatchingRead,
    i18n::{Locale, t, t_string, use_i18n},
    names::{name_of, token_name},
    problems::failure_words,
    widgets::{Finding, ScrollRegion, numbers::percent},
};
use attention_trace::{Candidate, PatchedPlace, PatchedRun, PatchingAnswer, TakenInto};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    context::PatchingContext,
    names::{in_percent, row_words},
};

/// Words of each run that are listed.
const WORDS: usize = 5;

fn run_in(read: &PatchingRead) -> Option<PatchedRun> {
    // `ChosenRun` shows the failure.
    match read.end.as_ref()?.as_ref().ok()?.as_ref() {
        PatchingAnswer::Place(run) => Some(run.clone()),
        _ => None,
    }
}

/// The chosen place: the words before and after, and the text.
#[component]
pub fn ChosenRun() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let chosen = Memo::new(move |_| {
        context.view.with(|view| {
            let place = view.place?;
            let into = view.into;
            Some(KeptPatch { place, into })
        })
    });
    let asked = Memo::new(move |_| context.question(chosen.get()?));
    let read = context
        .live()
        .patching(move || asked.get().into_iter().collect());
    let read = Memo::new(move |_| read.get().pop());
    let run = Memo::new(move |_| read.with(|read| read.as_ref().and_then(run_in)));
    let describe = describe(context);
    let says = move |run: &PatchedRun| {
        let share = run.ends.share(run.difference).map(in_percent);
        Some(t_string!(
            i18n,
            patching.brings_back,
            what = describe(chosen.get()?),
            share = share.unwrap_or_default()
        ))
    };
    Finding::tell(move || run.with(|run| says(run.as_ref()?)));
    let words = move || {
        let what = describe(chosen.get()?);
        Some(match (asked.get().is_some(), read.get()?.end) {
            (false, _) => t_string!(i18n, patching.does_not_fit, what = what),
            (_, None) => t_string!(i18n, chapters.waiting).to_owned(),
            (_, Some(Err(failure))) => failure_words(i18n, &failure),
            (_, Some(Ok(_))) => run.with(|run| says(run.as_ref()?))?,
        })
    };
    let unfit = move || {
        let is_unfit = asked.with(Option::is_none) && context.pair.with(Option::is_some);
        let chosen = chosen.get().filter(|_| is_unfit)?;
        Some(t_string!(
            i18n,
            patching.does_not_fit,
            what = describe(chosen)
        ))
    };
    view! {
        <section class="lesson-figure" data-testid="patching-chosen">
            <p class="lesson-reading number" role="status" data-testid="patching-share">
                {move || match chosen.get() {
                    None => Some(t_string!(i18n, patching.no_place).to_owned()),
                    Some(_) => words().or_else(unfit),
                }}
            </p>
            <Show when=move || run.with(Option::is_some)>
                <div class="side-by-side">
                    <WordList
                        name=Signal::derive(move || t_string!(i18n, patching.before).to_owned())
                        test_id="patching-before"
                        words=Signal::derive(move || run.get().map(|run| run.before).unwrap_or_default())
                    />
                    <WordList
                        name=Signal::derive(move || t_string!(i18n, patching.after).to_owned())
                        test_id="patching-after"
                        words=Signal::derive(move || run.get().map(|run| run.after).unwrap_or_default())
                    />
                </div>
                <dl class="patching-texts">
                    <dt>{t!(i18n, patching.text_before)}</dt>
                    <dd data-testid="patching-text-before">
                        {move || run.get().map(|run| run.text_before)}
                    </dd>
                    <dt>{t!(i18n, patching.text_after)}</dt>
                    <dd data-testid="patching-text-after">
                        {move || run.get().map(|run| run.text_after)}
                    </dd>
                </dl>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="keep-patch"
                    on:click=move |_| {
                        if let Some(chosen) = chosen.get_untracked() {
                            context.update(|view| view.keep(chosen));
                        }
                    }
                >
                    {t!(i18n, patching.keep)}
                </button>
            </Show>
        </section>
    }
}

#[component]
fn WordList(
    name: Signal<String>,
    test_id: &'static str,
    words: Signal<Vec<Candidate>>,
) -> impl IntoView {
    let token = token_name();
    let item = move |word: Candidate| {
        let share = word.log_probability.exp();
        view! {
            <li>
                <span class="token">{token(&word.token)}</span>
                <span class="bar" style=format!("--share: {share:.4}")></span>
                <span class="number">{percent(share, 1)}</span>
            </li>
        }
    };
    view! {
        <figure class="patching-list">
            <figcaption>{name}</figcaption>
            <ol class="lens-words" data-testid=test_id aria-label=name>
                {move || words.get().into_iter().take(WORDS).map(item).collect_view()}
            </ol>
        </figure>
    }
}

/// Returns a function that names a patched place: the part of the model, the position or the head, and the run that
/// is changed.
pub fn describe(
    context: PatchingContext,
) -> impl Fn(KeptPatch) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let row = row_words();
    move |KeptPatch { place, into }| {
        let part = row(place.site);
        let at = match (place.head, place.at) {
            (Some(head), None) => t_string!(i18n, patching.head, head = head + 1),
            (Some(head), Some([from, to])) => {
                let at = positions(context, i18n, (place, into), [from, to]);
                t_string!(i18n, patching.head_at, head = head + 1, at = at)
            }
            (None, Some([from, to])) => positions(context, i18n, (place, into), [from, to]),
            (None, None) => String::new(),
        };
        match into {
            TakenInto::Other => t_string!(i18n, patching.of_clean, part = part, at = at),
            TakenInto::Clean => t_string!(i18n, patching.of_other, part = part, at = at),
        }
    }
}

/// Returns both positions, by their tokens if the sentences have them, otherwise by their numbers.
pub fn positions(
    context: PatchingContext,
    i18n: I18nContext<Locale>,
    (place, into): (PatchedPlace, TakenInto),
    [from, to]: [usize; 2],
) -> String {
    let token = |at: usize, is_clean: bool| {
        let name = context.runs.with(|runs| {
            let both = runs.as_ref()?;
            let stack = place.site.block.stack()?;
            let tokens = both.reads(stack, is_clean);
            Some(name_of(i18n, tokens.get(at)?))
        });
        name.unwrap_or_else(|| (at + 1).to_string())
    };
    let is_into_other = into == TakenInto::Other;
    let (from, to) = (token(from, is_into_other), token(to, !is_into_other));
    match from == to {
        true => t_string!(i18n, patching.at_token, token = to),
        false => t_string!(i18n, patching.from_to, from = from, to = to),
    }
}

/// The runs that are kept, one a row.
#[component]
pub fn Kept() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let kept = Memo::new(move |_| context.view.with(|view| view.kept.clone()));
    let asked = Memo::new(move |_| {
        let kept = kept.get().into_iter();
        kept.map(|patch| (patch, context.question(patch)))
            .collect::<Vec<_>>()
    });
    let reads = context.live().patching(move || {
        asked
            .get()
            .into_iter()
            .filter_map(|(_, question)| question)
            .collect()
    });
    let row_of = move |patch: KeptPatch| -> Option<PatchingRead> {
        let asked = asked.get();
        let place = asked.iter().position(|(known, _)| *known == patch)?;
        asked[place].1.as_ref()?;
        let before = asked[..place]
            .iter()
            .filter(|(_, question)| question.is_some())
            .count();
        reads.get().get(before).cloned()
    };
    let name = Signal::derive(move || t_string!(i18n, patching.kept).to_owned());
    let is_empty = Memo::new(move |_| kept.with(Vec::is_empty));
    let describe = describe(context);
    let row = move |patch: KeptPatch| {
        let read = Memo::new(move |_| row_of(patch));
        let run = Memo::new(move |_| read.with(|read| read.as_ref().and_then(run_in)));
        let fits = Memo::new(move |_| context.question(patch).is_some());
        let what = move || describe(patch);
        view! {
            <tr data-testid="kept-patch" class:does-not-fit=move || !fits.get()>
                <th scope="row">
                    <button
                        type="button"
                        class="link-button"
                        on:click=move |_| context.update(|view| {
                            view.place = Some(patch.place);
                            view.into = patch.into;
                        })
                    >
                        {what}
                    </button>
                </th>
                <td class="number">
                    {move || match (fits.get(), run.get()) {
                        (false, _) => Some(t_string!(i18n, patching.unfit).to_owned()),
                        (true, run) => {
                            let run = run?;
                            run.ends.share(run.difference).map(in_percent)
                        }
                    }}
                </td>
                <td>{move || run.get().map(|run| run.text_after)}</td>
                <td>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="remove-patch"
                        aria-label=move || t_string!(i18n, patching.remove, what = what())
                        on:click=move |_| context.update(|view| {
                            view.kept.retain(|kept| *kept != patch);
                        })
                    >
                        "×"
                    </button>
                </td>
            </tr>
        }
    };
    view! {
        <Show
            when=move || !is_empty.get()
            fallback=move || view! { <p class="hint">{t!(i18n, patching.nothing_kept)}</p> }
        >
            <ScrollRegion class="lesson-table" test_id="kept-patches" name>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, patching.taken_over)}</th>
                            <th scope="col">{t!(i18n, patching.back)}</th>
                            <th scope="col">{t!(i18n, patching.text)}</th>
                            <td></td>
                        </tr>
                    </thead>
                    <tbody>
                        <For each=move || kept.get() key=|patch| *patch children=row />
                    </tbody>
                </table>
            </ScrollRegion>
        </Show>
    }
}
