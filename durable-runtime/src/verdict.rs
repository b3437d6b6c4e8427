//! What a verifier says.

use std::fmt::Display;
use std::time::Duration;

/// What a verifier found out about an effect that is in doubt.
///
/// A verifier may also give `Option<T>` (`None`: it did not happen), `bool` for a step that gives `()`, or a `Result` of
/// any of these, whose error counts as [`Unknown`](Verdict::Unknown).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<T> {
    /// It happened, and this is its result.
    Happened(T),
    /// It did not happen. Believed only once a request on its way must have landed: see `settle`.
    DidNotHappen,
    /// It cannot be told before this time has passed.
    NotYet(Duration),
    /// It cannot be told, and this is why: a person is asked.
    Unknown(String),
}

/// What a `verify` expression may give for a step that gives `T`.
#[diagnostic::on_unimplemented(
    message = "`verify` must say whether the step happened, and `{Self}` does not for a step that gives `{T}`",
    label = "this is not an answer to \"did it happen, and what did it give?\"",
    note = "give `Option<{T}>` (`None`: it did not happen), `bool` if the step gives `()`, `Verdict<{T}>`, or a `Result` of one of these",
    note = "if this is a future, `.await` it"
)]
pub trait IntoVerdict<T> {
    /// The answer.
    fn into_verdict(self) -> Verdict<T>;
}

impl<T> IntoVerdict<T> for Verdict<T> {
    fn into_verdict(self) -> Verdict<T> {
        self
    }
}

impl<T> IntoVerdict<T> for Option<T> {
    fn into_verdict(self) -> Verdict<T> {
        self.map_or(Verdict::DidNotHappen, Verdict::Happened)
    }
}

impl IntoVerdict<()> for bool {
    fn into_verdict(self) -> Verdict<()> {
        if self { Verdict::Happened(()) } else { Verdict::DidNotHappen }
    }
}

/// What a `refetch` expression may give for a step that gives `T`: the same, in words of its own where it is none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`refetch` must give again what the step gave, and `{Self}` is not that of a step that gives `{T}`",
    label = "this is not an answer to \"what did it give?\"",
    note = "give `Option<{T}>` (`None`: it cannot be had), `bool` if the step gives `()`, `Verdict<{T}>`, or a `Result` of one of these",
    note = "if this is a future, `.await` it"
)]
pub trait IntoFetched<T> {
    /// The answer.
    fn into_fetched(self) -> Verdict<T>;
}

#[diagnostic::do_not_recommend]
impl<T, V: IntoVerdict<T>> IntoFetched<T> for V {
    fn into_fetched(self) -> Verdict<T> {
        self.into_verdict()
    }
}

/// What a step never gives. With it, an answer alone does not say what its step gives, so that where the two differ it is
/// the answer that is called wrong.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoStep<T>(std::marker::PhantomData<T>);

#[doc(hidden)]
#[diagnostic::do_not_recommend]
impl<T> IntoVerdict<NoStep<T>> for Option<T> {
    fn into_verdict(self) -> Verdict<NoStep<T>> {
        Verdict::DidNotHappen
    }
}

#[doc(hidden)]
#[diagnostic::do_not_recommend]
impl IntoVerdict<NoStep<()>> for bool {
    fn into_verdict(self) -> Verdict<NoStep<()>> {
        Verdict::DidNotHappen
    }
}

#[doc(hidden)]
#[diagnostic::do_not_recommend]
impl<T> IntoVerdict<NoStep<T>> for Verdict<T> {
    fn into_verdict(self) -> Verdict<NoStep<T>> {
        Verdict::DidNotHappen
    }
}

#[diagnostic::do_not_recommend]
impl<T, V: IntoVerdict<T>, E: Display> IntoVerdict<T> for Result<V, E> {
    fn into_verdict(self) -> Verdict<T> {
        self.map_or_else(|error| Verdict::Unknown(format!("verify failed: {error}")), V::into_verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g11_a_verifier_that_fails_knows_nothing() {
        let failed: Result<Option<u32>, &str> = Err("bank is down");
        assert_eq!(failed.into_verdict(), Verdict::<u32>::Unknown("verify failed: bank is down".into()));
    }

    #[test]
    fn every_shape_of_an_answer_is_understood() {
        assert_eq!(Some(1).into_verdict(), Verdict::Happened(1));
        assert_eq!(None::<u32>.into_verdict(), Verdict::<u32>::DidNotHappen);
        assert_eq!(true.into_verdict(), Verdict::Happened(()));
        assert_eq!(Ok::<_, String>(Verdict::Happened(2)).into_verdict(), Verdict::Happened(2));
    }
}
