//! The boot: lock, state, handoff, journal tail, repair; then iteration + 1, awake, and a checkpoint.

use std::sync::Arc;

use uuid::Uuid;

use super::commit::{Commit, Previous, Shared};
use super::live::Live;
use super::{Session, SessionBuilder, machine};
use crate::core::handoff::Handoff;
use crate::core::record::{Boot, Checkpoint, FORMAT, Lost, Note, Repaired};
use crate::core::state::State;
use crate::core::witness;
use crate::error::{Error, Kind};
use crate::store::{Opened, Store, StoreError};

/// Who a session is before anyone says so.
const NOBODY: &str = "agent";

pub(super) async fn boot(store: Arc<dyn Store>, settings: &SessionBuilder) -> Result<Session, Error> {
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(Kind::NoRuntime.into());
    }
    let refused = |source: StoreError| Error::from(Kind::Open { place: store.place(), source });
    let opened = store.open().await.map_err(refused)?;
    // From here on the lock is ours, so whoever reserved what is open has ended.
    let locked_at = settings.clock.now();
    let state = remembered(&opened, settings);
    store.repair().await.map_err(refused)?;

    // What was read is durable now.
    let synced = state.seq;
    let mut live = Live::new(state);
    anchor(&mut live, locked_at, &opened, settings);
    let previous = Previous { handoff: opened.handoff, journal_tail: opened.tail };
    let shared = Shared::new(live, synced, Arc::clone(&settings.clock), Arc::clone(&store), previous);
    let session = Session::new(shared);
    session.commit(Commit::Anchored).await.map_err(refused)?;
    tracing::info!(place = store.place(), iteration = session.iteration(), "session booted");
    Ok(session)
}

/// What the log says, and of a log that is gone what the last state view still says.
fn remembered(opened: &Opened, settings: &SessionBuilder) -> State {
    let session = opened.session.unwrap_or_else(Uuid::new_v4);
    let mut state = State::new(session, NOBODY.to_owned());
    for record in &opened.records {
        state.apply(record);
    }
    // Of a log that was cut or deleted, no number that was synced is given again.
    state.seq = state.seq.max(opened.durable);
    if let Some(view) = &opened.state {
        state.iteration = state.iteration.max(view.session_iteration);
        if opened.records.is_empty() {
            state.identity.clone_from(&view.identity);
            state.goal.clone_from(&view.goal);
        }
    }
    if let Some(identity) = &settings.identity {
        state.identity.clone_from(identity);
    }
    if let Some(goal) = &settings.goal {
        state.goal = Some(goal.clone());
    }
    state
}

/// The records of a boot. They share the sync of the first reservation: until then nothing depends on them.
fn anchor(live: &mut Live, locked_at: crate::core::time::Timestamp, opened: &Opened, settings: &SessionBuilder) {
    let state = &mut live.state;
    state.epoch += 1;
    let old = !opened.records.is_empty() || opened.registry.as_ref().is_some_and(|keys| !keys.is_empty());
    let boot = Boot {
        session: state.session,
        format: FORMAT,
        iteration: state.iteration + 1,
        identity: state.identity.clone(),
        durability: settings.durability.as_str().to_owned(),
        library: env!("CARGO_PKG_VERSION").to_owned(),
        machine_boot: machine::boot_id(),
        pid: std::process::id(),
    };
    let goal = state.goal.clone();
    live.push(locked_at, boot);
    if let Some(torn) = opened.torn {
        tracing::warn!(bytes = torn.bytes, line = torn.line, "a torn tail of the log was cut off");
        live.push(locked_at, Repaired { bytes: torn.bytes, line: torn.line });
    }
    let lost = witness::lost(&live.state, opened.registry.as_deref().unwrap_or_default());
    if !lost.is_empty() {
        tracing::warn!(keys = lost.len(), "the log of reserved keys is gone: each is verified or asked about");
        live.push(locked_at, Lost { keys: lost });
    }
    if old && opened.handoff.is_none() {
        live.push(locked_at, Note { text: "no handoff found: what happened before is read from the log".to_owned() });
    }
    let handoff = Handoff::of(&live.state);
    live.push(locked_at, Checkpoint { goal, last: handoff.last_action(), next: handoff.next_action() });
}
