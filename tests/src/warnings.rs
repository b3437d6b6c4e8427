//! What the library warns of, one line each: on standard error, or gathered.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// From here on, warnings and errors of this process are lines on standard error: the level, then the fields.
pub fn to_stderr() {
    let say = |line: String| eprintln!("{line}");
    tracing::subscriber::set_global_default(Warnings(say)).expect("nobody else listens in this process");
}

/// What the work gives, done on this thread, and what it warned of.
pub fn of<T>(work: impl AsyncFnOnce() -> T) -> (T, Vec<String>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let gathered = Arc::clone(&lines);
    let gather = move |line| gathered.lock().expect("nobody panics with it").push(line);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let value = tracing::subscriber::with_default(Warnings(gather), || runtime.block_on(work()));
    let lines = lines.lock().expect("nobody panics with it").clone();
    (value, lines)
}

struct Warnings<F>(F);

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("a string takes everything");
    }
}

impl<F: Fn(String) + Send + Sync + 'static> Subscriber for Warnings<F> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        (self.0)(format!("{}{}", event.metadata().level(), line.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
