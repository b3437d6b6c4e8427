//! Protocols that are broken on purpose, each in one place: the kill lab must catch every one of them.
//!
//! Only the hidden feature `__broken` lets one be chosen. Without it [`is`] is `false`, and nothing of this is left.

macro_rules! protocols {
    ($($(#[doc = $text:literal])+ $name:ident,)+) => {
        /// A protocol that is broken on purpose: what it gets wrong, and what that does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(not(feature = "__broken"), expect(unreachable_pub, reason = "public with the feature `__broken`"))]
        #[cfg_attr(not(feature = "__broken"), expect(dead_code, reason = "chosen with the feature `__broken` only"))]
        pub enum Broken {
            $($(#[doc = $text])+ $name,)+
        }

        #[cfg(feature = "__broken")]
        impl Broken {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)+];
        }
    };
}

protocols! {
    /// A reservation is not synced: a power cut forgets it, and its effect runs again.
    ReservationNotSynced,
    /// The reservation is written with the result: a kill during the effect leaves nothing, and the effect runs again.
    ReservedAfterEffect,
    /// An effect starts though its reservation could not be written: it runs again.
    ReserveErrorIgnored,
    /// The result is recorded with the reservation: what a kill kept from happening is taken for done.
    DoneBeforeEffect,
    /// The names of new files are not synced: a power cut takes the log away, and its effects run again.
    NamesNotSynced,
    /// The session's own name is not synced: a power cut takes the whole directory away, and its effects run again.
    DirectoryNotSynced,
    /// The session's id is not synced: a power cut leaves a text that is no id, and the session is refused.
    IdNotSynced,
    /// A boot does not sync what it has read: what it says of it is more than a power cut leaves.
    ReadNotSynced,
    /// A boot syncs what it has read without writing it again: what a failed sync has dropped stays lost.
    ReadNotRewritten,
    /// A torn tail stays: the next record is glued to half of an old one.
    TornTailKept,
    /// A torn tail is taken for damage: a power cut ends the session for ever.
    TornTakenForDamage,
    /// A sync that failed is tried again and believed: what the first one dropped is taken for durable.
    FailedSyncRetried,
    /// A write that failed is tried again, behind the half of it that is there.
    FailedAppendRetried,
    /// After a failed sync the session goes on writing, and calls durable what was dropped.
    PoisonForgotten,
    /// A boot writes to the log before it has judged it: a refusal leaves a session that is not as it was.
    BootWritesFirst,
    /// The lock is not heeded: two processes write one log.
    LockIgnored,
    /// Keys are not written into the registry: where the log is gone, their effects run again.
    RegistryNotWritten,
    /// A boot does not look into the registry: where the log is gone, its effects run again.
    RegistryNotRead,
    /// A boot forgets what is reserved and not done: it runs again.
    ReservationForgotten,
    /// A boot forgets results: what was read is read again, and differs.
    ResultForgotten,
    /// The handoff does not name a key before its effect starts: whoever reads it does the effect again.
    HandoffNotPublished,
    /// The checksum of a record is not checked: what the disk has changed is believed.
    ChecksumIgnored,
    /// What a record says of the last sync is not heeded: damage is taken for a torn tail, and what stands behind it is
    /// cut off.
    MarkIgnored,
    /// A record calls durable what is only written: a torn tail is taken for damage.
    MarkRunsAhead,
    /// A record that is missing in the middle of the log is not missed.
    GapIgnored,
    /// A torn tail does not reopen what was proven absent: the attempt that stood in it is made again.
    AbsenceKept,
    /// The state view does not show a further attempt: a log that is cut before it looks whole, and it is made again.
    AttemptNotShown,
    /// A step that is reserved is taken for done: what a kill kept from happening never happens.
    ReservedTakenForDone,
    /// A step that is reserved runs again, and its verifier is not asked.
    NotVerified,
    /// A verifier's "no" is believed at once: what was on its way lands beside the next attempt.
    AbsenceBelievedEarly,
    /// `settle` counts from the reservation, and not from when the attempt is known to have ended.
    SettledSinceReserved,
    /// A verifier that cannot tell is taken for one that says "no".
    UnknownTakenForAbsent,
    /// An error of the effect is taken for a proof that nothing happened.
    ErrorTakenForAbsence,
    /// An attempt that may have happened is followed by the next at once, and its verifier is not asked.
    RetriedUnverified,
    /// What only a person can tell is taken for happened.
    PersonTakenForHappened,
    /// What only a person can tell is taken for absent.
    PersonTakenForAbsent,
    /// A run that has stopped goes on: a swallowed error leads to another path.
    StoppedRunGoesOn,
    /// A result is recorded as another one than the step has given.
    OtherResultRecorded,
    /// The first run sees the value of a step as it was given, and a replay as it was stored.
    ValueNotAsStored,
    /// A value that is kept apart is not synced before the record that names it: after a power cut it cannot be read.
    BlobNotSynced,
    /// What a read gave is not recorded: it is read again after the effects that it led to.
    ReadNotRecorded,
    /// A renamed step is looked for under its new key alone: it runs again.
    FormerKeyForgotten,
    /// A run that the code no longer calls is forgotten: what it did is done again under another key.
    UncalledForgotten,
    /// A key whose holes have another format is taken for the same: its steps run again under the keys that come of it.
    RewrittenForgotten,
    /// A run that has the same inputs under another key is forgotten: what it did is done again.
    SameInputsForgotten,
    /// The token is made anew for each attempt: the receiver cannot know a repeat.
    TokenOfAttempt,
    /// A sleep is measured anew by each start: it ends later than was recorded.
    SleepMeasuredAnew,
    /// A person's word counts though the verifier was not asked, and what is on its way has not landed.
    WordBeforeVerifier,
    /// The answer to a question is used up by the start that takes it: a person is asked again, and says something else.
    AnswerConsumed,
    /// That a run is given up is not synced: a power cut forgets it, though somebody was told and relies on it.
    CancelNotSynced,
    /// A snapshot is not synced before the log is shrunk: a power cut leaves half of it, and the rest is gone.
    SnapshotNotSynced,
    /// The name of a snapshot is not durable before the log is shrunk: a power cut takes it away.
    SnapshotNameNotSynced,
    /// What a turn of a loop is for is decided anew in every start: a resumed run goes another way.
    TurnDecidedAnew,
    /// What the body of a run notes counts as new in every start: what was remembered last is set back.
    NotedAnew,
    /// A result that is not kept is got again by doing its effect again.
    WithheldDoneAgain,
}

#[cfg(feature = "__broken")]
pub(crate) use chosen::{any, is};

#[cfg(feature = "__broken")]
mod chosen {
    use std::cell::Cell;
    use std::fmt;

    use super::Broken;

    thread_local! {
        static CHOSEN: Cell<Option<Broken>> = const { Cell::new(None) };
    }

    /// Whether this protocol is broken now.
    pub(crate) fn is(broken: Broken) -> bool {
        CHOSEN.get() == Some(broken)
    }

    /// Whether a protocol is broken now.
    pub(crate) fn any() -> bool {
        CHOSEN.get().is_some()
    }

    impl Broken {
        /// Does `work` with this protocol broken, on this thread alone.
        pub fn during<T>(self, work: impl FnOnce() -> T) -> T {
            struct Whole;
            impl Drop for Whole {
                fn drop(&mut self) {
                    CHOSEN.set(None);
                }
            }
            CHOSEN.set(Some(self));
            let _whole = Whole;
            work()
        }
    }

    impl fmt::Display for Broken {
        /// The name in lower case, with hyphens.
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            for (index, letter) in format!("{self:?}").chars().enumerate() {
                let hyphen = if index > 0 && letter.is_ascii_uppercase() { "-" } else { "" };
                write!(f, "{hyphen}{}", letter.to_ascii_lowercase())?;
            }
            Ok(())
        }
    }
}

/// Whether this protocol is broken: never, in a library that is built to be used.
#[cfg(not(feature = "__broken"))]
#[inline]
pub(crate) const fn is(_: Broken) -> bool {
    false
}

/// Whether any is.
#[cfg(all(not(feature = "__broken"), any(test, feature = "testing")))]
pub(crate) const fn any() -> bool {
    false
}
