//! Who ends a doubt about a side effect without an attribute. One of which nobody says so cannot be run.

use std::future::{Future, Ready};

use super::plain::SideEffect;
use crate::core::key::StepKey;
use crate::verdict::{IntoVerdict, Verdict};

/// Nobody ends a doubt: such a step cannot be run.
#[derive(Clone, Copy, Debug)]
pub struct Unproven;

/// A receiver that drops repeats, or a person, ends a doubt.
#[derive(Clone, Copy, Debug)]
pub struct Unasked;

/// A verifier ends a doubt.
#[derive(Clone, Copy, Debug)]
pub struct Asks<V>(pub(super) V);

/// A side effect of which it is said who ends a doubt about it.
#[diagnostic::on_unimplemented(
    message = "a side effect says how a crash in its middle is cleared up",
    label = "nobody could tell whether this happened",
    note = "call `.verify(..)` before it to ask whether it happened, `.idempotent()` if the receiver drops repeats, or `.in_doubt(\"treasury\")` to ask a person"
)]
pub trait Proven {}

#[diagnostic::do_not_recommend]
impl Proven for SideEffect<'_, Unasked> {}

#[diagnostic::do_not_recommend]
impl<V> Proven for SideEffect<'_, Asks<V>> {}

/// Who ends a doubt about a step that gives `T`.
pub trait Prove<T> {
    /// Asks.
    #[doc(hidden)]
    fn ask(&self, key: StepKey) -> impl Future<Output = Verdict<T>>;
}

impl<T> Prove<T> for Unasked {
    fn ask(&self, _: StepKey) -> impl Future<Output = Verdict<T>> {
        std::future::ready(Verdict::Unknown("the step has no verifier".to_owned()))
    }
}

impl<T, F: Future<Output: IntoVerdict<T>>, V: Fn(StepKey) -> F> Prove<T> for Asks<V> {
    fn ask(&self, key: StepKey) -> impl Future<Output = Verdict<T>> {
        let answer = (self.0)(key);
        async { answer.await.into_verdict() }
    }
}

/// The methods that run it, where nobody ends a doubt: each is refused, and once, for what it gives has no bound.
macro_rules! refused {
    ($($name:ident($($classify:ident)?))*) => {$(
        #[doc(hidden)]
        pub fn $name<V, R>(self, _: impl Fn(StepKey) -> V $(, $classify: impl Sized)?) -> Ready<R>
        where
            Self: Proven,
        {
            $(let _ = $classify;)?
            unreachable!("`Unproven` is not `Proven`")
        }
    )*};
}

impl SideEffect<'_, Unproven> {
    refused! { run() run_classified(classify) run_recorded(classify) }
}
