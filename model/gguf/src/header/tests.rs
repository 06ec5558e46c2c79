#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::written::{Written, entry, list, tensor, text};

/// Two tensors of 24 and 34 bytes, and values of several types.
fn good() -> Written {
    let texts = [text("a"), text("é")].concat();
    Written {
        version: 3,
        entries: vec![
            entry("u8", 0, &[200]),
            entry("i16", 3, &(-2_i16).to_le_bytes()),
            entry("f32", 6, &0.5_f32.to_le_bytes()),
            entry("true", 7, &[1]),
            entry("name", 8, &text("tiny")),
            entry("texts", 9, &list(8, 2, &texts)),
            entry(
                "i64s",
                9,
                &list(11, 2, &[[0xff; 8], 7_i64.to_le_bytes()].concat()),
            ),
            entry("lists", 9, &list(9, 1, &list(0, 3, &[1, 2, 3]))),
        ],
        tensors: vec![tensor("a", &[3, 2], 0, 0), tensor("b", &[32], 8, 32)],
        data: 32 + 34,
    }
}

fn refusal(written: &Written) -> String {
    let bytes = written.bytes();
    let refused = Header::read(&bytes, bytes.len() as u64).unwrap_err();
    refused.to_string()
}

#[test]
fn values_and_tensors_are_read() {
    for version in [2, 3] {
        let written = Written { version, ..good() };
        let bytes = written.bytes();
        let header = Header::read(&bytes, bytes.len() as u64).unwrap();
        let metadata = &header.metadata;
        assert_eq!(metadata.natural("u8"), Ok(Some(200)));
        assert_eq!(metadata.get("i16"), Some(&Value::Negative(-2)));
        assert_eq!(metadata.real("f32"), Ok(Some(0.5)));
        assert_eq!(metadata.boolean("true"), Ok(Some(true)));
        assert_eq!(metadata.text("name"), Ok(Some("tiny")));
        assert_eq!(metadata.texts("texts"), Ok(Some(&["a", "é"][..])));
        let numbers = metadata.scalars("i64s").unwrap().unwrap();
        let numbers: Vec<_> = numbers.iter().collect();
        assert_eq!(numbers, [Value::Negative(-1), Value::Natural(7)]);
        assert!(
            matches!(metadata.get("lists"), Some(Value::List(List::Lists(lists))) if lists.len() == 1)
        );
        assert_eq!(metadata.natural("none"), Ok(None));
        let refused = metadata.natural("name").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "name: it is not a whole number from 0 on"
        );
        assert_eq!(header.data, bytes.len() as u64 - 66);
        let tensor = header.tensor("b").unwrap();
        assert_eq!((tensor.start, tensor.bytes), (header.data + 32, 34));
        assert_eq!(header.tensor("a").unwrap().shape, [2, 3]);
    }
}

/// The beginning of a file asks for more bytes, but for no more than the header has, until it has all of them.
#[test]
fn a_beginning_asks_for_more() {
    let written = good();
    let (bytes, needed) = (written.bytes(), written.header().len());
    let whole = Header::read(&bytes, bytes.len() as u64).unwrap();
    for given in 0..needed {
        match Header::read(&bytes[..given], bytes.len() as u64) {
            Err(GgufError::NeedsMore(more)) => {
                assert!(
                    given < more as usize && more as usize <= needed,
                    "{given}: {more}"
                );
            }
            other => panic!("{given}: {other:?}"),
        }
    }
    for given in needed..bytes.len() {
        let header = Header::read(&bytes[..given], bytes.len() as u64);
        assert_eq!(header.as_ref(), Ok(&whole));
    }
    for length in 4..bytes.len() {
        let refused = Header::read(&bytes[..length], length as u64).unwrap_err();
        assert!(matches!(refused, GgufError::CutShort { .. }), "{refused}");
    }
}

#[test]
fn every_lie_is_refused_by_its_field() {
    let huge = u64::MAX.to_le_bytes();
    let nested = (0..5).fold(list(0, 0, &[]), |inner, _| list(9, 1, &inner));
    for (written, message) in [
        (
            Written {
                version: 1,
                ..good()
            },
            "version: 1 is not implemented",
        ),
        (
            Written {
                version: 3_u32.swap_bytes(),
                ..good()
            },
            "version: the file is big-endian",
        ),
        (
            good().with_entry(entry("u8", 0, &[0])),
            "u8: it is there twice",
        ),
        (
            good().with_entry(entry("x", 13, &[0])),
            "x: type 13 of values",
        ),
        (
            good().with_entry(entry("x", 9, &list(13, 1, &[0]))),
            "x: type 13 of values",
        ),
        (good().with_entry(entry("x", 7, &[2])), "x: a Boolean"),
        (
            good().with_entry(entry("x", 9, &list(7, 1, &[2]))),
            "x: a Boolean",
        ),
        (
            good().with_entry(entry("x", 8, &list(0, 1, &[0xff])[4..])),
            "x: a text",
        ),
        (
            good().with_entry(entry("x", 9, &nested)),
            "x: its lists are nested deeper than 4",
        ),
        (
            good().with_entry(entry("x", 8, &huge)),
            "x: it ends at byte 184467440737095",
        ),
        (
            good().with_entry(entry("x", 9, &list(12, u64::MAX, &[]))),
            "x: it ends at byte 14757395",
        ),
        (
            good().with_entry(entry("x", 9, &list(8, u64::MAX, &[]))),
            "x: it ends at byte 14757395",
        ),
        (
            good().with_entry(entry("x", 9, &list(9, 1 << 60, &[]))),
            "x: it ends at byte 138350580",
        ),
        (
            good().with_entry(entry(ALIGNMENT, 4, &48_u32.to_le_bytes())),
            "alignment: 48 is not a power",
        ),
        (
            good().with_entry(entry(ALIGNMENT, 4, &[0; 4])),
            "alignment: 0 is not a power",
        ),
        (
            good().with_entry(entry(ALIGNMENT, 10, &(1_u64 << 40).to_le_bytes())),
            "is not a power",
        ),
        (
            good().with_entry(entry(ALIGNMENT, 6, &[0; 4])),
            "alignment: it is not a whole number",
        ),
        (
            good().with_tensors(vec![tensor("a", &[], 0, 0)]),
            "a: the dimensions (there are 0)",
        ),
        (
            good().with_tensors(vec![tensor("a", &[1; 5], 0, 0)]),
            "a: the dimensions (there are 5)",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3, 0], 0, 0)]),
            "a: the dimensions [3, 0]",
        ),
        (
            good().with_tensors(vec![tensor("a", &[1 << 30, 1 << 30], 0, 0)]),
            "a: it ends at byte 46116860184",
        ),
        (
            good().with_tensors(vec![tensor("a", &[1 << 62, 4], 0, 0)]),
            "a: the dimensions [4611686018427387904, 4] multiply",
        ),
        (
            good().with_tensors(vec![tensor("a", &[1 << 62], 28, 0)]),
            "multiply to more values",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3], 16, 0)]),
            "a: it is stored as IQ2_XXS; F32, F16",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3], 99, 0)]),
            "a: it is stored as type 99",
        ),
        (
            good().with_tensors(vec![tensor("a", &[33], 8, 0)]),
            "a: rows of 33 values are not whole blocks of 32",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3], 0, 4)]),
            "a: the offset 4 is not a multiple",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3], 0, 96)]),
            "a: it ends at byte",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3], 0, !31)]),
            "a: it ends at byte",
        ),
        (
            good().with_tensors(vec![tensor("a", &[9], 0, 0), tensor("b", &[3], 0, 32)]),
            "b: its bytes overlap those of a",
        ),
        (
            good().with_tensors(vec![tensor("a", &[3], 0, 0), tensor("a", &[3], 0, 32)]),
            "a: it is there twice",
        ),
    ] {
        let refused = refusal(&written);
        assert!(refused.contains(message), "{refused} | {message}");
    }
    let mut bytes = good().bytes();
    for (place, count) in [(8, "the number of tensors"), (16, "the number of entries")] {
        let before = bytes[place..place + 8].to_vec();
        bytes[place..place + 8].copy_from_slice(&(1_u64 << 62).to_le_bytes());
        let refused = Header::read(&bytes, bytes.len() as u64).unwrap_err();
        assert!(refused.to_string().starts_with(count), "{refused}");
        bytes[place..place + 8].copy_from_slice(&before);
    }
    for bytes in [&b"GGU"[..], b"", b"GGML\x03\0\0\0", b"{\"a\": 1}"] {
        assert_eq!(
            Header::read(bytes, bytes.len() as u64),
            Err(GgufError::NoGguf)
        );
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(
        place in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..16),
        given in any::<prop::sample::Index>(),
    ) {
        let mut file = good().bytes();
        let at = place.index(file.len());
        for (place, byte) in file[at..].iter_mut().zip(bytes) {
            *place = byte;
        }
        let length = file.len() as u64;
        if let Ok(header) = Header::read(&file, length) {
            for tensor in &header.tensors {
                prop_assert!(tensor.start + tensor.bytes <= length);
            }
        }
        let given = given.index(file.len());
        if let Err(GgufError::NeedsMore(more)) = Header::read(&file[..given], length) {
            prop_assert!(more > given as u64 && more <= length);
        }
    }
}
