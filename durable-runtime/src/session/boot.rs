//! The boot: lock, state, handoff, journal tail, repair; then iteration + 1, unless one goes on, awake, and a checkpoint.

use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;

use super::boot_report::BootReport;
use super::commit::{Commit, Shared};
use super::live::Live;
use super::memory::recalled;
use super::{Session, SessionBuilder, checkpoint, machine};
use crate::core::record::{Boot, Checkpoint, Event, FORMAT, Lost, Note, Repaired};
use crate::core::state::{Life, State, Status, Step};
use crate::core::text;
use crate::core::time::Timestamp;
use crate::core::witness;
use crate::error::{Error, Kind};
use crate::store::files::Durability;
use crate::store::{Opened, Reader, Store, StoreError, Torn};

/// Who a session is before anyone says so.
const NOBODY: &str = "agent";

pub(super) async fn boot(store: Arc<dyn Store>, settings: &SessionBuilder) -> Result<Session, Error> {
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(Kind::NoRuntime.into());
    }
    let refused = |source: StoreError| Error::from(Kind::Open { place: store.place(), source });
    let told = Arc::new(Mutex::new(None));
    let opened = store.open(reader(&told)).await.map_err(refused)?;
    // From here on the lock is ours, so whoever reserved what is open has ended.
    let locked_at = settings.clock.now();
    let known = taken(&told);
    refuse_others(&known, settings, &*store)?;
    let state = remembered(known, &opened, settings);
    if settings.adopt.is_none()
        && let Some(durability) = restarted(&state)
    {
        return Err(Kind::Restarted { place: store.place(), durability }.into());
    }
    if settings.needs_goal && state.goal.is_none() {
        return Err(Kind::NoGoalYet { place: store.place() }.into());
    }
    store.repair().await.map_err(refused)?;

    // What was read is durable now.
    let synced = state.seq;
    let secrets = Arc::new(settings.secrets.clone());
    let mut live = Live::new(state, Arc::clone(&secrets));
    let amiss = anchor(&mut live, locked_at, &opened, settings);
    let boot_report = BootReport {
        iteration: live.state.iteration,
        handoff: opened.handoff,
        journal: opened.tail,
        amiss,
        in_doubt: in_doubt(&live.state),
        pid: settings.pid.unwrap_or_else(std::process::id),
    };
    let (clock, store_of_session) = (Arc::clone(&settings.clock), Arc::clone(&store));
    let shared = Shared::new(live, synced, clock, store_of_session, boot_report, settings.settings, secrets);
    let session = Session::new(shared);
    session.commit(Commit::Anchored).await.map_err(refused)?;
    session.take_words().await?;
    session.trim_if_due().await;
    tracing::info!(place = store.place(), iteration = session.iteration(), "session booted");
    Ok(session)
}

/// Refuses a session that a workflow works in, or that is for another goal, where only one's own is wanted.
fn refuse_others(known: &State, settings: &SessionBuilder, store: &dyn Store) -> Result<(), Error> {
    if !settings.own_work {
        return Ok(());
    }
    if let Some((run, of)) = known.runs.iter().next() {
        let (run, workflow) = (run.clone(), of.workflow.clone());
        return Err(Kind::OfWorkflow { place: store.place(), workflow, run }.into());
    }
    match (&known.goal, &settings.goal) {
        (Some(recorded), Some(given)) if settings.is_goal_given && recorded != given => {
            let (recorded, given) = (text::clean(recorded, GOAL), text::clean(given, GOAL));
            Err(Kind::OtherGoal { place: store.place(), recorded, given }.into())
        }
        _ => Ok(()),
    }
}

/// The most that is shown of a goal, in bytes.
const GOAL: usize = 200;

fn in_doubt(state: &State) -> Vec<String> {
    let is_unknown = |step: &Step| matches!(step.life, Life::Reserved | Life::Doubt(_));
    state.open_steps().filter(|(_, step)| is_unknown(step)).map(|(key, _)| key.to_owned()).collect()
}

/// Whether the machine has been started anew under a session that trusted in its memory, and was not closed.
pub(super) fn restarted(state: &State) -> Option<String> {
    let boot = state.boot.as_ref().filter(|_| state.status == Status::Awake)?;
    let (then, now) = (boot.machine.as_ref()?, machine::boot_id()?);
    let trusts = boot.durability == Durability::ProcessSafe.as_str();
    (trusts && *then != now).then(|| boot.durability.clone())
}

/// Makes a state of the records, and leaves it in `told`.
pub(super) fn reader(told: &Arc<Mutex<Option<State>>>) -> Reader {
    let told = Arc::clone(told);
    Box::new(move |records| {
        let mut state = unread();
        records.for_each(|record| state.apply(&record));
        *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(state);
    })
}

/// The state that a reader has left.
pub(super) fn taken(told: &Mutex<Option<State>>) -> State {
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).take();
    told.unwrap_or_else(unread)
}

/// A state before its first record is read.
pub(super) fn unread() -> State {
    State::new(Uuid::nil(), NOBODY.to_owned())
}

/// What the log says, and of a log that is gone what the last state view still says.
fn remembered(mut state: State, opened: &Opened, settings: &SessionBuilder) -> State {
    state.session = opened.session.unwrap_or_else(Uuid::new_v4);
    // Of a log that was cut or deleted, no number that was synced is given again.
    state.seq = state.seq.max(opened.durable);
    if let Some(view) = &opened.state {
        state.iteration = state.iteration.max(view.session_iteration);
        if opened.first.is_none() {
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
///
/// Gives what was found amiss, in words.
fn anchor(live: &mut Live, locked_at: Timestamp, opened: &Opened, settings: &SessionBuilder) -> Vec<String> {
    let goal = live.state.goal.clone();
    live.state.epoch += 1;
    let goes_on = settings.goes_on && live.state.status == Status::Awake;
    let iteration = live.state.iteration + u64::from(!goes_on);
    live.go_on_in(iteration);
    live.push(locked_at, Boot { iteration, ..boot_record(live, opened.place.clone(), settings) });
    if let Some(adopt) = &settings.adopt {
        tracing::warn!(by = adopt.by, because = adopt.because, "session adopted: what it has no record of is in doubt");
        live.push(locked_at, adopt.clone());
    }
    let found = [exposed(opened), torn(opened), lost(live, opened), began_late(live, opened), no_handoff(opened)];
    let found: Vec<(Event, String)> = found.into_iter().flatten().collect();
    let recalled = if has_gone(live, opened) { recalled(live, opened) } else { Vec::new() };
    let mut words = Vec::new();
    for (event, text) in found {
        tracing::warn!("{text}");
        live.push(locked_at, event);
        words.push(text);
    }
    recall(live, locked_at, recalled);
    live.push(locked_at, Checkpoint { goal, ..checkpoint::of(&live.state) });
    words
}

/// Whether records are gone since the last boot, all or some.
fn has_gone(live: &Live, opened: &Opened) -> bool {
    opened.first.is_none() || lost(live, opened).is_some() || began_late(live, opened).is_some()
}

/// Remembers again what the log has lost and the last state view still says, as far as there is room.
fn recall(live: &mut Live, now: Timestamp, recalled: Vec<Event>) {
    for event in recalled {
        if live.state.memory.has_room_for(&event) {
            live.push(now, event);
        }
    }
}

fn boot_record(live: &Live, place: Option<String>, settings: &SessionBuilder) -> Boot {
    Boot {
        session: live.state.session,
        format: FORMAT,
        iteration: live.state.iteration,
        identity: live.state.identity.clone(),
        durability: settings.durability.as_str().to_owned(),
        library: env!("CARGO_PKG_VERSION").to_owned(),
        machine_boot: settings.pid.map_or_else(machine::boot_id, |_| None),
        pid: settings.pid.unwrap_or_else(std::process::id),
        place: place.filter(|_| settings.pid.is_none()),
    }
}

/// Whoever else may write to a session can make it say anything, and it would not show.
fn exposed(opened: &Opened) -> Option<(Event, String)> {
    let told = opened.exposed.join(", ");
    let text = format!("the session was not its owner's alone, and is now: {told}");
    (!told.is_empty()).then(|| (Note { text: text.clone() }.into(), text))
}

fn torn(opened: &Opened) -> Option<(Event, String)> {
    let Torn { bytes, line } = opened.torn?;
    let text =
        format!("the end of the log was torn and never acknowledged: {bytes} bytes from line {line} on were cut off");
    Some((Repaired { bytes, line }.into(), text))
}

/// Records that were synced are gone, or keys that were reserved: each key is verified, repeated or asked about.
fn lost(live: &Live, opened: &Opened) -> Option<(Event, String)> {
    let keys = witness::lost(&live.state, &opened.unlogged);
    let last = opened.last;
    if keys.is_empty() && last >= opened.durable {
        return None;
    }
    let text = format!(
        "the log has lost what it knew: it ends at record {last} of {} that were synced, and {} keys stand in the \
         registry alone; what they did is verified or asked about before anything new is started",
        opened.durable,
        keys.len()
    );
    Some((Lost { keys, adopted: false }.into(), text))
}

fn began_late(live: &Live, opened: &Opened) -> Option<(Event, String)> {
    let first = opened.first.filter(|&first| first > 1 && !live.state.has_told_of_loss)?;
    let text = witness::began_late(first);
    Some((Note { text: text.clone() }.into(), text))
}

fn no_handoff(opened: &Opened) -> Option<(Event, String)> {
    let old = opened.first.is_some() || !opened.unlogged.is_empty();
    let text = "no handoff was found: what happened before is read from the log".to_owned();
    (old && opened.handoff.is_none()).then(|| (Note { text: text.clone() }.into(), text))
}
