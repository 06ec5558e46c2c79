//! A matrix with a number for each head: layers from above, heads from the left.

use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::matrix::Matrix,
};

/// Returns the function that makes the matrix of the numbers of each layer; `None` without layers.
pub fn head_matrix() -> impl Fn(&[Vec<f32>]) -> Option<Matrix> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |layers| {
        let heads = layers.first()?.len();
        let layer = |index: usize| t_string!(i18n, long.layer, layer = index + 1).to_string();
        let head = |index: usize| t_string!(i18n, long.head, head = index + 1).to_string();
        Some(
            Matrix::new(layers.concat(), heads)
                .with_rows((0..layers.len()).map(layer).collect::<Vec<_>>())
                .with_columns((0..heads).map(head).collect::<Vec<_>>()),
        )
    }
}
