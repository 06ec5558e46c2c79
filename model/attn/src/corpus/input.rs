//! The lines of a corpus, read one after the other: of the file, only the lines that are being measured are in memory.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use attention_model::digest::digest_of_reader;
use attention_model::error::ModelError;
use attention_model::evaluation::{LineFault, NumberedLine, line_of};
use attention_model::files::{LARGEST_DATA, failed};
use attention_trace::text::is_blank;
use serde::{Deserialize, Serialize};

use super::Shard;

/// A line of the corpus with its number, or the fault for which it cannot be read.
pub type CorpusLine = NumberedLine<Result<String, LineFault>>;

/// A place between two lines of a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The number of lines before it.
    pub lines: usize,
    /// The number of bytes before it.
    pub bytes: u64,
}

/// A corpus that is read from the disk. What comes through a pipe is put into a temporary file first.
pub struct Input {
    path: PathBuf,
    file: File,
    /// SHA-256 of the file.
    pub digest: String,
    /// The number of its lines and bytes.
    pub end: Position,
}

impl Input {
    /// Opens a corpus and reads it once, for its digest and the number of its lines.
    ///
    /// # Errors
    /// If it cannot be read, or is a pipe with more than [`LARGEST_DATA`] bytes.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let given = File::open(path).map_err(failed(path))?;
        let is_regular = given.metadata().map_err(failed(path))?.is_file();
        let file = match is_regular {
            true => given,
            false => spooled(path, given, LARGEST_DATA)?,
        };
        let mut counted = Counted {
            file: &file,
            end: Position::default(),
            last: b'\n',
        };
        let digest = digest_of_reader(&mut counted).map_err(failed(path))?;
        let mut end = counted.end;
        end.lines += usize::from(counted.last != b'\n');
        Ok(Input {
            path: path.to_owned(),
            file,
            digest,
            end,
        })
    }

    /// Returns the path of the corpus, as messages name it.
    pub fn name(&self) -> impl Display {
        self.path.display()
    }

    /// Returns the lines of a shard after a position; later changes of the file's length are not followed.
    ///
    /// # Errors
    /// If the file cannot be read there.
    pub fn lines(&self, from: Position, shard: Shard) -> Result<Lines<'_>, ModelError> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from.bytes))
            .map_err(failed(&self.path))?;
        let left = self.end.bytes.saturating_sub(from.bytes);
        Ok(Lines {
            path: &self.path,
            reader: BufReader::new(file.take(left)),
            position: from,
            shard,
            longest: LARGEST_DATA,
        })
    }
}

/// Copies a pipe of at most `limit` bytes into a temporary file without a name.
fn spooled(path: &Path, pipe: File, limit: u64) -> Result<File, ModelError> {
    let mut file = tempfile::tempfile().map_err(failed(path))?;
    let bytes = io::copy(&mut pipe.take(limit + 1), &mut file).map_err(failed(path))?;
    if bytes > limit {
        return Err(ModelError::TooLarge {
            path: path.display().to_string(),
            limit,
        });
    }
    file.rewind().map_err(failed(path))?;
    Ok(file)
}

/// A reader that counts what is read through it.
struct Counted<'a> {
    file: &'a File,
    /// The number of bytes, and of line feeds among them.
    end: Position,
    last: u8,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.file.read(buffer)?;
        let read = &buffer[..bytes];
        self.end.bytes += bytes as u64;
        self.end.lines += read.iter().filter(|&&byte| byte == b'\n').count();
        self.last = read.last().copied().unwrap_or(self.last);
        Ok(bytes)
    }
}

/// The lines of a shard, in order.
pub struct Lines<'a> {
    path: &'a Path,
    reader: BufReader<io::Take<&'a File>>,
    position: Position,
    shard: Shard,
    /// The most bytes of a line that is kept.
    longest: u64,
}

/// Lines that are measured together.
#[derive(Debug, PartialEq)]
pub struct Chunk {
    /// The lines that are not blank.
    pub lines: Vec<CorpusLine>,
    /// The position after them.
    pub end: Position,
}

impl Lines<'_> {
    /// Returns at least one and at most `most` lines that are not blank; fewer if they have more than `bytes`. `None` at
    /// the end of the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn chunk(&mut self, most: usize, bytes: u64) -> Result<Option<Chunk>, ModelError> {
        let began = self.position;
        let (mut lines, mut kept_bytes) = (vec![], 0);
        while lines.len() < most && kept_bytes < bytes {
            let before = self.position.bytes;
            match self.next_line().map_err(failed(self.path))? {
                None => break,
                Some(None) => {}
                Some(Some(line)) => {
                    kept_bytes += self.position.bytes - before;
                    lines.push(line);
                }
            }
        }
        let end = self.position;
        Ok((end != began).then_some(Chunk { lines, end }))
    }

    /// Reads a line; `Some(None)` if it is blank or of another shard.
    fn next_line(&mut self) -> io::Result<Option<Option<CorpusLine>>> {
        let mut bytes = vec![];
        let mut part = (&mut self.reader).take(self.longest + 1);
        let mut read = part.read_until(b'\n', &mut bytes)? as u64;
        if read == 0 {
            return Ok(None);
        }
        let is_long = read > self.longest && !bytes.ends_with(b"\n");
        if is_long {
            read += skip_line(&mut self.reader)?;
        }
        self.position.bytes += read;
        self.position.lines += 1;
        let number = self.position.lines;
        if !self.shard.has(number) {
            return Ok(Some(None));
        }
        let line = match is_long {
            true => Err(LineFault::Long(self.longest)),
            false => line_of(&bytes).map(str::to_owned),
        };
        let is_kept = !line.as_deref().is_ok_and(is_blank);
        Ok(Some(is_kept.then_some((number, line))))
    }
}

/// Reads the rest of a line and keeps none of it; returns the number of its bytes.
fn skip_line(reader: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let bytes = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(bytes);
        skipped += bytes as u64;
        if end.is_some() || bytes == 0 {
            return Ok(skipped);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn input(bytes: &[u8]) -> Input {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Input::open(file.path()).unwrap()
    }

    fn read(input: &Input, from: Position, shard: Shard, most: usize) -> Vec<Chunk> {
        let mut lines = input.lines(from, shard).unwrap();
        let mut chunks = vec![];
        while let Some(chunk) = lines.chunk(most, 1 << 20).unwrap() {
            chunks.push(chunk);
        }
        chunks
    }

    fn all(chunks: Vec<Chunk>) -> Vec<CorpusLine> {
        chunks.into_iter().flat_map(|chunk| chunk.lines).collect()
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_is_read() {
        let input = input(b"one\nfar too long\nsix\n");
        let mut lines = input.lines(Position::default(), Shard::WHOLE).unwrap();
        lines.longest = 5;
        let chunk = lines.chunk(9, 100).unwrap().unwrap();
        let expected = [
            (1, Ok("one".to_owned())),
            (2, Err(LineFault::Long(5))),
            (3, Ok("six".to_owned())),
        ];
        assert_eq!(chunk.lines, expected);
        assert_eq!(chunk.end, input.end);
        assert_eq!(lines.chunk(9, 100).unwrap(), None);
    }

    #[test]
    fn a_chunk_ends_at_its_bytes() {
        let input = input(b"one\ntwo\nthree\n");
        let mut lines = input.lines(Position::default(), Shard::WHOLE).unwrap();
        let sizes: Vec<usize> = std::iter::from_fn(|| lines.chunk(9, 5).unwrap())
            .map(|chunk| chunk.lines.len())
            .collect();
        assert_eq!(sizes, [2, 1]);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_that_never_ends_is_read_no_further_than_it_may() {
        let path = Path::new("/dev/zero");
        let spooled = spooled(path, File::open(path).unwrap(), 100);
        let message = spooled.unwrap_err().to_string();
        assert!(message.contains("more than 100 bytes"), "{message}");
    }

    proptest! {
        #[test]
        fn chunks_and_shards_of_any_size_have_every_line_once(
            lines in prop::collection::vec("[ab\u{e9} ]{0,6}\r?", 0..30),
            is_ended in any::<bool>(),
            most in 1usize..7,
            of in 1usize..5,
        ) {
            let mut text = lines.join("\n");
            if is_ended {
                text.push('\n');
            }
            let input = input(text.as_bytes());
            let expected: Vec<CorpusLine> = text
                .split_inclusive('\n')
                .zip(1..)
                .map(|(line, number)| (number, line_of(line.as_bytes()).map(str::to_owned)))
                .filter(|(_, line)| !line.as_deref().is_ok_and(is_blank))
                .collect();
            prop_assert_eq!(input.end.lines, text.split_inclusive('\n').count());
            let chunks = read(&input, Position::default(), Shard::WHOLE, most);
            // A run that stopped after any chunk reads the rest.
            for (index, chunk) in chunks.iter().enumerate() {
                let rest = all(read(&input, chunk.end, Shard::WHOLE, most));
                let later: usize = chunks[..=index].iter().map(|chunk| chunk.lines.len()).sum();
                prop_assert_eq!(&rest[..], &expected[later..]);
            }
            prop_assert_eq!(all(chunks), expected.clone());
            let mut sharded: Vec<CorpusLine> = (1..=of)
                .flat_map(|index| all(read(&input, Position::default(), Shard { index, of }, most)))
                .collect();
            sharded.sort_by_key(|line| line.0);
            prop_assert_eq!(sharded, expected);
        }
    }
}
