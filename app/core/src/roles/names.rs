//! Names, explanations and colours of roles.

use attention_figures::{
    Theme,
    color::{Rgb, categorical},
};
use attention_trace::roles::Role;
use leptos_i18n::I18nContext;

use crate::{
    i18n::{Locale, t_string},
    widgets::{glossary::Term, numbers::signed_offset},
};

/// Returns the name of a role in the page's language; for an offset, with its distance.
pub fn role_name(i18n: I18nContext<Locale>, role: Role, offset: Option<isize>) -> String {
    match (role, offset) {
        (Role::Previous, _) => t_string!(i18n, roles.previous),
        (Role::Next, _) => t_string!(i18n, roles.next),
        (Role::Own, _) => t_string!(i18n, roles.own),
        (Role::Same, _) => t_string!(i18n, roles.same),
        (Role::First, _) => t_string!(i18n, roles.first),
        (Role::End, _) => t_string!(i18n, roles.end),
        (Role::Punctuation, _) => t_string!(i18n, roles.punctuation),
        (Role::Offset, None) => t_string!(i18n, roles.offset),
        (Role::Offset, Some(offset)) => {
            return t_string!(i18n, roles.offset_of, offset = signed_offset(offset)).to_string();
        }
        (Role::Alignment, _) => t_string!(i18n, roles.alignment),
        (Role::Induction, _) => t_string!(i18n, roles.induction),
    }
    .to_owned()
}

/// Returns an abbreviation of the role for narrow places.
pub fn role_mark(i18n: I18nContext<Locale>, role: Role, offset: Option<isize>) -> String {
    match role {
        Role::Previous => t_string!(i18n, roles.mark_previous),
        Role::Next => t_string!(i18n, roles.mark_next),
        Role::Own => t_string!(i18n, roles.mark_own),
        Role::Same => t_string!(i18n, roles.mark_same),
        Role::First => t_string!(i18n, roles.mark_first),
        Role::End => t_string!(i18n, roles.mark_end),
        Role::Punctuation => t_string!(i18n, roles.mark_punctuation),
        Role::Offset => return offset.map(signed_offset).unwrap_or_default(),
        Role::Alignment => t_string!(i18n, roles.mark_alignment),
        Role::Induction => t_string!(i18n, roles.mark_induction),
    }
    .to_owned()
}

/// Returns the term of the glossary that defines the role.
pub fn role_term(role: Role) -> Term {
    match role {
        Role::Previous => Term::RolePrevious,
        Role::Next => Term::RoleNext,
        Role::Own => Term::RoleOwn,
        Role::Same => Term::RoleSame,
        Role::First => Term::RoleFirst,
        Role::End => Term::RoleEnd,
        Role::Punctuation => Term::RolePunctuation,
        Role::Offset => Term::RoleOffset,
        Role::Alignment => Term::RoleAlignment,
        Role::Induction => Term::RoleInduction,
    }
}

/// Returns the colour of a role on the map, one for each of six groups. Roles of one group occur in different kinds of
/// attention or are nearly the same; their names distinguish them.
pub fn role_color(role: Role, theme: Theme) -> Rgb {
    let group = match role {
        Role::Previous | Role::Alignment => 0,
        Role::Next | Role::Induction => 1,
        Role::Own | Role::Same => 2,
        Role::First | Role::End => 3,
        Role::Punctuation => 4,
        Role::Offset => 5,
    };
    categorical(group, theme)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the relative luminance of a colour, as in WCAG 2.2.
    fn luminance(color: Rgb) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            match part <= 0.04045 {
                true => part / 12.92,
                false => ((part + 0.055) / 1.055).powf(2.4),
            }
        };
        let [red, green, blue] = color.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    #[test]
    fn a_mark_is_read_on_its_colour() {
        // `--surface`, which is what its text is written in.
        for (theme, surface) in [
            (Theme::Light, [0xff, 0xff, 0xff]),
            (Theme::Dark, [0x1a, 0x1e, 0x26]),
        ] {
            for &role in Role::ALL {
                let (one, other) = (luminance(role_color(role, theme)), luminance(surface));
                let contrast = (one.max(other) + 0.05) / (one.min(other) + 0.05);
                assert!(contrast >= 4.5, "{role}, {theme:?}: {contrast:.2}");
            }
        }
    }
}
