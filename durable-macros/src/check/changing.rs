//! Which methods change what they are called on.

/// What the methods of the standard library's data that change it begin with.
const CHANGING: &[&str] = &[
    "append",
    "by_ref",
    "clear",
    "dedup",
    "drain",
    "entry",
    "extend",
    "fill",
    "get_or_insert",
    "insert",
    "pop",
    "push",
    "remove",
    "resize",
    "retain",
    "reverse",
    "rotate",
    "sort",
    "split_off",
    "swap",
    "take",
    "truncate",
];

/// Those of them that are words of their own, which a type of the user means as they are meant there.
const WORDS: &[&str] = &[
    "append",
    "by_ref",
    "clear",
    "drain",
    "entry",
    "extend",
    "extend_from_slice",
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "pop",
    "pop_back",
    "pop_first",
    "pop_front",
    "pop_last",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "remove",
    "retain",
    "sort",
    "split_off",
    "swap_remove",
    "truncate",
];

/// Methods of an iterator that go on with it.
const NEXT: &[&str] = &["next", "next_back", "next_if", "next_if_eq", "nth", "nth_back"];

/// Methods that lend a part of their data, to be changed.
const LENDING: &[&str] = &[
    "back_mut",
    "chunks_mut",
    "first_mut",
    "front_mut",
    "get_mut",
    "iter_mut",
    "last_mut",
    "peek_mut",
    "values_mut",
    "or_default",
    "or_insert",
    "or_insert_with",
];

/// Methods that pass on what their receiver lends, be it one of many.
const PASSING: &[&str] = &[
    "chain",
    "collect",
    "expect",
    "filter",
    "find",
    "inspect",
    "last",
    "max_by_key",
    "min_by_key",
    "ok_or",
    "ok_or_else",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
    "zip",
];

/// Whether a method with so many arguments changes plain data.
pub(super) fn changes(method: &str, arguments: usize) -> bool {
    let is_either = matches!((method, arguments), ("replace", 2..));
    let begins = CHANGING.iter().any(|start| method.starts_with(start)) || method.starts_with("replace");
    method.ends_with("_mut") || NEXT.contains(&method) || begins && !is_either || method == "replace_range"
}

/// The same of a variable whose type is not known.
pub(crate) fn changes_any(method: &str, arguments: usize) -> bool {
    match method {
        "take" => arguments == 0,
        "replace" | "get_mut" => arguments == 1,
        _ => WORDS.contains(&method) || NEXT.contains(&method) || LENDING.contains(&method),
    }
}

/// Whether it gives a reference by which what it is called on can be changed.
pub(super) fn lends(method: &str) -> bool {
    LENDING.contains(&method)
}

/// Whether what it is called on is lent, and it gives that or a part of it.
pub(super) fn passes_on(method: &str) -> bool {
    PASSING.contains(&method) || NEXT.contains(&method)
}

/// Whether it takes something out, for the step to use.
pub(super) fn takes(method: &str) -> bool {
    let starts = ["pop", "remove", "take", "drain", "replace", "split_off", "swap_remove"];
    NEXT.contains(&method) || starts.iter().any(|start| method.starts_with(start))
}
