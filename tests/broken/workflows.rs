//! Workflows of a few steps, and the lab that kills them. Together they rely on everything that the protocol promises.

use std::time::Duration;

use durable_runtime::clock::Clock;
use durable_runtime::prelude::*;
use durable_runtime::testing::{Effects, KillLab, ManualClock, NoAnswer, Report, Sessions};
use durable_runtime::{Memory, Turn};
use serde::{Deserialize, Serialize};

use super::changed;

/// What is done in the lab.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Work {
    /// Effects that can be looked up.
    Payments,
    /// Effects that can be looked up and give nothing.
    Letters,
    /// Effects whose repeats are dropped.
    Orders,
    /// Effects of which only a person can tell.
    Cheques,
    /// Effects whose verifier can never tell.
    Whispers,
    /// A read, and an effect that changes what is read.
    Ticket,
    /// Another effect, if an error of the first one is swallowed.
    Fallback,
    /// Two effects side by side.
    Both,
    /// An effect that is tried again in the same start.
    Persistent,
    /// A value of which a part is not stored.
    Receipts,
    /// A value that is too large for a line of the log.
    Scans,
    /// A step that is called otherwise from the second start on.
    Renamed,
    /// A call that its workflow makes in one start, and does itself what stood in it in the next.
    Moved,
    /// A key that is written with another format in each start.
    Padded,
    /// The same, of a workflow that is called.
    Renumbered,
    /// Two processes that want the same session.
    Rivals,
    /// A sleep, and how long it took.
    Nap,
    /// Effects that can be looked up, and somebody who says at once what the books show.
    Gossip,
    /// A question that is answered otherwise once the effect behind it has happened.
    Ballot,
    /// A run that a person gives up, who then tells others of it.
    Trip,
    /// A run whose log is shrunk while it runs.
    Archive,
    /// A loop at a pace, each turn of which pays for what it is for.
    Rounds,
    /// A run that remembers how often somebody else has looked at what it remembers.
    Diary,
    /// An effect whose result holds a secret.
    Keys,
}

impl Work {
    /// What becomes of it in the lab.
    pub(crate) fn report(self) -> Report {
        let lab = KillLab::new(format!("{self:?}"), Office).forks().states(300);
        match self {
            Self::Payments => lab.run(async |session, office| payments(session, office).await),
            Self::Letters => lab.run(async |session, office| letters(session, office).await),
            Self::Orders => lab.run(async |session, office| orders(session, office).await),
            Self::Cheques => lab.run(async |session, office| cheques(session, office).await),
            Self::Whispers => lab.run(async |session, office| whispers(session, office).await),
            Self::Ticket => lab.run(async |session, office| ticket(session, office).await),
            Self::Fallback => lab.run(async |session, office| fallback(session, office).await),
            Self::Both => lab.run(async |session, office| both(session, office).await),
            Self::Persistent => lab.run(async |session, office| persistent(session, office).await),
            Self::Receipts => lab.run(async |session, office| receipts(session, office).await),
            // Large values take their time.
            Self::Scans => lab.states(60).run(async |session, office| scans(session, office).await),
            Self::Renamed => lab.run(async |session, office| match session.iteration() {
                1 => old::parcel(session, office).await,
                _ => new::parcel(session, office).await,
            }),
            Self::Moved => lab.run(async |session, office| match session.iteration() % 2 {
                1 => changed::old::moved(session, office).await,
                _ => changed::new::moved(session, office).await,
            }),
            Self::Padded => lab.run(async |session, office| match session.iteration() % 2 {
                1 => changed::old::padded(session, office).await,
                _ => changed::new::padded(session, office).await,
            }),
            Self::Renumbered => lab.run(async |session, office| match session.iteration() % 2 {
                1 => changed::old::renumbered(session, office).await,
                _ => changed::new::renumbered(session, office).await,
            }),
            Self::Rivals => lab.run_sessions(rivals),
            Self::Nap => {
                lab.run_sessions(async |sessions, _| nap(&sessions.open("session").await?, sessions.clock()).await)
            }
            // Where the log is lost, nobody knows of a verifier, and a person is asked at once.
            Self::Gossip => lab.damages(0).run(async |session, office| {
                gossip(session, office).await;
                payments(session, office).await
            }),
            Self::Ballot => lab.run(async |session, office| {
                tokio::select! {
                    biased;
                    voted = ballot(session, office) => voted,
                    never = votes(session, office) => never,
                }
            }),
            Self::Rounds => lab.run(async |session, office| rounds(session, office).await),
            Self::Keys => lab.run(async |session, office| keys(session, office).await),
            Self::Diary => lab.run(async |session, office| diary(session, office).await),
            Self::Archive => lab.run(async |session, office| archive(session, office).await),
            Self::Trip => {
                lab.run(async |session, office| tokio::join!(trip(session, office), sells(session, office)).0)
            }
        }
    }
}

pub(super) struct Office(pub(super) Effects);

impl Office {
    pub(super) async fn pay(&self, what: impl std::fmt::Display) -> Result<u64, NoAnswer> {
        self.0.apply(what, || 7).await
    }

    async fn post(&self, what: impl std::fmt::Display) -> Result<(), NoAnswer> {
        self.0.apply(what, || ()).await
    }

    async fn order(&self, what: impl std::fmt::Display) -> Result<u64, NoAnswer> {
        self.0.apply_once(what, || 7).await
    }

    fn find(&self, what: impl std::fmt::Display) -> Option<u64> {
        self.0.find(what)
    }

    fn has(&self, what: impl std::fmt::Display) -> bool {
        self.0.count(what) > 0
    }
}

#[durable_workflow(goal = "pay twice")]
async fn payments(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[side_effect(key = "pay/1" as key, verify = office.find(key))]
    let one = office.pay(key).await?;
    #[side_effect(key = "pay/2" as key, verify = office.find(key))]
    let two = office.pay(key).await?;
    Ok(one + two)
}

#[durable_workflow(goal = "pay, and try hard")]
async fn persistent(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[side_effect(key = "pay" as key, verify = office.find(key), retry(attempts = 3, backoff = "1s"))]
    let paid = office.pay(key).await?;
    Ok(paid)
}

#[durable_workflow(goal = "post two letters")]
async fn letters(session: &Session, #[resource] office: &Office) -> anyhow::Result<()> {
    #[side_effect(key = "post/1" as key, verify = office.has(key))]
    office.post(key).await?;
    #[side_effect(key = "post/2" as key, verify = office.has(key))]
    office.post(key).await?;
    Ok(())
}

#[durable_workflow(goal = "order twice")]
async fn orders(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[side_effect(key = "order/1" as key, idempotent)]
    let one = office.order(key.token()).await?;
    #[side_effect(key = "order/2" as key, idempotent)]
    let two = office.order(key.token()).await?;
    Ok(one + two)
}

#[durable_workflow(goal = "write two cheques")]
async fn cheques(session: &Session, #[resource] office: &Office) -> anyhow::Result<()> {
    #[side_effect(key = "cheque/1" as key, in_doubt = "treasury")]
    office.post(key).await?;
    #[side_effect(key = "cheque/2" as key, in_doubt = "treasury")]
    office.post(key).await?;
    Ok(())
}

#[durable_workflow(goal = "whisper")]
async fn whispers(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[side_effect(key = "whisper" as key, verify = Verdict::Unknown("nobody listened".to_owned()), in_doubt = "neighbour")]
    let whisper = office.pay(key).await?;
    Ok(whisper)
}

#[durable_workflow(goal = "draw a ticket")]
async fn ticket(session: &Session, #[resource] office: &Office) -> anyhow::Result<String> {
    #[read(key = "drawn")]
    let number = u32::from(office.has("ticket//draw"));
    #[side_effect(key = "draw" as key, verify = office.find(key))]
    let drawn = office.pay(key).await?;
    #[side_effect(key = "stamp" as key, idempotent)]
    let stamp = office.order(key.token()).await?;
    Ok(format!("ticket {number}, drawn for {drawn}, stamped for {stamp}"))
}

#[durable_workflow(goal = "pay by card, or else in cash")]
async fn fallback(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    let card = async {
        #[side_effect(key = "card" as key, verify = office.find(key))]
        let card = office.pay(key).await?;
        anyhow::Ok(card)
    };
    if let Ok(paid) = card.await {
        return Ok(paid);
    }
    #[side_effect(key = "cash" as key, verify = office.find(key))]
    let cash = office.pay(key).await?;
    Ok(cash)
}

#[durable_workflow(goal = "pay two at once")]
async fn both(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    let one = async {
        #[side_effect(key = "pay/1" as key, verify = office.find(key))]
        let one = office.pay(key).await?;
        anyhow::Ok(one)
    };
    let two = async {
        #[side_effect(key = "pay/2" as key, verify = office.find(key))]
        let two = office.pay(key).await?;
        anyhow::Ok(two)
    };
    let (one, two) = tokio::join!(one, two);
    Ok(one? + two?)
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Receipt {
    amount: u64,
    #[serde(skip)]
    copies: u32,
}

#[durable_workflow(goal = "get a receipt")]
async fn receipts(session: &Session, #[resource] office: &Office) -> anyhow::Result<u32> {
    #[side_effect(key = "pay" as key, verify = office.find(key).map(|amount| Receipt { amount, copies: 0 }))]
    let receipt = office.pay(key).await.map(|amount| Receipt { amount, copies: 2 })?;
    Ok(receipt.copies)
}

#[durable_workflow(goal = "scan a page")]
async fn scans(session: &Session, #[resource] office: &Office) -> anyhow::Result<usize> {
    #[side_effect(key = "scan" as key, verify = office.find(key).map(scanned))]
    let page = office.pay(key).await.map(scanned)?;
    #[side_effect(key = "file" as key, idempotent)]
    office.order(key.token()).await?;
    Ok(page.len())
}

/// 300 KiB of text.
fn scanned(page: u64) -> String {
    page.to_string().repeat(300 * 1024)
}

/// A second process finds the session held, and goes away.
async fn rivals(sessions: &Sessions, office: &Office) -> anyhow::Result<u64> {
    let first = sessions.open("session").await?;
    let second = sessions.open("session").await;
    let paid = payments(&first, office).await?;
    if let Ok(second) = second {
        payments(&second, office).await?;
    }
    Ok(paid)
}

#[durable_workflow(goal = "sleep for an hour")]
async fn nap(session: &Session, #[resource] clock: &ManualClock) -> anyhow::Result<u64> {
    #[read(key = "began")]
    let began = clock.now();
    #[sleep(key = "hour")]
    session.sleep(Duration::from_secs(3600)).await?;
    #[read(key = "ended")]
    let ended = clock.now();
    Ok(ended.since(began).as_secs() / 3600)
}

#[durable_workflow(goal = "vote, and act on it")]
async fn ballot(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[decision(key = "vote")]
    let vote: u64 = session.decide().await?;
    #[side_effect(key = "act" as key, verify = office.find(key))]
    let acted = office.pay(key).await?;
    Ok(vote + acted)
}

/// Says truthfully what is not in the books, whether or not anybody asks.
async fn gossip(session: &Session, office: &Office) {
    for number in 1..=2 {
        let key = format!("payments//pay/{number}");
        if !office.has(&key) {
            session.resolve(&key).did_not_happen().by("gossip", "it is not in the books").await.ok();
        }
    }
}

/// Votes whenever it is asked to: otherwise, once the act is done. It looks no more when nothing can come.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
async fn votes(session: &Session, office: &Office) -> anyhow::Result<u64> {
    for _ in 0..100 {
        let handoff = session.handoff().to_string();
        if handoff.contains("ASK operator to decide") {
            // Asked for the answer that was given before, the voter remembers it.
            let vote = u64::from(office.has("ballot//act") && !handoff.contains("may have been answered before"));
            session.answer("ballot//vote").value(&vote).by("voter", "as it seems today").await.ok();
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    std::future::pending().await
}

#[durable_workflow(goal = "hold a seat until nobody wants it")]
async fn trip(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[side_effect(key = "seat" as key, verify = office.find(key))]
    let seat = office.pay(key).await?;
    until_given_up(session).await;
    #[side_effect(key = "refund" as key, cleanup, verify = office.find(key))]
    let refund = office.pay(key).await?;
    Ok(seat + refund)
}

#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
async fn until_given_up(session: &Session) {
    for _ in 0..100 {
        if session.is_cancelled() {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    std::future::pending().await
}

/// Gives the trip up, and then sells the seat to somebody else: from then on it is given up, and nobody says it again. Only
/// where the session has lost a part of its log it is said once more.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
async fn sells(session: &Session, office: &Office) {
    let (is_sold, is_mended) =
        (office.has("sold"), session.boot_report().amiss().iter().any(|text| text.starts_with("the log")));
    for _ in 0..100 {
        if is_sold && !is_mended {
            return;
        }
        if session.handoff().to_string().contains("`trip//seat`, result") {
            let said = session.cancel("trip").by("ada", "ill").await;
            // It counts once it is durable, or was before; and a trip that is over was given up.
            let is_final = |error: &durable_runtime::Error| {
                ["cancelled it", "finished"].iter().any(|text| error.to_string().contains(text))
            };
            let is_given_up = said.as_ref().map_or_else(is_final, |()| true);
            while is_given_up && !office.has("sold") {
                office.order("sold").await.ok();
            }
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

mod old {
    use super::*;

    #[durable_workflow(goal = "send a parcel")]
    pub(super) async fn parcel(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        #[side_effect(key = "send", verify = office.0.find("parcel"))]
        let sent = office.pay("parcel").await?;
        Ok(sent)
    }
}

mod new {
    use super::*;

    #[durable_workflow(goal = "send a parcel")]
    pub(super) async fn parcel(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        #[side_effect(key = "dispatch", formerly = ["send"], verify = office.0.find("parcel"))]
        let sent = office.pay("parcel").await?;
        Ok(sent)
    }
}

#[durable_workflow(goal = "file two volumes, each a run")]
async fn archive(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    let mut total = 0;
    for n in 0..2 {
        #[run(key = "volume/{n}")]
        let filed = payments(session, office).await?;
        total += filed;
        session.trim().await?;
    }
    Ok(total)
}

#[durable_workflow(goal = "go round at a pace")]
async fn rounds(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    let pace = session.pace().explore_after(1).build_after(0).rest_every(4);
    let mut paid = 0;
    while pace.number() < 6 {
        let turn = pace.turn().await?;
        let n = pace.number();
        match turn {
            Turn::Explore(_) => {
                #[side_effect(key = "explore/{n}" as explore, verify = office.find(explore))]
                let explored = office.pay(explore).await?;
                paid += explored;
            }
            Turn::Work if n % 2 == 1 => {
                #[side_effect(key = "work/{n}" as work, verify = office.find(work))]
                let worked = office.pay(work).await?;
                paid += worked;
            }
            _ => {}
        }
    }
    pace.end();
    Ok(paid)
}

/// What it sets first is set to something else in a step: no start sets it back.
#[durable_workflow(goal = "keep a diary")]
async fn diary(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    let memory = session.memory();
    memory.set("page", &1_u64).await?;
    #[read(key = "turn-over")]
    let turned: u64 = turn_over(memory).await?;
    #[side_effect(key = "stamp" as stamp, verify = office.find(stamp))]
    let stamp = office.pay(stamp).await?;
    #[read(key = "page")]
    let page: Option<u64> = memory.get("page")?;
    Ok(turned + stamp + 100 * page.unwrap_or(0))
}

async fn turn_over(memory: Memory<'_>) -> anyhow::Result<u64> {
    memory.set("page", &2_u64).await?;
    Ok(2)
}

/// The key itself is not kept: the office gives it again.
#[durable_workflow(goal = "buy a key, and use it")]
async fn keys(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
    #[side_effect(key = "buy" as buy, verify = office.find(buy).map(key_of))]
    let key: String = office.pay(buy).await.map(key_of)?;
    #[side_effect(key = "use" as turn, verify = office.find(turn))]
    let used = office.pay(turn).await?;
    Ok(used + key.len() as u64)
}

/// A text that looks like a key.
fn key_of(number: u64) -> String {
    format!("{}_{number:036}", "ghp")
}
