//! A stack of layers cell by cell: the inputs of a cell, the time it can be computed, and the cells an output depends
//! on.

use super::{Convolutions, SequenceLayer};

/// A place in a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackCell {
    /// 0 of the inputs, 1 of the first layer's outputs, and so on.
    pub row: usize,
    /// The position of the token.
    pub column: usize,
}

/// A stack of equal layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerStack {
    /// The kind of its layers.
    pub layer: SequenceLayer,
    /// The kernels of its convolutions, if its layers are convolutions.
    pub convolutions: Convolutions,
    /// True if its layers are recurrent and read in both directions. Each layer then has two rows of states, that of the
    /// way forwards and above it that of the way back, and its output at a token is both of them.
    pub bidirectional: bool,
    /// The number of tokens.
    pub tokens: usize,
    /// The number of layers.
    pub layers: usize,
}

impl LayerStack {
    /// True if there are two rows of states in each layer.
    fn has_two_ways(self) -> bool {
        self.bidirectional && self.layer == SequenceLayer::Recurrent
    }

    /// Returns the number of rows above the inputs.
    pub fn rows(self) -> usize {
        match self.has_two_ways() {
            true => 2 * self.layers,
            false => self.layers,
        }
    }

    /// The cells that a cell is computed from, one connection away; none of an input.
    pub fn sources(self, cell: StackCell) -> Vec<StackCell> {
        if self.has_two_ways() {
            return self.sources_of_both_ways(cell);
        }
        let StackCell { row, column } = cell;
        let Some(below) = row.checked_sub(1) else {
            return Vec::new();
        };
        let lower = |column| StackCell { row: below, column };
        match self.layer {
            SequenceLayer::Recurrent => {
                let earlier = column
                    .checked_sub(1)
                    .map(|column| StackCell { row, column });
                [Some(lower(column)), earlier]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            SequenceLayer::Convolution => {
                let dilation = self.convolutions.dilation(below as u32);
                let back = (0..self.convolutions.kernel).map(|tap| tap.saturating_mul(dilation));
                back.map_while(|back| column.checked_sub(usize::try_from(back).ok()?))
                    .map(lower)
                    .collect()
            }
            SequenceLayer::SelfAttention => (0..self.tokens).map(lower).collect(),
        }
    }

    fn sources_of_both_ways(self, cell: StackCell) -> Vec<StackCell> {
        let StackCell { row, column } = cell;
        let Some(layer) = row.checked_sub(1).map(|above| above / 2) else {
            return Vec::new();
        };
        let goes_back = row % 2 == 0;
        let neighbour = match goes_back {
            true => (column + 1 < self.tokens).then_some(column + 1),
            false => column.checked_sub(1),
        };
        // Below the first layer is the row of the inputs, below any other the two rows of its outputs.
        let below = match layer {
            0 => 0..=0,
            _ => 2 * layer - 1..=2 * layer,
        };
        let below = below.map(|row| StackCell { row, column });
        let beside = neighbour.map(|column| StackCell { row, column });
        below.chain(beside).collect()
    }

    /// The earliest step at which a cell can be computed, if all that is ready is computed at once. Inputs are there at
    /// step 0.
    pub fn tick(self, cell: StackCell) -> usize {
        match self.layer {
            _ if cell.row == 0 => 0,
            SequenceLayer::Recurrent if self.has_two_ways() => {
                // The first layer's two ways meet the inputs at once. In any other one a way begins where the layer below
                // has both of its states, which is at its last step.
                let way = match cell.row % 2 {
                    0 => self.tokens - 1 - cell.column,
                    _ => cell.column,
                };
                (cell.row - 1) / 2 * self.tokens + way + 1
            }
            SequenceLayer::Recurrent => cell.row + cell.column,
            SequenceLayer::Convolution | SequenceLayer::SelfAttention => cell.row,
        }
    }

    /// Returns the number of consecutive steps until everything is computed.
    pub fn ticks(self) -> usize {
        let last = StackCell {
            row: self.rows(),
            column: self.tokens.saturating_sub(1),
        };
        match self.has_two_ways() {
            true => self.layers * self.tokens,
            false => self.tick(last),
        }
    }

    /// All cells, row by row from the inputs on.
    pub fn cells(self) -> impl Iterator<Item = StackCell> {
        let columns = move |row| (0..self.tokens).map(move |column| StackCell { row, column });
        (0..=self.rows()).flat_map(columns)
    }

    /// A cell's place in [`LayerStack::cells`].
    pub fn index(self, cell: StackCell) -> usize {
        cell.row * self.tokens + cell.column
    }

    /// Returns, for each of [`LayerStack::cells`], true if the output of the last layer at `column`
    /// depends on it; the output depends on itself.
    pub fn dependencies(self, column: usize) -> Vec<bool> {
        let mut depends = vec![false; (self.rows() + 1) * self.tokens];
        let mut open = self.outputs(column);
        while let Some(cell) = open.pop() {
            let index = self.index(cell);
            if !depends[index] {
                depends[index] = true;
                open.extend(self.sources(cell));
            }
        }
        depends
    }

    /// Returns the number of inputs that this output depends on.
    pub fn field(self, column: usize) -> usize {
        let depends = self.dependencies(column);
        depends[..self.tokens].iter().filter(|&&is| is).count()
    }

    /// The shortest way from the first input to the output of the last layer at `column`, both included; empty where
    /// there is none.
    pub fn path(self, column: usize) -> Vec<StackCell> {
        let first = StackCell { row: 0, column: 0 };
        // From the output backwards, breadth first: of each cell that is met, the next one on the way to the output.
        let mut next = vec![None; (self.rows() + 1) * self.tokens];
        let outputs = self.outputs(column);
        for &output in &outputs {
            next[self.index(output)] = Some(output);
        }
        let mut open = std::collections::VecDeque::from(outputs);
        while let Some(cell) = open.pop_front() {
            for source in self.sources(cell) {
                let entry = &mut next[self.index(source)];
                if entry.is_none() {
                    *entry = Some(cell);
                    open.push_back(source);
                }
            }
        }
        let step = |cell: &StackCell| next[self.index(*cell)].filter(|after| after != cell);
        match next[self.index(first)] {
            Some(_) => std::iter::successors(Some(first), step).collect(),
            None => Vec::new(),
        }
    }

    /// The cells of the output of the last layer at a column: one, or one for each direction.
    fn outputs(self, column: usize) -> Vec<StackCell> {
        let column = column.min(self.tokens.saturating_sub(1));
        let lowest = match self.has_two_ways() {
            true => self.rows() - 1,
            false => self.rows(),
        };
        (lowest..=self.rows())
            .map(|row| StackCell { row, column })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn stack(layer: SequenceLayer, tokens: usize, layers: usize) -> LayerStack {
        LayerStack {
            layer,
            convolutions: Convolutions {
                kernel: 3,
                dilated: false,
            },
            bidirectional: false,
            tokens,
            layers,
        }
    }

    #[test]
    fn both_ways_see_everything_and_wait_for_each_layer() {
        let one_way = stack(SequenceLayer::Recurrent, 8, 1);
        let both = |layers| LayerStack {
            bidirectional: true,
            ..stack(SequenceLayer::Recurrent, 8, layers)
        };
        // Of four tokens and one layer the third output has seen three inputs, or with both ways all of them.
        assert_eq!((one_way.field(2), both(1).field(2)), (3, 8));
        assert_eq!(
            [both(1).ticks(), both(2).ticks(), both(3).ticks()],
            [8, 16, 24]
        );
        // From the first token to the first output there is one connection, of the way forwards.
        assert_eq!(both(1).path(0).len(), 2);
        assert_eq!(both(1).path(7).len(), 9);
        // Self-attention does not read in directions.
        let attention = LayerStack {
            bidirectional: true,
            ..stack(SequenceLayer::SelfAttention, 8, 3)
        };
        assert_eq!(attention.ticks(), 3);
    }

    #[test]
    fn one_recurrent_layer_computes_a_token_a_step() {
        let recurrent = stack(SequenceLayer::Recurrent, 8, 1);
        assert_eq!(recurrent.ticks(), 8);
        for step in 1..=8 {
            let now = recurrent
                .cells()
                .filter(|&cell| recurrent.tick(cell) == step);
            assert_eq!(now.count(), 1);
        }
        // The layer above follows a step behind.
        assert_eq!(stack(SequenceLayer::Recurrent, 8, 3).ticks(), 10);
        assert_eq!(stack(SequenceLayer::Convolution, 8, 3).ticks(), 3);
        assert_eq!(stack(SequenceLayer::SelfAttention, 8, 3).ticks(), 3);
    }

    #[test]
    fn from_the_first_token_to_the_last_output_it_is_n_steps_4_layers_or_1() {
        let path = |stack: LayerStack| stack.path(7).len().saturating_sub(1);
        assert_eq!(path(stack(SequenceLayer::Recurrent, 8, 1)), 8);
        assert_eq!(path(stack(SequenceLayer::SelfAttention, 8, 1)), 1);
        // 3 layers of kernel 3 see 7 tokens, 4 see 9.
        assert_eq!(path(stack(SequenceLayer::Convolution, 8, 3)), 0);
        assert_eq!(stack(SequenceLayer::Convolution, 8, 3).field(7), 7);
        assert_eq!(path(stack(SequenceLayer::Convolution, 8, 4)), 4);
        let dilated = LayerStack {
            convolutions: Convolutions {
                kernel: 2,
                dilated: true,
            },
            ..stack(SequenceLayer::Convolution, 8, 3)
        };
        assert_eq!(path(dilated), 3);
        assert_eq!(dilated.field(7), 8);
    }

    fn stacks() -> impl Strategy<Value = LayerStack> {
        let layer = prop::sample::select(SequenceLayer::ALL.to_vec());
        (layer, 1usize..12, 1usize..5, 2u64..5, any::<[bool; 2]>()).prop_map(
            |(layer, tokens, layers, kernel, [dilated, bidirectional])| LayerStack {
                layer,
                convolutions: Convolutions { kernel, dilated },
                bidirectional,
                tokens,
                layers,
            },
        )
    }

    proptest! {
        #[test]
        fn what_a_cell_is_computed_from_is_there_before_it(stack in stacks()) {
            for cell in stack.cells() {
                for source in stack.sources(cell) {
                    prop_assert!(stack.tick(source) < stack.tick(cell));
                    prop_assert!(source.column < stack.tokens);
                }
                prop_assert!(stack.tick(cell) <= stack.ticks());
            }
        }

        #[test]
        fn an_output_depends_on_as_many_inputs_as_the_formula_says(stack in stacks(), column in 0usize..12) {
            let column = column.min(stack.tokens - 1);
            let expected = match stack.layer {
                SequenceLayer::Recurrent if stack.bidirectional => stack.tokens,
                SequenceLayer::Recurrent => column + 1,
                SequenceLayer::Convolution => {
                    let field = stack.convolutions.receptive_field(stack.layers as u32);
                    (column + 1).min(field as usize)
                }
                SequenceLayer::SelfAttention => stack.tokens,
            };
            prop_assert_eq!(stack.field(column), expected);
        }

        #[test]
        fn a_path_goes_from_cell_to_cell_and_is_as_long_as_the_formula_says(stack in stacks()) {
            let last = stack.tokens - 1;
            let path = stack.path(last);
            for pair in path.windows(2) {
                prop_assert!(stack.sources(pair[1]).contains(&pair[0]));
            }
            let (n, layers) = (stack.tokens as u64, stack.layers as u64);
            let least = stack.layer.longest_path(n, stack.convolutions).unwrap();
            match stack.layer {
                SequenceLayer::Recurrent => {
                    // One connection up for each layer, and one to the right for each further token.
                    prop_assert_eq!(path.len() as u64, 1 + layers + n - 1);
                }
                _ if layers < least => prop_assert!(path.is_empty()),
                _ => prop_assert_eq!(path.len() as u64, 1 + layers),
            }
        }
    }
}
