//! The constant beside a workflow has no place in the `impl` of a trait, be the workflow right or wrong.
use durable_runtime::Error;
use durable_runtime::prelude::*;

trait Goes {
    async fn go(&self, session: &Session) -> Result<(), Error>;
    async fn rest(&self) -> Result<(), Error>;
    async fn wait(&self, session: &Session) -> Result<(), Error>;
}

struct Cart;

impl Goes for Cart {
    #[durable_workflow]
    async fn go(&self, #[resource] session: &Session) -> Result<(), Error> {
        Ok(())
    }

    #[durable_workflow]
    async fn rest(&self) -> Result<(), Error> {
        Ok(())
    }

    #[durable_workflow]
    fn wait(&self, session: &Session) -> Result<(), Error> {
        Ok(())
    }
}

#[async_trait::async_trait]
trait Comes {
    async fn come(&self, session: &Session) -> Result<(), Error>;
    async fn stay(&self) -> Result<(), Error>;
}

#[async_trait::async_trait]
impl Comes for Cart {
    #[durable_workflow]
    async fn come(&self, #[resource] session: &Session) -> Result<(), Error> {
        Ok(())
    }

    #[durable_workflow]
    async fn stay(&self) -> Result<(), Error> {
        Ok(())
    }
}

fn main() {}
