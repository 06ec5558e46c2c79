//! Facts of a `pytorch_model.bin`, read before the values of its tensors are.

use std::{cell::Cell, io};

use attention_protocol::FilesFault;
use attention_pytorch::{DeclaredTensor, Index, PytorchError, Source};
use attention_trace::card::FileTensor;

use super::{chosen::Part, layout::PYTORCH, weights::Types};

/// The least bytes that are read at once.
const PIECE_BYTES: u64 = 1 << 16;
/// The most bytes that are read: of the pickle and the archive's directory.
const MOST_BYTES: u64 = 1 << 27;

/// Reads the tensors of a file, and counts the types of their weights.
///
/// # Errors
/// If the file cannot be read, or is no state dict that `torch.save` wrote.
pub async fn types(file: &Part<'_>) -> Result<(Types, Vec<FileTensor>), FilesFault> {
    let mut known = Known::of(file.bytes());
    loop {
        let declared = Index::declared(&known);
        match (known.lacking.take(), declared) {
            (None, declared) => return declared.and_then(counted).map_err(unfit),
            (Some(_), _) if known.bytes() > MOST_BYTES => {
                return Err(FilesFault::Unfit {
                    reason: format!("{PYTORCH}: its directory has more than {MOST_BYTES} bytes"),
                });
            }
            (Some((start, end)), _) => match file.read(start, end).await? {
                piece if piece.len() as u64 == end - start => known.pieces.push((start, piece)),
                _ => {
                    return Err(FilesFault::Unreadable {
                        name: PYTORCH.to_owned(),
                        reason: "it has become shorter".to_owned(),
                    });
                }
            },
        }
    }
}

/// Counts the weights of each type.
fn counted(declared: Vec<DeclaredTensor>) -> Result<(Types, Vec<FileTensor>), PytorchError> {
    let mut types = Types::default();
    let mut tensors = Vec::with_capacity(declared.len());
    for DeclaredTensor { name, dtype, shape } in declared {
        let tensor = FileTensor {
            name,
            encoding: dtype.name().to_owned(),
            shape,
        };
        let counted = types.add(&tensor.encoding, tensor.weights());
        counted.ok_or_else(|| PytorchError::Tensor {
            name: tensor.name.clone(),
            fault: "there are more values than a file has".to_owned(),
        })?;
        tensors.push(tensor);
    }
    Ok((types, tensors))
}

fn unfit(error: PytorchError) -> FilesFault {
    FilesFault::Unfit {
        reason: format!("{PYTORCH}: {error}"),
    }
}

/// The parts of a file that have been read. The reader of the format asks for parts without waiting; the first that is
/// lacking is noted, and the reader fails and is called again with it.
struct Known {
    length: u64,
    /// Positions in the file, and the bytes from there on.
    pieces: Vec<(u64, Vec<u8>)>,
    /// The positions of the first byte that is lacking, and behind the last.
    lacking: Cell<Option<(u64, u64)>>,
}

impl Known {
    fn of(length: u64) -> Self {
        Known {
            length,
            pieces: vec![],
            lacking: Cell::new(None),
        }
    }

    /// Returns the number of bytes that have been read.
    fn bytes(&self) -> u64 {
        self.pieces
            .iter()
            .map(|(_, piece)| piece.len() as u64)
            .sum()
    }

    /// Returns the bytes from a position on, if one piece has them all.
    fn found(&self, start: u64, count: usize) -> Option<&[u8]> {
        self.pieces.iter().find_map(|(from, piece)| {
            let start = usize::try_from(start.checked_sub(*from)?).ok()?;
            piece.get(start..)?.get(..count)
        })
    }
}

impl Source for Known {
    fn length(&self) -> u64 {
        self.length
    }

    fn read(&self, start: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = start.saturating_add(buffer.len() as u64);
        if end > self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let Some(found) = self.found(start, buffer.len()) else {
            let end = end.max(start.saturating_add(PIECE_BYTES)).min(self.length);
            self.lacking.set(Some((start, end)));
            return Err(io::ErrorKind::WouldBlock.into());
        };
        buffer.copy_from_slice(found);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn fixture(name: &str) -> Vec<u8> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pytorch");
        std::fs::read(directory.join(name)).unwrap()
    }

    /// Reads a file as `types` does, and counts the parts that were asked for.
    fn read(file: &[u8]) -> (Result<Types, PytorchError>, usize) {
        let mut known = Known::of(file.len() as u64);
        loop {
            let declared = Index::declared(&known);
            let Some((start, end)) = known.lacking.take() else {
                let types = declared.and_then(counted).map(|(types, _)| types);
                return (types, known.pieces.len());
            };
            let piece = file[start as usize..end as usize].to_vec();
            known.pieces.push((start, piece));
        }
    }

    #[test]
    fn a_file_is_described_by_few_of_its_parts() {
        let small = fixture("whole.bin");
        let (types, parts) = read(&small);
        let tensors = Index::read(small.as_slice()).unwrap().tensors;
        let weights = tensors
            .iter()
            .map(|tensor| tensor.shape.iter().product::<u64>());
        assert_eq!(types.unwrap().list(), [("F32", weights.sum())]);
        assert!(parts <= 6, "{parts}");
    }

    #[test]
    fn every_position_may_begin_a_piece() {
        let file = fixture("views.bin");
        let mut known = Known::of(file.len() as u64);
        for start in 0..file.len() as u64 {
            known.pieces = vec![(start, file[start as usize..].to_vec())];
            let mut bytes = [0; 4];
            match known.read(start, &mut bytes) {
                Ok(()) => assert_eq!(bytes, file[start as usize..][..4]),
                Err(error) => assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof),
            }
            assert!(known.lacking.take().is_none());
            if start > 0 {
                assert!(known.read(start - 1, &mut [0]).is_err());
                assert!(known.lacking.take().is_some());
            }
        }
    }

    #[test]
    fn what_wants_to_execute_is_refused_by_its_name() {
        let (refused, _) = read(&fixture("command.bin"));
        assert!(unfit_text(refused).contains("posix.system"));
        let (cut, _) = read(&fixture("whole.bin")[..30_000]);
        assert!(unfit_text(cut).contains("zip archive"));
    }

    fn unfit_text(refused: Result<Types, PytorchError>) -> String {
        match unfit(refused.unwrap_err()) {
            FilesFault::Unfit { reason } => reason,
            other => panic!("{other:?}"),
        }
    }
}
