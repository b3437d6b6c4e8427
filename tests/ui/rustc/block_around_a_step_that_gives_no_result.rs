use durable_runtime::Error;
use durable_runtime::prelude::*;

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<u32, Error> {
    let called = async {
        #[read(key = "a")]
        call(n).await?;
        plain(n).await
    };
    let some = async {
        #[read(key = "b")]
        let b = call(n).await?;
        Some(b)
    };
    let bare = async {
        #[read(key = "c")]
        let c = call(n).await?;
        c
    };
    let turned = async {
        for turn in 0.. {
            #[read(key = "d/{turn}")]
            let d = call(turn).await?;
            if d > n {
                return d;
            }
        }
        0
    };
    let alone = async {
        #[run(key = "e")]
        child(session, n).await?
    };
    let _ = (called.await, some.await, bare.await, turned.await, alone.await);
    Ok(n)
}

#[durable_workflow]
async fn child(session: &Session, n: u32) -> Result<u32, Error> {
    Ok(n)
}

async fn plain(n: u32) -> u32 {
    n
}

async fn call(n: u32) -> Result<u32, Error> {
    Ok(n)
}

fn main() {}
