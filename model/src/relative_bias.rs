//! T5's relative positions ([Raffel et al. 2020](https://arxiv.org/abs/1910.10683), section 2.1) as a bias of scores.

use std::ops::Range;

use attention_trace::positions::Buckets;
use burn::prelude::*;

/// Computes the bias of each query's scores, `[heads, queries, keys]`, from a table `[buckets, heads]`.
pub fn relative_bias(
    table: Tensor<2>,
    buckets: Buckets,
    queries: Range<usize>,
    keys: Range<usize>,
) -> Tensor<3> {
    let [_, heads] = table.dims();
    let shape = [queries.len(), keys.len(), heads];
    let buckets = buckets.table(queries, keys);
    let buckets: Vec<i32> = buckets.into_iter().map(|bucket| bucket as i32).collect();
    let count = buckets.len();
    let indices = Tensor::from_data(TensorData::new(buckets, [count]), &table.device());
    table.select(0, indices).reshape(shape).permute([2, 0, 1])
}
