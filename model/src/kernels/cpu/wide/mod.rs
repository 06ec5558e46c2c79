//! Products with stored weights by the widest vectors that a processor is known to have only at run time.

#[cfg_attr(target_arch = "x86_64", path = "x86.rs")]
#[cfg_attr(not(target_arch = "x86_64"), path = "none.rs")]
mod platform;

pub use platform::Wide;
