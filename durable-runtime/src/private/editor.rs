//! The arguments of the attributes, for editors: what they show at the name of an argument is the text of its item here.

/// Keeps its input for an editor, and drops it for the compiler.
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    ($($code:tt)*) => { $($code)* };
}

/// Keeps its input for an editor, and drops it for the compiler.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    ($($code:tt)*) => {};
}

/// The attributes of a body, apart from the functions that have their names.
pub mod step {
    pub use durable_runtime_macros::{decision, read, run, side_effect, sleep};
}

/// An item for each argument of an attribute.
macro_rules! arguments {
    ($(#[$doc:meta] $attribute:ident { $($(#[$text:meta])* $name:ident)* })*) => {$(
        #[$doc]
        pub mod $attribute {
            $($(#[$text])* pub mod $name {})*
        }
    )*};
}

arguments! {
    /// The arguments of `#[durable_workflow]`.
    durable_workflow {
        /// `key = "payroll/{month}"`: the name of a run; runs with other keys are other runs. Default: the name of the
        /// function, so one run in a session.
        key
        /// `formerly = ["wages/{}"]`: the keys that its runs had before, and the names that it had. What is recorded under
        /// one goes on under it.
        formerly
        /// `retired = ["pay/{}"]`: the keys of steps and runs that the code no longer has.
        retired
        /// `version = 2`: recorded with each run that it begins, for `session.began_at()`.
        version
        /// `goal = "pay {invoices.len()} invoices"`: what the run is for, in words; stands in the handoff.
        goal
        /// `invariants = ["an invoice is paid at most once"]`: what must stay true whatever happens; stands in the
        /// handoff.
        invariants
        /// `inputs = "recorded"`: a resumed run goes on with the inputs that it recorded, whatever is given now.
        inputs
        /// `secrets = "allow"`: its key, its inputs and its result may hold what looks like a secret.
        secrets
        /// `session = self.session`: where the session is, if no parameter has it.
        session
        /// `timeout = "30s"`: how long an attempt of a step may take that has no `timeout` of its own.
        timeout
        /// `nondeterminism = "deny"`: what becomes of a call between the steps that answers differently after a restart:
        /// `"warn"` (default), `"deny"`, `"allow"`.
        nondeterminism
        /// It may hold what must stay on one thread, such as an `Rc`; without it, a workflow that is not `Send` is a
        /// mistake.
        local
    }
    /// The arguments of `#[side_effect]`.
    side_effect {
        /// `key = "pay/{invoice.id}"`: the name by which the step is known for ever. With `as pay` behind it,
        /// `pay: &StepKey` is visible in the step and in `verify`.
        key
        /// `formerly = ["pay/{}"]`: the keys that it had before. What is recorded under one goes on under it, and its token
        /// stays.
        formerly
        /// `title = "pay {invoice.payee}"`: the step in words.
        title
        /// `verify = bank.find(pay.token()).await`: asked when the step is in doubt. Gives `Option` of what the step
        /// gives, `bool` for a step that gives `()`, a `Verdict`, or a `Result` of one of these.
        verify
        /// The step may be done again: with the same token, or, `idempotent = "why"`, for the reason given.
        idempotent
        /// `in_doubt = "treasury"`: whom to ask when nothing else can tell. Default: `"operator"`.
        in_doubt
        /// `refetch = vault.find(pay.token()).await`: gives a result again that was not kept, since it holds a secret. Gives
        /// what `verify` gives.
        refetch
        /// `secrets = "allow"`: the key and the result may hold what looks like a secret.
        secrets
        /// `settle = "10s"`: how long after an attempt `verify` may still miss it. Default: the `timeout`, else 30 s.
        settle
        /// The step runs in a run that was cancelled, too.
        cleanup
        /// `args = (&invoice.payee, invoice.amount)`: what the step is given. The same key with other arguments is an
        /// error. Only a digest is kept.
        args
        /// `classify = BankError::classify`: what an error proves, `fn(&E) -> Failure`. Default: nothing.
        classify
        /// `retry(attempts = 5, backoff = "200ms..30s", jitter)`: how many attempts may fail in one start, and the waits
        /// between them. Default: one.
        retry
        /// `timeout = "30s"`: how long an attempt may take. One that takes longer is in doubt.
        timeout
        /// `within = "24h"`: how long the receiver of an `idempotent` step remembers the token.
        within
        /// `errors = "recorded"`, without `?`: the step gives a `Result<T, StepError>`, once it is proven that a step which
        /// failed did nothing.
        errors
    }
    /// The arguments of `#[read]`.
    read {
        /// `key = "rate/{currency}"`: the name by which the step is known for ever.
        key
        /// `formerly = ["pay/{}"]`: the keys that it had before. What is recorded under one goes on under it, and its token
        /// stays.
        formerly
        /// `title = "ask for the rate of {currency}"`: the step in words.
        title
        /// `args = currency`: what the step is given. The same key with other arguments is an error.
        args
        /// `classify = BankError::classify`: what an error proves, `fn(&E) -> Failure`.
        classify
        /// `retry(attempts = 5, backoff = "200ms..30s", jitter)`: how many attempts may fail in one start, and the waits
        /// between them. Default: one.
        retry
        /// `timeout = "30s"`: how long an attempt may take.
        timeout
        /// `errors = "recorded"`, without `?`: the step gives a `Result<T, StepError>`.
        errors
        /// `secrets = "allow"`: the key and the result may hold what looks like a secret.
        secrets
    }
    /// The arguments of `#[decision]`.
    decision {
        /// `key = "send/{report.id}"`: the name by which the decision is asked, answered and known for ever.
        key
        /// `formerly = ["pay/{}"]`: the keys that it had before. What is recorded under one goes on under it.
        formerly
        /// `title = "send {report.name}"`: the decision in words.
        title
        /// `ask = "finance"`: whom to ask. Default: `"operator"`.
        ask
        /// `shows = invoices.len()`: what is shown to whoever decides. The answer is bound to it.
        shows
        /// `expires = "24h"`: how long an answer is awaited, counted from when it was first asked for.
        expires
        /// `on_expiry = value`: what counts if nobody has answered by then; for an `Approval` also a text, for which it is
        /// then declined.
        on_expiry
    }
    /// The arguments of `#[sleep]`.
    sleep {
        /// `key = "day/{n}"`: the name by which the sleep is known for ever.
        key
        /// `formerly = ["pay/{}"]`: the keys that it had before. What is recorded under one goes on under it.
        formerly
        /// `title = "let a day pass"`: the sleep in words.
        title
    }
    /// The arguments of `#[run]`.
    run {
        /// `key = "welcome/{user.id}"`: the name of the run that the call enters, inside that of the calling run.
        key
        /// `formerly = ["greet/{}"]`: the keys that it had before. A run that is recorded under one goes on under it.
        formerly
        /// `title = "welcome {user.name}"`: the run in words.
        title
        /// `errors = "later"`, without `?`: the value is an `Option`; a run that fails gives `None`, and is tried again by the
        /// next start.
        errors
    }
    /// The attributes of a parameter of a workflow.
    parameter {
        /// A client or a handle: each process brings it anew, and it is never recorded. Every other parameter is an input,
        /// which is recorded when the run starts.
        resource
        /// `#[input(default = ..)]`: what a run sees that was begun before the parameter was added.
        input
    }
    /// The arguments of `#[input]`.
    input {
        /// `default = "EUR"`: what a run sees that was begun before the parameter was added; alone, `Default::default()`.
        default
    }
}
