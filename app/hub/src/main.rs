//! The module of the worker that downloads models. It listens as soon as it is loaded.

fn main() {
    attention_hub::serve();
}
