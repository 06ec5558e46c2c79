//! Figures of chapters that test a claim, as tools that stand by themselves beside the model's map.

use leptos::prelude::*;

use super::{alignment, compare, derived, lens, order, patching};
use attention_core::{
    engine::Live,
    selection::{Lacking, Needs},
    state::{Tool, ViewState},
    texts::provide_captions,
    widgets::matrix::Windows,
};

/// A chapter's figures: the chapter shows the same component between its prose.
#[derive(Debug)]
pub struct ChapterTool {
    /// Which tool they are.
    pub tool: Tool,
    /// The chapter.
    pub chapter: &'static str,
    /// What a model must have.
    pub needs: Needs,
    /// Shows them; their captions and what the windows of their matrices show come from contexts.
    pub show: fn() -> AnyView,
}

/// The registry: each tool, its chapter, the component and what it needs of a model.
macro_rules! tools {
    ($($tool:ident: $chapter:ident::$component:ident needs $needs:ident,)+) => {
        /// The tools, in the order of the rail.
        pub static TOOLS: &[ChapterTool] = &[$(
            ChapterTool {
                tool: Tool::$tool,
                chapter: stringify!($chapter),
                needs: Needs::$needs,
                show: || $chapter::$component().into_any(),
            },
        )+];
    };
}

tools! {
    Patch: patching::PatchingFigures needs Layers,
    Lens: lens::LensFigures needs Layers,
    Permute: order::OrderFigures needs SelfAttention,
    Compare: compare::CompareFigures needs Attention,
    Align: alignment::AlignmentFigures needs Attention,
    Raw: derived::DerivedFigures needs Attention,
}

/// The tool that the view has open, without prose, or what the model on screen lacks for it. Nothing where no chapter has
/// it.
#[component]
pub fn OpenTool() -> impl IntoView {
    let live = Live::expect();
    let open = ViewState::expect().select(|view| view.tool);
    let found = Memo::new(move |_| TOOLS.iter().find(|known| known.tool == open.get()));
    provide_captions(move || {
        let chapter = found.get().map_or("compare", |known| known.chapter);
        format!("chapters/{chapter}")
    });
    provide_windows();
    // One memo, so that no tool is made for a model that it cannot measure.
    let shown = Memo::new(move |_| {
        let (known, trace) = (found.get()?, live.trace());
        let is_met = trace.is_none_or(|trace| known.needs.are_met_by(&trace.meta.spec));
        Some((known, is_met))
    });
    move || {
        let (known, is_met) = shown.get()?;
        Some(match is_met {
            true => (known.show)(),
            false => view! { <Lacking needs=known.needs /> }.into_any(),
        })
    }
}

/// Keeps in the view where the windows of large matrices begin.
pub fn provide_windows() {
    let state = ViewState::expect();
    Windows::provide(
        state.select(|view| view.chapters.reading.windows.clone()),
        move |axis, start| {
            state.update_chapters(|chapters| chapters.reading.set_window(axis, start));
        },
    );
}

impl PartialEq for ChapterTool {
    fn eq(&self, other: &Self) -> bool {
        self.tool == other.tool
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CHAPTERS;

    #[test]
    fn every_tool_is_of_a_chapter_and_stands_there_once() {
        for (place, known) in TOOLS.iter().enumerate() {
            assert!(CHAPTERS.iter().any(|chapter| chapter.name == known.chapter));
            assert!(!TOOLS[..place].contains(known), "{:?}", known.tool);
        }
    }
}
