use durable_runtime::Error;
use durable_runtime::prelude::*;

struct Cart {
    names: Vec<String>,
}

#[durable_workflow]
async fn pay(session: &Session, #[resource] total: &mut u32, id: u32) -> Result<u32, Error> {
    let mut cart = Cart { names: Vec::new() };
    #[side_effect(key = "field", in_doubt = "treasury")]
    fill(&mut cart.names).await?;
    let mut sums = vec![0; 2];
    #[side_effect(key = "element", in_doubt = "treasury")]
    add(&mut sums[0]).await?;
    #[side_effect(key = "parameter", in_doubt = "treasury")]
    {
        *total += call(id).await?;
        Ok::<(), Error>(())
    }?;
    let mut last = Some(sums[0]);
    if let Some(last) = &mut last {
        #[side_effect(key = "pattern", in_doubt = "treasury")]
        {
            *last += 1;
            call(id).await
        }?;
    }
    let mut seen = 0;
    let mut count = || {
        seen += 1;
        seen
    };
    #[side_effect(key = "closure", in_doubt = "treasury")]
    call(count()).await?;
    Ok(*total)
}

async fn fill(_: &mut Vec<String>) -> Result<(), Error> {
    Ok(())
}

async fn add(_: &mut usize) -> Result<(), Error> {
    Ok(())
}

async fn call(_: u32) -> Result<u32, Error> {
    Ok(0)
}

fn main() {}
