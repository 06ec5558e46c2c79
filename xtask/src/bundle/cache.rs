//! Results of slow steps, kept until what they were made from changes.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

use crate::error::Error;

/// The digest of everything a result was made from. Two equal keys mean equal results.
#[derive(Debug, Default)]
pub struct Key(DefaultHasher);

impl Key {
    /// Adds settings or contents.
    pub fn with(mut self, part: impl Hash) -> Self {
        part.hash(&mut self.0);
        self
    }

    fn text(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// Waits until no other build uses the cache, and says that it does; then it is this one's as long as the file is held.
///
/// # Errors
/// If the lock file cannot be made or locked.
pub fn lock(cache: &Path) -> Result<File, Error> {
    fs::create_dir_all(cache).map_err(Error::file("make", cache))?;
    let path = cache.join("lock");
    let file = File::create(&path).map_err(Error::file("make", &path))?;
    // Where it cannot be tried, it cannot be waited for either, and that says why.
    if file.try_lock().is_err() {
        println!("Waiting for another build of this checkout");
        file.lock().map_err(Error::file("lock", &path))?;
    }
    Ok(file)
}

/// The directory `cache/step/name` with the result of `make`, which is only called if the key has
/// changed since the directory was last made. One result is kept per name.
///
/// # Errors
/// If `make` fails or the directory cannot be written.
pub fn cached(
    cache: &Path,
    step: &str,
    name: &str,
    key: &Key,
    make: impl FnOnce(&Path) -> Result<(), Error>,
) -> Result<PathBuf, Error> {
    let slot = cache.join(step).join(name);
    let result = slot.join("result");
    let stamp = slot.join("key");
    let wanted = key.text();
    if fs::read_to_string(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(result);
    }
    if slot.exists() {
        fs::remove_dir_all(&slot).map_err(Error::file("remove", &slot))?;
    }
    fs::create_dir_all(&result).map_err(Error::file("make", &result))?;
    make(&result)?;
    // Written last: a result cut short by an error or Ctrl+C has no key, and is made again.
    fs::write(&stamp, wanted).map_err(Error::file("write", &stamp))?;
    Ok(result)
}

/// True if nothing is kept of this step under this name.
pub fn is_empty(cache: &Path, step: &str, name: &str) -> bool {
    !cache.join(step).join(name).join("key").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn makes_again_only_when_the_key_changes() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let calls = Cell::new(0);
        let make = |key: &Key| {
            cached(directory.path(), "step", "name", key, |result| {
                calls.set(calls.get() + 1);
                let file = result.join("made");
                fs::write(&file, "x").map_err(Error::file("write", &file))
            })
        };
        make(&Key::default().with("a"))?;
        let result = make(&Key::default().with("a"))?;
        assert_eq!(calls.get(), 1);
        assert!(!is_empty(directory.path(), "step", "name"));
        assert!(is_empty(directory.path(), "step", "other"));
        assert!(result.join("made").is_file());
        make(&Key::default().with("b"))?;
        assert_eq!(calls.get(), 2);
        Ok(())
    }

    #[test]
    fn a_second_build_waits_for_the_first() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let first = lock(directory.path())?;
        let other = File::open(directory.path().join("lock"))?;
        assert!(other.try_lock().is_err());
        drop(first);
        assert!(other.try_lock().is_ok());
        Ok(())
    }

    #[test]
    fn a_failed_step_is_tried_again() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let key = Key::default().with("a");
        let failed = cached(directory.path(), "step", "name", &key, |_| {
            Err(Error::NoChromium)
        });
        assert!(failed.is_err());
        let mut called = false;
        cached(directory.path(), "step", "name", &key, |_| {
            called = true;
            Ok(())
        })?;
        assert!(called);
        Ok(())
    }
}
