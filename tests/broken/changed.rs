//! Workflows whose code is another one in each start: what one has begun, the other refuses, and does not do again.

use durable_runtime::prelude::*;

use super::workflows::Office;

pub(super) mod old {
    use super::*;

    #[durable_workflow(goal = "send a parcel and a bill")]
    pub(crate) async fn moved(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        let sent = pack(session, office).await?;
        #[side_effect(key = "bill", verify = office.0.find("bill"))]
        let billed = office.pay("bill").await?;
        Ok(sent + billed)
    }

    #[durable_workflow]
    async fn pack(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        #[side_effect(key = "send", verify = office.0.find("parcel"))]
        let sent = office.pay("parcel").await?;
        Ok(sent)
    }

    #[durable_workflow(goal = "pay two")]
    pub(crate) async fn padded(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        let mut total = 0;
        for n in 1..3_u32 {
            #[side_effect(key = "pay/{n}", verify = office.0.find(n))]
            let paid = office.pay(n).await?;
            total += paid;
        }
        Ok(total)
    }

    #[durable_workflow(goal = "pay two, each in a run")]
    pub(crate) async fn renumbered(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        Ok(one(session, office, 1).await? + one(session, office, 2).await?)
    }

    #[durable_workflow(key = "one/{n}")]
    async fn one(session: &Session, #[resource] office: &Office, n: u32) -> anyhow::Result<u64> {
        #[side_effect(key = "pay", verify = office.0.find(n))]
        let paid = office.pay(n).await?;
        Ok(paid)
    }
}

pub(super) mod new {
    use super::*;

    #[durable_workflow(goal = "send a parcel and a bill")]
    pub(crate) async fn moved(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        #[side_effect(key = "send", verify = office.0.find("parcel"))]
        let sent = office.pay("parcel").await?;
        #[side_effect(key = "bill", verify = office.0.find("bill"))]
        let billed = office.pay("bill").await?;
        Ok(sent + billed)
    }

    #[durable_workflow(goal = "pay two")]
    pub(crate) async fn padded(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        let mut total = 0;
        for n in 1..3_u32 {
            #[side_effect(key = "pay/{n:02}", verify = office.0.find(n))]
            let paid = office.pay(n).await?;
            total += paid;
        }
        Ok(total)
    }

    #[durable_workflow(goal = "pay two, each in a run")]
    pub(crate) async fn renumbered(session: &Session, #[resource] office: &Office) -> anyhow::Result<u64> {
        Ok(one(session, office, 1).await? + one(session, office, 2).await?)
    }

    #[durable_workflow(key = "one/{n:02}")]
    async fn one(session: &Session, #[resource] office: &Office, n: u32) -> anyhow::Result<u64> {
        #[side_effect(key = "pay", verify = office.0.find(n))]
        let paid = office.pay(n).await?;
        Ok(paid)
    }
}
