use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    #[side_effect(key = "block", in_doubt = "bank")]
    let block = {
        let next = id + 1;
        call(next).await.is_ok()
    };
    #[side_effect(key = "async", in_doubt = "bank")]
    let value = async { call(id).await.map(|paid| paid + 1).ok() }.await;
    #[side_effect(key = "name", in_doubt = "bank")]
    let name = {
        let failed = call(id).await.is_err();
        failed
    };
    #[side_effect(key = "branch", in_doubt = "bank")]
    let branch = {
        match id {
            0 => true,
            1 => !call(id).await.is_err(),
            _ => {
                if id > 2 {
                    call(id).await.is_ok()
                } else {
                    false
                }
            }
        }
    };
    #[side_effect(key = "tuple", in_doubt = "bank")]
    let both = { (call(1).await.is_ok(), call(2).await.unwrap_or_else(|_| 0)) };
    #[side_effect(key = "once more", in_doubt = "bank")]
    let taken = call(id).await.ok().filter(|paid| *paid > 1).unwrap_or(3);
    #[side_effect(key = "matches", in_doubt = "bank")]
    let matches = { matches!(call(id).await, Ok(1..)) };
    #[side_effect(key = "and", in_doubt = "bank")]
    let and = call(id).await.is_ok_and(|paid| paid == taken);
    #[side_effect(key = "outcome", in_doubt = "bank")]
    let outcome = {
        let outcome = call(id).await;
        outcome.is_ok()
    };
    #[side_effect(key = "joined", in_doubt = "bank")]
    let joined = {
        let (one, other) = tokio::join!(call(1), call(2));
        one.is_ok() && other.is_ok()
    };
    #[side_effect(key = "error", in_doubt = "bank", errors = "recorded")]
    let error = call(id).await;
    let both = (both.0 && joined && outcome && matches && and && error.is_ok(), both.1);
    Ok(u32::from(block && name && branch && both.0) + value.unwrap_or(both.1))
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
