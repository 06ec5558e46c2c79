//! The mechanical part of plain prose.

pub mod comments;
