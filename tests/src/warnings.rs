//! What the library warns of, one line each: on standard error, or gathered.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// From here on, warnings and errors of this process are lines on standard error: the level, then the fields.
pub fn to_stderr() {
    let say = |line: String| eprintln!("{line}");
    tracing::subscriber::set_global_default(Warnings(Level::WARN, say)).expect("nobody else listens in this process");
}

/// What the work gives, done on this thread, and what it warned of.
pub fn of<T>(work: impl AsyncFnOnce() -> T) -> (T, Vec<String>) {
    down_to(Level::WARN, work)
}

/// The same with everything that is said at this level or above.
pub fn down_to<T>(level: Level, work: impl AsyncFnOnce() -> T) -> (T, Vec<String>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let gathered = Arc::clone(&lines);
    let gather = move |line| gathered.lock().expect("nobody panics with it").push(line);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    // Where there is just one listener in the process, `tracing` asks the thread that comes first to a line whether anybody listens.
    let _second = tracing::Dispatch::new(Warnings(level, drop::<String>));
    let value = tracing::subscriber::with_default(Warnings(level, gather), || runtime.block_on(work()));
    let lines = lines.lock().expect("nobody panics with it").clone();
    (value, lines)
}

struct Warnings<F>(Level, F);

#[derive(Default)]
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("a string takes everything");
    }
}

impl<F: Fn(String) + Send + Sync + 'static> Subscriber for Warnings<F> {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.0
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        (self.1)(format!("{}{}", event.metadata().level(), line.0));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
