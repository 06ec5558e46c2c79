//! Tensors of floats at their places in a file.

use std::borrow::Cow;
use std::ops::Range;

use crate::blocks::Encoding;
use crate::floats::{Floats, Order};
use crate::halves::Half;

/// Floats that stand in a file, with what makes those of `model.safetensors` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The shape in `model.safetensors`.
    pub shape: Vec<usize>,
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// The order of the stored values.
    pub order: Order,
    /// The position of the first byte in the file.
    pub start: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// True for gains of a norm that the file holds with the 1 that the family adds to them.
    pub with_one: bool,
}

impl Placed {
    /// Returns the floats, whose stored bytes are `bytes`.
    pub fn floats<'a>(&self, bytes: Cow<'a, [u8]>) -> Floats<'a> {
        let stored = Floats {
            shape: self.shape.clone(),
            encoding: self.encoding,
            bytes,
            order: self.order,
        };
        match self.with_one {
            true => without_one(&stored),
            false => stored,
        }
    }

    /// Returns these rows of a matrix, whose number and first are multiples of [`together`](Self::together).
    #[must_use]
    pub fn rows(&self, rows: Range<usize>) -> Self {
        let all = self.shape.first().copied().unwrap_or(1).max(1);
        let row = self.bytes / all as u64;
        let mut shape = self.shape.clone();
        if let Some(height) = shape.first_mut() {
            *height = rows.len();
        }
        let order = match self.order {
            Order::Alternating { .. } => Order::Alternating {
                heads: rows.len() / self.together().max(1),
            },
            order => order,
        };
        Placed {
            shape,
            order,
            start: self.start + rows.start as u64 * row,
            bytes: rows.len() as u64 * row,
            ..*self
        }
    }

    /// Returns the number of rows that can be read without others: one, those of a head whose rows alternate, or all.
    pub fn together(&self) -> usize {
        let rows = self.shape.first().copied().unwrap_or(1);
        match (self.order, self.shape.as_slice()) {
            (Order::Same, [_, _]) => 1,
            (Order::Alternating { heads }, [_, _]) => rows / heads.max(1),
            _ => rows,
        }
    }

    /// True for a matrix that [`coded`](Floats::coded) or [`halves`](Floats::halves) takes as it is stored.
    pub fn stays_stored(&self) -> bool {
        let &[_, width] = self.shape.as_slice() else {
            return false;
        };
        match self.order {
            Order::ByHead { .. } => false,
            Order::Transposed => self.encoding.half().is_some() && width > 0,
            Order::Same | Order::Alternating { .. } => {
                self.encoding.is_quantised() || self.encoding.half().is_some() && width > 0
            }
        }
    }

    /// Returns the format of a matrix of floats of 16 bits whose bytes are those of [`HalfLines`](crate::HalfLines) as they lie
    /// in the file; `None` for another tensor.
    pub fn half_in_place(&self) -> Option<Half> {
        match (self.order, self.shape.as_slice()) {
            (Order::Same, &[_, width]) if width > 0 && width % 2 == 0 => self.encoding.half(),
            _ => None,
        }
    }

    /// Returns the bytes that the tensor takes once it is loaded, as it is stored if it can stay so.
    pub fn loaded_bytes(&self) -> u64 {
        let shape: Vec<u64> = self.shape.iter().map(|&size| size as u64).collect();
        self.encoding.loaded_bytes(&shape)
    }

    /// Divides the tensor into stretches of at most so many bytes, or as few as can be read without others.
    pub fn stretches(&self, most_bytes: u64) -> Vec<Self> {
        let rows = self.shape.first().copied().unwrap_or(1);
        let together = self.together();
        if together == 0 || together >= rows || self.bytes <= most_bytes {
            return vec![self.clone()];
        }
        let unit_bytes = (self.bytes / rows as u64 * together as u64).max(1);
        let units = usize::try_from(most_bytes / unit_bytes).map_or(rows, |units| units.max(1));
        let height = together.saturating_mul(units);
        let starts = (0..rows).step_by(height);
        starts
            .map(|start| self.rows(start..rows.min(start.saturating_add(height))))
            .collect()
    }
}

/// Returns the gains of a norm without the 1 that the family adds, as floats of 32 bits.
fn without_one(gains: &Floats<'_>) -> Floats<'static> {
    let values = gains.values().into_iter();
    let bytes: Vec<u8> = values.flat_map(|gain| (gain - 1.0).to_le_bytes()).collect();
    Floats {
        shape: gains.shape.clone(),
        encoding: Encoding::F32,
        bytes: bytes.into(),
        order: Order::Same,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn stretches_hold_the_values_of_the_whole(
            heads in 1_usize..5,
            width in 1_usize..6,
            order in 0_usize..4,
            most in 1_u64..400,
        ) {
            // Six rows of each head.
            let rows = 6 * heads;
            let bytes: Vec<u8> = (0..rows * width).flat_map(|value| (value as f32).to_le_bytes()).collect();
            let orders = [Order::Same, Order::Alternating { heads }, Order::Transposed, Order::ByHead { heads }];
            let whole = Placed {
                shape: vec![rows, width],
                encoding: Encoding::F32,
                order: orders[order],
                start: 7,
                bytes: bytes.len() as u64,
                with_one: false,
            };
            let stretches = whole.stretches(most);
            let least = 4 * (width * whole.together()) as u64;
            let mut end = whole.start;
            let mut found = vec![];
            for stretch in stretches {
                prop_assert_eq!(stretch.start, end);
                end += stretch.bytes;
                prop_assert!(stretch.bytes <= most.max(least));
                let part = (stretch.start - 7) as usize..(end - 7) as usize;
                found.extend(stretch.floats(Cow::Borrowed(&bytes[part])).values());
            }
            prop_assert_eq!(end, whole.start + whole.bytes);
            prop_assert_eq!(found, whole.floats(Cow::Borrowed(&bytes)).values());
        }
    }

    #[test]
    fn what_stays_stored_is_known_from_the_place() {
        for encoding in Encoding::ALL {
            for (shape, heads) in [(vec![4, 256], 2), (vec![512], 2), (vec![6, 256], 2)] {
                let orders = [
                    Order::Same,
                    Order::Alternating { heads },
                    Order::Transposed,
                    Order::ByHead { heads },
                ];
                for order in orders {
                    let count = shape.iter().product::<usize>();
                    let bytes = count / encoding.block_values() * encoding.block_bytes();
                    let placed = Placed {
                        shape: shape.clone(),
                        encoding,
                        order,
                        start: 0,
                        bytes: bytes as u64,
                        with_one: false,
                    };
                    let floats = placed.floats(vec![0; bytes].into());
                    let stays = floats.coded().is_some() || floats.halves().is_some();
                    assert_eq!(placed.stays_stored(), stays, "{placed:?}");
                }
            }
        }
    }

    #[test]
    fn gains_lose_the_one() {
        let gains = Placed {
            shape: vec![2],
            encoding: Encoding::F32,
            order: Order::Same,
            start: 0,
            bytes: 8,
            with_one: true,
        };
        let bytes = [1.5_f32, 0.25].map(f32::to_le_bytes).concat();
        assert_eq!(gains.stretches(1), std::slice::from_ref(&gains));
        assert_eq!(gains.floats(bytes.into()).values(), [0.5, -0.75]);
    }
}
