//! Keys and values made of a short vector: multi-head latent attention (DeepSeek-V2 2024), by hand.

/// Latent attention by hand: a token's vector, the matrices that shorten it and make a key and a value of it. Matrices are
/// row-major; vectors are rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Latent {
    /// The width of a token's vector.
    pub width: usize,
    /// The width of the short vector that is kept.
    pub rank: usize,
    /// The width of all heads' keys, and of all heads' values.
    pub keys: usize,
    /// The matrix that shortens a token's vector, `[width, rank]`.
    pub down: Vec<f32>,
    /// The matrix that makes keys, `[rank, keys]`.
    pub up_key: Vec<f32>,
    /// The matrix that makes values, `[rank, keys]`.
    pub up_value: Vec<f32>,
}

impl Latent {
    /// Returns the short vectors `c = x W_down`, `[n, rank]`, of the tokens' vectors, `[n, width]`.
    pub fn shortened(&self, x: &[f32]) -> Vec<f32> {
        product(x, &self.down, self.width, self.rank)
    }

    /// Returns the keys `k = c W_up`, `[n, keys]`.
    pub fn keys(&self, c: &[f32]) -> Vec<f32> {
        product(c, &self.up_key, self.rank, self.keys)
    }

    /// Returns the values, `[n, keys]`.
    pub fn values(&self, c: &[f32]) -> Vec<f32> {
        product(c, &self.up_value, self.rank, self.keys)
    }

    /// Returns a query that is compared with short vectors instead of keys: `q W_upᵀ`, `[rank]`.
    pub fn absorbed(&self, query: &[f32]) -> Vec<f32> {
        let rows = self.up_key.chunks(self.keys.max(1));
        rows.map(|row| row.iter().zip(query).map(|(w, q)| w * q).sum())
            .collect()
    }

    /// Returns the numbers kept of a token: the short vector alone.
    pub fn kept(&self) -> usize {
        self.rank
    }

    /// Returns the numbers that keys and values would take.
    pub fn without(&self) -> usize {
        2 * self.keys
    }
}

/// Returns `a b` of `a`, `[n, inner]`, and `b`, `[inner, columns]`.
fn product(a: &[f32], b: &[f32], inner: usize, columns: usize) -> Vec<f32> {
    let rows = a.chunks(inner.max(1));
    let cell = |row: &[f32], column: usize| -> f32 {
        let terms = row.iter().enumerate();
        terms
            .map(|(at, value)| value * b[at * columns + column])
            .sum()
    };
    rows.flat_map(|row| (0..columns).map(move |column| cell(row, column)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_meets_short_vectors_as_it_meets_keys() {
        let latent = Latent {
            width: 4,
            rank: 2,
            keys: 4,
            down: vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 2.0],
            up_key: vec![1.0, 0.0, 2.0, 0.0, 0.0, 1.0, 0.0, -1.0],
            up_value: vec![0.0, 1.0, 1.0, 0.0, 3.0, 0.0, 0.0, 1.0],
        };
        let x = [1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.0, -1.0];
        let c = latent.shortened(&x);
        assert_eq!(c, [4.0, 10.0, 0.0, -1.0]);
        assert_eq!(
            latent.keys(&c),
            [4.0, 10.0, 8.0, -10.0, 0.0, -1.0, 0.0, 1.0]
        );
        assert_eq!(latent.values(&c)[..4], [30.0, 4.0, 4.0, 10.0]);
        let query = [1.0, 2.0, -1.0, 1.0];
        let absorbed = latent.absorbed(&query);
        for (key, c) in latent.keys(&c).chunks(4).zip(c.chunks(2)) {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            assert_eq!(dot(&query, key), dot(&absorbed, c));
        }
        assert_eq!((latent.kept(), latent.without()), (2, 8));
    }
}
