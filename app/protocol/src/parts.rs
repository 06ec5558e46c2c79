//! The names of weights in several files: `model-00001-of-00003.safetensors`.

/// The largest number of parts.
const MOST_PARTS: usize = 1000;

/// Returns the places of all parts of the weights among these names, in the order of the parts; none if a part is missing.
pub fn parts_of_weights(names: &[&str]) -> Vec<usize> {
    let count = names.iter().find_map(|name| count_of_parts(name));
    let parts = 1..=count.unwrap_or_default();
    let places: Option<Vec<usize>> = parts
        .map(|part| {
            let name = format!("model-{part:05}-of-{:05}.safetensors", count?);
            names.iter().position(|found| **found == name)
        })
        .collect();
    places.unwrap_or_default()
}

/// Returns the number of parts if this is the name of the first.
fn count_of_parts(name: &str) -> Option<usize> {
    let count = name.strip_prefix("model-00001-of-")?;
    // A name with something else than a number is another file's.
    let count = count.strip_suffix(".safetensors")?.parse().ok()?;
    (1..=MOST_PARTS).contains(&count).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_are_found_in_their_order_or_none() {
        let part = |part: usize| format!("model-0000{part}-of-00003.safetensors");
        let all = [part(3), "config.json".to_owned(), part(1), part(2)];
        let names: Vec<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(parts_of_weights(&names), [2, 3, 0]);
        assert_eq!(parts_of_weights(&names[..3]), [0; 0]);
        for count in ["0", "9999999999999999999999", "2x"] {
            let first = format!("model-00001-of-{count}.safetensors");
            assert_eq!(parts_of_weights(&[&first]), [0; 0]);
        }
    }
}
