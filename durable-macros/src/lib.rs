//! The attribute macros of `durable-runtime`, which re-exports them. Depend on that crate: the code that these macros
//! write calls it, and the two are released together.

mod check;
mod diag;
mod duration;
mod expand;
mod flow;
mod key;
mod model;
mod names;
mod parse;
mod pipeline;
mod shown;
mod span;
mod suggest;
mod walk;

#[cfg(test)]
mod tests;

use proc_macro::TokenStream;

/// Makes an `async fn` durable: killed anywhere and called again, it goes on from where it was.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # struct Bank;
/// # impl Bank {
/// #     async fn find(&self, _: impl ToString) -> Option<u32> { None }
/// #     async fn transfer(&self, _: impl ToString, _: u32) -> Result<u32, Error> { Ok(1) }
/// # }
///
/// #[durable_workflow(
///     key = "payroll/{month}",
///     goal = "pay {invoices.len()} invoices",
///     invariants = ["an invoice is paid at most once"],
/// )]
/// async fn payroll(session: &Session, #[resource] bank: &Bank, month: u32, invoices: &[u32]) -> Result<u32, Error> {
///     let mut receipts = 0;
///     for invoice in invoices {
///         #[side_effect(key = "pay/{invoice}" as pay, verify = bank.find(pay.token()).await)]
///         let receipt = bank.transfer(pay.token(), *invoice).await?;
///         receipts += receipt;
///     }
///     Ok(receipts)
/// }
/// ```
///
/// # Arguments
///
/// All may be left out; but a run that no other workflow enters has a goal, from here or from its session.
///
/// | argument | meaning |
/// |---|---|
/// | `key = "payroll/{month}"` | the name of a run; runs with other keys are other runs. Default: the name of the function, so one run in a session |
/// | `formerly = ["wages/{}"]` | the keys that its runs had before, and the names that it had; see [below](#when-the-code-changes) |
/// | `retired = ["pay/{}"]` | the keys of steps and runs that it no longer has; see [below](#when-the-code-changes) |
/// | `version = 2` | recorded with each run that it begins, for `session.began_at()`. Default: 1 |
/// | `goal = "pay {invoices.len()} invoices"` | what the run is for, in words; stands in the handoff |
/// | `invariants = ["an invoice is paid at most once"]` | what must stay true whatever happens; stands in the handoff |
/// | `inputs = "recorded"` | a resumed run goes on with the inputs that it recorded, whatever is given now. Without it, another input is an error |
/// | `secrets = "allow"` | its key, its inputs and its result may hold [what looks like a secret](../durable_runtime/struct.Secrets.html). Without it such a key or input is refused, and a run with such a result does not finish |
/// | `timeout = "30s"` | how long an attempt of a step may take that has no `timeout` of its own |
/// | `session = self.session` | where the session is, if no parameter has it |
/// | `nondeterminism = "deny"` | what becomes of a call between the steps that answers differently after a restart: `"warn"` (default), `"deny"`, `"allow"` |
/// | `local` | it may hold what must stay on one thread, such as an `Rc`; without it, a workflow that is not `Send` is a mistake |
/// | `crate = ::facade::durable_runtime` | where the library is, if it goes by another name; from `::` or `crate::` on |
///
/// The holes of `key` are names of parameters and fields of them, with a format if need be, `{month:02}`; their types
/// implement `KeyPart`. A `#[resource]` is no hole, here and in the keys of steps: the next process brings it anew, and of
/// another value another run would begin. Those of `goal` are any expression without braces that is `Display`. A brace in
/// the text is doubled, `{{`.
///
/// Two instances of a generic workflow, `sync::<User>` and `sync::<Order>`, have one key unless an input in it tells them
/// apart. In one start the second is refused, and never given what the first has given.
///
/// # The function
///
/// - It is `async`, or ends with the `async` block that it returns, `Box::pin(async move { .. })`, as a method behind
///   `#[async_trait]` does. It gives a `Result` whose error implements `From<durable_runtime::Error>`; what it gives is
///   recorded, and so is `Serialize + DeserializeOwned`.
/// - It takes its session as `&Session`, `Session` or `Arc<Session>`, or has `session = ..`.
/// - Every other parameter is an *input*, by value or by reference: it is recorded when the run starts, and a resumed
///   run sees what was recorded. `#[resource]` marks what each process brings anew, such as a client or a handle.
///   See [inputs](#inputs).
/// - A method is a workflow like any other; its receiver is not recorded, and a finished run changes nothing in it: let the
///   run return what its caller needs. For its [`outline!`], and for one in the `impl`
///   of a trait that mentions neither `self` nor `Self`, the block takes [`macro@durable_methods`].
/// - Called by another workflow of the same session, it is a run inside that run, wherever it has its session from. A task
///   that a workflow spawns has no run around it, unless it is given a clone of the session of that run; and then the run cannot
///   finish before it.
/// - Its steps are marked with [`side_effect`] and [`read`], and its calls of other workflows, where these are to have
///   names of their own, with [`run`](macro@run). Everything between them runs again on every start.
/// - It is `Send`, so that it can be spawned, and says so at its own name where it is not, and at the step where what that
///   gives is not, or its error; `local` lets it be. These are held to it only where they are spawned: a function with type
///   parameters or `impl Trait`, unless all bounds are `Send`, `Sync` and traits without types of their own, such as
///   `Clone`, `Serialize` and `Into`; a method in a block without [`macro@durable_methods`], and a function there whose
///   signature names a parameter of the block; what may be called from below again, since it boxes a future (`Box::pin`),
///   hands its session on, or calls a method of `self` outside its steps; and what hands an `async` closure to a function
///   other than `each`, or buffers a stream of futures, of which the compiler cannot tell. One that returns a future says in its return
///   type whether it is `Send`; `impl Future` alone is asked as above.
///
/// Other attributes of the function stay. One that takes its `async` away, such as `#[tokio::main]`, stands below.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # struct Bank;
/// # impl Bank { async fn close(&self, _: u32) -> Result<(), Error> { Ok(()) } }
///
/// struct Accounts {
///     session: Session,
///     bank: Bank,
/// }
///
/// impl Accounts {
///     #[durable_workflow(
///         key = "close/{number}",
///         goal = "close account {number}",
///         inputs = "recorded",                             // another `reason` on a resume is no error
///         session = self.session,
///         crate = ::durable_runtime,
///     )]
///     async fn close(&self, number: u32, reason: &str) -> Result<(), Error> {
///         #[side_effect(key = "bank", title = "close it: {reason}", in_doubt = "the branch")]
///         self.bank.close(number).await?;
///         Ok(())
///     }
/// }
/// ```
///
/// # Inputs
///
/// An input is `Serialize + DeserializeOwned`. It may be borrowed, once: `&T`, `&str`, `&[T]`, `&Path`, `Option<&T>`,
/// `Vec<&T>` and `&[&T]` are read back as what owns them, and lent to the body. What borrows deeper, such as
/// `HashMap<&str, u32>`, owns its parts instead, or is a `#[resource]`.
///
/// On a resume, what was recorded is read by today's type and compared with what is given now. Another input is an error
/// that names both ways out: another run `key`, or `inputs = "recorded"`. A parameter that is added later says what a
/// run sees that was begun without it:
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # struct Bank;
/// # impl Bank { async fn transfer(&self, _: u32, _: &str) -> Result<(), Error> { Ok(()) } }
///
/// #[durable_workflow(key = "pay/{id}", goal = "pay {id}")]
/// async fn pay(
///     session: &Session,
///     #[resource] bank: &Bank,
///     id: u32,
///     #[input(default = "EUR")] currency: &str,
///     #[input(default)] note: Option<&str>,
/// ) -> Result<(), Error> {
///     #[side_effect(key = "transfer", in_doubt = "treasury")]
///     bank.transfer(id, currency).await?;
///     Ok(())
/// }
/// ```
///
/// The default is recorded when such a run is resumed for the first time, with a warning, and the run keeps it for good:
/// it is neither compared with what is given, nor replaced when the code says another one. `#[input(default)]` alone is
/// `Default::default()`. A default stands for itself and uses no other parameter.
///
/// A parameter may be a pattern, `mut`, or stand under `#[cfg(..)]`; it is recorded under the names that it binds, so
/// these are kept like keys.
///
/// # What answers differently after a restart
///
/// Everything between the steps runs again on every start, and must come to the same steps. The compiler warns of calls
/// outside the steps that another process would not get the same answer from: `Instant::now` and the other clocks,
/// `Uuid::new_v4` and other random values, `std::env`, the reading of files, spawned tasks and threads, sleeps and time
/// limits. So it does of a `select!` that asks its branches in a random order: with `biased;` before the first, or as
/// `select_biased!`, it asks them in the order written. In a step they are right, since what they gave is recorded:
///
/// ```
/// use std::time::SystemTime;
///
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
///
/// #[durable_workflow(nondeterminism = "deny")]
/// async fn stamped(session: &Session) -> Result<SystemTime, Error> {
///     #[read(key = "now")]
///     let now = SystemTime::now();
///     Ok(now)
/// }
///
/// // On one thread only, so it may hold an `Rc` while it waits; and the time that it prints is not part of its work.
/// #[durable_workflow(local, nondeterminism = "allow")]
/// async fn printed(session: &Session) -> Result<u32, Error> {
///     let names = std::rc::Rc::new(["Ada", "Grace"]);
///     #[read(key = "length")]
///     let length = async { names[0].len() as u32 }.await;
///     println!("{:?}: {}", SystemTime::now(), names[1]);
///     Ok(length)
/// }
/// ```
///
/// Two steps do not race in a `select!`, be they effects, decisions or sleeps: the one that loses would be dropped half way,
/// which stops its run. A decision ends by itself with `expires` and `on_expiry`, an attempt with `timeout`. One step beside
/// what tells the process to end is right: the run stops, and the next start goes on.
///
/// A call is known by the last two names of its path. One behind an alias (`use std::time::Instant as I`), a method
/// (`start.elapsed()`, the order of a `HashMap`) and what a called function does are not seen. Where they lead to
/// other keys, that is caught when the workflow runs: a restart that does not come to the steps that its records hold does not
/// finish, and says so. Where they lead to another thing under the same key, as a counter does that numbers what a `HashMap` holds,
/// nobody can tell: put the thing itself into the key, `pay/{name}`, or its digest beside it, `args = name`. The warning is one of `deprecated`, so that `#[allow(deprecated)]` on a statement allows one call.
///
/// # When the code changes
///
/// A run that was begun by older code is gone on with by the newer. Steps may be moved, and new ones put in anywhere: a
/// step without a record runs, and where it stands before recorded ones the log of the program says so, at WARN. What a
/// run has recorded must stay in the code. A step or a named run that is missing from it is refused before anything
/// runs, for under another key its effects would happen again; so is a key whose holes have another format. A workflow is not
/// begun with inputs that an unfinished run of it has under another key. A run that no `#[run]` names is known by the call that
/// entered it: where the function no longer calls a workflow of that name with the session, nothing new is begun before the
/// run is reached by another name. What a plain function calls in between is not seen; where it changes, the run is missed at
/// the end, when other effects have happened. The error names three ways out:
///
/// - It is called otherwise now: `formerly = ["pay/{}"]` on the step, on the `#[run]`, or on the workflow. What is
///   recorded under the old key goes on under it: same record, same token, same count of attempts; what is not has the
///   new key. `{}` stands for a hole of the new key, in their order; or the holes are named as in a key,
///   `formerly = ["pay/{invoice.id:03}"]`. A step that has moved out of another run has its full key, `"order/{id}//ship"`:
///   it goes on while that run is not finished, and is refused where it is, for what it gave is gone with it. A workflow may
///   name its former name too, `formerly = ["payroll", "payroll/{}"]`, and a call its run that had no name,
///   `#[run(key = "welcome/{name}", formerly = ["welcome"])]`: the first call in a loop that is reached goes on with that one,
///   if it has its inputs.
/// - It is gone: `retired = ["pay/{}"]` on the workflow. What is recorded of it is left behind, a doubt is not: a
///   retired step of which nobody knows whether it happened stops the run until `session.resolve(..)` says so.
/// - Or it gets its old key back.
///
/// Where a run in the middle cannot follow the new code, raise the `version`, and keep the old way for the runs that
/// began with it: [`session.began_at()`](../durable_runtime/struct.Session.html#method.began_at) says with which. A run
/// that a newer version has begun is refused by an older one.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn call(_: impl ToString) -> Result<u32, Error> { Ok(1) }
///
/// // It was called `payroll`, paid by `pay/{invoice}`, and told the press.
/// #[durable_workflow(key = "wages/{month}", formerly = ["payroll/{}"], retired = ["press"], goal = "pay")]
/// async fn wages(session: &Session, month: u32, invoices: &[u32]) -> Result<(), Error> {
///     for invoice in invoices {
///         #[side_effect(key = "settle/{invoice}" as settle, formerly = ["pay/{}"], idempotent)]
///         call(settle.token()).await?;
///     }
///     Ok(())
/// }
/// ```
///
/// # What becomes of the function
///
#[doc = include_str!("../doc/expansion.md")]
#[proc_macro_attribute]
pub fn durable_workflow(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::durable_workflow(args.into(), item.into()).into()
}

/// Marks a step of a workflow that changes the world: it happens once, however often the workflow is killed.
///
/// It stands on a `let`, on a statement, or before any expression; the step is the expression with its `?`.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn call(_: impl ToString) -> Result<u32, Error> { Ok(1) }
/// # async fn look(_: impl ToString) -> Option<u32> { None }
///
/// #[durable_workflow(goal = "show every form")]
/// async fn forms(session: &Session, id: u32) -> Result<u32, Error> {
///     // Verified: after a crash in its middle, it is asked whether it happened.
///     #[side_effect(
///         key = "pay/{id}" as pay,
///         title = "pay order {id}",
///         verify = look(pay.token()).await,
///         in_doubt = "treasury",
///         settle = "10s",
///     )]
///     let receipt = call(pay.token()).await?;
///
///     // Idempotent: it is done again, and the receiver drops the repeat.
///     #[side_effect(key = "mail/{id}" as mail, idempotent)]
///     call(mail.token()).await?;
///     #[side_effect(key = "label/{id}", idempotent = "printing a label twice does no harm")]
///     call(id).await?;
///
///     // Neither: a person is asked.
///     #[side_effect(key = "parcel/{id}", in_doubt = "warehouse")]
///     let parcel = call(id).await?;
///     Ok(receipt + parcel)
/// }
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `key = "pay/{invoice.id}"` | required: the name by which the step is known for ever. Its holes are names and fields of them, `{invoice.id:05}` |
/// | `key = ".." as pay` | the same, and `pay: &StepKey` is visible in the step and in `verify`, under a name that nothing else has there; `pay.token()` is what the receiver knows a repeat by |
/// | `formerly = ["pay/{}"]` | the keys that the step had before: what is recorded under one goes on under it, with its token. `{}` stands for a hole of `key`, in their order; see [`macro@durable_workflow`] |
/// | `title = "pay {invoice.payee}"` | the step in words; its holes are any expression that is `Display` |
/// | `verify = bank.find(pay.token()).await` | asked when the step is in doubt. Gives `Option` of what the step gives (`None`: it did not happen), `bool` for a step that gives `()`, a `Verdict`, or a `Result` of one of these |
/// | `idempotent`, `idempotent = "why"` | the step may be done again: with the same token, or for the reason given |
/// | `in_doubt = "treasury"` | whom to ask when nothing else can tell. Default: `"operator"` |
/// | `within = "24h"` | how long the receiver of an `idempotent` step remembers the token; after that a person is asked |
/// | `errors = "recorded"` | an error is part of the value, which is a `Result<T, StepError>`; see below |
/// | `cleanup` | the step runs in a cancelled run, too: see [`Session::cancel`](../durable_runtime/struct.Session.html#method.cancel) |
/// | `refetch = vault.find(pay.token()).await` | gives a result again that was not kept, since it holds a secret: see [below](#secrets). Gives what `verify` gives |
/// | `secrets = "allow"` | the key and the result may hold what looks like a secret: they are written as they are |
/// | `settle = "10s"` | how long after an attempt `verify` may still miss it. Default: the `timeout`, else 30 s |
/// | `args = (&invoice.payee, invoice.amount)` | what the step is given: the same key with other arguments is an error. Only a digest is kept |
/// | `classify = BankError::classify` | what an error proves: `fn(&E) -> Failure`. Default: nothing, `Failure::unknown()` |
/// | `retry(attempts = 5, backoff = "200ms..30s", jitter)` | how many attempts may fail in one start, the first included, and the waits between them: from the first to the longest, doubled each time; with `jitter` shortened by up to a half. Default: one |
/// | `timeout = "30s"` | how long an attempt may take. One that takes longer is in doubt, and never counts as failed |
///
/// One of `verify`, `idempotent` and `in_doubt` is required.
///
/// # Secrets
///
/// A result that holds what [counts as a secret](../durable_runtime/struct.Secrets.html) is not kept: the step is done, and the
/// log has a mark in the place of each secret. This start goes on with the result, and says so at WARN. A resumed run has to get
/// it again: `refetch` is asked, else `verify`, which both give what the step gave; a `#[read]` is done again; and where there is
/// none of these, the run stops, and a person supplies a value, as for one that could not be stored. Where it cannot be got, the run
/// stops, and the next start asks again. What is got must be what was there before, but for its secrets: another result would lead to
/// other effects, and is refused.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # struct Vault;
/// # impl Vault {
/// #     async fn issue(&self, _: impl ToString) -> Result<String, Error> { Ok(String::new()) }
/// #     async fn find(&self, _: impl ToString) -> Result<Option<String>, Error> { Ok(None) }
/// # }
///
/// #[durable_workflow(goal = "issue a key for {user}")]
/// async fn issue(session: &Session, #[resource] vault: &Vault, user: u32) -> Result<(), Error> {
///     #[side_effect(key = "key/{user}" as made, idempotent, refetch = vault.find(made.token()).await)]
///     let key: String = vault.issue(made.token()).await?;
///     // ..
/// #   let _ = key;
///     Ok(())
/// }
/// ```
///
/// # Attempts
///
/// Every attempt has a reservation of its own, durable before it starts. What an error proves is said by `classify`:
/// [`Failure::rejected`](../durable_runtime/struct.Failure.html#method.rejected) (nothing happened, and it is of no use to
/// try again), [`Failure::retry`](../durable_runtime/struct.Failure.html#method.retry) and `retry_after` (nothing happened,
/// another attempt may succeed), or [`Failure::unknown`](../durable_runtime/struct.Failure.html#method.unknown), which
/// every error is that nobody classifies. There are ready ones in
/// [`durable_runtime::classify`](../durable_runtime/classify/index.html).
///
/// ```
/// use std::time::Duration;
///
/// use durable_runtime::prelude::*;
/// # use durable_runtime::{Error, Failure};
/// # struct Bank;
/// # impl Bank {
/// #     async fn find(&self, _: impl ToString) -> Result<Option<u32>, BankError> { Ok(None) }
/// #     async fn transfer(&self, _: impl ToString, _: u32) -> Result<u32, BankError> { Ok(1) }
/// # }
/// # #[derive(Debug)]
/// # enum BankError { NoSuchAccount, Busy(Duration), Other(Error) }
/// # impl std::fmt::Display for BankError {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "{self:?}") }
/// # }
/// # impl From<Error> for BankError { fn from(error: Error) -> Self { Self::Other(error) } }
///
/// impl BankError {
///     fn classify(&self) -> Failure {
///         match self {
///             Self::NoSuchAccount => Failure::rejected(),
///             Self::Busy(wait) => Failure::retry_after(*wait),
///             Self::Other(_) => Failure::unknown(),
///         }
///     }
/// }
///
/// #[durable_workflow(goal = "pay {amount}", timeout = "1min")]
/// async fn pay(session: &Session, #[resource] bank: &Bank, amount: u32) -> Result<u32, BankError> {
///     #[side_effect(
///         key = "pay" as pay,
///         args = amount,
///         verify = bank.find(pay.token()).await,
///         classify = BankError::classify,
///         retry(attempts = 5, backoff = "200ms..30s", jitter),
///         timeout = "10s",
///     )]
///     let receipt = bank.transfer(pay.token(), amount).await?;
///     Ok(receipt)
/// }
/// ```
///
/// An attempt that may have happened is verified before the next. Counts and waits are recorded: a kill neither fills the
/// budget up nor shortens a wait; a start after a run that stopped for a spent budget has as many attempts again. An end
/// of the process is no failure (see `SessionBuilder::crash_limit`). A panic stops the run with its text, and the step is
/// in doubt.
///
/// # Keys
///
/// No two steps of a workflow may have keys that could become the same text. In a loop or a closure the key has a hole
/// with what differs each time; where nothing does, count. `/` separates: a hole never contains one, so
/// `order/{id}` and `order/{id}/mail` never meet, while `order_{id}` and `order_{id}_mail` do.
///
/// A hole takes integers, `bool`, `char`, strings, ids and civil dates (features `chrono`, `jiff`, `time`), and what
/// implements `KeyPart`. Whole numbers may have a format, `{id:03}` or `{id:#x}`; one that could give two values one text
/// is refused. An empty value is an error, and so is a full key of more than 480 bytes, the key of its run included.
///
/// # Values and errors
///
/// What a step gives is recorded and read back by another process, and so is `Serialize + DeserializeOwned`, and its own:
/// where the call gives a `&str`, let the step give `.to_owned()`. With `?` behind it an error is not a
/// result: it leaves the workflow, whose next start tries again. A `?` inside the expression leaves the step, not the
/// function, and so do `bail!` and `ensure!`. A step without `?` behind it gives a value that cannot fail; a `Result` is
/// refused.
///
/// With `errors = "recorded"`, and no `?`, the step gives a `Result<T, StepError>`, the same on every replay, so that the
/// workflow may go another way:
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn transfer(_: impl ToString, _: &str) -> Result<u32, Error> { Ok(1) }
/// # async fn find(_: impl ToString) -> Option<u32> { None }
///
/// #[durable_workflow(goal = "pay {payee}")]
/// async fn pay(session: &Session, payee: &str) -> Result<String, Error> {
///     #[side_effect(key = "pay" as pay, verify = find(pay.token()).await, errors = "recorded")]
///     let paid = transfer(pay.token(), payee).await;
///     Ok(match paid {
///         Ok(receipt) => format!("paid, receipt {receipt}"),
///         Err(error) => format!("not paid: {}", error.message()),
///     })
/// }
/// ```
///
/// An error is a result only once it is proven that nothing happened: `verify` is asked after it, and says so. Where
/// `verify` cannot tell, and for `idempotent` and `in_doubt` alone, an error stays a doubt, and the run stops as it does
/// without `errors`. Who then says that nothing happened makes the error of the last attempt the result. Of an `idempotent`
/// step, where `classify` says that it was refused, that is its result; but not after an attempt that a crash has cut off, of
/// which it proves nothing: then a person is asked. Any other error of it stops the run, and the next start does it again.
///
/// # Where it may stand
///
/// | place | what is the step |
/// |---|---|
/// | `#[side_effect(..)] let x = call().await?;`, also with `else` | the value |
/// | `#[side_effect(..)] call().await?;`, also at the end of a block | the expression |
/// | `#[side_effect(..)] x = call().await?;`, `x += call().await?` | the right side |
/// | `let x = #[side_effect(..)] call().await?;`, `f(#[side_effect(..)] call().await?)`, and in tuples, arrays, fields, conditions, after `=>`, `return` and `break` | the expression |
/// | `#[side_effect(..)] call().await?.trim().len()` | the whole chain |
/// | `#[side_effect(..)] { .. }?`, `async { .. }.await?` | the block |
/// | `(#[side_effect(..)] call().await?) + 1` | what is in the parentheses |
/// | `join!(async { Ok(#[side_effect(..)] call().await?) }, ..)`, `select!`, and the input of any macro | as above, wherever an expression or a block stands |
///
/// An `async` block or closure around a step gives a `Result` that can hold the error of the session, as the function does:
/// it is left by that error where the run must stop.
///
/// Without the parentheses, before or behind an operator, `as` and `..`, it would mark the operand alone, and is
/// refused. So is a step in another step, in a nested item, in a constant, on a whole loop or branch, in a closure that
/// cannot await, in the arguments of another attribute, as in `#[cfg_attr(unix, side_effect(..))]`, or in those of a macro
/// that may leave them out, such as `debug!` and `debug_assert!`.
#[proc_macro_attribute]
pub fn side_effect(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("side_effect", item.into()).into()
}

/// Marks a step of a workflow that only reads or computes: its result is recorded, so that the workflow goes on with
/// what it saw.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn rate(_: &str) -> Result<u32, Error> { Ok(1) }
///
/// #[durable_workflow(goal = "fix a rate")]
/// async fn fixed(session: &Session, currency: &str) -> Result<u32, Error> {
///     #[read(key = "rate/{currency}", title = "ask for the rate of {currency}")]
///     let rate = rate(currency).await?;
///     Ok(rate)
/// }
/// ```
///
/// It takes `key`, `formerly`, `title`, `args`, `classify`, `retry`, `timeout`, `errors` and `secrets`, which mean what they mean for
/// [`side_effect`], and stands where that does. After
/// a crash in its middle it is done again, so nothing is in doubt, and with `errors = "recorded"` an error is its result
/// at once.
#[proc_macro_attribute]
pub fn read(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("read", item.into()).into()
}

/// Names the run that a call of another workflow enters.
///
/// Without it the run has the key that its workflow gives it. With it, the key is said at the call: that of the calling
/// run and this one, joined by `//`. So a workflow can be called several times by one run, whatever its own key is.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn send(_: impl ToString, _: &str) -> Result<(), Error> { Ok(()) }
///
/// #[durable_workflow]
/// async fn welcome(session: &Session, name: &str) -> Result<(), Error> {
///     #[side_effect(key = "mail" as mail, idempotent)]
///     send(mail.token(), name).await?;
///     Ok(())
/// }
///
/// #[durable_workflow(goal = "welcome {names.len()} people")]
/// async fn welcome_all(session: &Session, names: &[String]) -> Result<(), Error> {
///     for name in names {
///         // Its step has the key `welcome_all//welcome/Ada//mail`.
///         #[run(key = "welcome/{name}", title = "welcome {name}")]
///         welcome(session, name).await?;
///     }
///     Ok(())
/// }
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `key = "welcome/{user.id}"` | required: the name of the run within the one that calls; its holes are as for [`side_effect`] |
/// | `formerly = ["greet/{}"]` | the names that the run had before, as for [`side_effect`]; `["welcome"]` where it had none but that of its workflow |
/// | `title = "welcome {user.name}"` | the run in words; its holes are any expression that is `Display` |
/// | `errors = "later"` | a run that fails does not stop the one that calls; see below |
///
/// # Errors for later
///
/// An error of a run stops the runs around it until the next start. With `errors = "later"`, and no `?`, it does not: the
/// value is an `Option`, `None` where the run has failed or waits for a person. After a `None` the calling run may begin
/// further runs with `errors = "later"`, and nothing else, for what goes on from a `None` would go another way once the
/// run has not failed. It ends as incomplete, and the next start tries again what has failed; what is done gives its
/// result.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn send(_: impl ToString, _: &str) -> Result<u32, Error> { Ok(1) }
/// # #[durable_workflow]
/// # async fn welcome(session: &Session, name: &str) -> Result<u32, Error> {
/// #     #[side_effect(key = "mail" as mail, idempotent)]
/// #     let sent = send(mail.token(), name).await?;
/// #     Ok(sent)
/// # }
///
/// #[durable_workflow(goal = "welcome {names.len()} people")]
/// async fn welcome_all(session: &Session, names: &[String]) -> Result<u32, Error> {
///     let mut sent = 0;
///     for name in names {
///         // One that fails is not in the way of the others.
///         #[run(key = "welcome/{name}", errors = "later")]
///         let one = welcome(session, name).await;
///         sent += one.unwrap_or_default();
///     }
///     Ok(sent) // if one has failed, the run ends as incomplete all the same, and not with this
/// }
/// ```
///
/// It stands where a step may stand, and its key obeys the same rules: it cannot meet that of a step or another
/// `#[run]` of the workflow, and each loop and closure around it contributes.
///
/// # What it names
///
/// The one run that the expression enters, be it through a function in between. An expression that enters none, or two,
/// stops the calling run with an error. `tokio::spawn` makes a task, which enters runs of its own: it gets no name.
#[proc_macro_attribute]
pub fn run(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("run", item.into()).into()
}

/// Marks a step of a workflow that asks a person to decide, and waits for the answer: once, however often the workflow is
/// killed, and however long that takes.
///
/// It stands before `session.decide().await?`, which gives the answer.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn mail_out(_: impl ToString, _: &[u32]) -> Result<(), Error> { Ok(()) }
///
/// #[durable_workflow(goal = "send the summary")]
/// async fn summary(session: &Session, sums: Vec<u32>) -> Result<bool, Error> {
///     #[decision(
///         key = "send",
///         title = "send the summary to the board",
///         ask = "finance",
///         shows = sums,
///         expires = "24h",
///         on_expiry = "nobody answered in time",
///     )]
///     let send: Approval = session.decide().await?;
///     if send.is_approved() {
///         #[side_effect(key = "mail" as mail, idempotent)]
///         mail_out(mail.token(), &sums).await?;
///     }
///     Ok(send.is_approved())
/// }
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `key = "send/{report.id}"` | required: the name by which the decision is asked, answered and known for ever; its holes are as for [`side_effect`] |
/// | `formerly = ["mail/{}"]` | the keys that it had before, as for [`side_effect`] |
/// | `title = "send {report.name}"` | the decision in words; its holes are any expression that is `Display` |
/// | `ask = "finance"` | whom to ask. Default: `"operator"` |
/// | `shows = invoices.len()` | what is shown to whoever decides: any value that is `Serialize`. The answer is bound to it: if the code comes to show something else, the run stops and says so |
/// | `expires = "24h"` | how long an answer is awaited, counted from when it was first asked for |
/// | `on_expiry = value` | what counts if nobody has answered by then: a value of the decision's type, or a text for an `Approval`, which is then declined for that reason. Without it the decision stays open, and the handoff says that it is overdue |
///
/// # The answer
///
/// What is decided is any type that can be recorded; `Approval` is ready-made. An answer names the key as the handoff
/// shows it, and says who gives it and why. It is given to the process that holds the session, or left for it by any other:
///
/// ```no_run
/// # use durable_runtime::{Session, Word};
/// # async fn answer(session: &Session) -> Result<(), durable_runtime::Error> {
/// session.answer("summary//send").approve().by("ada", "the sums are right").await?;
/// // or, in another process, whether or not one holds the session:
/// let word = Word::answer("summary//send").approve().by("ada", "the sums are right");
/// durable_runtime::post("session", word).await?;
/// # Ok(())
/// # }
/// ```
///
/// The first answer that reads as the decision's type counts, for good: it is never used up, and given again on every
/// replay. One before it is refused, and the question stays open; one after it comes too late. An answer counts as of when
/// it was given or posted: before `expires` it is in time however late it is read. Every refusal is recorded; `post`
/// refuses what answers nothing before it is left.
///
/// While it waits the process stays, or ends and is started again later: `Session::builder(dir).waits(..)`.
#[proc_macro_attribute]
pub fn decision(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("decision", item.into()).into()
}

/// Marks a step of a workflow that sleeps: it wakes once, and never before the instant that was recorded when it was first
/// reached, whatever becomes of the process and of the clock.
///
/// It stands before `session.sleep(length).await?` or `session.sleep_until(instant).await?`.
///
/// ```
/// use std::time::Duration;
///
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
///
/// #[durable_workflow(goal = "remind {times} times")]
/// async fn remind(session: &Session, times: u32) -> Result<(), Error> {
///     for time in 0..times {
///         #[sleep(key = "day/{time}", title = "let a day pass")]
///         session.sleep(Duration::from_secs(86_400)).await?;
///     }
///     Ok(())
/// }
/// ```
///
/// # Arguments
///
/// | argument | meaning |
/// |---|---|
/// | `key = "day/{time}"` | required: the name by which the sleep is known for ever; its holes are as for [`side_effect`] |
/// | `formerly = ["night/{}"]` | the keys that it had before, as for [`side_effect`] |
/// | `title = "let a day pass"` | the sleep in words; its holes are any expression that is `Display` |
///
/// The instant is that of the wall clock of the machine which reaches the sleep first. A later start sleeps the rest; if the
/// instant is over by then, it goes on at once. While it sleeps the process stays, or ends and is started again later:
/// `Session::builder(dir).waits(..)`.
#[proc_macro_attribute]
pub fn sleep(_args: TokenStream, item: TokenStream) -> TokenStream {
    expand::outside("sleep", item.into()).into()
}

/// Marks an `impl` block whose methods are workflows, so that [`outline!`] and [`workflows!`] know them.
///
/// A method is a workflow without it. But an attribute on a method does not see what block the method stands in, and so
/// cannot say where its outline is.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn call() -> Result<u32, Error> { Ok(1) }
///
/// struct Teller {
///     session: Session,
/// }
///
/// trait Pays {
///     async fn pay(&self, invoice: u32) -> Result<u32, Error>;
/// }
///
/// #[durable_methods]
/// impl Pays for Teller {
///     #[durable_workflow(key = "pay/{invoice}", goal = "pay {invoice}", session = self.session)]
///     async fn pay(&self, invoice: u32) -> Result<u32, Error> {
///         #[side_effect(key = "send", in_doubt = "operator")]
///         let receipt = call().await?;
///         Ok(receipt)
///     }
/// }
///
/// assert_eq!(outline!(<Teller as Pays>::pay).steps[0].key, "send");
/// ```
///
/// The type is one of the same crate. With `#[async_trait]` either attribute may stand first.
#[proc_macro_attribute]
pub fn durable_methods(args: TokenStream, item: TokenStream) -> TokenStream {
    pipeline::durable_methods(&args.into(), &item.into()).into()
}

/// The outline of a workflow: its name, its goal, and its steps with what can follow each, without running it.
///
/// ```
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
/// # async fn call() -> Result<u32, Error> { Ok(1) }
///
/// #[durable_workflow(goal = "call twice")]
/// async fn calls(session: &Session) -> Result<(), Error> {
///     #[side_effect(key = "one", in_doubt = "operator")]
///     call().await?;
///     #[side_effect(key = "two", in_doubt = "operator")]
///     call().await?;
///     Ok(())
/// }
///
/// let outline = outline!(calls);
/// assert_eq!(outline.steps[0].key, "one");
/// assert_eq!(outline.steps[0].next, [1]);
/// ```
///
/// It takes the path of the function in the module that defines it, `outline!(billing::payroll)`, or in one that
/// imports all of that module with `*`; a `use` of the function alone does not bring its outline. Methods have one in a
/// block with [`macro@durable_methods`]: `outline!(Teller::pay)`, and `outline!(<Teller as Pays>::pay)` for a trait's.
#[proc_macro]
pub fn outline(path: TokenStream) -> TokenStream {
    expand::outline(path.into()).into()
}

/// All workflows of a program, no two of one name: two that share a name or the keys of their runs do not compile.
///
/// A session knows a run by its key and its workflow by its name, so two workflows of one name, be they of different
/// modules or crates, would be taken for each other.
///
/// ```
/// use durable_runtime::Workflows;
/// use durable_runtime::prelude::*;
/// # use durable_runtime::Error;
///
/// mod refunds {
/// #   use durable_runtime::{Error, prelude::*};
///     #[durable_workflow(key = "refund/{id}", goal = "pay back {id}")]
///     pub async fn refund(session: &Session, id: u32) -> Result<(), Error> {
///         Ok(())
///     }
/// }
///
/// #[durable_workflow(key = "payroll/{month}", goal = "pay everybody")]
/// async fn payroll(session: &Session, month: u32) -> Result<(), Error> {
///     Ok(())
/// }
///
/// static WORKFLOWS: Workflows = workflows![payroll, refunds::refund];
///
/// let names: Vec<_> = WORKFLOWS.outlines().map(|outline| outline.name).collect();
/// assert_eq!(names, ["payroll", "refund"]);
/// ```
///
/// It takes the paths that [`outline!`] takes. In a block with type parameters of its own the type is written out,
/// `Agent::<Http>::day`.
#[proc_macro]
pub fn workflows(paths: TokenStream) -> TokenStream {
    expand::workflows(paths.into()).into()
}
