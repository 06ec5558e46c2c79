//! The devices that the parts of a model are on.

use std::collections::BTreeMap;

use burn::prelude::Device;

/// A device that takes layers.
#[derive(Clone, Debug)]
pub struct Share {
    /// The device of the layers.
    pub device: Device,
    /// The most bytes of weights that it takes.
    pub most_bytes: u64,
}

/// The devices of a model. Layers are on the devices that take some, in their order; what fits on none of them, and all that
/// is not in a layer, is on the main one, where a pass begins and ends.
#[derive(Clone, Debug)]
pub struct Devices {
    main: Device,
    shares: Vec<Share>,
}

impl From<&Device> for Devices {
    fn from(device: &Device) -> Self {
        Devices::new(device.clone(), vec![])
    }
}

impl From<&Devices> for Devices {
    fn from(devices: &Devices) -> Self {
        devices.clone()
    }
}

impl Devices {
    /// Creates the devices of a model from the main one and those that take layers.
    pub fn new(main: Device, shares: Vec<Share>) -> Self {
        Devices { main, shares }
    }

    /// Returns the device of all that is not in a layer.
    pub fn main(&self) -> &Device {
        &self.main
    }

    /// Returns true if layers can be on other devices than the main one.
    pub fn are_several(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Returns the device of each of `count` layers. A device takes layers one after the other, until the next does not fit.
    /// `bytes` returns the bytes of a layer's weights on a device.
    pub fn of_layers(&self, count: usize, bytes: impl Fn(usize, &Device) -> u64) -> Vec<Device> {
        let mut shares = self.shares.iter().cloned();
        let mut share = shares.next();
        let mut of_layer = |layer| {
            while let Some(Share { device, most_bytes }) = &mut share {
                if let Some(left) = most_bytes.checked_sub(bytes(layer, device)) {
                    *most_bytes = left;
                    return device.clone();
                }
                share = shares.next();
            }
            self.main.clone()
        };
        (0..count).map(&mut of_layer).collect()
    }
}

/// The layers before which a pass moves to another device.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves(BTreeMap<usize, Device>);

impl Moves {
    /// Returns the moves of a pass that begins and ends on `main`, through layers on these devices.
    pub fn new(main: &Device, layers: &[Device]) -> Self {
        let from = std::iter::once(main).chain(layers);
        let to = layers.iter().chain([main]);
        let moves = from
            .zip(to)
            .enumerate()
            .filter(|(_, (from, to))| from != to);
        Moves(moves.map(|(layer, (_, to))| (layer, to.clone())).collect())
    }

    /// Returns the device to which a pass moves before a layer; before the layer after the last one, it moves back.
    pub fn before(&self, layer: usize) -> Option<&Device> {
        self.0.get(&layer)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn layers_fill_the_devices_in_order() {
        let share = |most_bytes| Share {
            device: Device::flex(),
            most_bytes,
        };
        // All devices are the same one here: what is asked for tells which of them takes a layer.
        let asked = RefCell::new(vec![]);
        let layers = [10, 10, 30, 10, 10];
        let devices = Devices::new(Device::flex(), vec![share(25), share(5), share(45)]);
        let placed = devices.of_layers(layers.len(), |layer, _| {
            asked.borrow_mut().push(layer);
            layers[layer]
        });
        assert_eq!(placed.len(), layers.len());
        // Two on the first; the third fits neither there nor on the second; the fifth is too much for the third.
        assert_eq!(*asked.borrow(), [0, 1, 2, 2, 2, 3, 4]);
        assert!(devices.are_several() && !Devices::from(&Device::flex()).are_several());
    }

    #[test]
    fn a_pass_on_one_device_never_moves() {
        let device = Device::flex();
        let moves = Moves::new(&device, &[device.clone(), device.clone()]);
        assert!((0..=2).all(|layer| moves.before(layer).is_none()));
    }
}
