//! The wire format of protocol buffers, as far as a SentencePiece model uses it.

use thiserror::Error;

/// A fault of the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WireFault {
    /// A field ends beyond the message.
    #[error("it is no complete protocol buffer: a field ends beyond its message")]
    CutShort,
    /// A number has more than 64 bits.
    #[error("it is no protocol buffer: a number has more than 64 bits")]
    Varint,
    /// A field has a type that the format does not have any more.
    #[error("it is no protocol buffer: a field has the wire type {0}")]
    WireType(u64),
}

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// A whole number, a switch or a choice.
    Varint(u64),
    /// Eight bytes, such as a double.
    Fixed64(u64),
    /// A text, bytes, or a message.
    Bytes(&'a [u8]),
    /// Four bytes, such as a float.
    Fixed32(u32),
}

/// The fields of a message, each with its number.
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Returns the fields of a message. After a fault there are no more.
    pub fn of(message: &'a [u8]) -> Self {
        Fields { rest: message }
    }

    fn field(&mut self) -> Result<(u64, Value<'a>), WireFault> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| WireFault::CutShort)?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            other => return Err(WireFault::WireType(other)),
        };
        Ok((key >> 3, value))
    }

    fn varint(&mut self) -> Result<u64, WireFault> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if bits.checked_shl(shift).map(|shifted| shifted >> shift) != Some(bits) {
                return Err(WireFault::Varint);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireFault::Varint)
    }

    fn array<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], WireFault> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(WireFault::CutShort)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, bytes: usize) -> Result<&'a [u8], WireFault> {
        let (first, rest) = self
            .rest
            .split_at_checked(bytes)
            .ok_or(WireFault::CutShort)?;
        self.rest = rest;
        Ok(first)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), WireFault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Fields as the library writes them.
#[cfg(test)]
pub mod write {
    pub fn number(mut number: u64) -> Vec<u8> {
        let mut bytes = vec![];
        while number >= 0x80 {
            bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        bytes.push(number as u8);
        bytes
    }

    pub fn varint(field: u64, value: u64) -> Vec<u8> {
        [number(field << 3), number(value)].concat()
    }

    pub fn bytes(field: u64, value: &[u8]) -> Vec<u8> {
        let length = number(value.len() as u64);
        [number(field << 3 | 2), length, value.to_vec()].concat()
    }

    pub fn fixed32(field: u64, value: u32) -> Vec<u8> {
        [number(field << 3 | 5), value.to_le_bytes().to_vec()].concat()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(field in 1u64..1000, value: u64, text: Vec<u8>, bits: u32) {
            let message = [
                write::varint(field, value),
                write::bytes(field, &text),
                write::fixed32(field, bits),
            ];
            let message = message.concat();
            let read: Result<Vec<_>, _> = Fields::of(&message).collect();
            let values = [Value::Varint(value), Value::Bytes(&text), Value::Fixed32(bits)];
            prop_assert_eq!(read, Ok(values.map(|value| (field, value)).to_vec()));
        }

        #[test]
        fn any_bytes_end(bytes: Vec<u8>) {
            prop_assert!(Fields::of(&bytes).count() <= bytes.len());
        }
    }

    #[test]
    fn faults_are_told_apart() {
        let fault = |bytes: &[u8]| Fields::of(bytes).find_map(Result::err);
        assert_eq!(fault(&[0x0a, 5, 1]), Some(WireFault::CutShort));
        assert_eq!(fault(&[0x0b]), Some(WireFault::WireType(3)));
        let long = [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2];
        assert_eq!(fault(&long), Some(WireFault::Varint));
        let huge = [0x0a, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
        assert_eq!(fault(&huge), Some(WireFault::CutShort));
    }
}
