//! The code of `docs/guide.md`: a function without the library, and what it becomes.

use std::fmt;

/// What the shop ships.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Order {
    id: u32,
    card: String,
    address: String,
    items: Vec<Item>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Item {
    shelf: String,
    price: u64,
}

impl Order {
    fn example() -> Self {
        let item = |shelf: &str, price| Item { shelf: shelf.to_owned(), price };
        let items = vec![item("a7", 120)];
        Self { id: 7, card: "4242".to_owned(), address: "Ada".to_owned(), items }
    }

    fn total(&self) -> u64 {
        self.items.iter().map(|item| item.price).sum()
    }
}

#[derive(Debug)]
struct ShopError(String);

impl ShopError {
    fn classify(&self) -> durable_runtime::Failure {
        durable_runtime::Failure::unknown()
    }
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<durable_runtime::Error> for ShopError {
    fn from(error: durable_runtime::Error) -> Self {
        Self(error.to_string())
    }
}

mod plain {
    use super::{Order, ShopError};

    async fn fulfil(shop: &Shop, order: Order) -> Result<String, ShopError> {
        let rate = shop.rate("EUR").await?;
        let charged = shop.charge(&order.card, order.total() * rate).await?;
        for item in &order.items {
            shop.pick(&item.shelf).await?;
        }
        let parcel = shop.print_label(&order.address).await?;
        shop.mail(&order.address, charged, &parcel).await?;
        Ok(parcel)
    }

    struct Shop;

    impl Shop {
        async fn rate(&self, _: &str) -> Result<u64, ShopError> {
            Ok(2)
        }

        async fn charge(&self, _: &str, amount: u64) -> Result<u64, ShopError> {
            Ok(amount)
        }

        async fn pick(&self, _: &str) -> Result<(), ShopError> {
            Ok(())
        }

        async fn print_label(&self, address: &str) -> Result<String, ShopError> {
            Ok(format!("parcel to {address}"))
        }

        async fn mail(&self, _: &str, _: u64, _: &str) -> Result<(), ShopError> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn it_works_while_nothing_goes_wrong() {
        assert_eq!(fulfil(&Shop, Order::example()).await.unwrap(), "parcel to Ada");
    }
}

mod durable {
    use std::time::Duration;

    use durable_runtime::prelude::*;
    use durable_runtime::testing::{Effects, KillLab, NoAnswer};
    use durable_runtime::{Error, Outcome, Word, post, recover_all, run};

    use super::{Order, ShopError};

    #[durable_workflow(
        key = "order/{order.id}",
        goal = "send order {order.id} to {order.address}",
        invariants = ["a card is charged at most once for an order"],
    )]
    async fn fulfil(session: &Session, #[resource] shop: &Shop, order: Order) -> Result<String, ShopError> {
        #[read(key = "rate")]
        let rate = shop.rate("EUR").await?;

        #[side_effect(
            key = "charge" as charge,
            title = "charge the card of order {order.id}",
            verify = shop.find_charge(charge).await,
            settle = "10s",
        )]
        let charged = shop.charge(charge, &order.card, order.total() * rate).await?;

        for item in &order.items {
            #[side_effect(key = "pick/{item.shelf}" as pick, in_doubt = "the warehouse")]
            shop.pick(pick, &item.shelf).await?;
        }

        #[side_effect(key = "label", idempotent = "a second label is thrown away")]
        let parcel = shop.print_label(&order.address).await?;

        #[side_effect(key = "mail" as mail, idempotent)]
        shop.mail(mail, &order.address, charged, &parcel).await?;

        Ok(parcel)
    }

    #[durable_workflow(goal = "send {orders.len()} orders")]
    async fn fulfil_all(session: &Session, #[resource] shop: &Shop, orders: &[Order]) -> Result<usize, ShopError> {
        for order in orders {
            #[run(key = "today/{order.id}")]
            fulfil(session, shop, order.clone()).await?;
        }
        Ok(orders.len())
    }

    #[durable_workflow(goal = "send a voucher to {name}")]
    async fn voucher(session: &Session, #[resource] shop: &Shop, name: &str, worth: u64) -> Result<bool, ShopError> {
        #[decision(
            key = "agree",
            title = "give {name} a voucher",
            ask = "sales",
            shows = (name, worth),
            expires = "24h",
            on_expiry = "nobody answered within a day",
        )]
        let agree: Approval = session.decide().await?;
        if agree.is_approved() {
            #[sleep(key = "next-day")]
            session.sleep(Duration::from_secs(86_400)).await?;
            #[side_effect(key = "mail" as mail, idempotent)]
            shop.mail(mail, name, worth, "voucher").await?;
        }
        Ok(agree.is_approved())
    }

    async fn charge_again(session: &Session, shop: &Shop, key: &str, amount: u64) -> Result<Option<u64>, Error> {
        let charged = session
            .side_effect(key)
            .attempts(3)
            .verify(|key| async move { shop.find_charge(&key).await })
            .run_recorded(|key| async move { shop.charge(&key, "4242", amount).await }, ShopError::classify)
            .await?;
        Ok(charged.ok())
    }

    #[test]
    fn what_is_called_by_hand_is_charged_once_too() {
        #[durable_workflow(goal = "charge again")]
        async fn again(session: &Session, #[resource] shop: &Shop) -> Result<Option<u64>, Error> {
            charge_again(session, shop, "again", 7).await
        }
        KillLab::new("again", Shop).states(100).run(async |session, shop| again(session, shop).await).assert_held();
    }

    #[expect(dead_code, reason = "the guide shows it")]
    async fn agree() -> Result<(), Error> {
        let word = Word::answer("voucher//agree").approve().by("ada", "a good customer"); // or .decline(), or .value(&answer)
        post("sessions/today", word).await
    }

    #[test]
    fn a_voucher_is_sent_once_and_only_if_somebody_agrees() {
        let agrees = async |session: &Session| {
            for _ in 0..1000 {
                if session.handoff().to_string().contains("ASK sales") {
                    return session.answer("voucher//agree").approve().by("ada", "a good customer").await;
                }
                tokio::task::yield_now().await;
            }
            Ok(())
        };
        KillLab::new("voucher", Shop)
            .states(100)
            .run(async |session, shop| {
                tokio::select! {
                    biased;
                    sent = voucher(session, shop, "Ada", 20) => sent,
                    never = async { agrees(session).await.ok(); std::future::pending().await } => never,
                }
            })
            .assert_held();
    }

    #[test]
    fn no_card_is_charged_twice() {
        KillLab::new("order", Shop)
            .run(async |session, shop| fulfil(session, shop, Order::example()).await)
            .assert_asks_only(&["order/7//pick/a7"]);
    }

    #[test]
    fn every_order_is_a_run_of_its_own() {
        assert_eq!(outline!(fulfil_all).steps[0].key, "today/{order.id}");
    }

    #[expect(dead_code, reason = "the guide shows it")]
    async fn serve(orders: &[Order]) -> Outcome {
        let shop = Shop::connect().await;
        run("sessions/today", async |session| fulfil_all(session, &shop, orders).await.map(drop)).await
    }

    #[expect(dead_code, reason = "the guide shows it")]
    async fn answer() -> Result<(), Error> {
        let question = Word::resolve("fulfil_all//today/7//pick/a7");
        let word = question.happened(&()).by("ada", "the slip is on the shelf"); // or .did_not_happen().by(..)
        post("sessions/today", word).await
    }

    #[expect(dead_code, reason = "the guide shows it")]
    async fn take_up(work: impl AsyncFn(&Session) -> Result<(), Error>) -> Result<(), Error> {
        let recovered = recover_all("sessions").run(work).await?;
        for session in &recovered.sessions {
            println!("{}: {:?}", session.dir.display(), session.outcome);
        }
        Ok(())
    }

    #[test]
    fn what_comes_is_known_before_it_runs() {
        let keys: Vec<_> = outline!(fulfil).steps.into_iter().map(|step| step.key).collect();
        assert_eq!(keys, ["rate", "charge", "pick/{item.shelf}", "label", "mail"]);
    }

    /// The shop that the tests play to the workflow.
    struct Shop(Effects);

    impl Shop {
        async fn connect() -> Self {
            std::future::pending().await
        }

        async fn rate(&self, _: &str) -> Result<u64, ShopError> {
            Ok(2)
        }

        async fn charge(&self, key: &StepKey, _card: &str, amount: u64) -> Result<u64, ShopError> {
            Ok(self.0.apply(key, || amount).await?)
        }

        async fn find_charge(&self, key: &StepKey) -> Result<Option<u64>, NoAnswer> {
            self.0.look(key).await
        }

        async fn pick(&self, key: &StepKey, _shelf: &str) -> Result<(), ShopError> {
            Ok(self.0.apply(key, || ()).await?)
        }

        async fn print_label(&self, address: &str) -> Result<String, ShopError> {
            Ok(self.0.apply_once("label", || format!("parcel to {address}")).await?)
        }

        async fn mail(&self, key: &StepKey, _: &str, _: u64, _: &str) -> Result<(), ShopError> {
            Ok(self.0.apply_once(key.token(), || ()).await?)
        }
    }

    impl From<NoAnswer> for ShopError {
        fn from(error: NoAnswer) -> Self {
            Self(error.to_string())
        }
    }
}

/// The `use` lines of the page that ask for less than this file does: each stands alone here, and so is right by itself.
#[expect(unused_imports, reason = "the code below each of them is compiled above")]
mod uses {
    mod by_hand {
        use durable_runtime::{Error, Session};
    }
    mod an_answer {
        use durable_runtime::{Error, Word, post};
    }
    mod many {
        use durable_runtime::{Error, Session, recover_all};
    }
    mod a_start {
        use durable_runtime::{Outcome, run};
    }
    mod a_test {
        use durable_runtime::testing::KillLab;
    }
}
