//! The ready classifiers, against a real answer.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};

use durable_runtime::clock::Clock;
use durable_runtime::prelude::*;
use durable_runtime::store::memory::MemoryStore;
use durable_runtime::testing::ManualClock;
use durable_runtime::{FailureKind, classify};

use super::receiver::open;

/// Answers one request after the other, each with the next of these.
fn serve(answers: &'static [&'static str]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 2048];
            let _length = stream.read(&mut request).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    address
}

const BUSY: &str =
    "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbusy";
const PAID: &str = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\nConnection: close\r\n\r\n17";
const DECLINED: &str =
    "HTTP/1.1 402 Payment Required\r\nContent-Length: 24\r\nConnection: close\r\n\r\n{\"token\":\"t\",\"why\":\"no\"}";

#[durable_workflow(goal = "pay")]
async fn pay(session: &Session, #[resource] address: SocketAddr) -> anyhow::Result<String> {
    #[side_effect(
        key = "pay" as pay,
        idempotent,
        classify = classify::anyhow,
        retry(attempts = 2),
        errors = "recorded",
    )]
    let paid = async {
        let request = reqwest::Client::new().post(format!("http://{address}/")).body(pay.token().to_string());
        let answer = classify::checked(request.send().await?).await?;
        anyhow::Ok(answer.text().await?)
    }
    .await;
    Ok(match paid {
        Ok(paid) => paid,
        Err(error) => format!("{:?} {:?} {:?}", error.failure(), error.code(), error.payload()),
    })
}

#[tokio::test]
async fn a_busy_receiver_is_asked_again_after_its_own_wait() {
    let clock = ManualClock::default();
    let (session, began) = (open(&MemoryStore::new(), &clock).await, clock.now());
    assert_eq!(pay(&session, serve(&[BUSY, PAID])).await.unwrap(), "17");
    assert_eq!(clock.now().since(began).as_secs(), 7);
}

#[tokio::test]
async fn a_refusal_is_recorded_with_its_status_and_its_body() {
    let session = open(&MemoryStore::new(), &ManualClock::default()).await;
    let refused = pay(&session, serve(&[DECLINED])).await.unwrap();
    assert_eq!(refused, r#"Rejected Some("402") Some("{\"token\":\"[redacted]\",\"why\":\"no\"}")"#);
}

#[tokio::test]
async fn a_request_that_found_nobody_did_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = reqwest::get(format!("http://{address}/")).await.unwrap_err();
    assert_eq!(classify::reqwest(&error).kind(), FailureKind::Retry);
    assert_eq!(classify::chain(&error).kind(), FailureKind::Retry);
}
