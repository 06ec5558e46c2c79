//! A map of patched runs as the figure shows it, as plain data.

use attention_trace::{
    AttentionLayer, Block, ModelSpec, Pair, Patched, PatchedCell, PatchedPlace, PatchingEnds,
    Quantity, Site, Stack, Sublayer, TakenInto, Token,
};

/// The rows and columns of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The model on screen.
    pub spec: ModelSpec,
    pub stack: Stack,
    /// The kind of vector that is taken over.
    pub patched: Patched,
    /// The run that takes over.
    pub into: TakenInto,
    /// The places, in the order of the computation.
    pub rows: Vec<Site>,
    pub columns: Vec<Column>,
    /// The tokens that the source run reads.
    pub from: Vec<Token>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A pair of positions, in the run that is taken from and in the one that takes; of one that has no partner the other is
    /// missing.
    Position {
        /// The position and token in the source run.
        from: Option<(usize, Token)>,
        /// The position and token in the patched run.
        to: Option<(usize, Token)>,
        /// True if both runs have the same token.
        is_same: bool,
    },
    Head(usize),
}

impl Layout {
    /// Returns the layout of two runs that read these tokens, with the `target` after them or in the decoder.
    pub fn of(
        spec: &ModelSpec,
        (stack, patched, into): (Stack, Patched, TakenInto),
        [clean, other]: [&[Token]; 2],
        target: &[Token],
    ) -> Self {
        let pairs = spec.patching_pairs(stack, clean, other, target.len());
        let [clean, other] = [clean, other].map(|read| reads(spec, stack, read, target));
        let columns = match patched {
            Patched::Heads => {
                let heads = spec.stack(stack).map_or(0, |stack| stack.heads);
                (0..heads).map(Column::Head).collect()
            }
            _ => pairs
                .iter()
                .map(|pair| position(pair, into, [&clean, &other]))
                .collect(),
        };
        Layout {
            rows: spec.patching_sites(stack, patched),
            columns,
            from: match into {
                TakenInto::Other => clean,
                TakenInto::Clean => other,
            },
            spec: spec.clone(),
            stack,
            patched,
            into,
        }
    }

    /// Returns the place that a cell patches; `None` if the column has no partner.
    pub fn place(&self, row: usize, column: usize) -> Option<PatchedPlace> {
        let site = *self.rows.get(row)?;
        Some(match self.columns.get(column)? {
            Column::Head(head) => PatchedPlace {
                site,
                head: Some(*head),
                at: None,
            },
            Column::Position { from, to, .. } => PatchedPlace {
                site,
                head: None,
                at: Some([from.as_ref()?.0, to.as_ref()?.0]),
            },
        })
    }

    /// Returns the place of a cell after a position of the source run is dropped on it; only within a row, because
    /// vectors of other layers have another meaning.
    pub fn dropped(
        &self,
        (from_row, from): (usize, usize),
        (row, column): (usize, usize),
    ) -> Option<PatchedPlace> {
        let Column::Position { to, .. } = self.columns.get(column)? else {
            return None;
        };
        (from_row == row && from < self.from.len()).then_some(PatchedPlace {
            site: *self.rows.get(row)?,
            head: None,
            at: Some([from, to.as_ref()?.0]),
        })
    }

    /// Returns the cell of a place, if this map has it.
    pub fn cell(&self, place: PatchedPlace) -> Option<(usize, usize)> {
        let row = self.rows.iter().position(|&site| site == place.site)?;
        let is_there = |column: &Column| match (column, place.at) {
            (Column::Head(head), None) => place.head == Some(*head),
            (
                Column::Position {
                    to: Some((to, _)), ..
                },
                Some([_, at]),
            ) => place.head.is_none() && *to == at,
            _ => false,
        };
        Some((row, self.columns.iter().position(is_there)?))
    }

    /// True if a change at a place can reach a cell.
    pub fn is_reached(&self, place: PatchedPlace, (row, column): (usize, usize)) -> bool {
        let Some(&site) = self.rows.get(row) else {
            return false;
        };
        let from = place.at.map_or(0, |[_, to]| to);
        let there = match self.columns.get(column) {
            Some(Column::Position {
                to: Some((to, _)), ..
            }) => vec![*to],
            // A head is patched at all positions: at its own, and at the last one, which sees most.
            Some(Column::Head(_)) => vec![from, usize::MAX],
            Some(Column::Position { to: None, .. }) | None => vec![],
        };
        let reaches = |from: usize, to: usize| self.spec.reaches((place.site, from), (site, to));
        // What a head changes at each position is at the cell's own too.
        let is_own = |to: usize| place.at.is_none() && reaches(to, to);
        there.into_iter().any(|to| reaches(from, to) || is_own(to))
    }
}

/// Returns the tokens that a stack reads.
pub fn reads(spec: &ModelSpec, stack: Stack, read: &[Token], target: &[Token]) -> Vec<Token> {
    match (stack, spec.reads_source()) {
        (Stack::Encoder, _) => read.to_vec(),
        // Marian's decoder begins with the padding token, which has a name of its own on the page.
        (Stack::Decoder, true) => [&[start()], target].concat(),
        (Stack::Decoder, false) => [read, target].concat(),
    }
}

fn start() -> Token {
    Token {
        id: 0,
        text: "<s>".to_owned(),
        unknown: false,
    }
}

fn position(pair: &Pair, into: TakenInto, [clean, other]: [&[Token]; 2]) -> Column {
    let at = |tokens: &[Token], place: Option<usize>| {
        let place = place?;
        Some((place, tokens.get(place)?.clone()))
    };
    let (clean, other) = (at(clean, pair.before), at(other, pair.after));
    let (from, to) = match into {
        TakenInto::Other => (clean, other),
        TakenInto::Clean => (other, clean),
    };
    Column::Position {
        from,
        to,
        is_same: pair.is_same,
    }
}

/// The name of a row: the part of the model, and its layer from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowName {
    /// The input of the first layer.
    Embedding,
    /// The residual stream after a layer.
    After(usize),
    Attention(AttentionLayer),
    /// A layer's feed-forward network.
    FeedForward(usize),
}

/// Returns the name of a place's row.
pub fn row_name(site: Site) -> RowName {
    match site.block {
        Block::Sublayer(_, layer, Sublayer::FeedForward) if site.quantity == Quantity::Out => {
            RowName::FeedForward(layer + 1)
        }
        Block::Sublayer(_, layer, Sublayer::FeedForward) => RowName::After(layer + 1),
        block => AttentionLayer::try_from(block).map_or(RowName::Embedding, RowName::Attention),
    }
}

/// True if a place exists in a model whose runs, source and patched, read these numbers of tokens. A patch that does
/// not fit stays in the list, and is marked.
pub fn fits(place: PatchedPlace, spec: &ModelSpec, [from, to]: [usize; 2]) -> bool {
    let edit = attention_trace::Edit::PatchRows {
        site: place.site,
        head: place.head,
        rows: vec![],
        text: String::new(),
        target: vec![],
    };
    let is_there = place
        .at
        .is_none_or(|[there, here]| there < from && here < to);
    edit.fault(spec).is_none() && is_there
}

/// Returns the share of the answer that a cell restores; `None` if the cell is not computed yet, or if the two runs
/// do not differ.
pub fn share(
    cells: &[PatchedCell],
    ends: Option<PatchingEnds>,
    (row, column): (usize, usize),
) -> Option<f32> {
    let mut cells = cells.iter();
    let cell = cells.find(|cell| (cell.row, cell.column) == (row, column))?;
    ends?.share(cell.difference)
}

/// Returns the cell that restores most with its share, and the number of cells that restore at least `least`.
pub fn strongest(
    cells: &[PatchedCell],
    ends: Option<PatchingEnds>,
    least: f32,
) -> Option<((usize, usize), f32, usize)> {
    let ends = ends?;
    let shares = cells
        .iter()
        .filter_map(|cell| Some(((cell.row, cell.column), ends.share(cell.difference)?)));
    let shares: Vec<_> = shares.collect();
    let count = shares.iter().filter(|(_, share)| *share >= least).count();
    let best = shares
        .into_iter()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some((best.0, best.1, count))
}

#[cfg(test)]
mod tests {
    use attention_trace::config::{LlamaConfig, MarianConfig};

    use super::*;

    fn tokens(ids: &[u32]) -> Vec<Token> {
        let token = |&id| Token {
            id,
            text: id.to_string(),
            unknown: false,
        };
        ids.iter().map(token).collect()
    }

    fn layout(spec: &ModelSpec, stack: Stack, patched: Patched, into: TakenInto) -> Layout {
        let (clean, other) = (tokens(&[1, 2, 3, 9]), tokens(&[1, 4, 9]));
        Layout::of(
            spec,
            (stack, patched, into),
            [&clean, &other],
            &tokens(&[7]),
        )
    }

    fn translator() -> ModelSpec {
        MarianConfig::default().spec()
    }

    #[test]
    fn a_cell_takes_over_the_position_of_its_partner() {
        let map = layout(
            &translator(),
            Stack::Encoder,
            Patched::Residual,
            TakenInto::Other,
        );
        assert_eq!(map.columns.len(), 4);
        assert_eq!(map.place(0, 3).unwrap().at, Some([3, 2]));
        assert_eq!(map.place(0, 2), None);
        let back = layout(
            &translator(),
            Stack::Encoder,
            Patched::Residual,
            TakenInto::Clean,
        );
        assert_eq!(back.place(0, 3).unwrap().at, Some([2, 3]));
        for place in [map.place(1, 3).unwrap(), map.place(0, 0).unwrap()] {
            let (row, column) = map.cell(place).unwrap();
            assert_eq!(map.place(row, column), Some(place));
        }
    }

    #[test]
    fn any_position_is_dropped_on_any_of_its_row() {
        let map = layout(
            &translator(),
            Stack::Encoder,
            Patched::Residual,
            TakenInto::Other,
        );
        assert_eq!(map.dropped((1, 2), (1, 0)).unwrap().at, Some([2, 0]));
        assert_eq!(map.dropped((1, 2), (2, 0)), None);
        assert_eq!(map.dropped((1, 9), (1, 0)), None);
        // A position that the run that takes does not have.
        assert_eq!(map.dropped((1, 0), (1, 2)), None);
        let heads = layout(
            &translator(),
            Stack::Encoder,
            Patched::Heads,
            TakenInto::Other,
        );
        assert_eq!(heads.dropped((0, 0), (0, 0)), None);
        assert_eq!(heads.place(0, 1).unwrap().head, Some(1));
    }

    #[test]
    fn a_decoder_after_an_encoder_reads_the_target_and_another_reads_it_behind_the_text() {
        let map = layout(
            &translator(),
            Stack::Decoder,
            Patched::Residual,
            TakenInto::Other,
        );
        assert_eq!(map.columns.len(), 2);
        let alone = LlamaConfig::default().spec();
        let map = layout(&alone, Stack::Decoder, Patched::Residual, TakenInto::Other);
        assert_eq!(map.columns.len(), 5);
        assert_eq!(map.place(0, 4).unwrap().at, Some([4, 3]));
        assert_eq!(map.from.len(), 5);
    }

    #[test]
    fn later_layers_are_reached_and_in_a_causal_stack_later_positions() {
        let alone = LlamaConfig::default().spec();
        let map = layout(&alone, Stack::Decoder, Patched::Residual, TakenInto::Other);
        let place = map.place(1, 1).unwrap();
        assert!(map.is_reached(place, (2, 1)) && map.is_reached(place, (2, 4)));
        assert!(!map.is_reached(place, (2, 0)) && !map.is_reached(place, (1, 4)));
        let encoder = layout(
            &translator(),
            Stack::Encoder,
            Patched::Residual,
            TakenInto::Other,
        );
        assert!(encoder.is_reached(encoder.place(1, 3).unwrap(), (2, 0)));
        let decoder = layout(
            &translator(),
            Stack::Decoder,
            Patched::Heads,
            TakenInto::Other,
        );
        let head = decoder.place(0, 1).unwrap();
        assert!(decoder.is_reached(head, (2, 0)) && !decoder.is_reached(head, (0, 0)));
    }

    #[test]
    fn what_the_model_or_the_sentence_lacks_does_not_fit() {
        let spec = translator();
        let place = |site: &str, head, at| PatchedPlace {
            site: site.parse().unwrap(),
            head,
            at,
        };
        let fits = |place| fits(place, &spec, [4, 3]);
        assert!(fits(place("encoder.0.mlp.norm", None, Some([3, 2]))));
        assert!(!fits(place("encoder.0.mlp.norm", None, Some([2, 3]))));
        assert!(!fits(place("encoder.0.mlp.norm", None, Some([4, 0]))));
        assert!(!fits(place("encoder.0.self.z", Some(99), None)));
        assert!(!fits(place("decoder.77.mlp.norm", None, Some([0, 0]))));
    }

    #[test]
    fn rows_are_named_by_what_they_are() {
        let name = |site: &str| row_name(site.parse().unwrap());
        assert_eq!(name("encoder.embedding"), RowName::Embedding);
        assert_eq!(name("encoder.1.mlp.norm"), RowName::After(2));
        assert_eq!(name("decoder.0.mlp.out"), RowName::FeedForward(1));
        assert!(matches!(name("decoder.0.cross.z"), RowName::Attention(_)));
    }

    #[test]
    fn the_strongest_cell_is_found_and_those_with_a_large_share_are_counted() {
        let cell = |column, difference| PatchedCell {
            row: 0,
            column,
            difference,
        };
        let cells = [cell(0, -1.0), cell(1, 0.8), cell(2, 0.2)];
        let ends = Some(PatchingEnds {
            clean: 1.0,
            other: -1.0,
        });
        let (at, most, count) = strongest(&cells, ends, 0.5).unwrap();
        assert_eq!((at, count), ((0, 1), 2));
        assert!((most - 0.9).abs() < 1e-6);
        assert_eq!(share(&cells, ends, (0, 0)), Some(0.0));
        assert_eq!(share(&cells, ends, (1, 0)), None);
    }
}
