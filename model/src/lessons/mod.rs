//! The lectures' small computations, in burn: the reasons for dividing by `√d_k` and for `eˣ` in softmax, ways of
//! scoring keys and reading values, the effects of norms and the feed-forward network, self-attention step by step, and
//! the costs of recurrence, convolution and attention.
//!
//! The functions take and return host data. They run on the CPU, on arrays of a classroom's size, and return within a
//! few milliseconds; only [`time_layer`] takes as long as it measures, by a clock that the caller passes, and a
//! [`RecallTrainer`] trains in parts of as many steps as its caller asks for.

mod by_hand;
mod feed_forward;
mod flowing_back;
mod mixing;
mod normalisation;
mod norms;
mod read_out;
mod recall;
mod scores;
mod sequence;
mod softmax;
mod timing;
mod variance;

use attention_trace::Array;
use burn::prelude::*;
use thiserror::Error;

pub use by_hand::by_hand;
pub use feed_forward::feed_forward;
pub use flowing_back::gradients_back;
pub use mixing::{convolve, fully_connected, pool};
pub use normalisation::normalise;
pub use norms::norm;
pub use read_out::read_out;
pub use recall::{RecallTrainer, write_states};
pub use scores::{attend, random_weights};
pub use softmax::{jacobian, softmax_at};
pub use timing::time_layer;
pub use variance::{product_variance, random_product_variance};

/// The most numbers that one computation takes.
const MOST_VALUES: usize = 1 << 21;

/// The reason why a computation was refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LessonError {
    /// An array does not have the required axes.
    #[error("{what} has the shape {shape:?}, not {expected}")]
    Shape {
        /// The name of the array.
        what: &'static str,
        /// The shape of the array.
        shape: Vec<usize>,
        /// The shape that is required.
        expected: &'static str,
    },
    /// A sequence does not have the number of positions that a layer was made for.
    #[error("the input has {given} positions, and the layer was made for {made_for}")]
    Positions {
        /// The number of positions of the sequence.
        given: usize,
        /// The number of positions of the layer.
        made_for: usize,
    },
    /// A number is infinite or NaN.
    #[error("{0} holds a number that is not finite")]
    NotFinite(&'static str),
    /// An array is larger than a lesson needs.
    #[error("{what} would take {values} numbers, more than {MOST_VALUES}")]
    TooLarge {
        /// The name of the array.
        what: &'static str,
        /// The number of values in it.
        values: usize,
    },
    /// The clock shows the same time before and after a computation.
    #[error("the clock does not move, so nothing can be timed")]
    Clock,
    /// The device gave no result.
    #[error("the numbers could not be read back: {0}")]
    Device(String),
}

/// Returns the device, the pure-Rust CPU backend.
fn device() -> Device {
    crate::device::cpu()
}

/// Creates a vector on the device.
fn vector(what: &'static str, values: &[f32]) -> Result<Tensor<1>, LessonError> {
    let array = Array {
        shape: vec![values.len()],
        data: values.to_vec(),
    };
    tensor(what, &array, "[n], n > 0")
}

/// Creates a matrix on the device.
fn matrix(
    what: &'static str,
    array: &Array,
    expected: &'static str,
) -> Result<Tensor<2>, LessonError> {
    tensor(what, array, expected)
}

/// Creates an array of `D` axes on the device, after its shape was checked.
fn tensor<const D: usize>(
    what: &'static str,
    array: &Array,
    expected: &'static str,
) -> Result<Tensor<D>, LessonError> {
    let values = array.shape.iter().product::<usize>();
    if array.shape.len() != D || values == 0 || values != array.data.len() {
        return Err(wrong_shape(what, &array.shape, expected));
    }
    not_too_large(what, values)?;
    if array.data.iter().any(|value| !value.is_finite()) {
        return Err(LessonError::NotFinite(what));
    }
    let data = TensorData::new(array.data.clone(), array.shape.clone());
    Ok(Tensor::from_data(data, &device()))
}

fn wrong_shape(what: &'static str, shape: &[usize], expected: &'static str) -> LessonError {
    LessonError::Shape {
        what,
        shape: shape.to_vec(),
        expected,
    }
}

/// Checks that two lengths that must agree do.
fn fits(
    fits: bool,
    what: &'static str,
    shape: &[usize],
    expected: &'static str,
) -> Result<(), LessonError> {
    if fits {
        return Ok(());
    }
    Err(wrong_shape(what, shape, expected))
}

fn not_too_large(what: &'static str, values: usize) -> Result<(), LessonError> {
    if values > MOST_VALUES {
        return Err(LessonError::TooLarge { what, values });
    }
    Ok(())
}

/// Returns the numbers of a tensor.
fn values<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, LessonError> {
    let device = |error: &dyn std::fmt::Display| LessonError::Device(error.to_string());
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| device(&error))
}

/// Returns a tensor as an array.
fn array<const D: usize>(tensor: Tensor<D>) -> Result<Array, LessonError> {
    let shape = tensor.dims().to_vec();
    let data = values(tensor)?;
    Ok(Array { shape, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_matrix_is_refused() {
        let array = |shape: &[usize], data: &[f32]| Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        };
        let refused = |array: &Array| matrix("keys", array, "[n, d]").unwrap_err();
        for array in [
            array(&[2], &[1.0, 2.0]),
            array(&[2, 2], &[1.0]),
            array(&[0, 2], &[]),
        ] {
            let error = refused(&array);
            assert!(matches!(error, LessonError::Shape { .. }), "{error}");
        }
        let error = refused(&array(&[1, 1], &[f32::NAN]));
        assert_eq!(error, LessonError::NotFinite("keys"));
        let wide = MOST_VALUES + 1;
        let error = refused(&array(&[1, wide], &vec![0.0; wide]));
        assert!(matches!(error, LessonError::TooLarge { .. }), "{error}");
    }
}
