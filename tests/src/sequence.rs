//! Verified steps, one after another: what the counts are taken of.

use durable_runtime::Error;
use durable_runtime::prelude::*;

/// Takes the steps; none of them does anything.
///
/// # Errors
///
/// Fails if the session cannot go on.
#[durable_workflow(goal = "take {steps} steps")]
pub async fn in_sequence(session: &Session, steps: u32) -> Result<u32, Error> {
    for n in 0..steps {
        #[side_effect(key = "step/{n}", verify = Some(n))]
        let _taken = Ok::<_, Error>(n)?;
    }
    Ok(steps)
}
