use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Invoice {
    id: u32,
}

#[durable_workflow(key = "all/{}", month, goal = "pay {} invoices", invoices.len())]
async fn pay(session: &Session, month: u32, #[resource] invoices: &[Invoice]) -> Result<(), Error> {
    for invoice in invoices {
        #[side_effect(key = "pay/{}" as pay, invoice.id, title = "pay {n:03}", n = &invoice.id, idempotent)]
        call(pay.token()).await?;
        #[side_effect(key = "mail/{}/{}", invoice.number(), month, in_doubt = "bank")]
        call(invoice.id).await?;
    }
    Ok(())
}

async fn call(_: impl ToString) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
