//! One text for equal values, whatever order a map gave its members in.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::escape::{self, Escape};

/// The same value with the members of every object, and the pairs of every map, sorted. Scalars stay as they are
/// written, digit for digit.
///
/// # Errors
///
/// Fails if the text is no JSON.
pub fn canonical(text: &str) -> Result<String, String> {
    let mut out = String::new();
    write(text, &mut out).map_err(|error| error.to_string())?;
    Ok(out)
}

fn write(text: &str, out: &mut String) -> serde_json::Result<()> {
    match text.as_bytes().first() {
        Some(b'{') => match Escape::of(text) {
            Some(Escape::Map(pairs)) => write_pairs(&pairs, out),
            _ => write_object(text, out),
        },
        Some(b'[') => write_list(text, out),
        _ => {
            out.push_str(text);
            Ok(())
        }
    }
}

fn write_object(text: &str, out: &mut String) -> serde_json::Result<()> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text)?;
    out.push('{');
    for (index, (name, value)) in members.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        out.push_str(&serde_json::to_string(name)?);
        out.push(':');
        write(value.get(), out)?;
    }
    out.push('}');
    Ok(())
}

fn write_pairs(pairs: &[(&str, &str)], out: &mut String) -> serde_json::Result<()> {
    let mut written = Vec::with_capacity(pairs.len());
    for &(key, value) in pairs {
        let mut pair = "[".to_owned();
        write(key, &mut pair)?;
        pair.push(',');
        write(value, &mut pair)?;
        pair.push(']');
        written.push(pair);
    }
    written.sort_unstable();
    out.push_str(&format!("{{\"{}\":[{}]}}", escape::MAP, written.join(",")));
    Ok(())
}

fn write_list(text: &str, out: &mut String) -> serde_json::Result<()> {
    let items: Vec<&RawValue> = serde_json::from_str(text)?;
    out.push('[');
    for (index, item) in items.iter().enumerate() {
        out.push_str(if index == 0 { "" } else { "," });
        write(item.get(), out)?;
    }
    out.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn the_order_of_members_does_not_matter_and_digits_stay() {
        let one = canonical(r#"{"b":[{"y":1.50,"x":340282366920938463463374607431768211455}],"a":null}"#).unwrap();
        assert_eq!(one, r#"{"a":null,"b":[{"x":340282366920938463463374607431768211455,"y":1.50}]}"#);
    }

    #[test]
    fn nor_does_the_order_of_pairs() {
        let one = canonical(r#"{"$map":[[2,{"b":1,"a":2}],[1,{"$map":[[true,1],[false,2]]}]]}"#).unwrap();
        assert_eq!(one, r#"{"$map":[[1,{"$map":[[false,2],[true,1]]}],[2,{"a":2,"b":1}]]}"#);
    }
}
