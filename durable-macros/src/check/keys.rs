//! A key is used by one step only, whatever its holes hold.

use crate::diag::Errors;
use crate::key::witness;
use crate::model::{Step, Text};

pub(super) fn check(steps: &[Step], errors: &mut Errors) {
    let keys: Vec<(&Step, Key<'_>)> =
        steps.iter().filter_map(|step| Some((step, (step.args.kind.noun(), step.args.key.as_ref()?)))).collect();
    for (at, (step, key)) in keys.iter().enumerate() {
        // One mistake for each key, however many others it meets.
        let meeting = keys[..at]
            .iter()
            .filter(|(earlier, _)| are_together(earlier, step))
            .find_map(|(_, earlier)| Some((earlier, witness(&earlier.1.template, &key.1.template)?)));
        if let Some((earlier, witness)) = meeting {
            report(earlier, key, &witness, errors);
        }
    }
}

/// Whether two steps can be in one build. Under different `#[cfg(..)]` they may be alternatives; if they are not, the
/// second is refused when it is reached.
fn are_together(one: &Step, other: &Step) -> bool {
    one.cfgs.starts_with(&other.cfgs) || other.cfgs.starts_with(&one.cfgs)
}

/// What is known by the key, and the key.
type Key<'a> = (&'static str, &'a Text);

fn report((earlier_noun, earlier): &Key<'_>, (noun, key): &Key<'_>, witness: &str, errors: &mut Errors) {
    let (first, second) = (earlier.literal.value(), key.literal.value());
    if first == second {
        errors.at(key.literal.span(), format!("the key \"{second}\" is used twice in this workflow: a {noun} is known by its key alone, so give this one another"));
    } else {
        errors.at(key.literal.span(), format!("the keys \"{first}\" and \"{second}\" can both become \"{witness}\": begin each with a part of its own, as in \"pay/{{id}}\" and \"mail/{{id}}\""));
    }
    errors.at(earlier.literal.span(), format!("the other {earlier_noun} is here"));
}
