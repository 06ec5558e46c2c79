//! The messages as a server and the page exchange them, one binary frame each: four bytes with the length of the header,
//! least significant first; the header, `{"id": …, "body": …}` as JSON; then the large array that accompanies it.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use thiserror::Error;

use crate::RequestId;

/// The bytes of the header's length.
const LENGTH_BYTES: usize = 4;

/// The subprotocol that a page asks for when it opens a socket, and that the server confirms.
pub const SUBPROTOCOL: &str = "attention-scope-1";

/// The beginning of the second subprotocol that a page asks for, which ends in the server's token. Headers are in no log,
/// as an address would be.
pub const TOKEN_PREFIX: &str = "token-";

/// A message out of a frame.
#[derive(Debug, PartialEq)]
pub struct Frame<'a, T> {
    /// The number of the request, in a reply that of the answered request.
    pub id: RequestId,
    /// The request or the reply.
    pub body: T,
    /// The large array that accompanies the header; empty if there is none.
    pub buffer: &'a [u8],
}

/// An error in writing or reading a frame.
#[derive(Debug, Error)]
pub enum FrameError {
    /// The frame ends before the length of its header does.
    #[error("a frame of {bytes} bytes is too short for the length of a header")]
    Short {
        /// The number of bytes of the frame.
        bytes: usize,
    },
    /// The header is longer than the frame.
    #[error("the header should have {said} bytes, but {found} follow")]
    Length {
        /// The length that the frame says.
        said: u64,
        /// The number of bytes that follow.
        found: usize,
    },
    /// The header is longer than its length can say.
    #[error("a header of {bytes} bytes is too long for a frame")]
    Long {
        /// The number of bytes of the header.
        bytes: usize,
    },
    /// The header is not a message of this protocol.
    #[error("the header cannot be read: {0}")]
    Header(#[from] serde_json::Error),
}

/// The header of a frame.
#[derive(Serialize, Deserialize)]
struct Header<T> {
    id: RequestId,
    body: T,
}

/// Returns the frame of a message; `buffer` is copied.
///
/// # Errors
/// If the body cannot be written as JSON, or takes 4 GiB.
pub fn to_frame<T: Serialize>(
    id: RequestId,
    body: &T,
    buffer: &[u8],
) -> Result<Vec<u8>, FrameError> {
    let header = serde_json::to_vec(&Header { id, body })?;
    let bytes = header.len();
    let length = u32::try_from(bytes).map_err(|_| FrameError::Long { bytes })?;
    Ok([length.to_le_bytes().as_slice(), &header, buffer].concat())
}

/// Reads the message of a frame.
///
/// # Errors
/// If the length of the header is not that of what follows, or the header is not a message of this protocol.
pub fn from_frame<T: DeserializeOwned>(frame: &[u8]) -> Result<Frame<'_, T>, FrameError> {
    let short = FrameError::Short { bytes: frame.len() };
    let (length, rest) = frame.split_first_chunk::<LENGTH_BYTES>().ok_or(short)?;
    let said = u32::from_le_bytes(*length);
    let lies = || FrameError::Length {
        said: said.into(),
        found: rest.len(),
    };
    let length = usize::try_from(said).map_err(|_| lies())?;
    let (header, buffer) = rest.split_at_checked(length).ok_or_else(lies)?;
    let Header { id, body } = serde_json::from_slice(header)?;
    Ok(Frame { id, body, buffer })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Failure, Reply, Request};

    #[test]
    fn a_message_survives_the_way() {
        let reply = Reply::Failed(Failure::InputTooLong {
            tokens: 9,
            limit: 8,
        });
        let frame = to_frame(7, &reply, &[1, 2, 3]).unwrap();
        let read: Frame<'_, Reply> = from_frame(&frame).unwrap();
        assert_eq!((read.id, read.body), (7, reply));
        assert_eq!(read.buffer, [1, 2, 3]);
        let frame = to_frame(8, &Request::Cancel, &[]).unwrap();
        assert_eq!(&frame[LENGTH_BYTES..], br#"{"id":8,"body":"cancel"}"#);
    }

    #[test]
    fn a_length_that_lies_is_refused() {
        let frame = to_frame(7, &Request::Ping, &[]).unwrap();
        for said in [u32::MAX, frame.len() as u32, frame.len() as u32 - 3] {
            let lie = [&said.to_le_bytes(), &frame[LENGTH_BYTES..]].concat();
            let refused = from_frame::<Request>(&lie);
            assert!(matches!(refused, Err(FrameError::Length { .. })), "{said}");
        }
        // One that is too small cuts the header off.
        for said in 0..frame.len() - LENGTH_BYTES {
            let lie = [&(said as u32).to_le_bytes(), &frame[LENGTH_BYTES..]].concat();
            let refused = from_frame::<Request>(&lie);
            assert!(matches!(refused, Err(FrameError::Header(_))), "{said}");
        }
        for bytes in 0..LENGTH_BYTES {
            let refused = from_frame::<Request>(&frame[..bytes]);
            assert!(matches!(refused, Err(FrameError::Short { .. })), "{bytes}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes: Vec<u8>) {
            // Nearly none of these is a message; what matters is that all are read or refused.
            prop_assert!(from_frame::<Request>(&bytes).is_err() || bytes.len() > LENGTH_BYTES);
        }

        #[test]
        fn no_changed_byte_panics(at: prop::sample::Index, byte: u8, id: u32, buffer: Vec<u8>) {
            let mut frame = to_frame(id, &Request::Ping, &buffer).unwrap();
            let at = at.index(frame.len());
            frame[at] = byte;
            if let Ok(read) = from_frame::<Request>(&frame) {
                prop_assert!(read.buffer.len() <= frame.len());
            }
        }

        #[test]
        fn every_frame_is_read_as_it_was_written(id: u32, buffer: Vec<u8>) {
            let frame = to_frame(id, &Request::Ping, &buffer).unwrap();
            let read: Frame<'_, Request> = from_frame(&frame).unwrap();
            prop_assert_eq!((read.id, read.body, read.buffer), (id, Request::Ping, buffer.as_slice()));
        }
    }
}
