#![allow(clippy::unwrap_used)]

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::path::PathBuf;

use proptest::prelude::*;
use safetensors::SafeTensors;

use super::*;
use crate::written::{archive, dict, file, integer, text, tuple, view};

fn fixture(name: &str) -> Vec<u8> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    std::fs::read(directory.join(name)).unwrap()
}

fn index(bytes: &[u8]) -> Result<Index, PytorchError> {
    Index::read(bytes)
}

fn refusal(bytes: &[u8]) -> String {
    index(bytes).unwrap_err().to_string()
}

/// The message for a dictionary with one entry, `w`, over a storage of six floats.
fn refused_entry(value: Vec<u8>) -> String {
    refusal(&file(&dict(&[("w", value)]), &[0; 24]))
}

/// The bytes of a tensor's values.
fn values(tensor: &TensorInfo, file: &[u8]) -> Vec<u8> {
    let stored = &file[tensor.start as usize..][..tensor.bytes as usize];
    let values = tensor.values(stored).unwrap().into_owned();
    assert_eq!(values.len() as u64, tensor.value_bytes());
    values
}

fn dtype(dtype: Dtype) -> safetensors::Dtype {
    match dtype {
        Dtype::F64 => safetensors::Dtype::F64,
        Dtype::F32 => safetensors::Dtype::F32,
        Dtype::F16 => safetensors::Dtype::F16,
        Dtype::Bf16 => safetensors::Dtype::BF16,
        Dtype::I64 => safetensors::Dtype::I64,
        Dtype::I32 => safetensors::Dtype::I32,
        Dtype::I16 => safetensors::Dtype::I16,
        Dtype::I8 => safetensors::Dtype::I8,
        Dtype::U8 => safetensors::Dtype::U8,
        Dtype::Bool => safetensors::Dtype::BOOL,
    }
}

/// Compares types, shapes and bits of all tensors with those that torch wrote elsewhere; returns their number.
fn compare(name: &str, expected: &str) -> usize {
    let (bytes, expected) = (fixture(name), fixture(expected));
    let expected = SafeTensors::deserialize(&expected).unwrap();
    let tensors = index(&bytes).unwrap().tensors;
    for tensor in &tensors {
        let other = expected.tensor(&tensor.name).unwrap();
        assert_eq!(dtype(tensor.dtype), other.dtype(), "{}", tensor.name);
        let shape: Vec<u64> = other.shape().iter().map(|&size| size as u64).collect();
        assert_eq!(tensor.shape, shape, "{}", tensor.name);
        assert_eq!(values(tensor, &bytes), other.data(), "{}", tensor.name);
        if tensor.is_contiguous() {
            assert_eq!(tensor.bytes, other.data().len() as u64, "{}", tensor.name);
        }
    }
    tensors.len()
}

#[test]
fn views_of_storages_have_the_values_that_torch_gives_them() {
    assert_eq!(
        compare("pytorch/views.bin", "pytorch/views.safetensors"),
        20
    );
}

#[test]
fn every_protocol_and_wrapper_gives_the_same_tensors() {
    let expected = "tiny/padded-vocabulary/model.safetensors";
    for name in ["f32", "protocol-3", "protocol-4", "protocol-5", "wrapped"] {
        assert_eq!(compare(&format!("pytorch/{name}.bin"), expected), 3);
    }
}

#[test]
fn tied_and_transposed_matrices_are_views_of_one_storage() {
    let tensors = index(&fixture("pytorch/whole.bin")).unwrap().tensors;
    let named = |name: &str| tensors.iter().find(|tensor| tensor.name == name).unwrap();
    let [table, head] = ["model.embed_tokens.weight", "lm_head.weight"].map(named);
    assert_eq!((table.start, table.bytes), (head.start, head.bytes));
    let turned = named("model.layers.0.mlp.down_proj.weight");
    assert_eq!(
        (&turned.shape[..], &turned.strides[..]),
        (&[24, 40][..], &[1, 24][..])
    );
    assert!(!turned.is_contiguous() && table.is_contiguous());
}

#[test]
fn what_is_no_state_dict_is_refused_by_name() {
    for (name, words) in [
        (
            "command",
            "data.pkl: it asks to call posix.system; only tensors are read",
        ),
        (
            "module",
            "it asks to call torch.nn.modules.linear.Linear; only tensors",
        ),
        (
            "before-1.6",
            "it is a bare pickle, a form of torch before 1.6",
        ),
        (
            "compressed",
            "data/0: it is compressed by method 8 (DEFLATE); torch stores",
        ),
        (
            "negative",
            "a function has other arguments than torch gives it",
        ),
    ] {
        let message = refusal(&fixture(&format!("pytorch/{name}.bin")));
        assert!(message.contains(words), "{message}");
    }
    let mut tar = vec![0; 512];
    tar[257..262].copy_from_slice(b"ustar");
    assert!(refusal(&tar).contains("it is a tar archive"));
    for other in [
        &b""[..],
        b"PK",
        b"<!doctype html>",
        b"version https://git-lfs",
    ] {
        assert!(refusal(other).contains("it is not a file of torch.save"));
    }
}

#[test]
fn a_file_that_was_cut_is_refused() {
    let whole = fixture("pytorch/f32.bin");
    for length in 4..whole.len() {
        let message = refusal(&whole[..length]);
        assert!(message.contains("perhaps it was cut short"), "{message}");
    }
}

#[test]
fn records_are_refused_by_name() {
    let good = dict(&[("w", view(6, 0, &[6], &[1]))]);
    let other = |records: &[(&str, &[u8])]| {
        refusal(&archive(&[&[("m/data.pkl", &good[..])], records].concat()))
    };
    assert!(index(&file(&good, &[0; 24])).is_ok());
    assert_eq!(other(&[]), "data/0: there is no such record");
    assert_eq!(
        other(&[("m/data/0", &[0; 20])]),
        "`w`: its storage 0 has 6 values of type F32, and the record 20 bytes"
    );
    assert!(other(&[("m/byteorder", b"big")]).starts_with("byteorder: its values are big-endian"));
    assert!(other(&[("m/byteorder", &[b' '; 9])]).starts_with("byteorder: there are 9 bytes"));
    assert!(other(&[("m/constants.pkl", b"")]).contains("TorchScript"));
    assert_eq!(
        other(&[("m/data.pkl", b"")]),
        "m/data.pkl: it is there twice"
    );
    assert_eq!(
        refusal(&archive(&[("model.json", b"{}")])),
        "data.pkl: there is no such record"
    );
}

#[test]
fn tensors_that_their_storage_does_not_hold_are_refused_by_name() {
    let most = i64::MAX;
    for (value, words) in [
        (
            view(6, 0, &[7], &[1]),
            "sizes [7] and strides [1] it is not within the 6 values",
        ),
        (view(6, 1, &[2, 3], &[3, 1]), "with offset 1"),
        (view(6, most, &[1], &[1]), "is not within"),
        (view(6, 7, &[0], &[1]), "is not within"),
        (view(6, 0, &[2], &[most]), "is not within"),
        (
            view(6, 0, &[3, 3], &[most, most]),
            "more values than a file has",
        ),
        (
            view(6, 0, &[most, most], &[0, 0]),
            "more values than a file has",
        ),
        (view(6, 0, &[2, 3], &[1]), "another number of strides"),
        (view(6, 0, &[-1], &[1]), "is negative"),
        (view(6, 5, &[6], &[-1]), "is negative"),
        (view(-6, 0, &[1], &[1]), "has -6 values"),
        (view(most, 0, &[1], &[1]), "and the record 24 bytes"),
        (integer(3), "it is not a tensor"),
    ] {
        // Beside a tensor, so that the dictionary is a state dict.
        let entries = [("w", value), ("v", view(6, 0, &[1], &[1]))];
        let message = refusal(&file(&dict(&entries), &[0; 24]));
        assert!(
            message.starts_with("`w`: ") && message.contains(words),
            "{message}"
        );
    }
    let nine = [1; 9];
    assert!(refused_entry(view(6, 0, &nine, &nine)).contains("other arguments"));
    let twice = dict(&[("w", view(6, 0, &[6], &[1])), ("w", view(6, 0, &[6], &[1]))]);
    assert_eq!(refusal(&file(&twice, &[0; 24])), "w: it is there twice");
    assert!(refused_entry(integer(3)).contains("it holds no state dict"));
}

#[test]
fn pickles_are_refused_by_opcode_and_position() {
    for (pickle, words) in [
        (&b"\x80\x06."[..], "byte 0: the protocol is not implemented"),
        (b"", "byte 0: the pickle ends here"),
        (b".", "byte 0: the stack is empty"),
        (b"\x80\x02(.", "byte 3: the stack is empty"),
        (b"}t.", "byte 1: there is no mark"),
        (b"K\x01(K\x02\x86.", "byte 5: the stack is empty"),
        (b"h\x07.", "byte 0: the memo has no such object"),
        (b"X\xff\xff\xff\xffa", "byte 0: the pickle ends here"),
        (
            b"\x8d\xff\xff\xff\xff\xff\xff\xff\xffa",
            "byte 0: the pickle ends here",
        ),
        (b"X\x01\0\0\0\xff.", "byte 0: a text is not UTF-8"),
        (b"cposix\nsystem", "byte 0: the pickle ends here"),
        (b"}(K\x01u.", "byte 4: it sets entries of something else"),
        (b")K\x01a.", "byte 3: it appends to something else"),
        (
            b"K\x01)R.",
            "byte 3: it calls something else than a function",
        ),
        (b"ccollections\nOrderedDict\n}R.", "arguments are no tuple"),
        (
            b"ctorch\nFloatStorage\n)R.",
            "a function has other arguments",
        ),
        (b")Q.", "byte 1: it refers to something else than a storage"),
        (b"K\x01}b.", "byte 3: it sets attributes of something else"),
        (b"ios\nsystem\n.", "byte 0: opcode 0x69 is not read"),
        (b"}K\x01K\x02\x93.", "the name of a class is not a text"),
        (
            b"\x8c\x02os\x8c\x06system\x93.",
            "it asks to call os.system",
        ),
        (b"cbuiltins\neval\n.", "it asks to call builtins.eval"),
        (b"ctorch\nload\n.", "it asks to call torch.load"),
        (b"}.", "it holds no state dict"),
        (b"K\x01.", "it holds no state dict"),
    ] {
        let message = refusal(&file(pickle, &[]));
        assert!(
            message.starts_with("data.pkl: ") && message.contains(words),
            "{message}"
        );
    }
    // A dictionary that contains itself.
    assert!(refusal(&file(b"}q\x00X\x05\0\0\0modelh\x00s.", &[])).contains("no state dict"));
    let long = [&b"N".repeat(1 << 21)[..], b"."].concat();
    assert!(refusal(&file(&long, &[])).contains("it has too many opcodes"));
    let longer = vec![b'N'; (1 << 25) + 1];
    assert!(refusal(&file(&longer, &[])).starts_with("data.pkl: there are 33554433 bytes"));
}

/// A source that notes the parts that are read.
struct Noted<'a> {
    file: &'a [u8],
    parts: RefCell<Vec<(u64, u64)>>,
}

impl Source for Noted<'_> {
    fn length(&self) -> u64 {
        self.file.length()
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = start + buffer.len() as u64;
        self.parts.borrow_mut().push((start, end));
        self.file.read(start, buffer)
    }
}

#[test]
fn scattered_values_take_no_more_memory_than_the_file() {
    let whole = fixture("pytorch/whole.bin");
    let tensors = index(&whole).unwrap();
    let values = tensors.values(&whole).unwrap();
    let copies = values
        .iter()
        .filter(|(_, values)| matches!(values, Cow::Owned(_)));
    assert_eq!(copies.count(), 1);
    // The beginning of the file is another file.
    let short = tensors.values(&whole[..whole.len() / 2]);
    assert!(matches!(short, Err(PytorchError::Source(_))));

    let repeated = dict(&[("w", view(6, 0, &[1 << 20], &[0]))]);
    let bytes = file(&repeated, &[0; 24]);
    let message = index(&bytes)
        .unwrap()
        .values(&bytes)
        .unwrap_err()
        .to_string();
    assert!(message.contains("have 4194304 bytes together"), "{message}");
}

#[test]
fn values_are_not_read() {
    // Longer than what the archive's end is sought in.
    let values = vec![1; 1 << 20];
    let floats = values.len() as i64 / 4;
    let pickle = dict(&[("w", view(floats, 0, &[floats], &[1]))]);
    let bytes = file(&pickle, &values);
    let source = Noted {
        file: &bytes,
        parts: RefCell::default(),
    };
    let tensors = Index::read(&source).unwrap().tensors;
    assert_eq!(tensors, index(&bytes).unwrap().tensors);
    let parts = source.parts.into_inner();
    let read: u64 = parts.iter().map(|(start, end)| end - start).sum();
    assert!(read < values.len() as u64 / 4, "{read}");
    let most = parts.iter().map(|(_, end)| *end).max();
    assert!(most <= Some(bytes.len() as u64));
}

proptest! {
    /// Views of any description are refused, or within the storage.
    #[test]
    fn a_view_is_within_its_storage(
        offset in 0_i64..8,
        dimensions in prop::collection::vec((0_i64..5, 0_i64..7), 0..4),
    ) {
        let (shape, strides): (Vec<i64>, Vec<i64>) = dimensions.iter().copied().unzip();
        let storage: Vec<u8> = (0..24_u8).flat_map(|value| f32::from(value).to_le_bytes()).collect();
        let bytes = file(&dict(&[("w", view(24, offset, &shape, &strides))]), &storage);
        let last = dimensions.iter().map(|(size, stride)| (size - 1) * stride).sum::<i64>();
        let is_empty = shape.contains(&0);
        match index(&bytes) {
            Ok(index) => {
                let tensor = &index.tensors[0];
                prop_assert!(is_empty || offset + last < 24);
                let values = values(tensor, &bytes);
                let (values, _) = values.as_chunks::<4>();
                // The storage has its places as values.
                let mut expected = vec![offset];
                for (size, stride) in &dimensions {
                    let next = expected.iter().flat_map(|place| (0..*size).map(move |index| place + index * stride));
                    expected = next.collect();
                }
                let values: Vec<i64> = values.iter().map(|value| f32::from_le_bytes(*value) as i64).collect();
                prop_assert_eq!(values, expected);
            }
            Err(_) => prop_assert!(!is_empty && offset + last >= 24),
        }
    }

    /// Any sequence of opcodes gives objects or a fault.
    #[test]
    fn no_pickle_panics(
        parts in prop::collection::vec(
            prop_oneof![
                prop::sample::select(b"(.NKQRabeh}])tuqs\x85\x86\x87\x93\x94".to_vec()).prop_map(|byte| vec![byte]),
                any::<u8>().prop_map(|byte| vec![byte]),
                any::<i64>().prop_map(integer),
                prop::sample::select(vec!["storage", "0", "model"]).prop_map(text),
                Just(tuple(&[text("storage"), b"ctorch\nFloatStorage\n".to_vec(), text("0"), text("cpu"), integer(1)])),
                Just(view(1, 0, &[1], &[1])),
                Just(b"ccollections\nOrderedDict\n".to_vec()),
                Just(b"ctorch._tensor\n_rebuild_from_type_v2\n".to_vec()),
            ],
            0..40,
        ),
    ) {
        let pickle = [parts.concat(), b".".to_vec()].concat();
        // Whatever comes of it.
        drop(index(&file(&pickle, &[0; 4])));
    }
}
