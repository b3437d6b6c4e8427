//! `boots DIR`: opens the session DIR, and says by how many KiB the memory grew for that at most.

use durable_runtime::{Error, Session};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    let dir = std::env::args().nth(1).expect("the first argument is a directory");
    let before = peak();
    let session = Session::open(dir).await?;
    println!("{}", peak() - before);
    session.close().await
}

/// How much memory this process has had at most, in KiB, as Linux says.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux says it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it is one of the lines");
    line.trim().trim_end_matches(" kB").parse().expect("it is a number")
}
