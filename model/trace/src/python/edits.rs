//! The edits of a pass as hooks.

use super::{NoPython, Pass, add, family::Family, inputs};
use crate::{AttentionKind, AttentionLayer, Edit};

/// Multiplies, or replaces, what one head puts into the output projection.
const HEADS: &str = r#"def change_head(projection, width, head, change):
    """Changes a head's weighted values, which the output projection reads side by side with those of the others."""

    def hook(_module, inputs):
        values = inputs[0].clone()
        own = slice(head * width, (head + 1) * width)
        values[..., own] = change(values[..., own])
        return (values, *inputs[1:])

    return projection.register_forward_pre_hook(hook)


"#;

const MEANS: &str = r#"def mean_of_head(projection, width, head, **inputs):
    """The mean of a head's weighted values over the positions of a pass without edits."""
    found = []
    hook = projection.register_forward_pre_hook(lambda _module, inputs: found.append(inputs[0]))
    with torch.no_grad():
        model(**inputs)
    hook.remove()
    return found[0][0, :, head * width : (head + 1) * width].double().mean(0).float()


"#;

const WEIGHTS: &str = r#"changes = {}
modeling = importlib.import_module(type(model).__module__)
original = modeling.eager_attention_forward


def attend(module, query, key, value, *arguments, **rest):
    """Attention whose weights are changed before they weigh the values."""
    output, weights = original(module, query, key, value, *arguments, **rest)
    if module in changes:
        weights = weights.clone()
        for change in changes[module]:
            change(weights)
        value = value.repeat_interleave(weights.shape[1] // value.shape[1], dim=1)
        output = (weights @ value).transpose(1, 2)
    return output, weights


modeling.eager_attention_forward = attend


def change_weights(module, change):
    changes.setdefault(module, []).append(change)


"#;

const UNIFORM: &str = r#"def uniform(weights, heads=slice(None)):
    """Gives every key that a query sees the same weight."""
    seen = (weights[:, heads] > 0).float()
    weights[:, heads] = seen / seen.sum(-1, keepdim=True)


"#;

const SHUFFLE: &str = r#"def splitmix(state):
    """One step of SplitMix64 (Steele et al. 2014)."""
    mask = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & mask
    return state ^ (state >> 31)


def shuffle(weights, seed, kind, layer, is_causal, heads=None):
    """Puts the weights of each row in an order that the seed decides."""
    for head in heads or range(weights.shape[1]):
        for query in range(weights.shape[2]):
            state = splitmix(seed)
            for part in (kind, layer, head, query):
                state = splitmix(state ^ part)
            seen = query + 1 if is_causal else weights.shape[3]
            order = sorted(range(seen), key=lambda key: (splitmix(state ^ key), key))
            weights[:, head, query, :seen] = weights[:, head, query, order]


"#;

const GIVEN: &str = r#"def give(weights, head, query, given):
    """Gives some weights of a row; the others, scaled, share what is left."""
    keys = list(given)
    others = weights[:, head, query].double()
    others[:, keys] = 0.0
    others *= (1.0 - sum(given.values())) / others.sum(-1, keepdim=True)
    others[:, keys] = torch.tensor([list(given.values())], dtype=torch.double)
    weights[:, head, query] = others.float()


"#;

/// A row of a head's weights: attention, head and query.
type Row = (AttentionLayer, usize, usize);

/// The weights that are given to keys of each row.
type Given = Vec<(Row, Vec<(usize, f32)>)>;

/// The calls of hooks, in the order in which a pass makes the edits.
#[derive(Default)]
struct Calls {
    /// The inputs of passes that means are taken over, each once.
    reads: Vec<String>,
    means: String,
    heads: String,
    uniform: String,
    shuffled: String,
    given: Given,
}

/// Returns the hooks of a pass; nothing without edits.
pub(super) fn code(pass: Pass<'_>, family: Family) -> Result<String, NoPython> {
    let mut calls = Calls::default();
    for (place, edit) in pass.edits.iter().enumerate() {
        calls.add(pass, family, (place, edit))?;
    }
    let mut given = String::new();
    for ((attention, head, query), weights) in &calls.given {
        let module = family.attention(*attention).ok_or(NoPython::Edit)?;
        let weights: Vec<String> = weights
            .iter()
            .map(|(key, weight)| format!("{key}: {weight:?}"))
            .collect();
        add(
            &mut given,
            format!(
                "change_weights({module}, lambda weights: give(weights, {head}, {query}, {{{}}}))\n",
                weights.join(", ")
            ),
        );
    }
    let changes_weights = [&calls.uniform, &calls.shuffled, &given];
    let changes_weights = changes_weights.iter().any(|calls| !calls.is_empty());
    let parts = [
        (HEADS, !calls.heads.is_empty()),
        (MEANS, !calls.means.is_empty()),
        (WEIGHTS, changes_weights),
        (UNIFORM, !calls.uniform.is_empty()),
        (SHUFFLE, !calls.shuffled.is_empty()),
        (GIVEN, !given.is_empty()),
    ];
    let parts = parts.into_iter().filter(|(_, is_used)| *is_used);
    let parts: String = parts.map(|(part, _)| part).collect();
    let mut code = match parts.is_empty() {
        true => parts,
        // Two lines before a function, of which the caller puts one.
        false => format!("\n{parts}"),
    };
    for (place, read) in calls.reads.iter().enumerate() {
        add(&mut code, format!("unedited_{place} = dict({read})\n"));
    }
    for calls in [
        calls.means,
        calls.heads,
        calls.uniform,
        calls.shuffled,
        given,
    ] {
        code.push_str(&calls);
    }
    Ok(code)
}

impl Calls {
    /// Returns the variable with an input that a mean is taken over.
    fn read(&mut self, inputs: String) -> String {
        let known = self.reads.iter().position(|read| *read == inputs);
        let place = known.unwrap_or_else(|| {
            self.reads.push(inputs);
            self.reads.len() - 1
        });
        format!("unedited_{place}")
    }

    fn add(
        &mut self,
        pass: Pass<'_>,
        family: Family,
        (place, edit): (usize, &Edit),
    ) -> Result<(), NoPython> {
        let spec = &pass.meta.spec;
        let module = |attention| family.attention(attention).ok_or(NoPython::Edit);
        let projection = |attention: AttentionLayer| {
            let width = spec
                .attention(attention.kind)
                .ok_or(NoPython::Edit)?
                .head_width;
            let module = family.projection(attention).ok_or(NoPython::Edit)?;
            Ok((module, width))
        };
        match edit {
            Edit::ScaleHead {
                attention,
                head,
                factor,
            } => {
                let (module, width) = projection(*attention)?;
                add(
                    &mut self.heads,
                    format!(
                        "change_head({module}, {width}, {head}, lambda values: {factor:?} * values)\n"
                    ),
                );
            }
            Edit::SetHead { attention, head, z } => {
                let (module, width) = projection(*attention)?;
                add(
                    &mut self.heads,
                    format!(
                        "change_head({module}, {width}, {head}, lambda values: torch.tensor({z:?}).expand_as(values))\n"
                    ),
                );
            }
            Edit::MeanHead {
                attention,
                head,
                text,
                target,
            } => {
                // Only the text on screen is here as tokens.
                if text != pass.text {
                    return Err(NoPython::Edit);
                }
                let (module, width) = projection(*attention)?;
                let read = self.read(read_for_mean(pass, target));
                add(
                    &mut self.means,
                    format!("mean_{place} = mean_of_head({module}, {width}, {head}, **{read})\n"),
                );
                add(
                    &mut self.heads,
                    format!(
                        "change_head({module}, {width}, {head}, lambda values: mean_{place}.expand_as(values))\n"
                    ),
                );
            }
            Edit::Uniform { attention, head } => {
                let module = module(*attention)?;
                let heads = head.map(|head| format!(", [{head}]")).unwrap_or_default();
                add(
                    &mut self.uniform,
                    format!("change_weights({module}, lambda weights: uniform(weights{heads}))\n"),
                );
            }
            Edit::Shuffle {
                attention,
                head,
                seed,
            } => {
                let stack = spec.attention(attention.kind).ok_or(NoPython::Edit)?;
                let AttentionLayer { kind, layer } = *attention;
                let is_self = kind != AttentionKind::Cross;
                if is_self && stack.attention_in(layer).window.is_some() {
                    return Err(NoPython::Edit);
                }
                let module = module(*attention)?;
                let number = match kind {
                    AttentionKind::EncoderSelf => 0,
                    AttentionKind::DecoderSelf => 1,
                    AttentionKind::Cross => 2,
                };
                let is_causal = if stack.causal && is_self {
                    "True"
                } else {
                    "False"
                };
                let heads = head.map(|head| format!(", [{head}]")).unwrap_or_default();
                add(
                    &mut self.shuffled,
                    format!(
                        "change_weights({module}, lambda weights: shuffle(weights, {seed}, {number}, {layer}, {is_causal}{heads}))\n"
                    ),
                );
            }
            Edit::SetWeight {
                attention,
                head,
                query,
                key,
                weight,
            } => {
                let row = (*attention, *head, *query);
                match self.given.iter_mut().find(|(given, _)| *given == row) {
                    Some((_, weights)) => weights.push((*key, *weight)),
                    None => self.given.push((row, vec![(*key, *weight)])),
                }
            }
            Edit::Pattern { .. }
            | Edit::ScaleKey { .. }
            | Edit::GroupKeyValues { .. }
            | Edit::Replace { .. }
            | Edit::Patch { .. }
            | Edit::ReplaceRows { .. }
            | Edit::PatchRows { .. }
            | Edit::Permute { .. }
            | Edit::WithoutPositions
            | Edit::WithoutCausality
            | Edit::Window { .. }
            | Edit::StretchRope { .. }
            | Edit::Halt { .. } => return Err(NoPython::Edit),
        }
        Ok(())
    }
}

/// Returns the input whose pass a mean is taken over: the text on screen with other target tokens.
fn read_for_mean(pass: Pass<'_>, target: &[u32]) -> String {
    let meta = pass.meta;
    let kept = match meta.spec.encoder {
        // The start token.
        Some(_) => meta.target.get(..1),
        None => meta.target.get(..pass.prompt),
    };
    let kept = kept.unwrap_or(&meta.target).iter().map(|token| token.id);
    let read: Vec<u32> = kept.chain(target.iter().copied()).collect();
    inputs(pass, "source", &format!("torch.tensor([{read:?}])"))
}
