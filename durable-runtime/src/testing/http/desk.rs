//! What becomes of a request.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::request::HttpRequest;
use super::service::Manners;
use crate::testing::Effects;
use crate::testing::effects::Miss;

/// Serves the requests of one process after the other.
#[derive(Debug)]
pub(super) struct Desk {
    manners: Manners,
    /// Those of the process that is running.
    effects: Mutex<Option<Effects>>,
}

/// No answer is given, and the connection is closed: whoever waited for it learns at once that it was lost.
#[derive(Debug)]
pub(super) struct Closed;

/// What the books say of an effect.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    path: String,
    /// What was asked for. A token that comes with another request is a mistake of the sender.
    request: String,
    status: u16,
    answer: Value,
}

impl Desk {
    pub(super) fn new(manners: Manners) -> Self {
        Self { manners, effects: Mutex::default() }
    }

    /// Whose requests are served from now on.
    pub(super) fn serve(&self, effects: Option<Effects>) {
        *self.effects.lock().unwrap_or_else(PoisonError::into_inner) = effects;
    }

    /// Status and body of the answer.
    pub(super) async fn answer(&self, request: HttpRequest) -> Result<(u16, Value), Closed> {
        let effects = self.effects.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let effects = effects.ok_or(Closed)?;
        let answer = effects.unless_dead(self.attempt(&effects, request)).await;
        match answer {
            Ok(answer) => Ok(answer),
            Err(Miss::Refused) => Ok((503, json!({ "error": "out of service: nothing was done" }))),
            Err(Miss::Failed) => Ok((500, json!({ "error": "something went wrong" }))),
            Err(Miss::Lost) => Err(Closed),
        }
    }

    async fn attempt(&self, effects: &Effects, request: HttpRequest) -> Result<(u16, Value), Miss> {
        if request.is_question() {
            effects.ask(request.summary()).await?;
            let found = self.find(effects, &request);
            let missing = || (404, json!({ "error": format!("nothing was done at {}", request.path()) }));
            return Ok(found.map_or_else(missing, |entry| (entry.status, entry.answer)));
        }
        let token = self.manners.token(&request);
        let summary = request.summary();
        let name = token.clone().unwrap_or_else(|| summary.clone());
        let is_reused = |entry: Entry| token.is_some() && entry.request != summary;
        if !self.manners.forgets_tokens && effects.find(&name).is_some_and(is_reused) {
            effects.ask(summary).await?;
            return Ok((422, json!({ "error": format!("`{name}` was the token of another request") })));
        }
        let (status, answer) = self.manners.answer(&request, &name, effects.count(&name));
        if status >= 400 {
            effects.ask(summary).await?;
            return Ok((status, answer));
        }
        let entry = Entry { path: request.path().to_owned(), request: summary, status, answer };
        let once = token.is_some() && !self.manners.forgets_tokens;
        let given = effects.call(name, || json!(entry), once).await?;
        let entry: Entry = serde_json::from_value(given).unwrap_or(entry);
        Ok((entry.status, entry.answer))
    }

    fn find(&self, effects: &Effects, question: &HttpRequest) -> Option<Entry> {
        effects.first(|name, answer| {
            let entry = Entry::deserialize(answer).ok()?;
            self.manners.asks_for(question, name, &entry.path).then_some(entry)
        })
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection is closed without an answer")
    }
}

impl std::error::Error for Closed {}
