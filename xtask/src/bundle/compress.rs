//! Compressed copies, made once here so that the server need not compress at every request.

use std::{
    fs,
    io::Write,
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use attention_packing::pack;
use brotli::{BrotliCompress, enc::BrotliEncoderParams};
use flate2::{Compression, write::GzEncoder};

use super::{
    cache::{Key, cached},
    entry::Entry,
};
use crate::error::Error;

/// Endings of the files that are worth it. For weights, see [`packed`].
const COMPRESSIBLE: [&str; 7] = [".css", ".html", ".js", ".json", ".svg", ".txt", ".wasm"];

/// Below this size an answer fits into one packet anyway.
const SMALLEST_BYTES: usize = 1024;

/// The effort of compression: time against size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effort {
    /// A few seconds for all of them; a tenth larger.
    Little,
    /// As small as can be, which takes minutes.
    Most,
}

impl Effort {
    /// Brotli's level, from 0 to 11.
    fn brotli(self) -> i32 {
        match self {
            Self::Little => 5,
            Self::Most => 11,
        }
    }

    fn gzip(self) -> Compression {
        match self {
            Self::Little => Compression::fast(),
            Self::Most => Compression::best(),
        }
    }
}

/// Compressed copies (`.br`, `.gz`) of those entries that gain from them.
///
/// # Errors
/// If a file cannot be read or written.
pub fn sidecars(cache: &Path, effort: Effort, entries: &[Entry]) -> Result<Vec<Entry>, Error> {
    let wanted = |entry: &&Entry| is_compressible(&entry.to);
    of_each(entries.iter().filter(wanted), |entry| {
        compress(cache, effort, entry)
    })
}

/// The entries made of each entry, on all cores.
fn of_each<'a>(
    entries: impl Iterator<Item = &'a Entry>,
    make: impl Fn(&Entry) -> Result<Vec<Entry>, Error> + Sync,
) -> Result<Vec<Entry>, Error> {
    let wanted: Vec<&Entry> = entries.collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        while let Some(entry) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            made.extend(make(entry)?);
        }
        Ok(made)
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Result<Vec<Entry>, Error>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let panicked = |_| {
            Err(Error::Panicked {
                unit: "compression",
            })
        };
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(panicked))
            .collect()
    });
    let made: Result<Vec<Vec<Entry>>, Error> = results.into_iter().collect();
    made.map(|made| made.into_iter().flatten().collect())
}

/// The ending of a packed copy: no host knows it, and so none treats it in its own way.
const PACKED: &str = "packed";

/// Packed copies, compressed with gzip, of weights that gain from it, which weights on a grid do and others do not. They are files
/// of their own: many hosts compress no weights, so the engine asks for the copy and unpacks it.
///
/// # Errors
/// If a file cannot be read or written.
pub fn packed(cache: &Path, effort: Effort, entries: &[Entry]) -> Result<Vec<Entry>, Error> {
    // The stored example is one as well, but the page reads it itself and unpacks nothing.
    let is_model =
        |entry: &&Entry| entry.name.starts_with("models/") && entry.name.ends_with(".safetensors");
    of_each(entries.iter().filter(is_model), |entry| {
        pack_weights(cache, effort, entry)
    })
}

/// The packed copy, if it is smaller by a quarter.
fn pack_weights(cache: &Path, effort: Effort, entry: &Entry) -> Result<Vec<Entry>, Error> {
    let contents = fs::read(&entry.from).map_err(Error::file("read", &entry.from))?;
    let slot = entry.name.replace('/', "~");
    let key = Key::default().with(&contents).with(effort);
    let directory = cached(cache, "pack", &slot, &key, |directory| {
        let path = directory.join(PACKED);
        let encoded = gzip(effort, &pack(&contents));
        let encoded = encoded.map_err(Error::file("compress", &entry.from))?;
        fs::write(&path, encoded).map_err(Error::file("write", &path))
    })?;
    let from = directory.join(PACKED);
    let bytes = fs::metadata(&from)
        .map_err(Error::file("read", &from))?
        .len();
    let is_worth_it = bytes < contents.len() as u64 * 3 / 4;
    let copy = Entry::new(format!("{}.{PACKED}", entry.name), from);
    Ok(is_worth_it.then_some(copy).into_iter().collect())
}

fn is_compressible(address: &str) -> bool {
    COMPRESSIBLE.iter().any(|ending| address.ends_with(ending))
}

fn compress(cache: &Path, effort: Effort, entry: &Entry) -> Result<Vec<Entry>, Error> {
    let contents = fs::read(&entry.from).map_err(Error::file("read", &entry.from))?;
    if contents.len() < SMALLEST_BYTES {
        return Ok(Vec::new());
    }
    // By name, not by address: what an older build made of the file is not needed any more.
    let slot = entry.name.replace('/', "~");
    let key = Key::default().with(&contents).with(effort);
    let directory = cached(cache, "compress", &slot, &key, |directory| {
        let (br, gz) = (directory.join("br"), directory.join("gz"));
        let encoded = brotli(effort, &contents).map_err(Error::file("compress", &entry.from))?;
        fs::write(&br, encoded).map_err(Error::file("write", &br))?;
        let encoded = gzip(effort, &contents).map_err(Error::file("compress", &entry.from))?;
        fs::write(&gz, encoded).map_err(Error::file("write", &gz))
    })?;
    let sidecar = |ending| Entry {
        name: format!("{}.{ending}", entry.name),
        to: format!("{}.{ending}", entry.to),
        from: directory.join(ending),
    };
    Ok(vec![sidecar("br"), sidecar("gz")])
}

fn brotli(effort: Effort, mut contents: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = BrotliEncoderParams {
        quality: effort.brotli(),
        lgwin: 24,
        size_hint: contents.len(),
        ..Default::default()
    };
    let mut encoded = Vec::new();
    BrotliCompress(&mut contents, &mut encoded, &parameters)?;
    Ok(encoded)
}

fn gzip(effort: Effort, contents: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), effort.gzip());
    encoder.write_all(contents)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn text_and_code_are_compressed_and_weights_are_not() {
        for address in ["page_bg.wasm", "models/translator/tokenizer.json"] {
            assert!(is_compressible(address), "{address}");
        }
        for address in ["models/translator/model.safetensors", "shot.png"] {
            assert!(!is_compressible(address), "{address}");
        }
    }

    #[test]
    fn weights_are_packed_where_they_gain() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        // Halves on a grid (multiples of 2⁻⁶ from 1 to 2), and halves with as many values as can be.
        let few: Vec<u8> = (0..20_480_u32)
            .flat_map(|i| (0x3c00 + (i * i % 61) as u16 * 16).to_le_bytes())
            .collect();
        // Marsaglia's xorshift.
        let next = |x: &u64| {
            let x = x ^ (x << 13);
            let x = x ^ (x >> 7);
            Some(x ^ (x << 17))
        };
        let many: Vec<u8> = std::iter::successors(Some(7), next)
            .take(40_000)
            .map(|x| (x >> 56) as u8)
            .collect();
        let mut entries = Vec::new();
        for (name, contents) in [
            ("models/few.safetensors", &few),
            ("models/many.safetensors", &many),
            ("examples/few.safetensors", &few),
        ] {
            let from = directory.path().join(name.replace('/', "-"));
            fs::write(&from, contents)?;
            entries.push(Entry::new(name, from));
        }
        let made = packed(&directory.path().join("cache"), Effort::Little, &entries)?;
        let names: Vec<&str> = made.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["models/few.safetensors.packed"]);
        let mut bytes = Vec::new();
        let copy = fs::read(&made[0].from)?;
        flate2::read::GzDecoder::new(copy.as_slice()).read_to_end(&mut bytes)?;
        assert_eq!(attention_packing::unpack(&bytes), Some(few));
        Ok(())
    }

    #[test]
    fn both_copies_hold_the_original() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let from = directory.path().join("boot.js");
        let original = "const attention = softmax(scores);\n".repeat(100);
        fs::write(&from, &original)?;
        let small = directory.path().join("small.js");
        fs::write(&small, "1;")?;
        let entry = |name: &str, from: &Path| Entry::new(name, from.to_owned());
        let entries = [entry("js/boot.js", &from), entry("small.js", &small)];
        let mut made = sidecars(&directory.path().join("cache"), Effort::Most, &entries)?;
        made.sort_by(|one, other| one.to.cmp(&other.to));
        let addresses: Vec<&str> = made.iter().map(|entry| entry.to.as_str()).collect();
        assert_eq!(addresses, ["js/boot.js.br", "js/boot.js.gz"]);

        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut fs::read(&made[0].from)?.as_slice(), &mut unpacked)?;
        assert_eq!(unpacked, original.as_bytes());
        let mut unpacked = String::new();
        let packed = fs::read(&made[1].from)?;
        assert!(packed.len() < original.len() / 4);
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut unpacked)?;
        assert_eq!(unpacked, original);
        Ok(())
    }
}
