//! The links: lines between the words of both sides, and the list of them.

use attention_figures::{
    bipartite::{Layout, Line},
    export::{Cells, Content, Map, Scale, Side},
};
use attention_trace::alignment::{Link, Word};
use leptos::prelude::*;

use super::context::{Aligned, AlignmentContext};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{FigureButton, ScrollRegion, Taken, numbers::percent},
};

/// Width of the figure in its own units; the style sheet scales it to the room there is.
const WIDTH: f32 = 480.0;
/// The x at which the left column of words ends and the lines begin, in units of the figure.
const LEFT: f32 = 160.0;
const RIGHT: f32 = WIDTH - LEFT;
/// Room for the columns' names.
const HEADER: f32 = 28.0;
/// The fewest units of a line's width: links are drawn or not, and the width says how sure they are.
const NARROWEST: f32 = 1.5;

/// Lines, and the list.
#[component]
pub fn Links() -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::expect();
    move || match context.aligned.get() {
        Some(aligned) => view! { <Drawn aligned /> }.into_any(),
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
    }
}

/// The word of the target that the pointer or the focus is on.
type Marked = RwSignal<Option<usize>>;

#[component]
fn Drawn(aligned: Aligned) -> impl IntoView {
    let i18n = use_i18n();
    let marked: Marked = RwSignal::new(None);
    let Aligned { sides, links } = aligned;
    let (source, target) = (sides.source, sides.target);
    let layout = Layout {
        threshold: 0.0,
        widest: 6.0,
        ..Layout::default()
    };
    let lines = lines_of(layout, &links, target.len(), source.len());
    let longest = target.len().max(source.len());
    let height = layout.height(target.len(), source.len());
    let column = |words: &[Word], x: f32, anchor: &'static str| {
        let count = words.len();
        let word = |(index, word): (usize, &Word)| {
            let y = layout.y(index, count, longest);
            view! {
                <text class="align-word" x=x y=y text-anchor=anchor dominant-baseline="middle">
                    {word.text.clone()}
                </text>
            }
        };
        words.iter().enumerate().map(word).collect_view()
    };
    let stroke = move |line: Line| {
        let is_other = move || marked.get().is_some_and(|target| target != line.query);
        view! {
            <path
                class="align-line"
                class:is-other=is_other
                data-link=format!("{}-{}", line.query, line.key)
                d=line.path(LEFT, RIGHT)
                stroke-width=line.width.max(NARROWEST)
            />
        }
    };
    let name = Signal::derive(move || t_string!(i18n, alignment.title).to_owned());
    let take = {
        let values = weights_of(&links, target.len(), source.len());
        let texts = |words: &[Word]| {
            words
                .iter()
                .map(|word| word.text.clone())
                .collect::<Vec<_>>()
        };
        let (rows, columns) = (texts(&target), texts(&source));
        move || {
            let side = |name: &str, labels: &[String]| Side {
                name: name.to_owned(),
                labels: labels.to_vec(),
                first: 0,
            };
            let content = Content::Map(Map {
                values: values.clone(),
                words: Vec::new(),
                rows: side(t_string!(i18n, alignment.written), &rows),
                columns: side(t_string!(i18n, alignment.read), &columns),
                value: t_string!(i18n, alignment.weight).to_owned(),
                masked: String::new(),
                scale: Scale::Sequential {
                    low: 0.0,
                    high: 1.0,
                },
                cells: Cells::Lines,
            });
            Some(Taken::new(name.get(), content))
        }
    };
    view! {
        <div class="align-both">
            <div class="figure-beside align-drawn">
                <svg
                    class="align-lines"
                    data-testid="align-lines"
                    role="img"
                    aria-label=move || t_string!(i18n, alignment.lines_label)
                    viewBox=format!("0 {} {WIDTH} {}", -HEADER, height + HEADER)
                >
                    <text class="align-name" x=LEFT - 12.0 y=-10 text-anchor="end">
                        {t!(i18n, alignment.written)}
                    </text>
                    <text class="align-name" x=RIGHT + 12.0 y=-10>{t!(i18n, alignment.read)}</text>
                    {lines.into_iter().map(stroke).collect_view()}
                    {column(&target, LEFT - 12.0, "end")}
                    {column(&source, RIGHT + 12.0, "start")}
                </svg>
                <FigureButton name take />
            </div>
            <LinkList links source target marked />
        </div>
    }
}

/// Links as lines: the width grows with the weight.
fn lines_of(layout: Layout, links: &[Link], targets: usize, sources: usize) -> Vec<Line> {
    layout.lines(&weights_of(links, targets, sources), targets, sources)
}

/// Returns the weights of links, `[targets, sources]`; zero where there is no link.
fn weights_of(links: &[Link], targets: usize, sources: usize) -> Vec<f32> {
    let mut weights = vec![0.0; targets * sources];
    for link in links {
        if let Some(place) = weights.get_mut(link.target * sources + link.source) {
            *place = link.weight;
        }
    }
    weights
}

#[component]
fn LinkList(
    links: Vec<Link>,
    source: std::sync::Arc<[Word]>,
    target: std::sync::Arc<[Word]>,
    marked: Marked,
) -> impl IntoView {
    let i18n = use_i18n();
    let row = |(place, word): (usize, &Word)| {
        let link = links.iter().find(|link| link.target == place);
        let to = link.and_then(|link| Some((source.get(link.source)?.text.clone(), link.weight)));
        let weight = to.as_ref().map(|(_, weight)| percent(*weight, 0));
        let to = to.map(|(text, _)| text);
        view! {
            <tr
                data-testid="align-pair"
                on:pointerenter=move |_| marked.set(Some(place))
                on:pointerleave=move |_| marked.set(None)
            >
                <th scope="row">{word.text.clone()}</th>
                <td>{to.unwrap_or_else(|| "–".to_owned())}</td>
                <td class="number">{weight}</td>
            </tr>
        }
    };
    let rows = target.iter().enumerate().map(row).collect_view();
    view! {
        <ScrollRegion
            class="lesson-table align-list"
            test_id="align-list"
            name=Signal::derive(move || t_string!(i18n, alignment.list).to_owned())
        >
            <table>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, alignment.written)}</th>
                        <th scope="col">{t!(i18n, alignment.read)}</th>
                        <th scope="col">{t!(i18n, alignment.weight)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_line_from_its_target_to_its_source() {
        let link = |source, target, weight| Link {
            source,
            target,
            weight,
        };
        let links = [link(2, 0, 0.9), link(0, 1, 0.4)];
        let lines = lines_of(Layout::default(), &links, 2, 3);
        let ends: Vec<_> = lines.iter().map(|line| (line.query, line.key)).collect();
        assert_eq!(ends, [(1, 0), (0, 2)]);
    }
}
