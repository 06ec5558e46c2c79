//! The devices that take layers of a model.

use std::str::FromStr;

use attention_model::error::ModelError;
use attention_model::placement::Share;
use thiserror::Error;

use super::device::{DeviceOption, UnknownDevice};

/// A device and the mebibytes of weights that it takes, `DEVICE=MIB`.
#[derive(Clone)]
pub struct ShareName {
    device: DeviceOption,
    mib: u32,
}

/// The error for a share that is written otherwise, or names no device.
#[derive(Debug, Error)]
pub enum WrongShare {
    #[error("it is written DEVICE=MIB, such as cpu=4096")]
    Form,
    #[error(transparent)]
    Device(#[from] UnknownDevice),
}

impl FromStr for ShareName {
    type Err = WrongShare;

    fn from_str(text: &str) -> Result<Self, WrongShare> {
        let (device, mib) = text.rsplit_once('=').ok_or(WrongShare::Form)?;
        Ok(ShareName {
            device: device.parse()?,
            mib: mib.parse().map_err(|_| WrongShare::Form)?,
        })
    }
}

impl ShareName {
    /// Returns the device and its bytes; a remote device is connected.
    ///
    /// # Errors
    /// If nothing answers at the address of a remote device.
    pub fn share(&self) -> Result<Share, ModelError> {
        Ok(Share {
            device: self.device.device()?,
            most_bytes: u64::from(self.mib) << 20,
        })
    }
}
