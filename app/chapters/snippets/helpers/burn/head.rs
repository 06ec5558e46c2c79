// Cargo.toml: burn = { version = "=0.22.1", default-features = false, features = ["std", "flex"] }
use burn::prelude::*;
