//! The module of an engine on the CPU. It does nothing by itself: its script calls [`attention_worker::listen`].

#![no_main]

use attention_worker as _;
