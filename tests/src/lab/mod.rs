//! Workflows for the kill lab: every kind of step, alone, side by side, nested, and in two sessions.

mod given_up;
mod noted;
mod sealed;
mod trimmed;
mod world;

use std::time::Duration;

use durable_runtime::prelude::*;
use durable_runtime::testing::{KillLab, Report, Sessions};
use durable_runtime::{Failure, Word};

pub use world::{Bank, Stop};

/// What is studied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Effects that can be looked up.
    Verified,
    /// Effects that may be repeated.
    Repeatable,
    /// Effects of which only a person can tell.
    Doubtful,
    /// A read, and one effect of each kind.
    Mixed,
    /// Effects that run side by side.
    SideBySide,
    /// Effects that are tried again in the same start, with waits between.
    Persistent,
    /// Errors that are results.
    Refused,
    /// A value that is too large for a line of the log.
    Large,
    /// Steps, and their workflow, that are called otherwise from the second start on.
    Renamed,
    /// Runs that do not stop the one around them.
    Later,
    /// A run inside a run.
    Nested,
    /// Two sessions of one process.
    TwoSessions,
    /// A sleep and a decision before an effect.
    Waiting,
    /// The same, and whoever decides leaves a word.
    Posted,
    /// A run that a person gives up, and that cleans up.
    GivenUp,
    /// The same, with runs inside it that clean up before it does.
    GivenUpInside,
    /// The same, and what is missing of it makes it end without a result.
    Abandoned,
    /// Runs that are left out of the log as soon as they are finished.
    Trimmed,
    /// What a run remembers beside its steps.
    Remembering,
    /// A loop at a pace.
    Rounds,
    /// Results that are not kept, since they hold a secret.
    Sealed,
}

impl Subject {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Verified,
        Self::Repeatable,
        Self::Doubtful,
        Self::Mixed,
        Self::SideBySide,
        Self::Persistent,
        Self::Refused,
        Self::Large,
        Self::Renamed,
        Self::Later,
        Self::Nested,
        Self::TwoSessions,
        Self::Waiting,
        Self::Posted,
        Self::GivenUp,
        Self::GivenUpInside,
        Self::Abandoned,
        Self::Trimmed,
        Self::Remembering,
        Self::Rounds,
        Self::Sealed,
    ];

    /// The full keys of the steps that may end in doubt.
    pub fn asks(self) -> &'static [&'static str] {
        match self {
            Self::Doubtful => &["doubtful//mail", "doubtful//letter"],
            Self::Mixed => &["mixed//mail"],
            _ => &[],
        }
    }

    /// Studies it in a lab with these settings.
    pub fn study(self, settings: impl Fn(KillLab<Bank>) -> KillLab<Bank>) -> Report {
        let lab = settings(KillLab::new(format!("{self:?}"), Bank));
        lab.run_sessions(async |sessions: &Sessions, bank: &Bank| self.run(sessions, bank).await)
    }

    /// Runs it.
    ///
    /// # Errors
    ///
    /// Fails if a session goes no further.
    pub async fn run(self, sessions: &Sessions, bank: &Bank) -> Result<u64, Stop> {
        let session = sessions.open("session").await?;
        match self {
            Self::Verified => verified(&session, bank, 3).await,
            Self::Repeatable => repeatable(&session, bank).await,
            Self::Doubtful => doubtful(&session, bank).await,
            Self::Mixed => mixed(&session, bank).await,
            Self::SideBySide => side_by_side(&session, bank).await,
            Self::Persistent => persistent(&session, bank).await,
            Self::Refused => refused(&session, bank).await,
            Self::Large => large(&session, bank).await,
            Self::Renamed if session.iteration() == 1 => payroll(&session, bank, 2).await,
            Self::Renamed => wages(&session, bank, 2).await,
            Self::Later => later(&session, bank).await,
            Self::Nested => nested(&session, bank).await,
            Self::Trimmed => trimmed::quarter(&session, bank).await,
            Self::Remembering => noted::remembering(&session, bank).await,
            Self::Rounds => noted::rounds(&session, bank).await,
            Self::Sealed => sealed::sealed(&session, bank).await,
            Self::Waiting => {
                let answers = answer_when_asked(&session, "waiting//agree");
                tokio::select! {
                    biased;
                    waited = waiting(&session, bank) => waited,
                    never = answers => never,
                }
            }
            Self::Posted => {
                let answers = post_when_asked(sessions, &session, "waiting//agree");
                tokio::select! {
                    biased;
                    waited = waiting(&session, bank) => waited,
                    never = answers => never,
                }
            }
            Self::GivenUp => {
                tokio::select! {
                    biased;
                    given_up = given_up::trip(&session, bank) => given_up,
                    never = given_up::give_up(&session, "trip", "flight") => never,
                }
            }
            Self::GivenUpInside => {
                tokio::select! {
                    biased;
                    given_up = given_up::journey(&session, bank) => given_up,
                    never = given_up::give_up(&session, "journey", "back//seat") => never,
                }
            }
            Self::Abandoned => {
                tokio::select! {
                    biased;
                    abandoned = given_up::abandoned(&session, bank) => abandoned,
                    never = given_up::give_up(&session, "tour", "room") => never,
                }
            }
            Self::TwoSessions => {
                let second = sessions.open("second").await?;
                let (first, second) = tokio::join!(repeatable(&session, bank), repeatable(&second, bank));
                Ok(first? + second?)
            }
        }
    }
}

#[durable_workflow(goal = "pay {n} people")]
async fn verified(session: &Session, #[resource] bank: &Bank, n: u64) -> Result<u64, Stop> {
    let mut total = 0;
    for i in 0..n {
        #[side_effect(key = "pay/{i}" as pay, verify = bank.find(pay).await)]
        let paid = bank.pay(pay, i + 1).await?;
        total += paid;
    }
    Ok(total)
}

/// The bank knows a payment by its number, so that a second one under another key is seen.
#[durable_workflow(goal = "pay {n} people")]
async fn payroll(session: &Session, #[resource] bank: &Bank, n: u64) -> Result<u64, Stop> {
    let mut total = 0;
    for i in 0..n {
        #[side_effect(key = "pay/{i:03}", verify = bank.booked(i))]
        let paid = bank.book(i).await?;
        total += paid;
    }
    Ok(total)
}

/// What `payroll` was made into.
#[durable_workflow(key = "wages", formerly = ["payroll"], goal = "pay {n} people")]
async fn wages(session: &Session, #[resource] bank: &Bank, n: u64) -> Result<u64, Stop> {
    let mut total = 0;
    for i in 0..n {
        #[side_effect(key = "transfer/{i}", formerly = ["pay/{i:03}"], verify = bank.booked(i))]
        let paid = bank.book(i).await?;
        total += paid;
    }
    Ok(total)
}

#[durable_workflow(goal = "pay twice, with a token")]
async fn repeatable(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "debit" as debit, idempotent)]
    let debit = bank.pay_once(debit, 3).await?;
    #[side_effect(key = "credit" as credit, idempotent)]
    let credit = bank.pay_once(credit, 4).await?;
    Ok(debit + credit)
}

#[durable_workflow(goal = "send what nobody can look up")]
async fn doubtful(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "mail" as mail, in_doubt = "treasury")]
    let mail = bank.pay(mail, 1).await?;
    #[side_effect(key = "letter" as letter, in_doubt = "treasury")]
    let letter = bank.pay(letter, 2).await?;
    Ok(mail + letter)
}

#[durable_workflow(goal = "one step of each kind")]
async fn mixed(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[read(key = "rate")]
    let rate = u64::from(3_u8);
    #[side_effect(key = "debit" as debit, verify = bank.find(debit).await, settle = "5s")]
    let debit = bank.pay(debit, rate).await?;
    #[side_effect(key = "credit" as credit, idempotent)]
    let credit = bank.pay_once(credit, debit).await?;
    #[side_effect(key = "mail" as mail, in_doubt = "office")]
    let mail = bank.pay(mail, 1).await?;
    Ok(credit + mail)
}

#[durable_workflow(goal = "pay side by side")]
async fn side_by_side(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let (left, middle, right) = tokio::join!(
        async {
            #[side_effect(key = "left" as left, verify = bank.find(left).await)]
            let paid = bank.pay(left, 1).await?;
            Ok::<_, Stop>(paid)
        },
        async {
            #[side_effect(key = "middle" as middle, idempotent)]
            let paid = bank.pay_once(middle, 2).await?;
            Ok::<_, Stop>(paid)
        },
        async {
            #[side_effect(key = "right" as right, verify = bank.find(right).await)]
            let paid = bank.pay(right, 4).await?;
            Ok::<_, Stop>(paid)
        },
    );
    Ok(left? + middle? + right?)
}

#[durable_workflow(goal = "pay, and try hard", timeout = "1min")]
async fn persistent(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(
        key = "debit" as debit,
        args = 3,
        verify = bank.find(debit).await,
        settle = "5s",
        classify = |_| Failure::unknown().not_before(Duration::from_secs(2)),
        retry(attempts = 3, backoff = "1s..4s", jitter),
    )]
    let debit = bank.pay(debit, 3).await?;
    #[side_effect(key = "credit" as credit, idempotent, within = "24h", retry(attempts = 2))]
    let credit = bank.pay_once(credit, 4).await?;
    Ok(debit + credit)
}

#[durable_workflow(goal = "pay another way where one is refused")]
async fn refused(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[read(key = "rate", errors = "recorded")]
    let rate = "none".parse::<u64>();
    #[side_effect(key = "transfer" as transfer, verify = bank.find(transfer).await, settle = "5s", errors = "recorded")]
    let transfer = bank.refuse(transfer).await;
    let amount = if rate.is_err() && transfer.is_err() { 10 } else { 1 };
    #[side_effect(key = "cheque" as cheque, verify = bank.find(cheque).await, settle = "5s")]
    let cheque = bank.pay(cheque, amount).await?;
    Ok(cheque)
}

#[durable_workflow(goal = "pay each for itself")]
async fn later(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let mut total = 0;
    for i in 0..2 {
        #[run(key = "to/{i}", errors = "later")]
        let paid = verified(session, bank, 1).await;
        total += paid.unwrap_or_default();
    }
    #[side_effect(key = "tell" as tell, verify = bank.find(tell).await)]
    let told = bank.pay(tell, total).await?;
    Ok(total + told)
}

#[durable_workflow(goal = "a run inside a run")]
async fn nested(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    let inner = verified(session, bank, 2).await?;
    #[side_effect(key = "last" as last, verify = bank.find(last).await)]
    let last = bank.pay(last, 10).await?;
    Ok(inner + last)
}

#[durable_workflow(goal = "scan a page, and file it")]
async fn large(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[side_effect(key = "scan" as scan, verify = bank.find(scan).await.map(scanned))]
    let page = bank.pay(scan, 3).await.map(scanned)?;
    #[side_effect(key = "file" as file, idempotent)]
    let filed = bank.pay_once(file, page.len() as u64).await?;
    Ok(filed)
}

/// 300 KiB of text.
fn scanned(page: u64) -> String {
    page.to_string().repeat(300 * 1024)
}

#[durable_workflow(goal = "pay tomorrow, if somebody agrees")]
async fn waiting(session: &Session, #[resource] bank: &Bank) -> Result<u64, Stop> {
    #[sleep(key = "night")]
    session.sleep(std::time::Duration::from_secs(3600)).await?;
    #[decision(key = "agree", ask = "treasury", shows = 7)]
    let agree: Approval = session.decide().await?;
    #[side_effect(key = "pay" as pay, verify = bank.find(pay).await)]
    let paid = bank.pay(pay, if agree.is_approved() { 7 } else { 0 }).await?;
    Ok(paid)
}

/// Agrees to what is asked, whenever it is. Gives nothing; and looks no more when nothing can come: what hangs is to be
/// seen to hang.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
async fn answer_when_asked<T>(session: &Session, key: &str) -> T {
    for _ in 0..100 {
        if session.handoff().to_string().contains("ASK treasury to decide") {
            session.answer(key).approve().by("operator", "looked into the books").await.ok();
        }
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
    std::future::pending().await
}

/// Leaves a word for whoever asks, once in each life. It looks no more when nothing can come.
#[expect(clippy::disallowed_methods, reason = "the time of the lab, which costs none")]
async fn post_when_asked<T>(sessions: &Sessions, session: &Session, key: &str) -> T {
    for _ in 0..100 {
        if session.handoff().to_string().contains("ASK treasury to decide") {
            let word = Word::answer(key).approve().by("operator", "looked into the books");
            if sessions.post("session", word).await.is_ok() {
                break;
            }
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    std::future::pending().await
}
