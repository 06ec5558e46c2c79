//! The readers of GGUF files: the header from the beginning of a file, its translation, and the model that it makes.

use std::path::PathBuf;

use attention_gguf::header::{Part, join};
use attention_gguf::{Gguf, GgufError, Header, config, tokenizer};
use attention_model::checkpoint::CheckpointFiles;
use bolero::TypeGenerator;

use crate::damage::{Edit, damaged};
use crate::tiny::try_out;

/// An input for the readers of GGUF files.
#[derive(Clone, Debug, TypeGenerator)]
enum Input {
    /// Bytes that are unrelated to the format, behind its letters and version.
    Bytes(Vec<u8>),
    /// A good file with some bytes changed.
    Damaged(Vec<Edit>),
    /// A good file with another number in place of some of its counts, sizes and offsets.
    Lying(Vec<Lie>),
}

/// A number written into the header; places are taken modulo its length.
#[derive(Clone, Debug, TypeGenerator)]
struct Lie {
    at: u16,
    /// The number of a place whose value is a power of two, and the offset from it.
    bits: u8,
    offset: i8,
    is_wide: bool,
}

impl Lie {
    fn bytes(&self) -> Vec<u8> {
        let number = 1_u64 << (self.bits % 64);
        let number = number.wrapping_add_signed(self.offset.into());
        let bytes = number.to_le_bytes();
        bytes[..if self.is_wide { 8 } else { 4 }].to_vec()
    }
}

impl Input {
    fn file(&self, seed: &[u8]) -> Vec<u8> {
        match self {
            Input::Bytes(bytes) => [b"GGUF\x03\0\0\0", bytes.as_slice()].concat(),
            Input::Damaged(edits) => damaged(seed, edits),
            Input::Lying(lies) => {
                let header = Header::read(seed, seed.len() as u64).unwrap().data as usize;
                let mut file = seed.to_vec();
                for lie in lies.iter().take(4) {
                    let at = usize::from(lie.at) % header;
                    for (place, byte) in file[at..].iter_mut().zip(lie.bytes()) {
                        *place = byte;
                    }
                }
                file
            }
        }
    }
}

fn seed(name: &str) -> Vec<u8> {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/tiny");
    std::fs::read(directory.join(name).join("model.gguf")).unwrap()
}

/// The beginning of a file is refused for the same fault as the whole, or asks for more bytes of it.
#[test]
fn headers_and_their_translations() {
    for name in [
        "gguf-llama",
        "gguf-sentencepiece",
        "gguf-gpt2",
        "gguf-phi3",
        "gguf-bert",
    ] {
        let seed = seed(name);
        bolero::check!()
            .with_type::<(Input, u16)>()
            .with_iterations(5000)
            .for_each(|(input, given)| {
                let file = input.file(&seed);
                let length = file.len() as u64;
                let whole = Header::read(&file, length);
                let given = usize::from(*given) % (file.len() + 1);
                match Header::read(&file[..given], length) {
                    Err(GgufError::NeedsMore(more)) => {
                        assert!(given < more as usize && more <= length);
                    }
                    // Numbers that are not numbers differ from themselves.
                    part => assert_eq!(format!("{part:?}"), format!("{whole:?}")),
                }
                if let Ok(gguf) = Gguf::read(&file) {
                    let _ = config::config(&gguf);
                    let _ = tokenizer::tokenizer(&gguf);
                    let _ = gguf.weights();
                }
            });
    }
}

#[test]
fn models_of_gguf_files() {
    for name in ["gguf-llama", "gguf-gpt2", "gguf-gemma3"] {
        let seed = seed(name);
        bolero::check!()
            .with_type::<Input>()
            .with_iterations(1000)
            .for_each(|input| {
                let _ = CheckpointFiles::from_gguf(input.file(&seed)).and_then(try_out);
            });
    }
}

/// Parts of a model are refused, or make a file whose header says where the tensors are put.
#[test]
fn parts_of_gguf_files() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fixtures/tiny/gguf-parts");
    let seeds = [1, 2, 3].map(|number| {
        std::fs::read(directory.join(format!("model-0000{number}-of-00003.gguf"))).unwrap()
    });
    bolero::check!()
        .with_type::<(Input, u8)>()
        .with_iterations(2000)
        .for_each(|(input, number)| {
            let mut files = seeds.clone();
            let file = &mut files[usize::from(*number) % seeds.len()];
            *file = input.file(file);
            let parts = files.each_ref().map(|file| Part {
                beginning: file,
                length: file.len() as u64,
            });
            let Ok(joined) = join(&parts) else {
                return;
            };
            let header = Header::read(&joined.beginning, joined.length).unwrap();
            assert_eq!(header.tensors.len(), joined.places.len());
            for (tensor, place) in header.tensors.iter().zip(&joined.places) {
                assert_eq!((tensor.start, tensor.bytes), (place.to, place.bytes));
                assert!(place.from + place.bytes <= parts[place.part].length);
            }
        });
}
