//! Tensors of floats as they are stored, and their values in the order of `model.safetensors`.

use std::borrow::Cow;

use crate::blocks::Encoding;

/// Floats as `model.safetensors` would have them, except for their encoding and order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floats<'a> {
    /// The shape in `model.safetensors`.
    pub shape: Vec<usize>,
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// The bytes as stored, or as they were gathered.
    pub bytes: Cow<'a, [u8]>,
    /// The order of the stored values.
    pub order: Order,
}

/// The order of stored values relative to that in `model.safetensors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of `model.safetensors`.
    Same,
    /// The rows of each head alternate between its first half and its second: RoPE turns neighbours in llama.cpp, and
    /// rows half a head apart in `transformers`.
    Alternating {
        /// The number of heads.
        heads: usize,
    },
    /// The rows of all heads' queries come before those of all keys, and these before those of all values; in
    /// `model.safetensors` each head has its own three together.
    ByHead {
        /// The number of heads.
        heads: usize,
    },
    /// The matrix is transposed.
    Transposed,
}

impl Order {
    /// Returns the end of a sentence about rows that do not fit the order.
    pub(crate) fn misfit(self) -> String {
        match self {
            Order::Same | Order::Transposed => "rows do not fit".to_owned(),
            Order::Alternating { heads } => {
                format!("rows are not made of {heads} heads of an even width")
            }
            Order::ByHead { heads } => {
                format!("rows are not made of queries, keys and values of {heads} heads")
            }
        }
    }
}

impl Floats<'_> {
    /// Counts the values that are infinite or NaN, or would be as floats of 32 bits. Counting without conversion costs a
    /// millisecond or two of a load.
    pub fn not_finite(&self) -> usize {
        self.encoding.not_finite(&self.bytes)
    }

    /// Returns the values in the order of `model.safetensors`, as floats of 32 bits.
    pub fn values(&self) -> Vec<f32> {
        let stored = self.encoding.widen(&self.bytes);
        match (self.order, self.shape.as_slice()) {
            (Order::Alternating { heads }, [rows, rest @ ..]) => {
                let width = rest.iter().product();
                halves_apart(&stored, width, rows / heads)
            }
            (Order::ByHead { heads }, [rows, rest @ ..]) => {
                let head = rest.iter().product::<usize>() * (rows / heads / 3);
                by_head(&stored, head, heads)
            }
            (Order::Transposed, &[_, columns]) => {
                let rows = stored.len() / columns;
                let column = |index| stored.iter().skip(index).step_by(rows);
                (0..rows).flat_map(column).copied().collect()
            }
            _ => stored,
        }
    }
}

/// Returns the place in the file of a line whose rows alternate between the halves of each head, which has `head` lines.
pub(crate) fn stored_line(line: usize, head: usize) -> usize {
    let (start, within) = (line / head * head, line % head);
    start + 2 * (within % (head / 2)) + within / (head / 2)
}

/// Returns rows of `width` values with those of each head's first half before those of its second; `head` is the number
/// of its rows.
fn halves_apart(stored: &[f32], width: usize, head: usize) -> Vec<f32> {
    let mut values = Vec::with_capacity(stored.len());
    for head in stored.chunks_exact(head * width) {
        for half in 0..2 {
            let rows = head.chunks_exact(width).skip(half).step_by(2);
            values.extend(rows.flatten());
        }
    }
    values
}

/// Returns `stored`, in which the queries of all heads come first, with the queries, keys and values of each head
/// together. `head` is the number of a head's values in one of the three.
fn by_head(stored: &[f32], head: usize, heads: usize) -> Vec<f32> {
    let mut values = Vec::with_capacity(stored.len());
    for number in 0..heads {
        for part in 0..3 {
            let first = (part * heads + number) * head;
            values.extend(&stored[first..first + head]);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(shape: Vec<usize>, values: &[f32], order: Order) -> Vec<f32> {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        let floats = Floats {
            shape,
            encoding: Encoding::F32,
            bytes: bytes.into(),
            order,
        };
        floats.values()
    }

    #[test]
    fn rows_of_a_head_go_back_to_their_halves() {
        let stored = [
            0., 0., 2., 2., 1., 1., 3., 3., 4., 4., 6., 6., 5., 5., 7., 7.,
        ];
        let order = Order::Alternating { heads: 2 };
        let expected = [
            0., 0., 1., 1., 2., 2., 3., 3., 4., 4., 5., 5., 6., 6., 7., 7.,
        ];
        assert_eq!(ordered(vec![8, 2], &stored, order), expected);
        let bias = [0., 2., 1., 3.];
        let order = Order::Alternating { heads: 1 };
        assert_eq!(ordered(vec![4], &bias, order), [0., 1., 2., 3.]);
    }

    #[test]
    fn queries_keys_and_values_go_back_to_their_heads() {
        // Two heads of one dimension, two columns.
        let stored = [1., 1., 2., 2., 3., 3., 4., 4., 5., 5., 6., 6.];
        let order = Order::ByHead { heads: 2 };
        let expected = [1., 1., 3., 3., 5., 5., 2., 2., 4., 4., 6., 6.];
        assert_eq!(ordered(vec![6, 2], &stored, order), expected);
        assert_eq!(
            ordered(vec![6], &[1., 2., 3., 4., 5., 6.], order),
            [1., 3., 5., 2., 4., 6.]
        );
    }

    #[test]
    fn a_transposed_matrix_is_turned_back() {
        // Stored as three rows of two.
        let stored = [1., 4., 2., 5., 3., 6.];
        let values = ordered(vec![2, 3], &stored, Order::Transposed);
        assert_eq!(values, [1., 2., 3., 4., 5., 6.]);
    }
}
