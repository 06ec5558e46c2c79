//! GGUF models in several files, as `llama-gguf-split` writes them: their names, and the one file that they make.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use attention_gguf::GgufError;
use attention_gguf::header::{Header, Joined as Layout, Part, join};

use super::shards::Joined;
use super::{Backing, WeightsFile};
use crate::error::ModelError;
use crate::files::{LARGEST_TEXT, LARGEST_WEIGHTS, OnDisk, failed, regular_size};

/// The ending of a file's name.
const ENDING: &str = ".gguf";
/// The digits of a number in the name of a part.
const DIGITS: usize = 5;
/// The bytes of a part that are read first; more follow if its header needs them.
const FIRST_BYTES: u64 = 1 << 20;

/// The names of the files of one model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts {
    /// The beginning of all names.
    stem: String,
    count: usize,
}

impl Parts {
    /// Returns the names that belong to that of one part, such as `model-00001-of-00003.gguf`; `None` for another name.
    pub fn of(name: &str) -> Option<Self> {
        let (rest, count) = number_behind(name.strip_suffix(ENDING)?, "-of-")?;
        let (stem, number) = number_behind(rest, "-")?;
        let stem = stem.to_owned();
        (count > 1 && (1..=count).contains(&number)).then_some(Parts { stem, count })
    }

    /// Returns the models in several files of a directory. It may have more files than can be read.
    fn in_directory(directory: &Path) -> Vec<Self> {
        // Without a list, the file that is missing is named all the same.
        let Ok(entries) = std::fs::read_dir(directory) else {
            return vec![];
        };
        // Here, too; and a name that is no Unicode is not that of a part.
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut found: Vec<Self> = names.filter_map(|name| Parts::of(&name)).collect();
        found.sort();
        found.dedup();
        found
    }

    fn names(&self) -> impl Iterator<Item = String> {
        let Parts { stem, count } = self.clone();
        (1..=count).map(move |number| format!("{stem}-{number:05}-of-{count:05}{ENDING}"))
    }

    /// Returns the only model in several files of a directory; `None` if there is none.
    ///
    /// # Errors
    /// If there are several; the error names the first part of each.
    pub fn only(directory: &Path) -> Result<Option<Self>, ModelError> {
        let mut found = Parts::in_directory(directory);
        if found.len() > 1 {
            let firsts = found.iter().filter_map(|parts| parts.names().next());
            return Err(ModelError::SeveralModels {
                directory: directory.display().to_string(),
                names: firsts.collect::<Vec<_>>().join(", "),
            });
        }
        Ok(found.pop())
    }

    /// Opens the parts in a directory as the one file that they make. Of the parts, nothing but their headers is read.
    ///
    /// # Errors
    /// If parts are missing, which are all named, cannot be read, or do not belong together.
    pub fn open(&self, directory: &Path) -> Result<(WeightsFile, Backing), ModelError> {
        let names: Vec<String> = self.names().collect();
        let path = |name: &String| directory.join(name);
        // Where this cannot be known, the error of reading the file says more.
        let is_missing = |name: &&String| matches!(path(name).try_exists(), Ok(false));
        let missing: Vec<&str> = names
            .iter()
            .filter(is_missing)
            .map(String::as_str)
            .collect();
        if !missing.is_empty() {
            return Err(ModelError::MissingParts {
                count: self.count,
                names: missing.join(", "),
            });
        }
        let paths: Vec<PathBuf> = names.iter().map(path).collect();
        let beginnings = paths.iter().map(|path| beginning(path));
        let beginnings: Vec<(Vec<u8>, u64)> = beginnings.collect::<Result<_, _>>()?;
        let parts = beginnings.iter().map(|(beginning, length)| Part {
            beginning,
            length: *length,
        });
        let joined = join(&parts.collect::<Vec<_>>()).map_err(|fault| ModelError::WeightsFile {
            file: names.get(fault.part).cloned().unwrap_or_default(),
            fault: fault.error.to_string(),
        })?;
        let too_large = || ModelError::TooLarge {
            path: directory
                .join(format!("{}-…{ENDING}", self.stem))
                .display()
                .to_string(),
            limit: LARGEST_WEIGHTS,
        };
        if joined.length > LARGEST_WEIGHTS {
            return Err(too_large());
        }
        let mut backing = Backing::default();
        let mut files = vec![];
        for path in &paths {
            let file = Arc::new(OnDisk::open(path)?);
            backing.push(Arc::clone(&file));
            files.push(WeightsFile::new(file));
        }
        Ok((WeightsFile::new(whole(joined, &files)), backing))
    }
}

/// Returns the file that parts make.
fn whole(layout: Layout, files: &[WeightsFile]) -> Joined {
    let mut end = layout.beginning.len() as u64;
    let mut joined = Joined::new(layout.beginning.into());
    for place in layout.places {
        // Tensors begin at a multiple of some bytes, and what is between them is never read.
        let between = place.to.saturating_sub(end);
        joined.push(vec![0; between as usize].into(), 0, between);
        // The places are those of these parts.
        let file = files.get(place.part).cloned().unwrap_or_default();
        joined.push(file, place.from, place.bytes);
        end = place.to + place.bytes;
    }
    joined
}

/// Returns what is before `mark` and five digits at the end, and their number.
fn number_behind<'a>(name: &'a str, mark: &str) -> Option<(&'a str, usize)> {
    let (rest, digits) = name.rsplit_once(mark)?;
    let is_number = digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
    Some((rest, number))
}

/// Reads so much of a file that its header is in it, and returns that with the length of the file.
fn beginning(path: &Path) -> Result<(Vec<u8>, u64), ModelError> {
    let length = regular_size(path)?;
    let mut wanted = FIRST_BYTES;
    loop {
        let mut bytes = vec![];
        let file = File::open(path).map_err(failed(path))?;
        file.take(wanted)
            .read_to_end(&mut bytes)
            .map_err(failed(path))?;
        match Header::read(&bytes, length) {
            Err(GgufError::NeedsMore(least)) if least <= LARGEST_TEXT => {
                wanted = least.max(2 * wanted);
            }
            // Other faults are found once more, and named with their part.
            _ => return Ok((bytes, length)),
        }
    }
}

/// Opens a GGUF file, or all parts of the model that it is one of.
///
/// # Errors
/// As [`Parts::open`].
pub fn open_gguf(path: &Path) -> Result<(WeightsFile, Backing), ModelError> {
    let name = path.file_name().and_then(|name| name.to_str());
    match name.and_then(Parts::of) {
        // A file by itself has no directory in front of it.
        Some(parts) => parts.open(path.parent().unwrap_or(Path::new(""))),
        None => Ok(Backing::whole(OnDisk::open(path)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_by_their_names() {
        let parts = Parts::of("Qwen3-8B-of-00002-Q4_K_M-00002-of-00003.gguf").unwrap();
        assert_eq!(parts.count, 3);
        let last = "Qwen3-8B-of-00002-Q4_K_M-00003-of-00003.gguf";
        assert_eq!(parts.names().last().unwrap(), last);
        for name in [
            "model.gguf",
            "model-00001-of-00001.gguf",
            "model-00000-of-00003.gguf",
            "model-00004-of-00003.gguf",
            "model-1-of-3.gguf",
            "model-00001-of-00003.safetensors",
            "model-+0001-of-00003.gguf",
        ] {
            assert_eq!(Parts::of(name), None, "{name}");
        }
    }
}
