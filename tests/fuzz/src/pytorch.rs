//! The reader of `pytorch_model.bin`: its archive, its pickle, and the model that it makes.

use std::io::Write;
use std::path::PathBuf;

use attention_model::checkpoint::CheckpointFiles;
use attention_pytorch::{Index, Source};
use bolero::TypeGenerator;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter};

use crate::damage::{Edit, damaged};
use crate::tiny::{files, try_out};

/// An input for the reader of a `pytorch_model.bin`.
#[derive(Clone, Debug, TypeGenerator)]
enum Input {
    /// Bytes that are unrelated to the format, behind the letters of a zip archive.
    Bytes(Vec<u8>),
    /// A good file with some bytes changed.
    Damaged(Vec<Edit>),
    /// A good archive whose pickle has some bytes changed.
    Pickle(Vec<Edit>),
    /// A good archive whose pickle has opcodes inserted.
    Opcodes(Vec<(u16, Opcode)>),
}

/// An opcode that is read, with its argument.
#[derive(Clone, Debug, TypeGenerator)]
enum Opcode {
    Plain(u8),
    Byte(u8),
    Number(i64),
    Get(u8),
    Put(u8),
    Text(u8),
}

impl Opcode {
    fn bytes(&self) -> Vec<u8> {
        const PLAIN: &[u8] = b"(.NQRabest}])u0\x85\x86\x87\x93\x94";
        const TEXTS: [&[u8]; 3] = [b"storage", b"0", b"model"];
        match self {
            Opcode::Plain(at) => vec![PLAIN[usize::from(*at) % PLAIN.len()]],
            Opcode::Byte(byte) => vec![*byte],
            Opcode::Number(number) => [&[0x8a, 8], number.to_le_bytes().as_slice()].concat(),
            Opcode::Get(number) => vec![b'h', *number],
            Opcode::Put(number) => vec![b'q', *number],
            Opcode::Text(at) => {
                let text = TEXTS[usize::from(*at) % TEXTS.len()];
                [&[0x8c, text.len() as u8], text].concat()
            }
        }
    }
}

impl Input {
    fn file(&self, seed: &Seed) -> Vec<u8> {
        match self {
            Input::Bytes(bytes) => [b"PK\x03\x04", bytes.as_slice()].concat(),
            Input::Damaged(edits) => damaged(&seed.file, edits),
            Input::Pickle(edits) => seed.with_pickle(&damaged(seed.pickle(), edits)),
            Input::Opcodes(opcodes) => {
                let mut pickle = seed.pickle().to_vec();
                for (at, opcode) in opcodes.iter().take(8) {
                    let at = usize::from(*at) % pickle.len();
                    pickle.splice(at..at, opcode.bytes());
                }
                seed.with_pickle(&pickle)
            }
        }
    }
}

/// A good file and its records, the pickle first.
struct Seed {
    file: Vec<u8>,
    records: Vec<(String, Vec<u8>)>,
}

impl Seed {
    fn read(name: &str) -> Self {
        let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/pytorch");
        let file = std::fs::read(directory.join(name)).unwrap();
        let archive = ZipArchive::from_slice(&file).unwrap();
        let mut records = vec![];
        for entry in archive.entries() {
            let entry = entry.unwrap();
            let name = String::from_utf8(entry.file_path().as_bytes().to_vec()).unwrap();
            let data = archive
                .get_entry(entry.wayfinder())
                .unwrap()
                .data()
                .to_vec();
            records.push((name, data));
        }
        assert!(records[0].0.ends_with("/data.pkl"));
        Seed { file, records }
    }

    fn pickle(&self) -> &[u8] {
        &self.records[0].1
    }

    fn with_pickle(&self, pickle: &[u8]) -> Vec<u8> {
        let mut archive = ZipArchiveWriter::new(vec![]);
        let others = self.records[1..].iter();
        let others = others.map(|(name, data)| (name, data.as_slice()));
        for (name, data) in [(&self.records[0].0, pickle)].into_iter().chain(others) {
            let file = archive.new_file(name.as_str());
            let stored = file.compression_method(CompressionMethod::STORE);
            let (mut entry, config) = stored.start().unwrap();
            let mut writer = config.wrap(&mut entry);
            writer.write_all(data).unwrap();
            let (_, descriptor) = writer.finish().unwrap();
            entry.finish(descriptor).unwrap();
        }
        archive.finish().unwrap()
    }
}

/// Every tensor of an index is within the file, and has its values.
#[test]
fn indices_and_values() {
    for name in ["views.bin", "protocol-4.bin"] {
        let seed = Seed::read(name);
        assert!(Index::read(&seed.with_pickle(seed.pickle())[..]).is_ok());
        bolero::check!()
            .with_type::<Input>()
            .with_iterations(10_000)
            .for_each(|input| {
                let file = input.file(&seed);
                let Ok(index) = Index::read(&file[..]) else {
                    return;
                };
                for tensor in &index.tensors {
                    assert!(tensor.start + tensor.bytes <= file[..].length());
                }
                for (tensor, values) in index.values(&file).into_iter().flatten() {
                    assert_eq!(values.len() as u64, tensor.value_bytes());
                }
            });
    }
}

#[test]
fn models_of_pytorchs_files() {
    let files = files("padded-vocabulary");
    let seed = Seed::read("whole.bin");
    bolero::check!()
        .with_type::<Input>()
        .with_iterations(1000)
        .for_each(|input| {
            let weights = input.file(&seed);
            // Whatever comes of it.
            let _ = try_out(CheckpointFiles {
                weights: weights.into(),
                ..files.clone()
            });
        });
}
