//! Attempts: what an error proves, how often a step is tried, and how long.

mod args;
mod http;
mod panics;
mod plain;
mod receiver;
mod retries;
mod timeouts;
mod tokens;
