//! What answers differently in another process, why that is a mistake, and what to write instead.

use proc_macro2::TokenStream;
use syn::Path;

use crate::walk::branches;

/// The text about a call of `owner::name`; `None` for one that gives the same each time, as far as its name tells.
pub(super) fn explain(owner: &str, name: &str) -> Option<String> {
    let (why, instead) = texts(owner, name)?;
    Some(format!("`{owner}::{name}` {why}: {instead}"))
}

/// The text about a `select!` that draws the order in which it asks its branches. One branch alone has no order.
pub(super) fn explain_macro(path: &Path, input: &TokenStream) -> Option<String> {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    if names.last()? != "select" || branches(input.clone()).is_none_or(|of| of.is_biased || of.futures.len() < 2) {
        return None;
    }
    let instead = match names[0].as_str() {
        "futures" | "futures_util" => "write `select_biased!` instead",
        "tokio" => "write `biased;` before its first branch",
        _ => "write `biased;` before its first branch, or, where it is that of `futures`, `select_biased!` instead",
    };
    let name = names.join("::");
    Some(format!(
        "`{name}!` asks its branches in a random order, and of two that are ready a restart may take the other: {instead}, and it asks them in the order written"
    ))
}

fn texts(owner: &str, name: &str) -> Option<(&'static str, &'static str)> {
    Some(match (owner, name) {
        ("Instant", "now") => {
            (CLOCK, "record a time of day instead, `#[read(key = \"now\")] let now = SystemTime::now();`")
        }
        ("SystemTime" | "Utc" | "Local" | "OffsetDateTime" | "Zoned" | "Timestamp", "now")
        | ("OffsetDateTime", "now_utc" | "now_local") => {
            (CLOCK, "record what it says, `#[read(key = \"now\")] let now = SystemTime::now();`")
        }
        ("Uuid", "new_v4" | "now_v1" | "now_v6" | "now_v7") | ("Ulid", "new") => (
            CHANCE,
            "record the one that it made, `#[read(key = \"id\")] let id = Uuid::new_v4();`, or use the `token()` of a step's key, which stays",
        ),
        ("rand", "random" | "random_range" | "random_bool" | "random_ratio" | "rng" | "thread_rng")
        | ("fastrand", _) => {
            (CHANCE, "draw in a step, which records it, `#[read(key = \"drawn\")] let drawn: u32 = rand::random();`")
        }
        (
            "env",
            "var" | "var_os" | "vars" | "vars_os" | "args" | "args_os" | "current_dir" | "temp_dir" | "home_dir",
        ) => (
            "reads what this process was started with, and the next one may be started with something else",
            "make it a parameter of the workflow, which is recorded, or read it in a step, `#[read(key = \"region\")] let region = std::env::var(\"REGION\")?;`",
        ),
        ("tokio" | "task", "spawn") | ("task", "spawn_local") => (
            "starts a task that nothing records and that every restart starts again",
            "wait for it here, `tokio::join!(one, other)`, where each side may have steps of its own",
        ),
        ("task", "spawn_blocking") | ("thread", "spawn") => (
            "starts work that nothing records and that every restart starts again",
            "make it a step that waits for it, `#[read(key = \"sum\")] let sum = tokio::task::spawn_blocking(work).await?;`",
        ),
        ("time" | "thread", "sleep") | ("time", "sleep_until") => (
            "waits anew after every restart",
            "let the session sleep, which records when it ends, `#[sleep(key = \"waited\")] session.sleep(day).await?;`",
        ),
        ("time", "timeout" | "timeout_at") => (
            "measures from when this process came here, so a restart may decide otherwise",
            "let the step that it limits have it, `timeout = \"30s\"` in its attribute; a decision has `expires = \"24h\"`",
        ),
        ("time", "interval" | "interval_at") => (
            "measures from when this process came here, so a restart may decide otherwise",
            "let the session sleep, which records when it ends, `#[sleep(key = \"waited/{turn}\")] session.sleep(day).await?;`",
        ),
        ("process", "id") | ("thread", "current") => (
            "tells this process from others, and a restart is another process",
            "record what it says, `#[read(key = \"id\")] let id = std::process::id();`",
        ),
        ("File", "open")
        | ("TcpStream", "connect")
        | ("fs", "read" | "read_to_string" | "read_dir" | "read_link" | "metadata" | "exists" | "try_exists")
        | ("reqwest", "get") => (
            "reads the world outside, which may have changed by the next restart",
            "read it in a step, which records what it saw, `#[read(key = \"config\")] let config = std::fs::read_to_string(path)?;`",
        ),
        _ => return None,
    })
}

const CLOCK: &str = "reads the clock, and a restart reads another time";
const CHANCE: &str = "gives another value after every restart";
