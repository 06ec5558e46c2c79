//! The contents of the sheet: the figure as it will be, the choices, the files, the code and the caption.

use attention_figures::export::{Export, Page, Width};
use attention_protocol::OrLogged;
use attention_trace::python::{NoPython, Number, Pass, python};
use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;

use super::{
    FigureMenu, ShownPass,
    files::{Kind, make},
};
use crate::{
    i18n::{Locale, t, t_string, use_i18n},
    remembered::{ExportChoices, MOST_PNG_SCALE, export_choices, keep_export_choices},
    widgets::{Check, CopyButton, Select},
};

/// The sheet of the figure that was taken.
#[component]
pub fn Contents() -> impl IntoView {
    let i18n = use_i18n();
    let menu = expect_context::<FigureMenu>();
    let taken = menu.taken.get_untracked()?;
    let sentences = menu.provenance.sentences.run(());
    let title = t_string!(i18n, export.titled, title = taken.title.clone());
    let sentences = [vec![title], taken.sentences.clone(), sentences].concat();
    let export = StoredValue::new(Export {
        title: taken.title.clone(),
        caption: joined(&sentences),
        content: taken.content.clone(),
    });
    let choices = RwSignal::new(export_choices());
    let change = move |change: fn(&mut ExportChoices, usize), to: usize| {
        choices.update(|choices| change(choices, to));
        keep_export_choices(choices.get_untracked());
    };
    let pass = menu.provenance.pass.run(());
    let code = taken.number.as_ref().zip(pass);
    let code = code.map(|(number, pass)| code_of(number, &pass));
    let no_code = taken.number.is_none().then(|| {
        view! { <p class="hint" data-testid="export-no-python">{t!(i18n, export.no_code)}</p> }
    });
    Some(view! {
        <Preview export choices />
        <Choices choices change />
        <Files export choices name=taken.file_name() />
        {code.map(|code| view! { <Python code /> })}
        {no_code}
        <Caption export />
    })
}

/// Joins sentences; after a Chinese one there is no space.
fn joined(sentences: &[String]) -> String {
    sentences.iter().fold(String::new(), |joined, sentence| {
        let space = match joined.is_empty() || joined.ends_with('。') {
            true => "",
            false => " ",
        };
        joined + space + sentence
    })
}

/// The figure on the ground of the paper. Its numbers are read in the page and in the files.
#[component]
fn Preview(export: StoredValue<Export>, choices: RwSignal<ExportChoices>) -> impl IntoView {
    let drawing = Memo::new(move |_| {
        let page = choices.get().page;
        let svg = export.with_value(|export| export.svg(page));
        svg.or_logged("drawing a figure for export")
    });
    view! {
        <div
            class="export-preview"
            class:is-transparent=move || choices.get().page.is_transparent
            class:is-wide=move || choices.get().page.width == Width::TwoColumns
            aria-hidden="true"
            data-testid="export-preview"
            inner_html=move || drawing.get().unwrap_or_default()
        ></div>
    }
}

/// Size, resolution, ground and font.
#[component]
fn Choices(
    choices: RwSignal<ExportChoices>,
    change: impl Fn(fn(&mut ExportChoices, usize), usize) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let widths = move || {
        let names = [
            t_string!(i18n, export.one_column),
            t_string!(i18n, export.two_columns),
        ];
        names.map(str::to_owned).to_vec()
    };
    let fonts = move || {
        let names = [
            t_string!(i18n, export.without_font),
            t_string!(i18n, export.with_font),
        ];
        names.map(str::to_owned).to_vec()
    };
    let width = move || usize::from(choices.get().page.width == Width::TwoColumns);
    let scales = || {
        let scales = 1..=MOST_PNG_SCALE;
        let names = scales.map(|scale| format!("{scale}× ({} dpi)", 96 * scale));
        names.collect::<Vec<_>>()
    };
    view! {
        <div class="export-choices">
            <Select
                name=Signal::derive(move || t_string!(i18n, export.width).to_owned())
                test_id="export-width"
                options=Signal::derive(widths)
                chosen=Signal::derive(width)
                choose=move |index| {
                    change(|choices, index| choices.page.width = Width::ALL[index.min(1)], index);
                }
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, export.resolution).to_owned())
                test_id="export-scale"
                options=Signal::derive(scales)
                chosen=Signal::derive(move || choices.get().png_scale as usize - 1)
                choose=move |index| {
                    change(|choices, index| choices.png_scale = index as u32 + 1, index);
                }
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, export.text_in_svg).to_owned())
                test_id="export-font"
                options=Signal::derive(fonts)
                chosen=Signal::derive(move || usize::from(choices.get().has_font))
                choose=move |index| {
                    change(|choices, index| choices.has_font = index == 1, index);
                }
            />
            <Check
                name=Signal::derive(move || t_string!(i18n, export.transparent).to_owned())
                test_id="export-transparent"
                on=Signal::derive(move || choices.get().page.is_transparent)
                set=move |on| {
                    change(|choices, on| choices.page.is_transparent = on == 1, usize::from(on));
                }
            />
        </div>
        <p class="hint" class:is-hidden=move || !choices.get().has_font>{t!(i18n, export.font_hint)}</p>
    }
}

/// A button for each kind of file.
#[component]
fn Files(
    export: StoredValue<Export>,
    choices: RwSignal<ExportChoices>,
    name: String,
) -> impl IntoView {
    let i18n = use_i18n();
    let failed = RwSignal::new(false);
    let has_tikz = export.with_value(|export| {
        let width = Page::default().width;
        export.tikz(width.mm()).is_some()
    });
    let kinds = Kind::ALL.into_iter();
    let kinds = kinds.filter(|kind| has_tikz || *kind != Kind::Tikz);
    let button = |kind: Kind| {
        let name = name.clone();
        let save = move |_| {
            let name = name.clone();
            failed.set(false);
            let (export, choices) = (export.get_value(), choices.get_untracked());
            spawn_local(async move {
                let made = make(kind, &export, choices, &name).await;
                if made.or_logged("making a file of a figure").is_none() {
                    failed.try_set(true);
                }
            });
        };
        view! {
            <button
                type="button"
                class="plain-button"
                data-testid=format!("export-{}", kind.name().to_lowercase())
                on:click=save
            >
                {kind.name()}
            </button>
        }
    };
    view! {
        <div class="export-files" role="group" aria-label=move || t_string!(i18n, export.files)>
            {kinds.map(button).collect_view()}
        </div>
        <p class="hint">{t!(i18n, export.pdf_hint)}</p>
        <p class="notice-text" role="alert" class:is-hidden=move || !failed.get() data-testid="export-failed">
            {move || failed.get().then(|| t_string!(i18n, export.failed))}
        </p>
    }
}

fn code_of(number: &Number, pass: &ShownPass) -> Result<String, NoPython> {
    let pass = Pass {
        meta: &pass.meta,
        checkpoint: &pass.checkpoint,
        text: &pass.text,
        prompt: pass.prompt,
        edits: &pass.edits,
    };
    python(pass, number)
}

/// The button that copies the code, or the reason why there is none.
#[component]
fn Python(code: Result<String, NoPython>) -> impl IntoView {
    let i18n = use_i18n();
    match code {
        Ok(code) => view! {
            <div class="export-files">
                <CopyButton
                    test_id="export-python"
                    text=move || code.clone()
                    name=Signal::derive(move || t_string!(i18n, export.python).to_owned())
                    copied=Signal::derive(move || t_string!(i18n, shell.answer_copied).to_owned())
                    refused=Signal::derive(move || {
                        t_string!(i18n, shell.answer_not_copied).to_owned()
                    })
                />
            </div>
        }
        .into_any(),
        Err(reason) => view! {
            <p class="hint" data-testid="export-no-python">
                {move || no_python(i18n, &reason)}
            </p>
        }
        .into_any(),
    }
}

fn no_python(i18n: I18nContext<Locale>, reason: &NoPython) -> String {
    match reason {
        NoPython::Family(name) => t_string!(i18n, export.no_family, name = name.clone()),
        NoPython::Picture => t_string!(i18n, export.no_picture).to_owned(),
        NoPython::Edit => t_string!(i18n, export.no_edit).to_owned(),
        NoPython::Number(_) => t_string!(i18n, export.no_number).to_owned(),
    }
}

/// The caption as text to copy.
#[component]
fn Caption(export: StoredValue<Export>) -> impl IntoView {
    let i18n = use_i18n();
    let caption = export.with_value(|export| export.caption.clone());
    let copied = caption.clone();
    view! {
        <label class="export-caption">
            <span>{t!(i18n, export.caption)}</span>
            <textarea readonly rows="4" data-testid="export-caption" prop:value=caption></textarea>
        </label>
        <div class="export-files">
            <CopyButton
                test_id="export-copy-caption"
                text=move || copied.clone()
                name=Signal::derive(move || t_string!(i18n, export.copy_caption).to_owned())
                copied=Signal::derive(move || t_string!(i18n, shell.answer_copied).to_owned())
                refused=Signal::derive(move || t_string!(i18n, shell.answer_not_copied).to_owned())
            />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_joined_as_their_language_joins_them() {
        let of = |sentences: [&str; 2]| joined(&sentences.map(str::to_owned));
        assert_eq!(of(["A head.", "No edits."]), "A head. No edits.");
        assert_eq!(of(["一个头。", "未作修改。"]), "一个头。未作修改。");
    }
}
