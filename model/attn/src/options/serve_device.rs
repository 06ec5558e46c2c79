//! The options of `attn device`.

use clap::Args;

use super::DeviceOption;

#[derive(Args)]
pub struct ServeDeviceOptions {
    #[command(flatten)]
    pub device: DeviceOption,
    /// Port of 127.0.0.1 to listen on; 0 takes a free one
    #[arg(long, default_value_t = 8091)]
    pub port: u16,
}
