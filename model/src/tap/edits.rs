//! The effects of edits on the tensors of a pass.

mod heads;
mod rows;
mod set_rows;

use std::collections::BTreeMap;

use attention_trace::config::Rope;
use attention_trace::{
    Array, AttentionKind, Block, Edit, Quantity, SetRow, ShuffledRow, Site, Stack, Sublayer,
    shuffled_key,
};
use burn::tensor::{Tensor, TensorData};

pub use self::rows::TakenRows;
use crate::window::Later;

/// The edits of a pass, and its position in the sequence.
#[derive(Default)]
pub struct Edits {
    edits: Vec<Edit>,
    /// The rows set by [`Edit::SetWeight`], one entry per row.
    rows: Vec<SetRow>,
    /// Rows that are taken over from other passes: in every sequence of the batch, or in the one with that number.
    taken: Vec<(Option<usize>, TakenRows)>,
    /// The position of the first row of each stack's tensors.
    first: [usize; 2],
    /// The number of keys up to its own that a query sees, and those after it, of attentions that have a window.
    windows: BTreeMap<Block, (usize, Later)>,
}

impl Edits {
    /// Orders the edits at one place: first those that change all rows alike, then those that set weights of a row, and
    /// last those that replace the array, whatever their order in the list.
    pub fn new(edits: &[Edit]) -> Self {
        let mut edits = edits.to_vec();
        edits.sort_by_key(|edit| match edit {
            Edit::Uniform { .. } | Edit::Shuffle { .. } | Edit::GroupKeyValues { .. } => 0,
            Edit::Replace { .. } => 2,
            _ => 1,
        });
        let taken = edits.iter().filter_map(TakenRows::of);
        Edits {
            rows: SetRow::all(&edits),
            taken: taken.map(|taken| (None, taken)).collect(),
            edits,
            first: [0; 2],
            windows: BTreeMap::new(),
        }
    }

    /// Makes each sequence of the batch take over its own rows, in the order of the sequences.
    pub fn take_each(&mut self, taken: impl IntoIterator<Item = TakenRows>) {
        let each = taken.into_iter().enumerate();
        self.taken
            .extend(each.map(|(sequence, taken)| (Some(sequence), taken)));
    }

    /// Sets the position at which rows of this stack begin.
    pub fn enter(&mut self, stack: Stack, first: usize) {
        self.first[stack as usize] = first;
    }

    /// Sets the number of keys up to its own that a query of this attention sees.
    pub fn limit(&mut self, block: Block, window: usize, later: Later) {
        self.windows.insert(block, (window, later));
    }

    pub fn without_positions(&self) -> bool {
        self.edits.contains(&Edit::WithoutPositions)
    }

    pub fn without_causality(&self) -> bool {
        self.edits.contains(&Edit::WithoutCausality)
    }

    /// Returns the RoPE that an edit sets in the place of the model's own.
    pub fn stretched(&self, own: Rope) -> Rope {
        let stretched = self.edits.iter().rev().find_map(|edit| match *edit {
            Edit::StretchRope {
                scaling,
                factor,
                trained,
            } => Some(Rope::stretched(own.base, scaling, factor.into(), trained)),
            _ => None,
        });
        stretched.unwrap_or(own)
    }

    /// Returns the `ε` and the most depths of halting, if an edit sets them.
    pub fn halting(&self) -> Option<(f32, usize)> {
        self.edits.iter().rev().find_map(|edit| match *edit {
            Edit::Halt { epsilon, depths } => Some((epsilon, depths)),
            _ => None,
        })
    }

    /// Returns true if an edit acts at that place.
    pub fn act_on(&self, site: Site) -> bool {
        let is_taken = self.taken.iter().any(|(_, taken)| taken.site == site);
        is_taken || self.edits.iter().any(|edit| acts_at(edit, site))
    }

    /// Applies the edits of that place to `x`.
    pub fn apply<const D: usize>(&self, site: Site, x: Tensor<D>) -> Tensor<D> {
        let here = self.edits.iter().filter(|edit| acts_at(edit, site));
        let (last, first): (Vec<&Edit>, Vec<&Edit>) =
            here.partition(|edit| matches!(edit, Edit::Replace { .. }));
        let made = |x, edit: &Edit| self.made(edit, site, x);
        let x = first.into_iter().fold(x, made);
        let x = last.into_iter().fold(self.with_rows(site, x), made);
        self.with_taken(site, x)
    }

    /// Replaces the rows that are taken over there, after all other edits.
    fn with_taken<const D: usize>(&self, site: Site, x: Tensor<D>) -> Tensor<D> {
        let here = self.taken.iter().filter(|(_, taken)| taken.site == site);
        let first = self.first_row(site);
        here.fold(x, |x, (sequence, taken)| {
            let all = 0..x.dims()[0];
            let sequences = sequence.map_or(all, |sequence| sequence..sequence + 1);
            taken.put(x, sequences, first)
        })
    }

    /// Replaces the scores so that the rows of that place get their weights.
    fn with_rows<const D: usize>(&self, site: Site, x: Tensor<D>) -> Tensor<D> {
        let is_here = |row: &&SetRow| row.attention.at(Quantity::MaskedScores) == site;
        let rows: Vec<&SetRow> = self.rows.iter().filter(is_here).collect();
        match rows.is_empty() {
            true => x,
            false => set_rows::set(x, &rows, self.first_row(site)),
        }
    }

    fn made<const D: usize>(&self, edit: &Edit, site: Site, x: Tensor<D>) -> Tensor<D> {
        let first = self.first_row(site);
        match edit {
            Edit::ScaleHead { head, factor, .. } => {
                multiply(x, |at| if at[1] == *head { *factor } else { 1.0 })
            }
            Edit::SetHead { head, z, .. } => replace(x, |at| {
                let value = z.get(at[3]).copied();
                value.filter(|_| at[1] == *head)
            }),
            Edit::Uniform { head, .. } => heads::uniform(x, *head),
            Edit::GroupKeyValues { groups, .. } => heads::averaged(x, *groups),
            Edit::Shuffle {
                attention,
                head,
                seed,
            } => {
                let is_causal =
                    attention.kind == AttentionKind::DecoderSelf && !self.without_causality();
                heads::shuffled(x, *head, |head, row, keys| {
                    let query = first + row;
                    let row = ShuffledRow {
                        attention: *attention,
                        head,
                        query,
                    };
                    let window = self.windows.get(&site.block);
                    let end = match window {
                        _ if is_causal => query + 1,
                        Some((window, Later::InWindow)) => query + window,
                        _ => keys,
                    };
                    let end = end.min(keys);
                    let start = window.map_or(0, |(window, _)| (query + 1).saturating_sub(*window));
                    let seen: Vec<usize> = (start..end)
                        .filter(|&key| !Edit::hides(&self.edits, *attention, query, key))
                        .collect();
                    let mut order: Vec<usize> = (0..end).collect();
                    for (&place, drawn) in seen.iter().zip(shuffled_key(*seed, row, seen.len())) {
                        order[place] = seen[drawn];
                    }
                    order
                })
            }
            Edit::ScaleKey {
                head, key, factor, ..
            } => {
                let is_meant =
                    |at: &[usize]| head.is_none_or(|head| at[1] == head) && at[3] == *key;
                add(x, |at| if is_meant(at) { factor.ln() } else { 0.0 })
            }
            Edit::Window { window, .. } => {
                heads::hidden(x, |row, key| !window.sees(first + row, key))
            }
            Edit::Pattern {
                head,
                query,
                weights,
                ..
            } => replace(x, |at| {
                let is_meant = at[1] == *head && first + at[2] == *query;
                is_meant.then(|| weights.get(at[3]).copied().unwrap_or(0.0))
            }),
            Edit::Replace { array, .. } => {
                let rows = Rows::of(array);
                replace(x, |at| rows.value(at, first))
            }
            // With the others of its row, and after all others: see `with_rows` and `with_taken`.
            Edit::SetWeight { .. }
            | Edit::MeanHead { .. }
            | Edit::Patch { .. }
            | Edit::ReplaceRows { .. }
            | Edit::PatchRows { .. }
            | Edit::Permute { .. }
            | Edit::WithoutPositions
            | Edit::WithoutCausality
            | Edit::StretchRope { .. }
            | Edit::Halt { .. } => x,
        }
    }

    /// Returns the position of the first row there. Keys and values of cross-attention are computed from the encoder's
    /// output, all at once.
    fn first_row(&self, site: Site) -> usize {
        let is_cross = matches!(site.block, Block::Sublayer(_, _, Sublayer::CrossAttention));
        let of_source = is_cross && matches!(site.quantity, Quantity::Key | Quantity::Value);
        match site.block.stack() {
            Some(stack) if !of_source => self.first[stack as usize],
            Some(_) => 0,
            None => self.first[Stack::Decoder as usize],
        }
    }
}

/// Returns true if an edit acts at that place.
fn acts_at(edit: &Edit, site: Site) -> bool {
    match edit {
        Edit::GroupKeyValues { attention, .. } => [Quantity::Key, Quantity::Value]
            .map(|quantity| attention.at(quantity))
            .contains(&site),
        edit => place(edit) == Some(site),
    }
}

/// Returns the place where an edit acts, if it acts at a single place of the pass.
fn place(edit: &Edit) -> Option<Site> {
    match edit {
        Edit::ScaleHead { attention, .. } | Edit::SetHead { attention, .. } => {
            Some(attention.at(Quantity::Z))
        }
        Edit::Pattern { attention, .. } | Edit::Shuffle { attention, .. } => {
            Some(attention.at(Quantity::Pattern))
        }
        Edit::ScaleKey { attention, .. }
        | Edit::SetWeight { attention, .. }
        | Edit::Window { attention, .. }
        | Edit::Uniform { attention, .. } => Some(attention.at(Quantity::MaskedScores)),
        Edit::Replace { site, .. } => Some(*site),
        // Made something else before the pass, see `Checkpoint::prepared`, or done after all others.
        Edit::MeanHead { .. }
        | Edit::GroupKeyValues { .. }
        | Edit::Patch { .. }
        | Edit::ReplaceRows { .. }
        | Edit::PatchRows { .. }
        | Edit::Permute { .. }
        | Edit::WithoutPositions
        | Edit::WithoutCausality
        | Edit::StretchRope { .. }
        | Edit::Halt { .. } => None,
    }
}

/// An array that replaces another, `[…, rows, columns]` with any number of rows.
struct Rows<'a> {
    array: &'a Array,
    rows: usize,
    columns: usize,
}

impl<'a> Rows<'a> {
    fn of(array: &'a Array) -> Self {
        let mut axes = array.shape.iter().rev().copied();
        Rows {
            columns: axes.next().unwrap_or(1),
            rows: axes.next().unwrap_or(1),
            array,
        }
    }

    /// Returns the value at an index of a pass's tensor `[batch, …, rows, columns]` whose rows begin at position
    /// `first`; `None` if the array has none.
    fn value(&self, at: &[usize], first: usize) -> Option<f32> {
        let &[_, ref outer @ .., row, column] = at else {
            return None;
        };
        let row = first + row;
        if row >= self.rows || column >= self.columns {
            return None;
        }
        let outer = match outer {
            [] => 0,
            &[head, ..] => head,
        };
        let index = (outer * self.rows + row) * self.columns + column;
        self.array.data.get(index).copied()
    }
}

/// `x` times a factor for each index.
fn multiply<const D: usize>(x: Tensor<D>, factor: impl Fn(&[usize]) -> f32) -> Tensor<D> {
    let factors = tensor(&x, factor);
    x * factors
}

/// `x` plus a term for each index.
fn add<const D: usize>(x: Tensor<D>, term: impl Fn(&[usize]) -> f32) -> Tensor<D> {
    let terms = tensor(&x, term);
    x + terms
}

/// Replaces the values of `x` at the indices that have a new value.
fn replace<const D: usize>(x: Tensor<D>, value: impl Fn(&[usize]) -> Option<f32>) -> Tensor<D> {
    let values = tensor(&x, |at| value(at).unwrap_or(0.0));
    let is_kept = tensor(&x, |at| f32::from(u8::from(value(at).is_none())));
    x.mask_where(is_kept.equal_elem(0.0), values)
}

/// Creates a tensor of the shape of `like`, value by value.
fn tensor<const D: usize>(like: &Tensor<D>, value: impl Fn(&[usize]) -> f32) -> Tensor<D> {
    let dims = like.dims();
    let mut at = [0; D];
    let count = dims.iter().product::<usize>();
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        values.push(value(&at));
        for axis in (0..D).rev() {
            at[axis] += 1;
            if at[axis] < dims[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
    Tensor::from_data(TensorData::new(values, dims), &like.device())
}
