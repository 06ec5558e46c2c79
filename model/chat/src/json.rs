//! Values as JSON, as Python's `json.dumps` spells them.

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// Returns the value as JSON, with `indent` spaces for each level on lines of their own, or on one line.
///
/// # Errors
/// If the value is none that JSON has.
pub fn spelled(value: &Value, indent: Option<usize>) -> Result<String, Error> {
    let mut text = String::new();
    write(value, indent, 0, &mut text)?;
    Ok(text)
}

fn write(
    value: &Value,
    indent: Option<usize>,
    level: usize,
    text: &mut String,
) -> Result<(), Error> {
    match value.kind() {
        ValueKind::None => text.push_str("null"),
        ValueKind::Bool => text.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => text.push_str(&value.to_string()),
        ValueKind::String => text.push_str(&quoted(value)),
        ValueKind::Map => {
            let mut entries = Vec::new();
            for key in value.try_iter()? {
                entries.push((Some(quoted(&key)), value.get_item(&key)?));
            }
            write_all(['{', '}'], &entries, indent, level, text)?;
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let items: Vec<_> = value.try_iter()?.map(|item| (None, item)).collect();
            write_all(['[', ']'], &items, indent, level, text)?;
        }
        kind => {
            let reason = format!("tojson: a value of type {kind} is none of JSON");
            return Err(Error::new(ErrorKind::InvalidOperation, reason));
        }
    }
    Ok(())
}

fn write_all(
    [open, close]: [char; 2],
    entries: &[(Option<String>, Value)],
    indent: Option<usize>,
    level: usize,
    text: &mut String,
) -> Result<(), Error> {
    let line = |level: usize, text: &mut String| {
        if let Some(indent) = indent {
            text.push('\n');
            text.push_str(&" ".repeat(indent.min(16) * level));
        }
    };
    text.push(open);
    for (place, (key, value)) in entries.iter().enumerate() {
        if place > 0 {
            text.push_str(if indent.is_some() { "," } else { ", " });
        }
        line(level + 1, text);
        if let Some(key) = key {
            text.push_str(key);
            text.push_str(": ");
        }
        write(value, indent, level + 1, text)?;
    }
    if !entries.is_empty() {
        line(level, text);
    }
    text.push(close);
    Ok(())
}

/// Returns the value as a JSON string; characters beyond ASCII stay, as `transformers` asks for.
fn quoted(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    serde_json::Value::from(text).to_string()
}
