//! A kill lab for workflows that talk HTTP: a real server on loopback, which outlives every process that the lab kills.
//!
//! Only with the feature `testing-http`. The client is the workflow's own; each process makes one.
//!
//! ```
//! use durable_runtime::prelude::*;
//! use durable_runtime::testing::{HttpService, KillLab};
//! use reqwest::Client;
//! # #[derive(Debug)] struct PayError(String);
//! # impl<E: std::error::Error> From<E> for PayError { fn from(error: E) -> Self { Self(error.to_string()) } }
//! # impl std::fmt::Display for PayError {
//! #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(&self.0) }
//! # }
//!
//! #[durable_workflow(goal = "pay {names.len()} people")]
//! async fn payroll(session: &Session, #[resource] bank: &Bank, names: &[String]) -> Result<(), PayError> {
//!     for name in names {
//!         #[side_effect(key = "pay/{name}" as pay, idempotent)]
//!         bank.pay(pay.token().to_string(), name).await?;
//!     }
//!     Ok(())
//! }
//!
//! struct Bank(Client, String);
//!
//! impl Bank {
//!     async fn pay(&self, token: String, name: &str) -> reqwest::Result<()> {
//!         let request = self.0.post(format!("{}/payments", self.1)).header("Idempotency-Key", token);
//!         request.json(&[name]).send().await?.error_for_status().map(drop)
//!     }
//! }
//!
//! // In a `#[test]`:
//! let staff = ["Ada".to_owned(), "Grace".to_owned()];
//! let bank = |url: &str| Bank(Client::builder().no_proxy().build().expect("no certificates"), url.to_owned());
//! KillLab::http("payroll", HttpService::new())
//! #   .states(20)
//!     .run(async |session, world| payroll(session, &bank(world.url()), &staff).await)
//!     .assert_held();
//! ```
//!
//! # What requests mean
//!
//! | request | the service |
//! |---|---|
//! | `POST`, `PUT`, `PATCH`, `DELETE /path` | does an effect, and does it again with every repeat. Its name in reports is method, path and body |
//! | the same with `Idempotency-Key: token` | does it once. A repeat is dropped and gets the first answer; the effect's name is the token |
//! | the same token with another request | `422`, and nothing is done |
//! | `GET /path` | the first answer of an effect that was done there, or `404` |
//! | `GET /path/token`, `GET /path?idempotency_key=token` | the first answer of that token's effect, if it was done at `/path`, or `404` |
//!
//! The answer to an effect is `200` and `{"id": .., "path": .., "body": ..}`, where `body` is the JSON of the request.
//! [`HttpService`] says otherwise where your service does: other answers, other places for a token, other questions, no
//! memory for tokens.
//!
//! # What befalls them
//!
//! | moment | what the lab does |
//! |---|---|
//! | the request has arrived, and is not applied | kills the process; closes the connection; answers `503`; the same two where the request still lands later, just before `settle` is over |
//! | it is applied, and not answered | kills the process; closes the connection; answers `500` |
//! | it is answered, and not recorded | kills the process |
//! | a question (`GET`) | kills the process; closes the connection; answers `503` or `500` |
//!
//! A connection is closed at once, so a client's timeout is never waited for. A process that is killed is gone with all
//! its connections before the next one begins.
//!
//! # Limits
//!
//! - Timers of tokio are real here: keep a client's own pauses short. Waits of the session cost no time, as ever.
//! - Requests of one workflow side by side arrive in the order that the system gives them. A lab of such a workflow says
//!   in its report that not every moment came again, and a story of it need not replay.
//! - A proxy from the environment gets the requests first: let the client of a test use none.

mod desk;
mod request;
mod server;
mod service;

pub use request::HttpRequest;
pub use service::{HttpService, HttpWorld};
