//! The arrangement of a chapter's figures beside its texts, as rows of a grid with two columns.

/// The kind of a chapter's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text with a heading, which begins a section.
    Heading,
    /// Text that continues its section.
    Text,
    /// A question to the reader.
    Question,
    /// A figure's controls, or its caption.
    Control,
    /// A drawing, a table, or an input field.
    Figure,
    /// A part that needs both columns.
    Wide,
}

impl Kind {
    fn is_text(self) -> bool {
        matches!(self, Kind::Heading | Kind::Text)
    }

    /// Returns the order on a phone, within a section: figures before their controls, and text after both.
    fn rank(self) -> u8 {
        match self {
            Kind::Figure => 0,
            Kind::Control => 1,
            Kind::Heading | Kind::Text | Kind::Question | Kind::Wide => 2,
        }
    }
}

/// The columns occupied by a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The left column, for text.
    Text,
    /// The right column, for figures.
    Figure,
    /// Both columns, as text in two columns.
    Columns,
    /// Both columns, as one wide part.
    Wide,
}

impl Place {
    /// Returns the name in style sheets.
    pub fn name(self) -> &'static str {
        match self {
            Place::Text => "text",
            Place::Figure => "figure",
            Place::Columns => "columns",
            Place::Wide => "wide",
        }
    }
}

/// A part's place in the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The columns of the part.
    pub place: Place,
    /// The first row, from 0.
    pub row: usize,
    pub rows: usize,
    /// The place in the layout with one column, from 0.
    pub order: usize,
}

/// A row of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// As high as its contents.
    Filled,
    /// The height by which a figure exceeds its text, or a text its figures, so that other rows keep their heights.
    Rest,
}

/// The places of all parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// The parts in their original order.
    pub parts: Vec<Placed>,
    /// The rows from the top.
    pub rows: Vec<Row>,
}

impl Rows {
    /// Arranges the parts of a chapter. A section extends from one heading to the next; parts before the first heading
    /// join its section, unless they include a figure.
    pub fn of(kinds: &[Kind]) -> Self {
        let mut rows = Rows {
            parts: vec![UNPLACED; kinds.len()],
            rows: Vec::new(),
        };
        let mut section = Section::default();
        for (part, &kind) in kinds.iter().enumerate() {
            if kind == Kind::Wide {
                rows.place_section(std::mem::take(&mut section));
                rows.place_across(part, Place::Wide);
                rows.parts[part].order = part;
                continue;
            }
            if kind == Kind::Heading && (section.has_heading || !section.figures.is_empty()) {
                rows.place_section(std::mem::take(&mut section));
            }
            section.add(part, kind);
        }
        rows.place_section(section);
        rows
    }

    fn place_section(&mut self, section: Section) {
        self.number(&section);
        let Section { texts, figures, .. } = section.balanced();
        match (texts.as_slice(), figures.as_slice()) {
            (_, []) => self.place_text(&texts),
            ([], _) => figures
                .iter()
                .for_each(|&(part, _)| self.place_across(part, Place::Wide)),
            (&[text], figures) => self.place_beside(text, figures),
            (texts, figures) => self.place_several(texts, figures),
        }
    }

    /// Numbers the parts of a section in one column.
    fn number(&mut self, section: &Section) {
        let mut parts: Vec<_> = section.texts.iter().chain(&section.figures).collect();
        parts.sort_by_key(|(part, _)| *part);
        let first = parts.first().map_or(0, |&&(part, _)| part);
        parts.sort_by_key(|(_, kind)| kind.rank());
        for (place, &&(part, _)) in parts.iter().enumerate() {
            self.parts[part].order = first + place;
        }
    }

    /// Places text without a figure.
    fn place_text(&mut self, texts: &[Part]) {
        for &(part, kind) in texts {
            let place = if kind.is_text() {
                Place::Columns
            } else {
                Place::Wide
            };
            self.place_across(part, place);
        }
    }

    fn place_beside(&mut self, (text, _): Part, figures: &[Part]) {
        let first = self.rows.len();
        for &(figure, _) in figures {
            self.place(figure, Place::Figure, self.rows.len());
            self.rows.push(Row::Filled);
        }
        self.rows.push(Row::Rest);
        self.place(text, Place::Text, first);
        self.reach_end(text);
        self.reach_end(figures[figures.len() - 1].0);
    }

    /// Places several texts beside the first figure, and the last of them beside the further ones.
    fn place_several(&mut self, texts: &[Part], figures: &[Part]) {
        let first = self.rows.len();
        for &(text, _) in texts {
            self.place(text, Place::Text, self.rows.len());
            self.rows.push(Row::Filled);
        }
        self.rows.push(Row::Rest);
        self.place(figures[0].0, Place::Figure, first);
        self.reach_end(figures[0].0);
        for &(figure, _) in &figures[1..] {
            self.place(figure, Place::Figure, self.rows.len());
            self.rows.push(Row::Filled);
        }
        if let [_, .., (last, _)] = *figures {
            self.rows.push(Row::Rest);
            self.reach_end(last);
        }
        self.reach_end(texts[texts.len() - 1].0);
    }

    fn place_across(&mut self, part: usize, place: Place) {
        self.place(part, place, self.rows.len());
        self.rows.push(Row::Filled);
    }

    fn place(&mut self, part: usize, place: Place, row: usize) {
        let placed = &mut self.parts[part];
        (placed.place, placed.row, placed.rows) = (place, row, 1);
    }

    /// Extends a part to the last row.
    fn reach_end(&mut self, part: usize) {
        self.parts[part].rows = self.rows.len() - self.parts[part].row;
    }
}

/// A part by its number.
type Part = (usize, Kind);

const UNPLACED: Placed = Placed {
    place: Place::Wide,
    row: 0,
    rows: 1,
    order: 0,
};

/// A heading with the parts that follow it.
#[derive(Default)]
struct Section {
    texts: Vec<Part>,
    figures: Vec<Part>,
    has_heading: bool,
}

impl Section {
    fn add(&mut self, part: usize, kind: Kind) {
        self.has_heading |= kind == Kind::Heading;
        let follows_figure = kind == Kind::Control && !self.figures.is_empty();
        match kind == Kind::Figure || follows_figure {
            true => self.figures.push((part, kind)),
            false => self.texts.push((part, kind)),
        }
    }

    /// Moves the questions and controls of a single text without a figure to the figure's place.
    fn balanced(mut self) -> Self {
        let read = self.texts.iter().filter(|(_, kind)| kind.is_text()).count();
        if self.figures.is_empty() && read == 1 {
            (self.texts, self.figures) = self.texts.iter().partition(|(_, kind)| kind.is_text());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{
        Kind::{Control, Figure, Heading, Question, Text, Wide},
        *,
    };

    fn places(kinds: &[Kind]) -> Vec<(Place, usize, usize)> {
        let rows = Rows::of(kinds);
        let parts = rows.parts.iter();
        parts
            .map(|part| (part.place, part.row, part.rows))
            .collect()
    }

    #[test]
    fn a_figure_stands_beside_the_text_before_it() {
        assert_eq!(
            places(&[Heading, Figure, Heading, Figure]),
            [
                (Place::Text, 0, 2),
                (Place::Figure, 0, 2),
                (Place::Text, 2, 2),
                (Place::Figure, 2, 2),
            ]
        );
    }

    #[test]
    fn what_opens_a_chapter_stands_beside_the_first_figure() {
        assert_eq!(
            places(&[Wide, Text, Control, Heading, Figure, Question]),
            [
                (Place::Wide, 0, 1),
                (Place::Text, 1, 1),
                (Place::Text, 2, 1),
                (Place::Text, 3, 1),
                (Place::Figure, 1, 5),
                (Place::Text, 4, 2),
            ]
        );
    }

    #[test]
    fn further_figures_follow_below_the_first() {
        assert_eq!(
            places(&[Heading, Figure, Control, Figure]),
            [
                (Place::Text, 0, 4),
                (Place::Figure, 0, 1),
                (Place::Figure, 1, 1),
                (Place::Figure, 2, 2),
            ]
        );
        assert_eq!(
            places(&[Heading, Figure, Question, Figure]),
            [
                (Place::Text, 0, 1),
                (Place::Figure, 0, 3),
                (Place::Text, 1, 4),
                (Place::Figure, 3, 2),
            ]
        );
    }

    #[test]
    fn text_without_a_figure_takes_both_columns() {
        assert_eq!(
            places(&[Heading, Text]),
            [(Place::Columns, 0, 1), (Place::Columns, 1, 1)]
        );
        assert_eq!(
            places(&[Heading, Question]),
            [(Place::Text, 0, 2), (Place::Figure, 0, 2)]
        );
    }

    #[test]
    fn on_a_phone_a_figure_and_its_controls_come_before_the_text() {
        let rows = Rows::of(&[Wide, Heading, Control, Figure, Question]);
        let order: Vec<_> = rows.parts.iter().map(|part| part.order).collect();
        assert_eq!(order, [0, 3, 2, 1, 4]);
    }

    fn kinds() -> impl Strategy<Value = Vec<Kind>> {
        let kind = prop::sample::select(vec![Heading, Text, Question, Control, Figure, Wide]);
        prop::collection::vec(kind, 0..24)
    }

    proptest! {
        #[test]
        fn no_two_parts_lie_over_each_other(kinds in kinds()) {
            let Rows { parts, rows } = Rows::of(&kinds);
            let mut taken = vec![[false; 2]; rows.len()];
            for part in &parts {
                prop_assert!(part.rows > 0 && part.row + part.rows <= rows.len());
                let columns = match part.place {
                    Place::Text => [true, false],
                    Place::Figure => [false, true],
                    Place::Columns | Place::Wide => [true, true],
                };
                for row in &mut taken[part.row..part.row + part.rows] {
                    for (taken, column) in row.iter_mut().zip(columns) {
                        prop_assert!(!(*taken && column), "{kinds:?}");
                        *taken |= column;
                    }
                }
            }
        }

        #[test]
        fn the_order_in_one_column_has_every_part_once(kinds in kinds()) {
            let mut order: Vec<_> = Rows::of(&kinds).parts.iter().map(|part| part.order).collect();
            order.sort_unstable();
            prop_assert!(order.into_iter().eq(0..kinds.len()), "{kinds:?}");
        }

        #[test]
        fn a_column_keeps_the_order_of_the_chapter(kinds in kinds()) {
            let parts = Rows::of(&kinds).parts;
            for column in [Place::Text, Place::Figure] {
                let rows: Vec<_> = parts.iter().filter(|part| part.place == column).map(|part| part.row).collect();
                prop_assert!(rows.is_sorted(), "{kinds:?}");
            }
        }
    }
}
