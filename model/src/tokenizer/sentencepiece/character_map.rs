//! The table of replacements that normalises a text: a double-array trie (Aoe 1989) of what is replaced, and the
//! replacements, each ended by a zero byte.

use super::SentencePieceFault;

/// A table of replacements.
#[derive(Debug, Default)]
pub struct CharacterMap {
    units: Vec<u32>,
    replacements: String,
}

impl CharacterMap {
    /// Reads `precompiled_charsmap`: the length of the trie in bytes, the trie, and the replacements. No bytes are a
    /// table without entries.
    ///
    /// # Errors
    /// If the lengths do not fit, or the replacements are no UTF-8.
    pub fn read(bytes: &[u8]) -> Result<Self, SentencePieceFault> {
        if bytes.is_empty() {
            return Ok(CharacterMap::default());
        }
        let parsed = || {
            let (length, rest) = bytes.split_first_chunk::<4>()?;
            let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
            let (trie, replacements) = rest.split_at_checked(length)?;
            let (units, odd) = trie.as_chunks::<4>();
            let units = units.iter().map(|&unit| u32::from_le_bytes(unit));
            (odd.is_empty()).then_some(())?;
            Some(CharacterMap {
                units: units.collect(),
                replacements: std::str::from_utf8(replacements).ok()?.to_owned(),
            })
        };
        parsed().ok_or(SentencePieceFault::CharacterMap)
    }

    /// Returns the replacement of the longest beginning of `text` that has one, and the length of that beginning in
    /// bytes. A damaged table has fewer entries.
    pub fn longest(&self, text: &str) -> Option<(&str, usize)> {
        let mut longest = None;
        let unit = |at: usize| self.units.get(at).copied();
        let mut node = offset(unit(0)?);
        for (index, byte) in text.bytes().enumerate() {
            node ^= usize::from(byte);
            let Some(found) = unit(node).filter(|&unit| label(unit) == u32::from(byte)) else {
                break;
            };
            node ^= offset(found);
            if has_leaf(found) {
                longest = unit(node).map(|leaf| (leaf & !VALUE_MARK, index + 1));
            }
        }
        let (start, length) = longest?;
        let rest = self.replacements.get(start as usize..)?;
        let replacement = rest.split('\0').next()?;
        text.is_char_boundary(length)
            .then_some((replacement, length))
    }
}

/// The bit that marks a unit as a value.
const VALUE_MARK: u32 = 1 << 31;

/// Returns the byte of the edge to a unit; a value has no such label.
fn label(unit: u32) -> u32 {
    unit & (VALUE_MARK | 0xff)
}

/// Returns true if an entry ends at the unit.
fn has_leaf(unit: u32) -> bool {
    unit >> 8 & 1 == 1
}

/// Returns the distance from a unit to its children.
fn offset(unit: u32) -> usize {
    let is_far = unit >> 9 & 1 == 1;
    ((unit >> 10) << if is_far { 8 } else { 0 }) as usize
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A table that replaces `a` by `xy` and `ab` by nothing.
    pub fn table() -> Vec<u8> {
        // The children of a unit are at its own place and its offset, exclusive or the byte.
        let mut units = vec![0u32; 512];
        let (a, b) = (usize::from(b'a'), usize::from(b'b'));
        units[0] = 1 << 10;
        let first = 1 ^ a;
        units[first] = u32::from(b'a') | 1 << 8 | 256 << 10;
        let after = first ^ 256;
        units[after] = VALUE_MARK;
        let second = after ^ b;
        units[second] = u32::from(b'b') | 1 << 8 | 3 << 10;
        units[second ^ 3] = VALUE_MARK | 3;
        let trie: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let length = (trie.len() as u32).to_le_bytes();
        [&length[..], &trie, b"xy\0\0"].concat()
    }

    #[test]
    fn the_longest_entry_counts() {
        let map = CharacterMap::read(&table()).unwrap();
        assert_eq!(map.longest("ac"), Some(("xy", 1)));
        assert_eq!(map.longest("abc"), Some(("", 2)));
        assert_eq!(map.longest("b"), None);
        assert_eq!(CharacterMap::default().longest("a"), None);
    }

    #[test]
    fn a_damaged_table_is_refused() {
        let table = table();
        for damaged in [
            &table[..3],
            &table[..100],
            &[1, 0, 0, 0, 9],
            &[2, 0, 0, 0, 9],
        ] {
            assert!(CharacterMap::read(damaged).is_err());
        }
    }

    proptest! {
        #[test]
        fn any_table_gives_stretches_of_the_text(trie: Vec<u32>, strings: String, text: String) {
            let map = CharacterMap { units: trie, replacements: strings };
            if let Some((_, length)) = map.longest(&text) {
                prop_assert!(text.is_char_boundary(length) && length > 0);
            }
        }
    }
}
