//! The agent: one turn of its loop asks the model and does what it wants. How many turns there are, and which tools they call, is
//! known to nobody beforehand.

use std::path::Path;

use durable_runtime::prelude::*;
use durable_runtime::{Budget, Outcome, Turn, Waits};
use serde::{Deserialize, Serialize};

use crate::model::{Call, Chat, Model, Says, Script};
use crate::shop::Shop;

/// How many tokens the model reads at once.
const CONTEXT: u64 = 1_000;

/// What the agent is to deal with.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ticket {
    pub(crate) id: u32,
    pub(crate) text: String,
}

#[durable_workflow(
    goal = "answer ticket {ticket.id}, and give money back only if finance agrees",
    invariants = ["money goes back at most once", "nobody is paid whom finance has refused"]
)]
async fn support(
    session: &Session,
    #[resource] model: &impl Model,
    #[resource] shop: &Shop<'_>,
    ticket: &Ticket,
) -> anyhow::Result<String> {
    let pace = session.pace();
    let mut chat = Chat::new(&ticket.text);
    let answer = loop {
        match pace.turn().await? {
            Turn::Rest => continue,
            Turn::Explore(why) | Turn::Build(why) => chat.add(&why.to_string()),
            _ => {}
        }
        let n = pace.number();
        #[read(key = "model/{n}", title = "ask the model")]
        let reply = model.reply(&chat);
        if session.budget(reply.used, CONTEXT).await? == Budget::HalfUsed {
            println!("half of the context is used: a checkpoint is written");
        }
        let calls = match reply.says {
            Says::Call(calls) => calls,
            Says::Answer(answer) => break answer,
        };
        for (i, call) in calls.iter().enumerate() {
            match call {
                Call::LookUp { order } => {
                    #[read(key = "look_up/{n}/{i}", title = "look up order {order}")]
                    let found = shop.look_up(*order);
                    chat.add(&found);
                }
                Call::Refund { order, euros } => {
                    #[decision(key = "allow/{n}/{i}", title = "give {euros} euros back for order {order}", ask = "finance", shows = call)]
                    let allowed: Approval = session.decide().await?;
                    if !allowed.is_approved() {
                        chat.add(&format!("finance says no: {}", allowed.because()));
                        continue;
                    }
                    #[side_effect(
                        key = "refund/{n}/{i}" as refund,
                        title = "give {euros} euros back for order {order}",
                        verify = shop.find_refund(refund.token()),
                        settle = "0s",
                    )]
                    let line = shop.refund(refund.token(), *order, *euros)?;
                    chat.add(&format!("given back, line {line} of the ledger"));
                }
            }
        }
    };
    #[side_effect(key = "answer", title = "mail the answer", verify = shop.was_mailed(), settle = "0s")]
    shop.mail(&answer)?;
    Ok(answer)
}

/// One start. It ends where a person has to decide: whoever answers starts it again.
pub(crate) async fn work(dir: &Path) -> Outcome {
    let ticket = Ticket { id: 4711, text: "My lamp from order 12 came broken. I want 900 euros.".to_owned() };
    let session = Session::builder(dir.join("session")).identity("support-agent").waits(Waits::Exit);
    session
        .run(async |session| {
            let answer = support(session, &Script, &Shop(dir), &ticket).await?;
            println!("answered: {answer}");
            anyhow::Ok(())
        })
        .await
}
