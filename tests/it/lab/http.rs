//! Workflows that call a service over HTTP, with a client as anybody writes it.

use std::fmt::Display;

use durable_runtime::prelude::*;
use durable_runtime::testing::{HttpService, KillLab, LabVerdict, Report};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};

const STAFF: [&str; 2] = ["ada", "grace"];

/// A client of the service. Each process makes its own.
struct Bank {
    http: Client,
    payments: String,
}

impl Bank {
    fn at(url: &str) -> Self {
        let http = Client::builder().no_proxy().build().unwrap();
        Self { http, payments: format!("{url}/payments") }
    }

    /// A request to make a payment, with its token in a header.
    fn with_token(&self, token: impl Display) -> RequestBuilder {
        self.http.post(&self.payments).header("Idempotency-Key", token.to_string())
    }

    /// The same without.
    fn without_token(&self) -> RequestBuilder {
        self.http.post(&self.payments)
    }

    /// The place of one payment.
    fn place(&self, token: impl Display) -> String {
        format!("{}/{token}", self.payments)
    }
}

/// Only `2xx` is a success.
async fn pay(request: RequestBuilder, who: &str) -> anyhow::Result<String> {
    let answer = request.json(&json!({ "to": who })).send().await?.error_for_status()?;
    id(&answer.json().await?)
}

/// Only `404` is an absence.
async fn find(request: RequestBuilder) -> anyhow::Result<Option<String>> {
    let answer = request.send().await?;
    if answer.status() == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    id(&answer.error_for_status()?.json().await?).map(Some)
}

fn id(answer: &Value) -> anyhow::Result<String> {
    answer["id"].as_str().map(str::to_owned).ok_or_else(|| anyhow::anyhow!("no id in {answer}"))
}

fn lab<E: Display>(service: HttpService, work: impl AsyncFn(&Session, &Bank) -> Result<Vec<String>, E>) -> Report {
    KillLab::http("payroll", service).run(async |session, world| work(session, &Bank::at(world.url())).await)
}

fn held(report: &Report) {
    report.assert_held();
    let left_out = report.not_covered().collect::<String>();
    assert!(!left_out.contains("did not come again"), "every moment came again: {left_out}");
}

fn caught(report: &Report, fault: &str, because: &str) {
    let text = report.to_string();
    assert_eq!(report.verdict(), LabVerdict::Broken, "{text}");
    assert!(text.contains(fault) && text.contains(because), "{text}");
}

#[test]
fn a_payment_that_is_looked_up_at_its_place_holds() {
    #[durable_workflow(goal = "pay everybody")]
    async fn payroll(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}" as pay, verify = find(bank.http.get(bank.place(pay.token()))).await)]
            let id = self::pay(bank.http.post(bank.place(pay.token())), who).await?;
            ids.push(id);
        }
        Ok(ids)
    }
    held(&lab(HttpService::new(), async |session, bank| payroll(session, bank).await));
}

#[durable_workflow(goal = "pay everybody, and let the bank drop repeats")]
async fn with_tokens(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::new();
    for who in STAFF {
        #[side_effect(key = "pay/{who}" as pay, idempotent)]
        let id = self::pay(bank.with_token(pay.token()), who).await?;
        ids.push(id);
    }
    Ok(ids)
}

#[test]
fn a_payment_with_its_token_holds() {
    held(&lab(HttpService::new(), async |session, bank| with_tokens(session, bank).await));
}

#[test]
fn a_bank_that_forgets_tokens_pays_twice() {
    let report = lab(HttpService::new().forgets_tokens(), async |session, bank| with_tokens(session, bank).await);
    caught(&report, "happened 2 times", "its receiver did it with each attempt");
}

#[test]
fn a_token_is_looked_up_below_the_path_or_in_the_query() {
    #[durable_workflow(goal = "pay two, and look them up")]
    async fn payroll(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        #[side_effect(key = "ada" as ada, verify = find(bank.http.get(bank.place(ada.token()))).await)]
        let first = self::pay(bank.with_token(ada.token()), "ada").await?;
        #[side_effect(
            key = "grace" as grace,
            verify = find(bank.http.get(format!("{}?idempotency_key={}", bank.payments, grace.token()))).await,
        )]
        let second = self::pay(bank.with_token(grace.token()), "grace").await?;
        Ok(vec![first, second])
    }
    held(&lab(HttpService::new(), async |session, bank| payroll(session, bank).await));
}

#[test]
fn a_token_that_is_not_sent_pays_twice() {
    #[durable_workflow(goal = "pay everybody")]
    async fn tokenless(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}", idempotent = "so they say")]
            let id = self::pay(bank.without_token(), who).await?;
            ids.push(id);
        }
        Ok(ids)
    }
    let report = lab(HttpService::new(), async |session, bank| tokenless(session, bank).await);
    caught(&report, "`POST /payments {\"to\":\"ada\"}` happened 2 times", "pass the token of the key");
}

#[test]
fn a_client_that_tries_again_inside_the_step_pays_twice() {
    async fn pay_eagerly(bank: &Bank, who: &str) -> anyhow::Result<String> {
        match self::pay(bank.http.post(bank.place(who)), who).await {
            Ok(id) => Ok(id),
            Err(_) => self::pay(bank.http.post(bank.place(who)), who).await,
        }
    }
    #[durable_workflow(goal = "pay everybody")]
    async fn eager(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}", verify = find(bank.http.get(bank.place(who))).await)]
            let id = pay_eagerly(bank, who).await?;
            ids.push(id);
        }
        Ok(ids)
    }
    let report = lab(HttpService::new(), async |session, bank| eager(session, bank).await);
    caught(&report, "happened 2 times", "it tries again inside the step");
}

#[test]
fn a_verifier_that_looks_at_another_path_pays_twice() {
    #[durable_workflow(goal = "pay everybody")]
    async fn astray(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}", verify = find(bank.http.get(bank.place(format!("to/{who}")))).await)]
            let id = self::pay(bank.http.post(bank.place(who)), who).await?;
            ids.push(id);
        }
        Ok(ids)
    }
    let report = lab(HttpService::new(), async |session, bank| astray(session, bank).await);
    caught(&report, "happened 2 times", "it looks for something else");
}

#[test]
fn a_verifier_that_takes_an_error_for_an_absence_pays_twice() {
    async fn seems_paid(request: RequestBuilder) -> anyhow::Result<Option<String>> {
        let answer = request.send().await?;
        if answer.status().is_success() { id(&answer.json().await?).map(Some) } else { Ok(None) }
    }
    #[durable_workflow(goal = "pay everybody")]
    async fn hasty(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}", verify = seems_paid(bank.http.get(bank.place(who))).await)]
            let id = self::pay(bank.http.post(bank.place(who)), who).await?;
            ids.push(id);
        }
        Ok(ids)
    }
    let report = lab(HttpService::new(), async |session, bank| hasty(session, bank).await);
    caught(&report, "happened 2 times", "took that for a proof that it did not happen");
}

#[test]
fn a_status_that_nobody_looks_at_loses_a_payment() {
    #[durable_workflow(goal = "pay everybody")]
    async fn careless(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        for who in STAFF {
            #[side_effect(key = "pay/{who}", verify = find(bank.http.get(bank.place(who))).await.map(|id| id.is_some()))]
            bank.http.post(bank.place(who)).send().await.map(drop)?;
        }
        Ok(Vec::new())
    }
    let report = lab(HttpService::new(), async |session, bank| careless(session, bank).await);
    caught(&report, "never happened", "took an error that the receiver answered for a success");
}

#[test]
fn one_token_for_two_payments_is_refused() {
    #[durable_workflow(goal = "pay everybody")]
    async fn shared(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}", idempotent = "so they say")]
            let id = self::pay(bank.with_token("payroll"), who).await?;
            ids.push(id);
        }
        Ok(ids)
    }
    let report = lab(HttpService::new(), async |session, bank| shared(session, bank).await);
    assert_eq!(report.verdict(), LabVerdict::HarnessBroken, "{report}");
    assert!(report.to_string().contains("422"), "{report}");
}

#[test]
fn payments_side_by_side_hold_and_their_order_is_not_promised() {
    async fn one(session: &Session, bank: &Bank, who: &str) -> anyhow::Result<String> {
        single(session, bank, who).await
    }
    #[durable_workflow(goal = "pay {who}", key = "single/{who}")]
    async fn single(session: &Session, #[resource] bank: &Bank, who: &str) -> anyhow::Result<String> {
        #[side_effect(key = "pay", verify = find(bank.http.get(bank.place(who))).await)]
        let id = self::pay(bank.http.post(bank.place(who)), who).await?;
        Ok(id)
    }
    let report = lab(HttpService::new(), async |session, bank| {
        let (ada, grace) = tokio::join!(one(session, bank, "ada"), one(session, bank, "grace"));
        anyhow::Ok(vec![ada?, grace?])
    });
    report.assert_held();
    assert!(
        report.not_covered().any(|what| what.starts_with("requests that are on their way side by side")),
        "{report}"
    );
}

#[test]
fn a_service_answers_and_knows_repeats_as_its_test_says() {
    #[durable_workflow(goal = "pay everybody")]
    async fn invoices(session: &Session, #[resource] bank: &Bank) -> anyhow::Result<Vec<String>> {
        let mut ids = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}" as pay, idempotent)]
            let id = {
                let request = bank.http.put(bank.place(pay.token()));
                let answer = request.json(&json!({ "to": who })).send().await?.error_for_status()?;
                (answer.status().as_u16(), answer.text().await?)
            };
            ids.push(format!("{id:?}"));
        }
        Ok(ids)
    }
    let service = HttpService::new()
        .tokens(|request| (request.method() == "PUT").then(|| request.path().to_owned()))
        .answers(|request| (201, json!(request.json()["to"])));
    let report = lab(service, async |session, bank| {
        let ids = invoices(session, bank).await?;
        anyhow::ensure!(ids == ["(201, \"\\\"ada\\\"\")", "(201, \"\\\"grace\\\"\")"], "{ids:?}");
        Ok(ids)
    });
    held(&report);
}

#[test]
fn a_client_that_blocks_its_thread_is_let_go_when_its_process_dies() {
    use std::io::{Read as _, Write as _};
    fn post(url: &str, path: &str) -> anyhow::Result<String> {
        let host = url.trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(host)?;
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\nidempotency-key: {path}\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        anyhow::ensure!(answer.starts_with("HTTP/1.1 200"), "no payment: {answer:?}");
        Ok(answer)
    }
    #[durable_workflow(goal = "pay everybody")]
    async fn blocking(session: &Session, #[resource] url: &str) -> anyhow::Result<Vec<String>> {
        let mut answers = Vec::new();
        for who in STAFF {
            #[side_effect(key = "pay/{who}", idempotent = "the path is the token")]
            let answer = post(url, &format!("/payments/{who}"))?;
            answers.push(answer);
        }
        Ok(answers)
    }
    let lab = KillLab::http("blocking", HttpService::new()).states(50);
    held(&lab.run(async |session, world| blocking(session, world.url()).await));
}

#[test]
fn a_payment_over_http_survives_a_real_kill_at_every_moment() {
    let lab = KillLab::http("with_tokens", HttpService::new());
    let report = lab.real_kills(async |session, world| with_tokens(session, &Bank::at(world.url())).await);
    report.assert_held();
    assert!(report.points() > 40, "{report}");
}
