//! Reading from a device. A browser cannot block on a GPU, so that all functions are asynchronous; on the CPU, results
//! are available at once.

use burn::prelude::*;
use burn::tensor::Transaction;

use super::error::{WatchError, unread};

/// Returns the numbers of flat tensors, in one transfer.
///
/// # Errors
/// If the device fails.
pub async fn read(tensors: Vec<Tensor<1>>) -> Result<Vec<Vec<f32>>, WatchError> {
    let transaction = tensors
        .into_iter()
        .fold(Transaction::default(), Transaction::register);
    let read = transaction.execute_async().await.map_err(unread)?;
    read.into_iter()
        .map(|data| data.try_into_vec().map_err(unread))
        .collect()
}

/// Returns the numbers of tensors with one element each, in one transfer.
///
/// # Errors
/// If the device fails.
pub async fn read_numbers<const N: usize>(tensors: [Tensor<1>; N]) -> Result<[f32; N], WatchError> {
    let numbers = read(tensors.to_vec()).await?.concat();
    numbers.try_into().map_err(unread)
}
