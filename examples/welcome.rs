//! The program of the README: three mails, and a crash after the second is out and before anybody was told.
//!
//! ```text
//! CRASH=Grace cargo run --example welcome
//! cat session/handoff.md
//! cargo run --example welcome
//! ```

use durable_runtime::prelude::*;

// The world outside: a mail is sent once its file is there.
fn send_mail(name: &str) -> std::io::Result<()> {
    std::fs::create_dir_all("outbox")?;
    std::fs::write(format!("outbox/{name}"), format!("Dear {name}, welcome!"))?;
    if std::env::var("CRASH").is_ok_and(|crash| crash == name) {
        std::process::abort(); // the mail is out, and nobody was told
    }
    Ok(())
}

#[durable_workflow(goal = "welcome {names.len()} people", invariants = ["nobody is welcomed twice"])]
async fn welcome(session: &Session, names: &[String]) -> anyhow::Result<usize> {
    for name in names {
        #[side_effect(
            key = "mail/{name}",
            title = "send a mail to {name}",
            verify = std::fs::exists(format!("outbox/{name}")),
            settle = "0s", // a file is there at once or not at all
        )]
        send_mail(name)?;
    }
    Ok(names.len())
}

#[tokio::main]
async fn main() -> durable_runtime::Outcome {
    let names = ["Ada", "Grace", "Barbara"].map(String::from);
    durable_runtime::run("session", async |session| {
        let count = welcome(session, &names).await?;
        println!("{count} people are welcome");
        anyhow::Ok(())
    })
    .await
}
