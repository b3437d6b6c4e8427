//! What a record may not say: secrets, wherever people, receivers and code have put words into it.
//!
//! Keys, inputs and results are looked at before there is a record of them, for they cannot be changed: see
//! [`Secrets`](crate::core::secrets::Secrets).

use std::borrow::Cow;
use std::sync::Arc;

use super::{Event, Origin};
use crate::core::secrets::Secrets;

impl Event {
    /// Takes the secrets out of its words.
    pub(crate) fn scrub(&mut self, secrets: &Secrets) {
        let words = self.words();
        for word in words {
            if let Cow::Owned(clean) = secrets.redact(word) {
                *word = clean;
            }
        }
        for word in self.shared_words() {
            if let Cow::Owned(clean) = secrets.redact(word) {
                *word = clean.into();
            }
        }
    }

    /// Those of them that a plan or a step has too.
    fn shared_words(&mut self) -> Vec<&mut Arc<str>> {
        match self {
            Self::Reserve(reserve) => [&mut reserve.ask].into_iter().chain(&mut reserve.title).collect(),
            Self::Done(done) => done.title.iter_mut().collect(),
            _ => Vec::new(),
        }
    }

    /// The words in it that are not this library's own.
    fn words(&mut self) -> Vec<&mut String> {
        match self {
            Self::Checkpoint(at) => {
                [&mut at.goal, &mut at.last, &mut at.next, &mut at.why].into_iter().flatten().collect()
            }
            Self::Run(run) => run.title.iter_mut().chain(&mut run.goal).collect(),
            Self::Done(done) => done.unstorable.iter_mut().collect(),
            Self::Failed(failed) => {
                let result = failed.result.iter_mut();
                let said = result.flat_map(|result| result.code.iter_mut().chain(&mut result.title));
                [&mut failed.error].into_iter().chain(&mut failed.payload).chain(said).collect()
            }
            Self::InDoubt(doubt) => vec![&mut doubt.ask, &mut doubt.why],
            Self::Wait(wait) => wait.title.iter_mut().collect(),
            Self::Ask(asked) => [&mut asked.ask].into_iter().chain(&mut asked.title).collect(),
            Self::Absent(absent) => vec![&mut absent.by],
            Self::Resolve(word) => vec![&mut word.by, &mut word.because],
            Self::Answer(word) => vec![&mut word.by, &mut word.because],
            Self::WordRefused(word) => [&mut word.by, &mut word.why].into_iter().chain(&mut word.digest).collect(),
            Self::Cancel(word) => vec![&mut word.by, &mut word.because],
            Self::Adopt(word) => vec![&mut word.by, &mut word.because],
            Self::Stopped(stopped) => [&mut stopped.error].into_iter().chain(of(&mut stopped.origin)).collect(),
            Self::Refused(refused) => [&mut refused.error].into_iter().chain(of(&mut refused.origin)).collect(),
            Self::Artifact(made) => made.digest.iter_mut().chain(&mut made.about).collect(),
            Self::Verdict(verdict) => vec![&mut verdict.component, &mut verdict.because],
            Self::Note(note) => vec![&mut note.text],
            Self::Boot(_)
            | Self::Code(_)
            | Self::Reserve(_)
            | Self::NotYet(_)
            | Self::Woke(_)
            | Self::End(_)
            | Self::Replayed(_)
            | Self::Repaired(_)
            | Self::Lost(_)
            | Self::Memory(_)
            | Self::Budget(_)
            | Self::Turn(_)
            | Self::Mark(_)
            | Self::Dormant(_)
            | Self::Trim(_)
            | Self::Closed(_) => Vec::new(),
        }
    }
}

fn of(origin: &mut Option<Box<Origin>>) -> impl Iterator<Item = &mut String> {
    origin.iter_mut().map(|origin| &mut origin.error)
}
