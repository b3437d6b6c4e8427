//! What others call the arguments of our attributes.

use super::{run, step, waits, workflow};
use crate::suggest;

/// An argument, how it is written, and the names under which people look for it, without `_`.
type Known = (&'static str, &'static str, &'static str);

const NAMES: &[Known] = &[
    (
        "retry",
        "`retry(attempts = 5, backoff = \"200ms..30s\")`",
        "retries maxretries retrypolicy retrycount retryattempts attempts maxattempts maximumattempts tries \
         maxtries backoff retrydelay retryinterval jitter",
    ),
    ("attempts", "`attempts = 5`", "retries maxretries maxattempts maximumattempts max count times tries n"),
    (
        "backoff",
        "`backoff = \"200ms..30s\"`",
        "delay wait interval initial initialinterval initialdelay mindelay maxdelay maxinterval maxbackoff factor \
         multiplier exponential",
    ),
    (
        "timeout",
        "`timeout = \"30s\"`",
        "deadline limit timelimit maxduration duration timeoutms timeoutsecs timeoutseconds starttoclosetimeout \
         expires",
    ),
    (
        "expires",
        "`expires = \"24h\"`",
        "timeout deadline expiry expiration expiresin expiresafter timelimit ttl within until",
    ),
    ("on_expiry", "`on_expiry = ..`", "default fallback otherwise ontimeout onexpire onexpiration"),
    ("ask", "`ask = \"finance\"`", "indoubt who whom assignee approver approvers reviewer role by to owner person"),
    ("shows", "`shows = ..`", "payload context data details display args with subject"),
    ("in_doubt", "`in_doubt = \"treasury\"`", "ask operator owner assignee escalate escalateto onunknown human"),
    (
        "idempotent",
        "`idempotent`, and the key by a name, `key = \"..\" as pay`, so that `pay.token()` can be sent",
        "idempotencykey idempotencytoken token requestid dedup deduplicate dedupkey deduplicationid",
    ),
    ("idempotent", "`idempotent`", "idempotency idempotence isidempotent retrysafe safe repeatable"),
    (
        "verify",
        "`verify = bank.find(pay.token()).await`",
        "check confirm verification verifier verifywith lookup find probe reconcile query",
    ),
    (
        "classify",
        "`classify = BankError::classify`",
        "retryif retryon retryable isretryable nonretryable nonretryableerrors classifier",
    ),
    ("errors", "`errors = ..`", "onerror onfailure error catch failures"),
    ("args", "`args = (&invoice.payee, invoice.amount)`", "input inputs params parameters arguments payload with"),
    ("secrets", "`secrets = \"allow\"`", "secret sensitive redact redacted redaction allowsecrets plaintext"),
    ("refetch", "`refetch = ..`", "refresh reload recover restore getagain reread"),
    ("settle", "`settle = \"10s\"`", "delay grace graceperiod settletime wait"),
    ("cleanup", "`cleanup`", "finally always"),
    ("within", "`within = \"24h\"`", "window dedupwindow remembered retention ttl"),
    ("title", "`title = \"..\"`, which people read? what it is known by is its `key`", "name stepname displayname"),
    (
        "key",
        "`key = \"payroll/{month}\"`, by which a run is known? a workflow has the name of its function",
        "name workflowname",
    ),
    ("key", "`key = \"pay/{invoice.id}\"`", "id step stepid stepkey runid runkey workflowid unique uniquekey"),
    ("goal", "`goal = \"pay {invoices.len()} invoices\"`", "title description desc purpose summary label about"),
    ("title", "`title = \"pay {invoice.payee}\"`", "goal description desc summary label message about question prompt"),
    ("invariants", "`invariants = [\"..\"]`", "rules constraints ensures guarantees"),
    (
        "formerly",
        "`formerly = [\"..\"]`",
        "alias aliases was renamed renamedfrom oldkey oldkeys oldname previously previous",
    ),
    ("retired", "`retired = [\"..\"]`", "removed deleted gone deprecated"),
    ("nondeterminism", "`nondeterminism = \"deny\"`", "deterministic determinism strict pure"),
    ("nondeterminism", "`nondeterminism = \"allow\"`", "lint lints nondeterministic"),
    ("inputs", "`inputs = \"recorded\"`", "args params ignoreinputs"),
    ("session", "`session = self.session`", "context ctx cx handle"),
    ("version", "`version = 2`", "revision rev ver"),
    ("local", "`local`", "notsend nosend unsend send singlethreaded"),
    ("crate", "`crate = ::path`", "cratepath path krate root"),
    ("jitter", "`jitter`", "random randomize jittered"),
    ("default", "`default = ..`", "fallback otherwise value"),
];

/// What takes an effect back elsewhere. `cleanup` does not: it says when its own step runs.
const TAKES_BACK: &[&str] = &[
    "compensate",
    "compensatewith",
    "compensation",
    "oncancel",
    "oncancelled",
    "onrollback",
    "revert",
    "rollback",
    "undo",
];

/// Our attributes, and what they take.
const OWNERS: &[(&str, &[&str])] = &[
    ("`#[durable_workflow]`", workflow::KNOWN),
    ("`#[side_effect]`", step::SIDE_EFFECT),
    ("`#[read]`", step::READ),
    ("`#[run]`", run::RUN),
    ("`#[decision]`", waits::DECISION),
];

/// What is said of an argument that `owner` does not have.
pub(super) fn unknown(name: &str, owner: &str, known: &[&str]) -> String {
    let list = listed(known);
    let said = said(name, owner, known).unwrap_or_else(|| ": ".to_owned());
    format!("{owner} has no argument `{name}`{said}it takes {list}")
}

pub(super) fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn said(name: &str, owner: &str, known: &[&str]) -> Option<String> {
    let plain = name.replace('_', "").to_lowercase();
    if TAKES_BACK.contains(&plain.as_str()) {
        let text =
            ": what takes an effect back is a step of its own, under `if session.is_cancelled()`, and says `cleanup`; ";
        return Some(text.to_owned());
    }
    let meant = |of: &Known| of.2.split(' ').any(|other| other == plain);
    if let Some((_, example, _)) = NAMES.iter().find(|of| meant(of) && known.contains(&of.0)) {
        let end = if example.contains('?') { "; " } else { "? " };
        return Some(format!(": did you mean {example}{end}"));
    }
    if let Some(nearest) = suggest::nearest(name, known) {
        return Some(format!(": did you mean `{nearest}`? "));
    }
    if owner == "`#[sleep]`" && ["duration", "length", "for", "until", "seconds", "time"].contains(&plain.as_str()) {
        return Some(
            ": how long stands in the call, `session.sleep(length)` or `session.sleep_until(instant)`; ".to_owned(),
        );
    }
    let others = |argument: &str| -> Vec<&str> {
        OWNERS.iter().filter(|(_, takes)| takes.contains(&argument)).map(|(other, _)| *other).collect()
    };
    let argument = std::iter::once(name).chain(NAMES.iter().filter(|of| meant(of)).map(|of| of.0));
    let (argument, owners) =
        argument.map(|argument| (argument, others(argument))).find(|(_, owners)| !owners.is_empty())?;
    let argument = if argument == name { "which".to_owned() } else { format!("and `{argument}`") };
    Some(format!(", {argument} belongs to {}: ", owners.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_elsewhere_finds_its_argument() {
        let of = |owner: &str| OWNERS.iter().find(|(name, _)| *name == owner).unwrap().1;
        for (owner, name, want) in [
            ("`#[side_effect]`", "retries", "did you mean `retry(attempts = 5"),
            ("`#[side_effect]`", "max_attempts", "did you mean `retry(attempts = 5"),
            ("`#[side_effect]`", "idempotency_key", "did you mean `idempotent`, and the key by a name"),
            ("`#[side_effect]`", "timeouts", "did you mean `timeout`? "),
            ("`#[side_effect]`", "name", "did you mean `title = \"..\"`, which people read? what it is known by"),
            ("`#[side_effect]`", "id", "did you mean `key = "),
            ("`#[side_effect]`", "ask", "did you mean `in_doubt = "),
            ("`#[side_effect]`", "rollback", "what takes an effect back is a step of its own, under `if session.is_c"),
            ("`#[durable_workflow]`", "on_cancel", "what takes an effect back is a step of its own"),
            ("`#[side_effect]`", "finally", "did you mean `cleanup`? "),
            ("`#[side_effect]`", "not_idempotent", ""),
            ("`#[durable_workflow]`", "deterministic", "did you mean `nondeterminism = \"deny\"`? "),
            ("`#[decision]`", "timeout", "did you mean `expires = "),
            ("`#[decision]`", "in_doubt", "did you mean `ask = "),
            ("`#[decision]`", "default", "did you mean `on_expiry = "),
            ("`#[durable_workflow]`", "name", "did you mean `key = \"payroll/{month}\"`, by which"),
            ("`#[durable_workflow]`", "title", "did you mean `goal = "),
            ("`#[durable_workflow]`", "retries", "and `retry` belongs to `#[side_effect]` and `#[read]`: "),
            ("`#[run]`", "verify", "which belongs to `#[side_effect]`: "),
            ("`#[read]`", "idempotency_key", "and `idempotent` belongs to `#[side_effect]`: "),
            ("`#[read]`", "banana", ""),
        ] {
            let said = said(name, owner, of(owner)).unwrap_or_default();
            assert!(
                said.trim_start_matches([',', ':', ' ']).starts_with(want) && (want.is_empty() == said.is_empty()),
                "{owner} {name}: {said}"
            );
        }
    }
}
