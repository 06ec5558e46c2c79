//! Files for tests, written record by record, with pickles written opcode by opcode.

use std::io::Write;

use rawzip::{CompressionMethod, ZipArchiveWriter};

/// Returns an archive of these records.
pub fn archive(records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = ZipArchiveWriter::new(vec![]);
    for (name, bytes) in records {
        let file = archive.new_file(*name);
        let (mut entry, config) = file
            .compression_method(CompressionMethod::STORE)
            .start()
            .unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(bytes).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap()
}

/// Returns a file with that pickle and one storage, of the key 0.
pub fn file(pickle: &[u8], storage: &[u8]) -> Vec<u8> {
    archive(&[("m/data.pkl", pickle), ("m/data/0", storage)])
}

/// Returns a whole number in eight bytes.
pub fn integer(number: i64) -> Vec<u8> {
    [&[0x8a, 8], number.to_le_bytes().as_slice()].concat()
}

pub fn text(text: &str) -> Vec<u8> {
    let length = (text.len() as u32).to_le_bytes();
    [b"X", length.as_slice(), text.as_bytes()].concat()
}

pub fn tuple(items: &[Vec<u8>]) -> Vec<u8> {
    [b"(", items.concat().as_slice(), b"t"].concat()
}

fn integers(numbers: &[i64]) -> Vec<u8> {
    let numbers: Vec<_> = numbers.iter().map(|&number| integer(number)).collect();
    tuple(&numbers)
}

/// Returns a tensor that is a view of the storage with the key 0, of so many floats.
pub fn view(values: i64, offset: i64, shape: &[i64], strides: &[i64]) -> Vec<u8> {
    let class = b"ctorch\nFloatStorage\n".to_vec();
    let storage = [
        text("storage"),
        class,
        text("0"),
        text("cpu"),
        integer(values),
    ];
    let storage = [tuple(&storage), b"Q".to_vec()].concat();
    let plain = b"\x89".to_vec();
    let arguments = [
        storage,
        integer(offset),
        integers(shape),
        integers(strides),
        plain.clone(),
        plain,
    ];
    let function = b"ctorch._utils\n_rebuild_tensor_v2\n".to_vec();
    [function, tuple(&arguments), b"R".to_vec()].concat()
}

/// Returns a pickle of a dictionary with these entries.
pub fn dict(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let entries = entries.iter();
    let entries = entries.map(|(name, value)| [text(name), value.clone()].concat());
    let entries: Vec<u8> = entries.flatten().collect();
    [b"\x80\x02}(", entries.as_slice(), b"u."].concat()
}
