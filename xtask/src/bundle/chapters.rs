//! The chapters' texts, and those of their tests: Markdown with LaTeX becomes HTML with MathML here, so that the page carries
//! neither a parser nor a formula renderer.
//!
//! A heading with an identifier, `## Scores {#scores}`, begins a part; what stands before the first
//! is the part `intro`. A chapter is served as a JSON object from part to HTML. In a formula,
//! `\lit{…}` marks the terms that the part is about. `\columns` in a formula of its own separates two forms, with the
//! vectors of tokens as rows and as columns; the page shows one of them. `[words](term:key)` makes words a term of the
//! glossary, whose definition the page shows.

use std::{collections::BTreeMap, fs, path::Path};

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use pulldown_latex::{
    RenderConfig, Storage, config::DisplayMode, mathml::push_mathml, parser::Parser as Latex,
};

use super::{
    entry::{Entry, tree},
    snippets::{Table, chapter_of, marked},
};
use crate::{error::Error, workspace::Workspace};

/// The folder that holds the chapters' folders.
const CHAPTERS: &str = "app/chapters/src";

/// The texts in a chapter's folder of a language, each with the folder below the page where it is served: the chapter's
/// own, and the one that frames it for learners.
const TEXTS: [(&str, &str); 2] = [("text.md", "chapters/"), ("kit.md", "kits/")];

/// The part before the first heading with an identifier.
const INTRO: &str = "intro";

/// The beginning of an address that is no link's: it names a term of the glossary.
const TERM: &str = "term:";

/// LaTeX for a colour that stands for "lit" and is in no text, and what becomes of it.
const LIT: (&str, &str) = (r"\textcolor{#010203}{", r#"style="color: rgb(1 2 3)""#);

/// Every text in every language as the page fetches it: `chapters/follow.en.json`.
///
/// # Errors
/// If a text cannot be read, a formula is wrong, or the result cannot be written.
pub fn texts(workspace: &Workspace) -> Result<Vec<Entry>, Error> {
    let made = workspace.cache().join("texts");
    for (_, directory) in TEXTS {
        let directory = made.join(directory);
        fs::create_dir_all(&directory).map_err(Error::file("make", &directory))?;
    }
    let sources = tree(&workspace.root.join(CHAPTERS), "")?;
    let table = Table::read(workspace)?;
    let texts = sources
        .into_iter()
        .filter_map(|entry| Some((served(&entry.name)?, entry.from)));
    texts
        .map(|(name, from)| {
            let to = made.join(&name);
            write(&from, &to, &table)?;
            Ok(Entry::new(name, to))
        })
        .collect()
}

/// The address of a file below the chapters' folders, `follow/en/text.md`, if it is a text.
fn served(name: &str) -> Option<String> {
    let [chapter, language, file] = name.split('/').collect::<Vec<_>>()[..] else {
        return None;
    };
    let (_, directory) = TEXTS.iter().find(|(text, _)| *text == file)?;
    Some(format!("{directory}{chapter}.{language}.json"))
}

fn write(from: &Path, to: &Path, table: &Table) -> Result<(), Error> {
    let parts = served_parts(from, table)?;
    fs::write(to, serde_json::to_string(&parts)?).map_err(Error::file("write", to))
}

/// The parts of a file as they are served, with the marks of formulas' programs.
fn served_parts(from: &Path, table: &Table) -> Result<BTreeMap<String, String>, Error> {
    let text = fs::read_to_string(from).map_err(Error::file("read", from))?;
    let mut parts = parts(&text).map_err(|(formula, reason)| Error::Formula {
        path: from.to_owned(),
        formula,
        reason,
    })?;
    let formulas = chapter_of(from).map(|name| table.chapter(name));
    for (part, formulas) in formulas.unwrap_or_default() {
        if let Some(html) = parts.get_mut(&part) {
            *html = marked(html, &formulas);
        }
    }
    Ok(parts)
}

/// The parts of a text as HTML. The first heading of all is the chapter's title, which the page
/// knows already.
///
/// # Errors
/// A formula that is no LaTeX, and what is wrong with it.
fn parts(text: &str) -> Result<BTreeMap<String, String>, (String, String)> {
    let options =
        Options::ENABLE_MATH | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_TABLES;
    let mut parts: BTreeMap<String, Vec<Event>> = BTreeMap::new();
    let mut part = INTRO.to_owned();
    let mut skipping = false;
    for event in with_terms(Parser::new_ext(text, options)) {
        match &event {
            Event::Start(Tag::Heading { id, level, .. }) => {
                if let Some(id) = id {
                    part = id.to_string();
                }
                skipping = *level == HeadingLevel::H1;
            }
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => {
                skipping = false;
                continue;
            }
            _ => {}
        }
        if !skipping {
            parts
                .entry(part.clone())
                .or_default()
                .push(rendered(event)?);
        }
    }
    Ok(parts
        .into_iter()
        .map(|(part, events)| {
            let mut text = String::new();
            let events = without_wide_breaks(without_empty_headings(events));
            html::push_html(&mut text, events.into_iter());
            (part, text.trim().to_owned())
        })
        .collect())
}

/// Links to terms as the buttons that open their definitions (`app/core/src/widgets/glossary`).
fn with_terms<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let mut is_in_term = false;
    events.map(move |event| match &event {
        Event::Start(Tag::Link { dest_url, .. }) => match dest_url.strip_prefix(TERM) {
            Some(term) => {
                is_in_term = true;
                let button = format!(r#"<button type="button" class="term" data-term="{term}">"#);
                Event::InlineHtml(button.into())
            }
            None => event,
        },
        Event::End(TagEnd::Link) if std::mem::take(&mut is_in_term) => {
            Event::InlineHtml("</button>".into())
        }
        _ => event,
    })
}

/// Formulas as MathML, headings one level down (the page's own come first) and without their
/// identifiers, which would have to differ across the whole page; everything else as it is.
fn rendered(event: Event) -> Result<Event, (String, String)> {
    Ok(match event {
        Event::InlineMath(latex) => Event::InlineHtml(mathml(&latex, DisplayMode::Inline)?),
        Event::DisplayMath(latex) => Event::InlineHtml(scrolling(&latex)?),
        Event::Start(Tag::Heading { level, .. }) => Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        }),
        Event::End(TagEnd::Heading(level)) => Event::End(TagEnd::Heading(below(level))),
        event => event,
    })
}

fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H2,
        HeadingLevel::H2 => HeadingLevel::H3,
        _ => HeadingLevel::H4,
    }
}

/// A heading that only names a part says nothing.
fn without_empty_headings(events: Vec<Event>) -> Vec<Event> {
    let mut kept: Vec<Event> = Vec::with_capacity(events.len());
    for event in events {
        let closes_nothing = matches!(event, Event::End(TagEnd::Heading(_)))
            && matches!(kept.last(), Some(Event::Start(Tag::Heading { .. })));
        if closes_nothing {
            kept.pop();
        } else {
            kept.push(event);
        }
    }
    kept
}

/// A line break in a text is shown as a space, which Chinese does not have between its characters.
fn without_wide_breaks(events: Vec<Event>) -> Vec<Event> {
    let is_needless = |place: usize| {
        let before = edge(events[..place].iter().rev(), |text| {
            text.chars().rev().collect()
        });
        let after = edge(events[place + 1..].iter(), str::to_owned);
        events[place] == Event::SoftBreak
            && before.zip(after).is_some_and(|(before, after)| {
                is_wide(before) && is_wide(after) || is_wide_mark(before) || is_wide_mark(after)
            })
    };
    let kept: Vec<bool> = (0..events.len()).map(|place| !is_needless(place)).collect();
    let events = events.into_iter().zip(kept);
    events
        .filter_map(|(event, kept)| kept.then_some(event))
        .collect()
}

/// The first character of the next text among the events, in the direction in which both are read. Quotation marks are
/// the same in Chinese and in English and say nothing; a formula or code in between is no text.
fn edge<'a>(
    events: impl Iterator<Item = &'a Event<'a>>,
    directed: impl Fn(&str) -> String,
) -> Option<char> {
    for event in events {
        match event {
            Event::Text(text) => {
                let text = directed(text);
                let told = text.chars().find(|letter| !"“”‘’".contains(*letter));
                if told.is_some() {
                    return told;
                }
            }
            Event::Start(_) | Event::End(_) => {}
            // The button that a term is.
            Event::InlineHtml(html) if html.contains("button") => {}
            _ => return None,
        }
    }
    None
}

/// True if a character is one of Chinese, or a mark as wide as one.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        || is_wide_mark(letter)
}

/// True if a character is a punctuation mark of Chinese, which brings its own space.
fn is_wide_mark(letter: char) -> bool {
    matches!(letter, '\u{3001}'..='\u{301f}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff1f}')
}

/// Separates the two forms of a formula.
const COLUMNS: &str = r"\columns";

/// A formula of its own, in an element that scrolls where the formula is too wide, also by keyboard; of a formula with two
/// forms both, each with a class that names it (`app/core/src/widgets/prose.rs`).
fn scrolling(latex: &str) -> Result<CowStr<'static>, (String, String)> {
    let span = |classes: &str, latex: &str| {
        let formula = mathml(latex, DisplayMode::Block)?;
        Ok(format!(
            r#"<span class="{classes}" tabindex="0">{formula}</span>"#
        ))
    };
    let Some((rows, columns)) = latex.split_once(COLUMNS) else {
        return span("display-math", latex).map(CowStr::from);
    };
    let rows = span("display-math in-rows", rows)?;
    Ok((rows + &span("display-math in-columns", columns)?).into())
}

fn mathml(latex: &str, display_mode: DisplayMode) -> Result<CowStr<'static>, (String, String)> {
    let failed = |reason: String| (latex.to_owned(), reason);
    let (lit, style) = LIT;
    let source = latex.replace(r"\lit{", lit);
    let storage = Storage::new();
    let events = Latex::new(&source, &storage)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| failed(error.to_string()))?;
    let config = RenderConfig {
        display_mode,
        ..Default::default()
    };
    let mut text = String::new();
    let events = events.into_iter().map(Ok::<_, std::convert::Infallible>);
    push_mathml(&mut text, events, config).map_err(|error| failed(error.to_string()))?;
    // The renderer leaves this one character as it is.
    let text = text.replace("<mo><</mo>", "<mo>&lt;</mo>");
    Ok(text.replace(style, r#"class="lit""#).into())
}

/// The parts of every text as they are served, by the text's path.
#[cfg(test)]
pub(super) fn made(workspace: &Workspace) -> Vec<(std::path::PathBuf, BTreeMap<String, String>)> {
    let table = Table::read(workspace).expect("a table");
    let sources = tree(&workspace.root.join(CHAPTERS), "").expect("a folder");
    let texts = sources
        .into_iter()
        .filter(|entry| served(&entry.name).is_some());
    texts
        .map(|entry| {
            let parts = served_parts(&entry.from, &table).expect("a text");
            (entry.from, parts)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_served_under_its_chapter_and_language() {
        let follow = |file| served(&format!("follow/{file}"));
        let text = Some("chapters/follow.en.json");
        assert_eq!(follow("en/text.md").as_deref(), text);
        let kit = Some("kits/follow.zh.json");
        assert_eq!(follow("zh/kit.md").as_deref(), kit);
        assert_eq!(follow("en/follow.json"), None);
        assert_eq!(follow("mod.rs"), None);
    }

    /// A wrong formula would be found by the build alone otherwise.
    #[test]
    fn every_text_can_be_made() {
        let sources = tree(&Workspace::new().root.join(CHAPTERS), "").unwrap();
        let texts = sources.iter().filter(|entry| served(&entry.name).is_some());
        let made = texts.map(|entry| {
            let text = fs::read_to_string(&entry.from).unwrap();
            assert!(!parts(&text).unwrap().is_empty(), "{}", entry.name);
        });
        assert!(made.count() > 2);
    }

    #[test]
    fn parts_begin_at_headings_with_identifiers() {
        let text =
            "# Title\n\nFirst.\n\n## Scores {#scores}\n\nSecond.\n\n### {#answer}\n\n{{n}}\n";
        let parts = parts(text).unwrap();
        let expected = [
            ("answer", "<p>{{n}}</p>"),
            ("intro", "<p>First.</p>"),
            ("scores", "<h3>Scores</h3>\n<p>Second.</p>"),
        ];
        let found: Vec<_> = parts
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn no_line_of_a_chinese_text_ends_between_characters() {
        let sources = tree(&Workspace::new().root.join(CHAPTERS), "").unwrap();
        let is_chinese = |address: String| address.ends_with(".zh.json");
        let texts = sources
            .iter()
            .filter(|entry| served(&entry.name).is_some_and(is_chinese));
        let made = texts.map(|entry| {
            let text = fs::read_to_string(&entry.from).unwrap();
            for (part, html) in parts(&text).unwrap() {
                let text = without_tags(&html);
                let lines: Vec<&str> = text.lines().collect();
                for pair in lines.windows(2) {
                    let ends = pair[0].chars().last().zip(pair[1].chars().next());
                    let is_broken = ends.is_some_and(|(end, start)| is_wide(end) && is_wide(start));
                    assert!(!is_broken, "{} {part}: {pair:?}", entry.name);
                }
            }
        });
        assert!(made.count() > 50);
    }

    /// The text of HTML; an element that is a block of its own ends a paragraph.
    fn without_tags(html: &str) -> String {
        let mut text = String::new();
        for piece in html.split('<') {
            let (tag, after) = piece.split_once('>').unwrap_or(("", piece));
            let is_inline = ["em", "strong", "a", "button", "code"]
                .iter()
                .any(|name| tag.trim_start_matches('/').split(' ').next() == Some(name));
            if !is_inline && !tag.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(after);
        }
        text
    }

    #[test]
    fn lines_of_chinese_are_joined_without_a_space() {
        let text = |text: &str| parts(text).unwrap()["intro"].clone();
        assert_eq!(text("答案\n却不变"), "<p>答案却不变</p>");
        assert_eq!(
            text("**词**\n“元”，\n*token*"),
            "<p><strong>词</strong>“元”，<em>token</em></p>"
        );
        assert!(text("[查询](term:query)\n与键").contains("</button>与键"));
        for kept in ["使得\n$x$", "one\n“two”", "用 GPU\n计算", "使用\n`attn`"] {
            assert!(text(kept).contains('\n'), "{kept}");
        }
    }

    #[test]
    fn terms_become_buttons_and_links_stay_links() {
        let parts = parts("A **[query](term:query)**, see [there](https://host/).").unwrap();
        let term = r#"<strong><button type="button" class="term" data-term="query">query</button></strong>"#;
        let html = &parts["intro"];
        assert!(html.contains(term), "{html}");
        assert!(
            html.contains(r#"<a href="https://host/">there</a>"#),
            "{html}"
        );
    }

    #[test]
    fn formulas_become_mathml_with_their_lit_terms_marked() {
        let parts = parts(r"$$\frac{\lit{QK^\top}}{\sqrt{d_k}}$$ and $a < b$").unwrap();
        let html = &parts["intro"];
        let formula = r#"<span class="display-math" tabindex="0"><math display="block">"#;
        assert!(html.contains(formula), "{html}");
        assert!(html.contains(r#"<mrow class="lit">"#), "{html}");
        assert!(html.contains("<mo>&lt;</mo>"), "{html}");
        assert!(!html.contains("rgb("), "{html}");
    }

    #[test]
    fn a_formula_with_two_forms_has_both() {
        let parts = parts(r"$$QK^\top \columns K^\top Q$$").unwrap();
        let html = &parts["intro"];
        for class in ["in-rows", "in-columns"] {
            let formula = format!(r#"<span class="display-math {class}" tabindex="0"><math"#);
            assert!(html.contains(&formula), "{html}");
        }
        assert!(!html.contains("columns</m"), "{html}");
    }

    #[test]
    fn both_languages_have_the_same_formulas_in_columns() {
        let sources = tree(&Workspace::new().root.join(CHAPTERS), "").unwrap();
        let columns = |path: &Path| -> Vec<String> {
            let text = fs::read_to_string(path).unwrap();
            let forms = text.lines().filter_map(|line| line.split_once(COLUMNS));
            forms.map(|(_, form)| without_words(form)).collect()
        };
        // Words in a formula differ.
        fn without_words(form: &str) -> String {
            let mut parts = form.split(r"\text{");
            let first = parts.next().unwrap_or_default().to_owned();
            let rest = |part: &str| {
                part.split_once('}')
                    .map_or_else(String::new, |(_, rest)| rest.to_owned())
            };
            first + &parts.map(rest).collect::<String>()
        }
        let mut count = 0;
        for entry in sources
            .iter()
            .filter(|entry| entry.name.ends_with("/en/text.md"))
        {
            let folder = entry.from.parent().and_then(Path::parent).unwrap();
            let english = columns(&entry.from);
            assert_eq!(
                english,
                columns(&folder.join("zh/text.md")),
                "{}",
                entry.name
            );
            count += english.len();
        }
        assert!(count > 30, "{count}");
    }

    #[test]
    fn a_wrong_formula_is_named() {
        let (formula, _) = parts(r"$\nosuchcommand{x}$").unwrap_err();
        assert_eq!(formula, r"\nosuchcommand{x}");
    }
}
