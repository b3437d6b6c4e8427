use durable_runtime::Error;
use durable_runtime::prelude::*;

#[derive(Default)]
struct Cart {
    items: Vec<u32>,
}

#[durable_workflow]
async fn pay(session: &Session, names: Vec<String>, ids: Vec<u32>) -> Result<u32, Error> {
    let mut left = ids.iter();
    #[side_effect(key = "first", in_doubt = "treasury")]
    call(*left.next().unwrap()).await?;

    let mut cart = Cart::default();
    #[side_effect(key = "cart", in_doubt = "treasury")]
    {
        let id = call(1).await?;
        cart.items.push(id);
        Ok::<(), Error>(())
    }?;

    let mut total = 0;
    let sum = &mut total;
    #[side_effect(key = "sum", in_doubt = "treasury")]
    {
        *sum += call(2).await?;
        Ok::<(), Error>(())
    }?;

    let mut names = names;
    #[side_effect(key = "names", in_doubt = "treasury")]
    call(std::mem::take(&mut names).join("+").len() as u32).await?;

    let mut text = String::new();
    #[side_effect(key = "text", in_doubt = "treasury")]
    {
        let id = call(3).await?;
        std::fmt::Write::write_fmt(&mut text, format_args!("{id}")).unwrap();
        Ok::<(), Error>(())
    }?;
    Ok(cart.items.len() as u32)
}

async fn call(id: u32) -> Result<u32, Error> {
    Ok(id)
}

fn main() {}
