//! A key is used by one step only, whatever its holes hold; so is a key that a step had before, or that is retired.

use crate::diag::Errors;
use crate::key::witness;
use crate::model::{Step, Text, WorkflowArgs};

/// A key, and what is known by it.
struct Key<'a> {
    text: &'a Text,
    noun: &'static str,
    is_former: bool,
    /// The step; `None` for what is retired.
    step: Option<&'a Step>,
}

pub(super) fn check(args: &WorkflowArgs, steps: &[Step], errors: &mut Errors) {
    let present = steps.iter().filter_map(|step| Some(Key::of(step, step.args.key.as_ref()?, false)));
    let former = steps.iter().flat_map(|step| step.args.formerly.iter().map(|text| Key::of(step, text, true)));
    let retired = args.retired.iter().map(|text| Key { text, noun: "step", is_former: true, step: None });
    let keys: Vec<Key<'_>> = present.chain(former).chain(retired).collect();
    for (at, key) in keys.iter().enumerate() {
        // One mistake for each key, however many others it meets.
        let meeting = keys[..at]
            .iter()
            .filter(|earlier| are_together(earlier, key))
            .find_map(|earlier| Some((earlier, witness(&earlier.text.template, &key.text.template)?)));
        if let Some((earlier, witness)) = meeting {
            report(earlier, key, &witness, errors);
        }
    }
}

impl<'a> Key<'a> {
    fn of(step: &'a Step, text: &'a Text, is_former: bool) -> Self {
        Self { text, noun: step.args.kind.noun(), is_former, step: Some(step) }
    }
}

/// Whether two keys can be in one build. Under different `#[cfg(..)]` they may be alternatives; if they are not, the
/// second is refused when it is reached. A step may have had a key that can meet its own: the format of a hole differs.
fn are_together(one: &Key<'_>, other: &Key<'_>) -> bool {
    let (Some(one), Some(other)) = (one.step, other.step) else { return true };
    !std::ptr::eq(one, other) && (one.cfgs.starts_with(&other.cfgs) || other.cfgs.starts_with(&one.cfgs))
}

fn report(earlier: &Key<'_>, key: &Key<'_>, witness: &str, errors: &mut Errors) {
    let (first, second) = (earlier.text.literal.value(), key.text.literal.value());
    let text = match (key.step, key.is_former) {
        (None, _) => format!(
            "the code still has the key \"{witness}\", so it is not retired: take it out of `retired`, or, if the {} had it before, out of its `formerly`",
            earlier.noun
        ),
        (_, true) => format!(
            "two can have had the key \"{witness}\", and what is recorded under it belongs to one: take it out of one of them"
        ),
        (_, false) if first == second => format!(
            "the key \"{second}\" is used twice in this workflow: a {} is known by its key alone, so give this one another",
            key.noun
        ),
        (_, false) => format!(
            "the keys \"{first}\" and \"{second}\" can both become \"{witness}\": begin each with a part of its own, as in \"pay/{{id}}\" and \"mail/{{id}}\""
        ),
    };
    errors.at(key.text.literal.span(), text);
    let other = if key.step.is_none() { "the" } else { "the other" };
    errors.at(earlier.text.literal.span(), format!("{other} {} is here", earlier.noun));
}
