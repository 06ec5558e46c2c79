//! Lengths of texts whose maps fit in memory.

use std::collections::BTreeSet;

use crate::site::AttentionLayer;
use crate::{ModelSpec, Quantities, Site};

/// The limit on the attention weights of a whole pass, in bytes, with the arrays that a layer is computed with. In a
/// browser an engine has 4 GiB at most for them, the model and all else, on a phone perhaps an eighth of that, and a result
/// is copied to the page.
pub const PATTERN_BYTES: usize = match cfg!(target_family = "wasm") {
    true => 1 << 28,
    false => 1 << 30,
};

/// Arrays as large as a layer's attention weights that it is computed with: its scores, with bias or mask, and their
/// exponentials.
const BESIDE_WEIGHTS: usize = 3;

impl ModelSpec {
    /// The most tokens of an input: no more than the model has positions for, and no more than the attention weights of a
    /// layer fit in memory for ([`PATTERN_BYTES`]), a source and a target of this length being counted where there are
    /// both.
    pub fn longest_input(&self) -> usize {
        self.longest_recorded(0)
    }

    /// Returns the most tokens of an input, as [`longest_input`](Self::longest_input) does, for a pass that records this many
    /// maps.
    pub fn longest_recorded(&self, maps: usize) -> usize {
        let kinds = self.kinds();
        let computed = kinds.iter().map(|&kind| self.heads(kind)).max();
        // A map that is recorded is one of those that its layer is computed with.
        let heads = (maps + BESIDE_WEIGHTS * computed.unwrap_or_default())
            .max((1 + BESIDE_WEIGHTS) * computed.unwrap_or_default());
        let weights = PATTERN_BYTES / size_of::<f32>() / heads.max(1);
        let in_memory = weights.isqrt();
        self.max_tokens
            .map_or(in_memory, |limit| limit.min(in_memory))
    }

    /// Returns the number of maps in the array at a site: that of its heads, and none for other quantities.
    pub fn maps(&self, site: Site) -> usize {
        match AttentionLayer::try_from(site.block) {
            Ok(attention) if site.quantity.is_map() => self.heads(attention.kind),
            _ => 0,
        }
    }

    /// Returns the number of maps that a pass records of these quantities.
    pub fn recorded_maps(&self, quantities: Quantities) -> usize {
        let wanted = self
            .sites()
            .filter(|site| quantities.contains(site.quantity));
        wanted.map(|site| self.maps(site)).sum()
    }

    /// Divides sites so that, with inputs of so many tokens, the maps of each part fit in memory. A site that does not fit
    /// is alone.
    pub fn passes(&self, sites: &BTreeSet<Site>, tokens: usize) -> Vec<BTreeSet<Site>> {
        let (mut passes, mut maps) = (vec![BTreeSet::new()], 0);
        for &site in sites {
            let more = self.maps(site);
            let is_too_much = maps > 0 && self.longest_recorded(maps + more) < tokens;
            if is_too_much && more > 0 {
                passes.push(BTreeSet::new());
                maps = 0;
            }
            maps += more;
            if let Some(pass) = passes.last_mut() {
                pass.insert(site);
            }
        }
        passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantity;
    use crate::spec::tests::{decoder_only, encoder_decoder};

    #[test]
    fn an_input_is_as_long_as_positions_and_memory_allow() {
        let unlimited = |spec| ModelSpec {
            max_tokens: None,
            ..spec
        };
        assert_eq!(encoder_decoder().longest_input(), 16);
        let computed = 3 * 2;
        for (spec, maps, heads) in [
            (encoder_decoder(), 0, 2 + computed),
            (decoder_only(), 0, 2 + computed),
            (encoder_decoder(), 3 * 3 * 2, 3 * 3 * 2 + computed),
            (decoder_only(), 3 * 2, 3 * 2 + computed),
        ] {
            let longest = unlimited(spec).longest_recorded(maps);
            let bytes = |tokens: usize| heads * tokens * tokens * size_of::<f32>();
            assert!(bytes(longest) <= PATTERN_BYTES && bytes(longest + 1) > PATTERN_BYTES);
        }
    }

    #[test]
    fn maps_are_divided_so_that_each_part_fits() {
        let spec = ModelSpec {
            max_tokens: None,
            ..decoder_only()
        };
        let maps = |site: &Site| spec.maps(*site);
        let wanted = |site: &Site| [Quantity::Pattern, Quantity::Out].contains(&site.quantity);
        let sites: BTreeSet<Site> = spec.sites().filter(wanted).collect();
        assert_eq!(sites.iter().map(maps).sum::<usize>(), 3 * 2);
        assert_eq!(spec.passes(&sites, 16), std::slice::from_ref(&sites));
        let tokens = spec.longest_recorded(2 * 2);
        assert_eq!(spec.passes(&sites, tokens).len(), 2);
        let passes = spec.passes(&sites, spec.longest_input());
        assert_eq!(passes.len(), 3);
        assert!(
            passes
                .iter()
                .all(|pass| pass.iter().map(maps).sum::<usize>() == 2)
        );
        assert_eq!(passes.into_iter().flatten().collect::<BTreeSet<_>>(), sites);
        assert_eq!(spec.passes(&BTreeSet::new(), 16), [BTreeSet::new()]);
    }
}
