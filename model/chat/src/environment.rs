//! The engine with what `transformers` gives to templates: its settings, functions and filters.

use attention_trace::TemplateFault;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, Value};
use minijinja_contrib::pycompat::unknown_method_callback;

use crate::date::Date;
use crate::json;

/// The work that a template may do: a long conversation takes a thousandth of it, and an endless loop ends within a
/// second.
const FUEL: u64 = 20_000_000;

/// Returns an engine in which today is `date`.
pub fn environment(date: Date) -> Environment<'static> {
    let mut engine = Environment::new();
    engine.set_fuel(Some(FUEL));
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    // The delimiters are Jinja's own, which do not clash.
    if let Ok(syntax) = syntax {
        engine.set_syntax(syntax);
    }
    engine.set_unknown_method_callback(unknown_method_callback);
    // A prompt is no HTML.
    engine.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    engine.add_function("raise_exception", |reason: String| {
        Err::<Value, Error>(Error::new(ErrorKind::InvalidOperation, reason))
    });
    engine.add_function("strftime_now", move |format: String| {
        date.formatted(&format)
            .map_err(|reason| Error::new(ErrorKind::InvalidOperation, reason))
    });
    engine.add_filter("tojson", |value: Value, options: Kwargs| {
        let indent: Option<usize> = options.get("indent")?;
        // Python's other options change the order and the separators, which no template of a model asks for.
        json::spelled(&value, indent)
    });
    engine
}

/// Returns the fault of a template in the words of the engine, or of the template itself.
pub fn fault(error: &Error) -> TemplateFault {
    let kind = error.kind();
    let reason = match (kind, error.detail()) {
        (ErrorKind::OutOfFuel, _) => "it takes too long".to_owned(),
        (ErrorKind::InvalidOperation, Some(detail)) => detail.to_owned(),
        (_, Some(detail)) => format!("{kind}: {detail}"),
        (_, None) => kind.to_string(),
    };
    TemplateFault {
        line: error.line(),
        reason,
    }
}

/// Replaces the tags around what the model is trained to write, `generation` and `endgeneration`, which change nothing of
/// the text, by tags of the same effect on white space.
pub fn without_generation_tags(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find("{%") {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        let end = tag.find("%}").map_or(tag.len(), |end| end + 2);
        let (tag, after) = tag.split_at(end);
        let name = tag.trim_start_matches(['{', '%', '-', '+']);
        let name = name.trim_end_matches(['}', '%', '-', '+']).trim();
        match name {
            "generation" => text.push_str(&tag.replace(name, "if true")),
            "endgeneration" => text.push_str(&tag.replace(name, "endif")),
            _ => text.push_str(tag),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_of_training_are_replaced_and_others_are_not() {
        let source =
            "a {%- generation -%} {{ generation }}{% endgeneration %}{% set generation = 1 %}";
        let expected = "a {%- if true -%} {{ generation }}{% endif %}{% set generation = 1 %}";
        assert_eq!(without_generation_tags(source), expected);
        assert_eq!(without_generation_tags("a {% b"), "a {% b");
    }
}
