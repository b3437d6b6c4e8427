//! What a field holds may be a client, whose own fields and calls are its affair.

use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Shop {
    session: Session,
    items: Vec<u32>,
    total: u32,
    last: Option<u32>,
    client: Client,
}

struct Client {
    tries: u32,
    sent: Vec<u32>,
}

impl Shop {
    #[durable_workflow(session = self.session)]
    async fn pay(&mut self, id: u32) -> Result<u32, Error> {
        #[side_effect(key = "list", in_doubt = "bank")]
        self.items.push(call(id).await?);
        #[side_effect(key = "sum", in_doubt = "bank")]
        {
            self.total += call(id).await?;
        }
        #[side_effect(key = "place", in_doubt = "bank")]
        {
            self.items[0] = call(id).await?;
            Ok::<_, Error>(())
        }?;
        #[side_effect(key = "last", in_doubt = "bank")]
        call(self.last.take().unwrap_or(id)).await?;
        #[side_effect(key = "all", in_doubt = "bank")]
        sum(std::mem::take(&mut self.items)).await?;
        #[side_effect(key = "client", in_doubt = "bank")]
        {
            self.client.tries = 3;
            self.client.sent.push(call(id).await?);
        }
        #[side_effect(key = "send", in_doubt = "bank")]
        self.client.push(id).await?;
        Ok(self.total)
    }
}

impl Client {
    async fn push(&mut self, id: u32) -> Result<u32, Error> {
        Ok(id)
    }
}

async fn sum(ids: Vec<u32>) -> Result<u32, Error> {
    Ok(ids.iter().sum())
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
