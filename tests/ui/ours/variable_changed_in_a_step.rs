use durable_runtime::Error;
use durable_runtime::prelude::*;

macro_rules! pass {
    ($($tokens:tt)*) => { $($tokens)* };
}

#[durable_workflow]
async fn pay(session: &Session, id: u32) -> Result<u32, Error> {
    let mut total = 0;
    #[side_effect(key = "pay", in_doubt = "treasury")]
    {
        total += call(id).await?;
        Ok::<(), Error>(())
    }?;
    let mut last = [0];
    #[side_effect(key = "mail", in_doubt = "treasury")]
    async {
        let mut own = 0;
        own += call(id).await?;
        last[0] = own;
        Ok::<u32, Error>(own)
    }
    .await?;
    let (mut count, mut names) = (0, Vec::new());
    #[side_effect(key = "names", in_doubt = "treasury")]
    names.push(call(id).await?);
    #[side_effect(key = "counts", in_doubt = "treasury")]
    {
        pass! {
            let next = call(id).await?;
            count = next;
        }
        (count, _) = (next, id);
    };
    let _ = (total, last, count, names);
    Ok(0)
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
