//! Figures of chapters that test a claim, as tools that stand by themselves beside the model's map.

use crate::needs::{Lacking, Needs, has_what_is_needed};
use leptos::prelude::*;

use super::{alignment, compare, derived, lens, order, patching};
use attention_core::{
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
    /// Requirement on the model.
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

/// A tool without prose, or what the model on screen lacks for it. Nothing where no chapter has it.
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
