//! The module of the worker that trains on the CPU. It listens as soon as it is loaded.

fn main() {
    attention_trainer::train();
}
