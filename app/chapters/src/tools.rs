//! The figures of chapters that test a claim, shown as tools without prose beside the model's map.

use crate::needs::{Lacking, Needs, has_what_is_needed};
use leptos::prelude::*;

use super::{alignment, compare, derived, lens, order, patching};
use attention_core::{
    state::{Tool, ViewState},
    texts::provide_captions,
    widgets::matrix::Windows,
};

/// A chapter's figures as a tool. The chapter shows the same component between its prose.
#[derive(Debug)]
pub struct ChapterTool {
    /// The tool that opens these figures.
    pub tool: Tool,
    /// The name of the chapter that defines the figures and their captions.
    pub chapter: &'static str,
    /// The feature that the figures need of a model.
    pub needs: Needs,
    /// Returns the figures' view, which reads captions and matrix windows from contexts.
    pub show: fn() -> AnyView,
}

/// Defines the registry: each tool with its chapter, its component and its needs of a model.
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

/// A tool's figures without prose, or a notice of what the model on screen lacks. Shows nothing if no chapter has the
/// tool.
#[component]
pub fn ToolFigures(tool: Tool) -> impl IntoView {
    let known = TOOLS.iter().find(|known| known.tool == tool)?;
    provide_captions(move || format!("chapters/{}", known.chapter));
    provide_windows();
    let is_met = has_what_is_needed(known.needs);
    Some(view! {
        <Show when=move || is_met.get() fallback=move || view! { <Lacking needs=known.needs /> }>
            {(known.show)()}
        </Show>
    })
}

/// Provides the windows of large matrices, whose first rows and columns are kept in the view.
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
    use crate::PAGES;

    #[test]
    fn every_tool_is_of_a_chapter_and_stands_there_once() {
        for (place, known) in TOOLS.iter().enumerate() {
            assert!(PAGES.iter().any(|page| page.name == known.chapter));
            assert!(!TOOLS[..place].contains(known), "{:?}", known.tool);
        }
    }
}
