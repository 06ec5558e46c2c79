//! The question and the unit of each tool, and the chapter that explains it.

use attention_core::{
    i18n::{Locale, t_string},
    state::Tool,
};
use leptos_i18n::I18nContext;

/// Returns the chapter that explains a tool, by its name in the address.
pub const fn chapter(tool: Tool) -> &'static str {
    match tool {
        Tool::Off | Tool::Weight | Tool::Importance => "explanation",
        Tool::Roles => "roles",
        Tool::Patch => "patching",
        Tool::Lens => "lens",
        Tool::Permute => "order",
        Tool::Compare => "compare",
        Tool::Align => "alignment",
        Tool::Raw => "derived",
    }
}

/// Texts around a tool, in the page's language.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    pub name: &'static str,
    /// The question answered by the tool.
    pub question: &'static str,
    /// The unit and the scale of the result, and the reference for comparison.
    pub scale: &'static str,
    /// The reason why there is no result yet.
    pub missing: &'static str,
}

impl Words {
    /// Returns the texts of a tool; subscribes to the language.
    pub fn of(i18n: I18nContext<Locale>, tool: Tool) -> Self {
        let [name, question, scale, missing] = match tool {
            Tool::Off => [
                t_string!(i18n, edits.switch_off),
                t_string!(i18n, claims.off_asks),
                t_string!(i18n, claims.off_scale),
                t_string!(i18n, claims.off_missing),
            ],
            Tool::Weight => [
                t_string!(i18n, claims.weight),
                t_string!(i18n, claims.weight_asks),
                t_string!(i18n, claims.off_scale),
                t_string!(i18n, claims.weight_missing),
            ],
            Tool::Importance => [
                t_string!(i18n, edits.importance),
                t_string!(i18n, claims.importance_asks),
                t_string!(i18n, claims.importance_scale),
                t_string!(i18n, claims.importance_missing),
            ],
            Tool::Roles => [
                t_string!(i18n, roles.toggle),
                t_string!(i18n, claims.roles_asks),
                t_string!(i18n, claims.roles_scale),
                t_string!(i18n, claims.roles_missing),
            ],
            Tool::Patch => [
                t_string!(i18n, claims.patch),
                t_string!(i18n, claims.patch_asks),
                t_string!(i18n, claims.patch_scale),
                t_string!(i18n, claims.patch_missing),
            ],
            Tool::Lens => [
                t_string!(i18n, claims.lens),
                t_string!(i18n, claims.lens_asks),
                t_string!(i18n, claims.lens_scale),
                t_string!(i18n, claims.lens_missing),
            ],
            Tool::Permute => [
                t_string!(i18n, claims.permute),
                t_string!(i18n, claims.permute_asks),
                t_string!(i18n, claims.permute_scale),
                t_string!(i18n, claims.permute_missing),
            ],
            Tool::Compare => [
                t_string!(i18n, claims.compare),
                t_string!(i18n, claims.compare_asks),
                t_string!(i18n, claims.compare_scale),
                t_string!(i18n, claims.compare_missing),
            ],
            Tool::Align => [
                t_string!(i18n, claims.align),
                t_string!(i18n, claims.align_asks),
                t_string!(i18n, claims.align_scale),
                t_string!(i18n, claims.align_missing),
            ],
            Tool::Raw => [
                t_string!(i18n, claims.raw),
                t_string!(i18n, claims.raw_asks),
                t_string!(i18n, claims.raw_scale),
                t_string!(i18n, claims.raw_missing),
            ],
        };
        Words {
            name,
            question,
            scale,
            missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use attention_chapters::{PAGES, TOOLS};
    use attention_core::state::AddressValue;

    use super::*;

    #[test]
    fn a_tools_chapter_is_there_and_is_the_one_whose_figures_it_shows() {
        for (tool, _) in Tool::values() {
            let name = chapter(tool);
            assert!(PAGES.iter().any(|page| page.name == name), "{name}");
        }
        for known in TOOLS {
            assert_eq!(chapter(known.tool), known.chapter);
        }
    }
}
