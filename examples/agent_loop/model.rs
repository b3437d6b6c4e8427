//! What the agent asks. A real model is another implementation of [`Model`]; this one follows a script, so that the story is the
//! same each time.

use serde::{Deserialize, Serialize};

/// A language model.
pub(crate) trait Model {
    /// What it says to all that was said before.
    fn reply(&self, chat: &Chat) -> Reply;
}

/// What was said, oldest first. It is made anew from recorded results in each start.
pub(crate) struct Chat(Vec<String>);

#[derive(Serialize, Deserialize)]
pub(crate) struct Reply {
    pub(crate) says: Says,
    /// How many tokens of the context are used.
    pub(crate) used: u64,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum Says {
    Call(Vec<Call>),
    Answer(String),
}

/// A tool that it wants to be called.
#[derive(Serialize, Deserialize)]
pub(crate) enum Call {
    LookUp { order: u32 },
    Refund { order: u32, euros: u32 },
}

/// A model that says the same to the same.
pub(crate) struct Script;

impl Chat {
    pub(crate) fn new(ticket: &str) -> Self {
        Self(vec![ticket.to_owned()])
    }

    pub(crate) fn add(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }

    fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }
}

impl Model for Script {
    fn reply(&self, chat: &Chat) -> Reply {
        let (says, used) = match chat.last() {
            last if last.starts_with("order 12") => (Says::Call(vec![Call::Refund { order: 12, euros: 900 }]), 350),
            last if last.starts_with("finance says no") => {
                (Says::Call(vec![Call::Refund { order: 12, euros: 40 }]), 450)
            }
            last if last.starts_with("given back") => (Says::Answer("You get 40 euros back.".to_owned()), 600),
            _ => (Says::Call(vec![Call::LookUp { order: 12 }]), 200),
        };
        Reply { says, used }
    }
}
