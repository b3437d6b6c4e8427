//! `steps DIR N`: takes N steps in the session DIR, for `strace` to watch.

use durable_runtime::Outcome;
use durable_tests::sequence::in_sequence;

#[tokio::main]
async fn main() -> Outcome {
    let mut args = std::env::args().skip(1);
    let dir = args.next().expect("the first argument is a directory");
    let steps = args.next().and_then(|steps| steps.parse().ok()).expect("the second argument is a number");
    durable_runtime::run(dir, async |session| in_sequence(session, steps).await).await
}
