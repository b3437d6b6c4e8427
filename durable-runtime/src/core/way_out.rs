//! What a person is told who meets a doubt that the program could not end.

use std::fmt;

/// Whom to ask about an effect in doubt, and how the answer is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WayOut {
    /// Full key of the step.
    pub key: String,
    /// Whom to ask.
    pub ask: String,
    /// The type of what the step gives, without its path.
    pub gives: String,
    /// Whether the next start asks a verifier, which may be able to tell by then.
    pub verifies_again: bool,
}

/// The call that leaves a word, as texts name it: a program that speaks to people names its own command instead. So with those
/// below.
pub const POST: &str = "`durable_runtime::post(dir, word)`";

/// The call that vouches for a session.
pub const ADOPT: &str = "`durable_runtime::adopt(dir, \"who\", \"why\")`";

/// The call that looks for damage.
pub const DOCTOR: &str = "`durable_runtime::doctor(dir)`";

/// The call that gives a session its goal.
pub const GOAL: &str = "`Session::builder(..).goal(\"..\")`";

/// The call that answers for an effect, in a text that has named it.
pub const RESOLVE: &str = "`session.resolve(\"..\")`";

/// How a word is said to a session that another process holds.
pub const ELSEWHERE: &str = "while another process holds the session, say the same with `Word::resolve` and leave it with `durable_runtime::post(dir, word)`";

impl fmt::Display for WayOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, ask, gives, verifies_again } = self;
        if *verifies_again {
            f.write_str("start again first, for each start asks its verifier once more; if it still cannot tell, ")?;
        }
        write!(
            f,
            "ask {ask} whether it happened, and answer with `session.resolve(\"{key}\")`: `.happened(&value)` with the `{gives}` that the step would have given, or `.did_not_happen()`, and then `.by(\"who\", \"why\").await`; {ELSEWHERE}"
        )
    }
}

/// The types that are known by their names, and the whole names of those.
const KNOWN: [(&str, &str); 2] =
    [("Approval", "durable_runtime::approval::Approval"), ("String", "alloc::string::String")];

/// The name of a type without the paths to it, which no reader needs, unless another type is known by that.
pub fn short(type_name: &str) -> String {
    let short = pathless(type_name);
    let is_other = KNOWN.iter().any(|(known, whole)| *known == short && *whole != type_name);
    if is_other { type_name.to_owned() } else { short }
}

fn pathless(type_name: &str) -> String {
    let mut short = String::new();
    let mut word = 0;
    let mut rest = type_name;
    while let Some(c) = rest.chars().next() {
        if let Some(behind) = rest.strip_prefix("::") {
            short.truncate(word);
            rest = behind;
            continue;
        }
        short.push(c);
        if !c.is_alphanumeric() && c != '_' {
            word = short.len();
        }
        rest = &rest[c.len_utf8()..];
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_out_is_told_for_this_process_and_for_every_other() {
        let (key, ask, gives) = ("pay//wire".to_owned(), "treasury".to_owned(), "Receipt".to_owned());
        let text = WayOut { key, ask, gives, verifies_again: false }.to_string();
        let told = [
            "ask treasury",
            "session.resolve(\"pay//wire\")",
            "`Receipt`",
            "`Word::resolve`",
            "durable_runtime::post(",
        ];
        assert!(told.iter().all(|words| text.contains(words)), "{text}");
    }

    #[test]
    fn a_type_is_named_without_the_paths_to_it() {
        for (long, name) in [
            ("()", "()"),
            ("u64", "u64"),
            ("alloc::string::String", "String"),
            ("core::option::Option<shop::bank_2::Receipt>", "Option<Receipt>"),
            (std::any::type_name::<crate::Approval>(), "Approval"),
            ("shop::Approval", "shop::Approval"),
            ("(alloc::vec::Vec<u8>, [shop::Id; 3])", "(Vec<u8>, [Id; 3])"),
        ] {
            assert_eq!(short(long), name);
        }
    }
}
