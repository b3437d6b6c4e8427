use durable_runtime::{Error, Failure, Session};

async fn pay(session: &Session) -> Result<u32, Error> {
    let one = session.side_effect("one").run(|key| call(key.token())).await?;
    let two = session.side_effect("two").title("pay").run_classified(async |_| call(1).await, classify).await?;
    let three = session.side_effect("three").run_recorded(|_| call(1), classify).await?;
    Ok(one + two + three.unwrap_or(0))
}

async fn call(_: impl ToString) -> Result<u32, Error> {
    Ok(0)
}

fn classify(_: &Error) -> Failure {
    Failure::unknown()
}

fn main() {
    let _ = pay;
}
