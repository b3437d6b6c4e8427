//! Keys that steps and runs had before, and those of them that nothing can go on with.

use crate::core::key::{self, Hole};
use crate::core::start::Place;
use crate::core::state::State;
use crate::error::Kind;

/// A key that a step or a run had before: the pieces of its template, and its holes.
pub type Former<'a> = (&'a [&'a str], &'a [Hole<'a>]);

/// A former key in full: one that names its run is whole. `None` for one that can never have been.
pub(super) fn former_key(run: &str, (pieces, holes): Former<'_>) -> Option<String> {
    let part = key::fill(pieces, holes).ok()?;
    let full = if part.contains(key::SCOPE) { part } else { key::scoped(run, &part) };
    key::check(&full).ok().map(|()| full)
}

/// A former key that is not recorded, in a run whose keys of that shape were written in another form: one of them may be this.
#[derive(Clone, Debug)]
pub(super) struct Otherwise {
    run: String,
    /// One that is recorded.
    key: String,
    before: String,
    now: String,
}

impl Otherwise {
    /// Of a former key in full, and its template. That of a step in the run itself is compared when the run is entered.
    pub(super) fn of(state: &State, former: &str, template: &str) -> Option<Self> {
        let run = key::around(former).next()?;
        let (around, own) = template.rsplit_once(key::SCOPE)?;
        let at = state.runs.get(run)?;
        let part = former.strip_prefix(run)?.strip_prefix(key::SCOPE)?;
        let (shape, recorded) = at.shapes.iter().find(|(shape, _)| key::fits(shape, part))?;
        let newest = at.outline.steps.iter().filter(|step| step.shape == *shape).map(|step| &step.key);
        let mut written = at.rewritten.get(shape).into_iter().flatten().chain(newest).peekable();
        let before = written.peek()?.to_string();
        let is_it = written.any(|written| key::formats(written) == key::formats(own));
        let full = |own: &str| format!("{around}{}{own}", key::SCOPE);
        (!is_it).then(|| Self { run: run.to_owned(), key: recorded.clone(), before: full(&before), now: full(own) })
    }

    pub(super) fn refuses(self, at: Place) -> Kind {
        let Self { run, key, before, now } = self;
        Kind::KeyRewritten { run, at, what: "step", key, before, now, on: "on it" }
    }
}

/// A former key of what stood in a run that has finished: whether it was recorded, and what it gave, is forgotten.
#[derive(Clone, Debug)]
pub(super) struct Gone {
    pub(super) former: String,
    pub(super) run: String,
    /// Shape of the key of that run.
    pub(super) shape: String,
}

impl Gone {
    pub(super) fn of(state: &State, former: &str) -> Option<Self> {
        let finished =
            key::around(former).find_map(|key| state.runs.get_key_value(key).filter(|(_, run)| run.value.is_some()));
        finished.map(|(key, run)| Self { former: former.to_owned(), run: key.clone(), shape: run.shape.clone() })
    }
}
