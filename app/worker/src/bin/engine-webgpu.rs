//! The module of the engine on WebGPU, which trains too. It does nothing by itself: a script calls
//! [`attention_worker::listen`] or [`attention_worker::train`].

#![no_main]

use attention_worker as _;
