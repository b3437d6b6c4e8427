//! How often a loop goes round, where the log tells: its steps are named for the elements of a recorded list.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::core::key::{self, Hole};
use crate::core::outline::OutlineStep;
use crate::core::state::{Run, State};

/// How many keys of this shape the run comes to. Known where its template has one hole, and what fills the hole in every key that
/// is recorded is an element of one and the same list among the inputs, or the named field of one.
pub fn of_loop(state: &State, run: &str, step: &OutlineStep) -> Option<usize> {
    let at = state.runs.get(run)?;
    let (before, behind) = step.shape.split_once("{}").filter(|(_, behind)| !behind.contains("{}"))?;
    let (_, hole) = step.key.split_once('{')?;
    let path = hole.split('}').next()?.split('.').skip(1).collect::<Vec<_>>();
    let recorded = state.steps.of_run(run).filter(|(_, recorded)| *recorded.shape == *step.shape);
    let filled =
        recorded.map(|(own, _)| own.strip_prefix(before)?.strip_suffix(behind)).collect::<Option<HashSet<_>>>()?;
    let fits = |names: &HashSet<String>| !filled.is_empty() && filled.iter().all(|hole| names.contains(*hole));
    let mut lists = lists(at).filter_map(|list| names(&list, &path)).filter(fits);
    // Two lists that both fit tell nothing.
    lists.next().map(|names| names.len()).filter(|_| lists.next().is_none())
}

fn lists(run: &Run) -> impl Iterator<Item = Vec<Value>> {
    let inputs: HashMap<_, _> = run.defaults.iter().chain(&run.inputs).collect();
    inputs.into_values().filter(|input| input.apart().is_none()).filter_map(|input| {
        let items: Vec<&RawValue> = serde_json::from_str(input.get()).ok()?;
        items.into_iter().map(|item| serde_json::from_str(item.get()).ok()).collect()
    })
}

/// What each element puts into the hole; `None` if one puts nothing there.
fn names(list: &[Value], path: &[&str]) -> Option<HashSet<String>> {
    let field = |item: &Value, field: &&str| match field.parse::<usize>() {
        Ok(place) => item.get(place).cloned(),
        Err(_) => item.get(*field).cloned(),
    };
    let names = list.iter().map(|item| {
        let found = path.iter().try_fold(item.clone(), |item, name| field(&item, name))?;
        let text = match found {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        key::fill(&["", ""], &[Hole::Part(&text)]).ok()
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_element_of_a_list_is_named_by_itself_or_by_its_field() {
        let named = |list: Value, path: &[&str]| names(list.as_array().unwrap(), path).map(|names| names.len());
        assert_eq!(named(json!(["ada", "bob", "a/b"]), &[]), Some(3));
        assert_eq!(named(json!([{ "id": 1 }, { "id": 2 }]), &["id"]), Some(2));
        assert_eq!(named(json!([["x", 1], ["y", 2]]), &["0"]), Some(2));
        assert_eq!(named(json!([{ "id": 1 }, {}]), &["id"]), None);
        assert_eq!(named(json!(["", "x"]), &[]), None);
        assert!(names(&[json!("a/b")], &[]).unwrap().contains("a%2Fb"));
    }
}
