//! Numbers and texts of a pickle.

use crate::error::PytorchError;

/// A position in a pickle.
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The position of the current opcode, for messages.
    opcode: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Reader {
            bytes,
            at: 0,
            opcode: 0,
        }
    }

    /// Returns an error of the current opcode.
    pub fn fault(&self, fault: &'static str) -> PytorchError {
        PytorchError::Pickle {
            position: self.opcode,
            fault,
        }
    }

    /// Returns the position of the current opcode.
    pub fn position(&self) -> usize {
        self.opcode
    }

    pub fn opcode(&mut self) -> Result<u8, PytorchError> {
        self.opcode = self.at;
        self.u8()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], PytorchError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let part = rest.get(..count);
        let part = part.ok_or_else(|| self.fault("the pickle ends here"))?;
        self.at += count;
        Ok(part)
    }

    fn array<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], PytorchError> {
        let mut array = [0; BYTES];
        array.copy_from_slice(self.take(BYTES)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Result<u8, PytorchError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub fn u16(&mut self) -> Result<u16, PytorchError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Result<u32, PytorchError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Result<u64, PytorchError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads a whole number of so many bytes in two's complement; `None` if it has more than 64 bits.
    pub fn integer(&mut self, bytes: usize) -> Result<Option<i64>, PytorchError> {
        let part = self.take(bytes)?;
        let Some(last) = part.last() else {
            return Ok(Some(0));
        };
        if bytes > 8 {
            return Ok(None);
        }
        let sign = if last & 0x80 == 0 { 0 } else { 0xff };
        let mut number = [sign; 8];
        number[..bytes].copy_from_slice(part);
        Ok(Some(i64::from_le_bytes(number)))
    }

    pub fn text(&mut self, bytes: u64) -> Result<&'a str, PytorchError> {
        let count = usize::try_from(bytes);
        let count = count.map_err(|_| self.fault("the pickle ends here"))?;
        let part = self.take(count)?;
        str::from_utf8(part).map_err(|_| self.fault("a text is not UTF-8"))
    }

    /// Reads a text up to the end of its line.
    pub fn line(&mut self) -> Result<&'a str, PytorchError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == b'\n');
        let length = length.ok_or_else(|| self.fault("the pickle ends here"))?;
        let line = self.text(length as u64)?;
        self.at += 1;
        Ok(line)
    }
}
