//! The module of the lectures' worker. It does nothing by itself: its script calls [`attention_lessons::listen`].

#![no_main]

use attention_lessons as _;
