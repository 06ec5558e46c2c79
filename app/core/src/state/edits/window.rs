//! A window over the keys of self-attention that the visitor gives, and its spelling in the address.

use std::{fmt, str::FromStr};

use attention_trace::{AttentionKind, AttentionLayer, Edit, ModelSpec, Window};

use super::{
    GivenEdit,
    given::{EditKind, Given, Passes},
};
use crate::state::{counting::Counted, values::AddressValue};

/// At most one window is in effect. Its layer counts from 1.
pub(super) const KIND: EditKind = EditKind {
    entry: "key-window",
    counted: Counted::AfterKind(1),
    most: 1,
    is_switched: false,
    read: |text| text.parse().ok().map(GivenEdit::Window),
};

/// The word for all layers of the writing stack in an address.
const EVERYWHERE: &str = "all";
/// The self-attention of the stack that writes.
const WRITING: AttentionKind = AttentionKind::DecoderSelf;

/// A sliding window over the keys, with the first tokens kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenWindow {
    /// The keys that are left to a query; at least one.
    pub window: Window,
    /// The self-attention that is changed; `None` for all layers of the stack that writes.
    pub layer: Option<AttentionLayer>,
}

impl GivenWindow {
    /// Returns the window in one layer of the stack that writes, or in all of them.
    pub fn of_writing(window: Window, layer: Option<usize>) -> Self {
        let attention = |layer| AttentionLayer {
            kind: WRITING,
            layer,
        };
        GivenWindow {
            window,
            layer: layer.map(attention),
        }
    }

    /// Returns one edit for each layer that is changed.
    pub fn in_layers_of(self, spec: &ModelSpec) -> Vec<Edit> {
        let all = (0..spec.layers(WRITING)).map(|layer| AttentionLayer {
            kind: WRITING,
            layer,
        });
        let attentions = match self.layer {
            Some(attention) => vec![attention],
            None => all.collect(),
        };
        let window = self.window;
        attentions
            .into_iter()
            .map(|attention| Edit::Window { attention, window })
            .collect()
    }
}

impl From<GivenWindow> for GivenEdit {
    fn from(window: GivenWindow) -> Self {
        GivenEdit::Window(window)
    }
}

impl Given for GivenWindow {
    fn is_in(&self, spec: &ModelSpec) -> bool {
        let edits = self.in_layers_of(spec);
        !edits.is_empty() && edits.iter().all(|edit| edit.fault(spec).is_none())
    }

    fn part(&self) -> String {
        String::new()
    }

    fn edits(&self, passes: Passes<'_>) -> Vec<Edit> {
        self.in_layers_of(passes.spec)
    }
}

/// Spells the window as in an address that counts from 0: `4.1.all`, `4.0.decoder.2`, keys, first tokens, layer.
impl fmt::Display for GivenWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Window { keys, first } = self.window;
        match self.layer {
            Some(AttentionLayer { kind, layer }) => {
                write!(f, "{keys}.{first}.{}.{layer}", kind.address_value())
            }
            None => write!(f, "{keys}.{first}.{EVERYWHERE}"),
        }
    }
}

/// A text that does not spell a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoWindow;

impl FromStr for GivenWindow {
    type Err = NoWindow;

    fn from_str(text: &str) -> Result<Self, NoWindow> {
        let number = |digits: &str| digits.parse::<usize>().map_err(|_| NoWindow);
        let words: Vec<&str> = text.split('.').collect();
        let (keys, first, layer) = match words[..] {
            [keys, first, EVERYWHERE] => (keys, first, None),
            [keys, first, kind, layer] => {
                let kind = AttentionKind::from_address_value(kind);
                let kind = kind.filter(|kind| *kind != AttentionKind::Cross);
                let kind = kind.ok_or(NoWindow)?;
                let layer = number(layer)?;
                (keys, first, Some(AttentionLayer { kind, layer }))
            }
            _ => return Err(NoWindow),
        };
        let window = Window {
            keys: number(keys)?,
            first: number(first)?,
        };
        match window.keys {
            0 => Err(NoWindow),
            _ => Ok(GivenWindow { window, layer }),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use attention_trace::config::{BertConfig, LlamaConfig, MarianConfig};
    use proptest::prelude::*;

    use super::*;

    /// Generates windows of any size, in any self-attention.
    pub fn windows() -> impl Strategy<Value = GivenWindow> {
        let kinds = [AttentionKind::EncoderSelf, AttentionKind::DecoderSelf];
        let attention = (prop::sample::select(kinds.to_vec()), any::<usize>());
        let layer = prop::option::of(attention);
        let window = (1..=usize::MAX, any::<usize>(), layer);
        window.prop_map(|(keys, first, layer)| GivenWindow {
            window: Window { keys, first },
            layer: layer.map(|(kind, layer)| AttentionLayer { kind, layer }),
        })
    }

    proptest! {
        #[test]
        fn a_window_survives_the_address(window in windows()) {
            prop_assert_eq!(window.to_string().parse(), Ok(window));
        }
    }

    #[test]
    fn a_window_everywhere_is_one_edit_for_each_layer_that_writes() {
        let edits = |text: &str, spec: &ModelSpec| {
            let window: GivenWindow = text.parse().unwrap();
            (window.is_in(spec), window.in_layers_of(spec).len())
        };
        let translator = MarianConfig {
            encoder_layers: 2,
            decoder_layers: 3,
            ..MarianConfig::default()
        }
        .spec();
        assert_eq!(edits("4.1.all", &translator), (true, 3));
        assert_eq!(edits("4.0.encoder.1", &translator), (true, 1));
        assert_eq!(edits("4.0.decoder.3", &translator), (false, 1));
        let llama = LlamaConfig::default().spec();
        let layers = llama.layers(AttentionKind::DecoderSelf);
        assert_eq!(edits("1.0.all", &llama), (true, layers));
        // It writes nothing.
        assert_eq!(edits("4.1.all", &BertConfig::default().spec()), (false, 0));
    }

    #[test]
    fn junk_is_no_window() {
        for junk in [
            "",
            "4",
            "4.1",
            "0.1.all",
            "4.x.all",
            "-1.0.all",
            "4.1.cross.0",
            "4.1.decoder",
            "4.1.decoder.x",
            "4.1.mixed.0",
            "4.1.decoder.0.0",
        ] {
            assert_eq!(junk.parse::<GivenWindow>(), Err(NoWindow), "{junk}");
        }
    }
}
