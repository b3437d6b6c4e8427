//! What a service is like, and where a process reaches it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::request::{HttpRequest, decoded};
use super::server::Server;
use crate::testing::Effects;

/// A service on loopback that does effects. The [module](crate::testing::http) says what its requests mean.
///
/// A handle; it listens from the first call of [`serve`](Self::serve) until its last clone is gone.
#[derive(Clone, Debug, Default)]
pub struct HttpService {
    manners: Manners,
    server: Arc<OnceLock<Arc<Server>>>,
}

/// How the service treats requests.
#[derive(Clone, Default)]
pub(super) struct Manners {
    answer: Option<Arc<Answer>>,
    token: Option<Arc<Token>>,
    lookup: Option<Arc<Token>>,
    pub(super) forgets_tokens: bool,
}

type Answer = dyn Fn(&HttpRequest) -> (u16, Value) + Send + Sync;
type Token = dyn Fn(&HttpRequest) -> Option<String> + Send + Sync;

/// The service as one process sees it.
#[derive(Clone, Debug)]
pub struct HttpWorld {
    url: String,
    effects: Effects,
}

impl HttpService {
    /// A service that does what it is asked for, drops repeats of an `Idempotency-Key`, and answers `200`.
    pub fn new() -> Self {
        Self::default()
    }

    /// What requests are answered. It depends on the request alone. A status from 400 on refuses the request: nothing is
    /// done then.
    #[must_use]
    pub fn answers(mut self, answer: impl Fn(&HttpRequest) -> (u16, Value) + Send + Sync + 'static) -> Self {
        self.manners.answer = Some(Arc::new(answer));
        self
    }

    /// Where a request carries the token by which a repeat is known: another header, its path, a field of its body.
    #[must_use]
    pub fn tokens(mut self, token: impl Fn(&HttpRequest) -> Option<String> + Send + Sync + 'static) -> Self {
        self.manners.token = Some(Arc::new(token));
        self
    }

    /// Which token a `GET` asks for, in a service that is asked in another way.
    #[must_use]
    pub fn lookups(mut self, token: impl Fn(&HttpRequest) -> Option<String> + Send + Sync + 'static) -> Self {
        self.manners.lookup = Some(Arc::new(token));
        self
    }

    /// The service has no memory for tokens: it does a repeat again. `idempotent` is only as good as its receiver.
    #[must_use]
    pub fn forgets_tokens(mut self) -> Self {
        self.manners.forgets_tokens = true;
        self
    }

    /// The service as part of a world of your own: `KillLab::new(name, move |effects| World { bank: bank.serve(effects), .. })`.
    ///
    /// # Panics
    ///
    /// If this machine has no port on 127.0.0.1 to give.
    pub fn serve(&self, effects: Effects) -> HttpWorld {
        let start = || Server::start(self.manners.clone()).expect("a lab online needs a port on 127.0.0.1");
        let server = self.server.get_or_init(|| Arc::new(start()));
        effects.attach(Arc::clone(server) as _);
        HttpWorld { url: server.url().to_owned(), effects }
    }
}

impl HttpWorld {
    /// Where the service is: `http://127.0.0.1:` and a port. The same for every life of a lab.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How often each effect was done, by its token, or by method, path and body.
    pub fn counts(&self) -> BTreeMap<String, usize> {
        self.effects.counts()
    }
}

impl Manners {
    /// Status and body of the answer to this request, the `nth` of its name.
    pub(super) fn answer(&self, request: &HttpRequest, name: &str, nth: usize) -> (u16, Value) {
        if let Some(answer) = &self.answer {
            return answer(request);
        }
        // The same id in every story, whatever else was done before.
        let id = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, format!("{nth} {name}").as_bytes());
        (200, serde_json::json!({ "id": id, "path": request.path(), "body": request.json() }))
    }

    pub(super) fn token(&self, request: &HttpRequest) -> Option<String> {
        match &self.token {
            Some(token) => token(request),
            None => request.header("idempotency-key").map(str::to_owned),
        }
    }

    /// Whether `question` asks for the effect that has this name and was done at this path.
    pub(super) fn asks_for(&self, question: &HttpRequest, name: &str, path: &str) -> bool {
        if let Some(lookup) = &self.lookup {
            return lookup(question).is_some_and(|token| token == name);
        }
        if question.path() == path {
            return question.parameter("idempotency_key").is_none_or(|token| token == name);
        }
        let below = question.path().strip_prefix(path).and_then(|rest| rest.strip_prefix('/'));
        below.is_some_and(|token| decoded(token) == name)
    }
}

impl fmt::Debug for Manners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manners").field("forgets_tokens", &self.forgets_tokens).finish_non_exhaustive()
    }
}
