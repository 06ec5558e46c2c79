//! `attn device`: a device of this machine for models of other processes.

use std::io::{Write, stdout};
use std::net::{Ipv4Addr, TcpListener};

use attention_model::device;

use crate::io::Outcome;
use crate::options::ServeDeviceOptions;

/// Prints the name by which other processes reach the device, and serves it until the process is interrupted.
pub fn serve_device(options: &ServeDeviceOptions) -> Outcome {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
    writeln!(stdout(), "--device remote:{}", listener.local_addr()?)?;
    device::serve(options.device.device()?, listener)?;
    Ok(())
}
