//! However it ends: what is `()` holds no error.
use durable_runtime::prelude::*;

struct ShopError(durable_runtime::Error);

impl From<durable_runtime::Error> for ShopError {
    fn from(error: durable_runtime::Error) -> Self {
        Self(error)
    }
}

impl std::fmt::Display for ShopError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

type Result<T, E = ShopError> = std::result::Result<T, E>;

#[durable_workflow]
async fn pay(session: &Session, n: u32) -> Result<()> {
    async {
        #[read(key = "print")]
        call().await?;
        println!("done")
    }
    .await?;
    async {
        let text = #[read(key = "drop")] call().await?;
        drop(text)
    }
    .await?;
    async {
        #[read(key = "block")]
        call().await?;
        {}
    }
    .await?;
    async {
        let read = #[read(key = "match")] call().await?;
        match read {
            0 => {}
            _ => println!("more"),
        }
    }
    .await?;
    async {
        #[read(key = "if")]
        call().await?;
        if n > 3 {
            println!("more");
        } else {
        }
    }
    .await?;
    async {
        #[read(key = "return")]
        call().await?;
        if n > 3 {
            return;
        }
        other().await
    }
    .await?;
    tokio::select! {
        biased;
        _ = async {
            #[read(key = "select")]
            call().await?;
        } => {}
    }
    Ok(())
}

async fn call() -> Result<u32> {
    Ok(0)
}

async fn other() {}

fn main() {}
