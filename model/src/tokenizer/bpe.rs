//! Byte-pair encoding: characters are merged, the pair learnt first going first
//! (Sennrich, Haddow and Birch, <https://arxiv.org/abs/1508.07909>).

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use super::{file::BpeModel, piece::Piece};

/// A trained byte-pair encoding.
#[derive(Clone, Debug)]
pub struct Bpe {
    vocabulary: HashMap<String, u32>,
    /// What two tokens become, and how early that was learnt.
    merges: HashMap<(u32, u32), Merge>,
    unknown: Option<u32>,
    fuse_unknown: bool,
    whole_words: bool,
}

#[derive(Clone, Copy, Debug)]
struct Merge {
    rank: usize,
    token: u32,
}

/// A token on its way: which characters it stands for and which tokens stand beside it.
#[derive(Clone, Debug)]
struct Symbol {
    token: u32,
    range: Range<usize>,
    previous: Option<usize>,
    next: Option<usize>,
    merged: bool,
}

impl Bpe {
    /// Checks that merges make tokens that are there.
    pub fn new(model: BpeModel) -> Result<Self, String> {
        let token = |text: &str| {
            let found = model.vocab.get(text).copied();
            found.ok_or_else(|| format!("`{text}` is merged, but is no token"))
        };
        let mut merges = HashMap::with_capacity(model.merges.len());
        for (rank, pair) in model.merges.iter().enumerate() {
            let (left, right) = pair.parts().ok_or("a merge does not name two tokens")?;
            let merged = Merge {
                rank,
                token: token(&format!("{left}{right}"))?,
            };
            merges.insert((token(left)?, token(right)?), merged);
        }
        let unknown = model.unk_token.as_deref();
        Ok(Bpe {
            merges,
            unknown: unknown.map(token).transpose()?,
            fuse_unknown: model.fuse_unk,
            whole_words: model.ignore_merges,
            vocabulary: model.vocab,
        })
    }

    /// The tokens of a piece and the characters each stands for.
    pub fn tokens(&self, piece: &Piece) -> Vec<(u32, Range<usize>)> {
        if self.whole_words
            && let Some(&token) = self.vocabulary.get(&piece.text())
        {
            return vec![(token, 0..piece.len())];
        }
        let mut symbols = self.symbols(piece);
        self.merge(&mut symbols);
        let left = symbols.into_iter().filter(|symbol| !symbol.merged);
        left.map(|symbol| (symbol.token, symbol.range)).collect()
    }

    /// One symbol a character; unknown ones in a row are one where the file says so.
    fn symbols(&self, piece: &Piece) -> Vec<Symbol> {
        let mut found: Vec<(u32, Range<usize>, bool)> = Vec::with_capacity(piece.len());
        for (index, character) in piece.characters().iter().enumerate() {
            let known = self
                .vocabulary
                .get(character.encode_utf8(&mut [0; 4]) as &str);
            match (known, self.unknown, found.last_mut()) {
                (Some(&token), _, _) => found.push((token, index..index + 1, false)),
                (None, Some(_), Some((_, range, true))) if self.fuse_unknown => {
                    range.end = index + 1;
                }
                (None, Some(token), _) => found.push((token, index..index + 1, true)),
                (None, None, _) => {}
            }
        }
        let count = found.len();
        let symbols = found.into_iter().enumerate();
        let symbols = symbols.map(|(index, (token, range, _))| Symbol {
            token,
            range,
            previous: index.checked_sub(1),
            next: Some(index + 1).filter(|&next| next < count),
            merged: false,
        });
        symbols.collect()
    }

    /// Merges pairs, the earliest learnt first, of equals the leftmost.
    fn merge(&self, symbols: &mut [Symbol]) {
        let mut queue: BinaryHeap<Reverse<(usize, usize, u32)>> = BinaryHeap::new();
        for left in 0..symbols.len() {
            queue.extend(self.candidate(symbols, left));
        }
        while let Some(Reverse((_, left, token))) = queue.pop() {
            // The queue may still hold pairs that are no longer there.
            let pair = self.pair(symbols, left);
            let Some((right, _)) = pair.filter(|(_, merge)| merge.token == token) else {
                continue;
            };
            let (end, next) = (symbols[right].range.end, symbols[right].next);
            symbols[right].merged = true;
            symbols[left].token = token;
            symbols[left].range.end = end;
            symbols[left].next = next;
            if let Some(next) = next {
                symbols[next].previous = Some(left);
            }
            queue.extend(self.candidate(symbols, left));
            if let Some(previous) = symbols[left].previous {
                queue.extend(self.candidate(symbols, previous));
            }
        }
    }

    fn candidate(&self, symbols: &[Symbol], left: usize) -> Option<Reverse<(usize, usize, u32)>> {
        let (_, merge) = self.pair(symbols, left)?;
        Some(Reverse((merge.rank, left, merge.token)))
    }

    /// The symbol to the right of `left`, and what the two become.
    fn pair(&self, symbols: &[Symbol], left: usize) -> Option<(usize, Merge)> {
        let symbol = symbols.get(left).filter(|symbol| !symbol.merged)?;
        let right = symbol.next?;
        let merge = self.merges.get(&(symbol.token, symbols[right].token))?;
        Some((right, *merge))
    }
}
