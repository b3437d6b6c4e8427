//! What a panic said, and where: for the record of the step that it ended.

use std::any::Any;
use std::cell::RefCell;
use std::fmt::Display;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::pin::pin;
use std::sync::Once;
use std::task::Poll;

thread_local! {
    /// The newest panic of this thread.
    static NEWEST: RefCell<Option<String>> = const { RefCell::new(None) };
}

static LISTEN: Once = Once::new();

/// Notes every panic from here on, and lets whoever listened before hear it too: only a hook is told where it was.
fn listen() {
    LISTEN.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let words = words(panic);
            // A thread that is ending has no such place any more, and no step either.
            let _gone = NEWEST.try_with(|newest| newest.borrow_mut().replace(words));
            before(panic);
        }));
    });
}

/// The panic that unwinds this thread, if one does.
pub(super) fn running() -> Option<String> {
    let newest = || NEWEST.try_with(|newest| newest.borrow().clone()).ok().flatten();
    std::thread::panicking().then(|| newest().unwrap_or_else(|| "the step panicked".to_owned()))
}

/// Polls a body, and gives the words of its panic if it has one: the rest of the process goes on.
pub(super) async fn caught<F: Future>(body: F) -> Result<F::Output, String> {
    listen();
    let mut body = pin!(body);
    // After a panic the body is never polled again, and whoever is told stops its run: no broken state is seen.
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(payload) => Poll::Ready(Err(said(&*payload))),
    })
    .await
}

/// The words of an error of the user's, all that it follows from among them; also if it cannot say them.
pub(crate) fn told(error: &impl Display) -> String {
    listen();
    catch_unwind(AssertUnwindSafe(|| format!("{error:#}")))
        .unwrap_or_else(|payload| format!("an error whose `Display` {}", said(&*payload)))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let newest = NEWEST.try_with(|newest| newest.borrow().clone()).ok().flatten();
    // A panic that goes on from elsewhere was told to no hook.
    let newest = newest.filter(|newest| text.is_none_or(|text| newest.ends_with(text)));
    newest.unwrap_or_else(|| format!("panicked: {}", text.unwrap_or(NO_TEXT)))
}

const NO_TEXT: &str = "of a kind that is no text";

fn words(panic: &PanicHookInfo<'_>) -> String {
    let text = panic.payload_as_str().unwrap_or(NO_TEXT);
    match panic.location() {
        Some(at) => format!("panicked at {}:{}: {text}", at.file(), at.line()),
        None => format!("panicked: {text}"),
    }
}
