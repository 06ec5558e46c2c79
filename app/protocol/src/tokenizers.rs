//! The files that a checkpoint's tokenizer is read from.

/// The file that holds a whole tokenizer.
pub const TOKENIZER: &str = "tokenizer.json";
/// The files of Marian's checkpoints as they are published: they cut the texts of each side, and number the pieces.
pub const MARIAN_TOKENIZER: [&str; 3] = ["source.spm", "target.spm", "vocab.json"];
/// The same where source and target have separate vocabularies.
pub const SEPARATE_TOKENIZER: [&str; 4] = [
    "source.spm",
    "target.spm",
    "vocab.json",
    "target_vocab.json",
];

/// Returns the files of the tokenizer in a folder: `tokenizer.json` if it is there, otherwise all of Marian's; none if
/// neither is there.
pub fn tokenizer_files(is_there: impl Fn(&str) -> bool) -> &'static [&'static str] {
    match () {
        () if is_there(TOKENIZER) => &[TOKENIZER],
        () if SEPARATE_TOKENIZER.into_iter().all(&is_there) => &SEPARATE_TOKENIZER,
        () if MARIAN_TOKENIZER.into_iter().all(&is_there) => &MARIAN_TOKENIZER,
        () => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_or_all_three_are_a_tokenizer() {
        let of = |names: &[&str]| tokenizer_files(|name| names.contains(&name));
        assert_eq!(of(&["vocab.json", TOKENIZER]), [TOKENIZER]);
        assert_eq!(
            of(&["vocab.json", "source.spm", "target.spm"]),
            MARIAN_TOKENIZER
        );
        assert_eq!(
            of(&[
                "target_vocab.json",
                "vocab.json",
                "target.spm",
                "source.spm"
            ]),
            SEPARATE_TOKENIZER
        );
        assert_eq!(of(&["vocab.json", "source.spm"]), [""; 0]);
    }
}
