//! An error that is made a value: one of `verify` proves nothing, and one of an effect is asked about.

use super::expand;

/// The mistakes in a step with that `verify`.
fn said(verify: &str) -> (usize, String) {
    let item = format!(
        "async fn pay(session: &Session, #[resource] bank: &Bank) -> Result<u32, E> {{ #[side_effect(key = \"a\" as k, verify = {verify})] let r = bank.pay(k).await?; Ok(r) }}"
    );
    let code = expand("", &item);
    (code.matches("compile_error").count(), code)
}

#[test]
fn an_error_of_what_is_asked_is_no_answer() {
    for verify in [
        "bank.find(k).await.ok().flatten()",
        "(bank.find(k).await).ok().flatten()",
        "bank.find(k).await.map_err(loud).ok()",
        "bank.find(k).await.unwrap_or_else(|_| None)",
        "bank.find(k).await.unwrap_or_else(|_| { warn(); Verdict::DidNotHappen })",
        "bank.find(k).await.map_or_else(|_| false, |_| true)",
        "bank.find(k).await.or_else(|_| Ok(None))?",
        "bank.find(k).await.is_ok()",
        "!bank.find(k).await.is_err()",
        "matches!(bank.find(k).await, Ok(Some(_)))",
        "{ let found = bank.find(k).await; found.ok() }",
        "match bank.find(k).await { Ok(found) => found, Err(_) => None }",
        "match bank.find(k).await { Ok(Some(r)) => Verdict::Happened(r), _ => Verdict::DidNotHappen }",
        "match bank.find(k).await { Ok(Some(_)) => true, Ok(None) | Err(_) => false }",
        "match bank.find(k).await { Ok(found) => Ok(found), Err(e) => { warn(e); Ok(None) } }",
        "if let Ok(found) = bank.find(k).await { found } else { None }",
        "async { match bank.find(k).await { Ok(found) => found, Err(_) => None } }.await",
    ] {
        let (count, code) = said(verify);
        assert!(count == 1 && code.contains("an error of `verify` proves nothing"), "{verify}: {code}");
    }
}

#[test]
fn an_error_that_is_let_out_is_right_and_so_is_what_has_none() {
    for verify in [
        "bank.find(k).await",
        "bank.find(k).await?",
        "bank.find(k).await.map(|found| found.is_some())",
        "bank.find(k).await.map_err(loud)",
        "bank.find(k).await.ok().ok_or(\"the bank is down\")",
        "bank.find(k).await.unwrap_or_else(|error| Verdict::Unknown(error.to_string()))",
        "bank.find(k).await.map_or_else(|error| Verdict::Unknown(error.to_string()), Verdict::from)",
        "bank.find(k).await.ok().map_or(Verdict::Unknown(\"down\".into()), Verdict::from)",
        "bank.find(k).await.map_or(Verdict::DidNotHappen, Verdict::Happened)",
        "bank.find(k).await.map_or(false, |paid| paid.is_booked())",
        "bank.find(k).await.unwrap_or_else(|| bank.look())",
        "bank.find(k).await.is_some_and(|paid| paid.amount == 1)",
        "match bank.find(k).await { Some(r) => Verdict::Happened(r), _ => Verdict::DidNotHappen }",
        "match bank.find(k).await { Ok(Some(r)) => Verdict::Happened(r), Ok(None) => Verdict::DidNotHappen, Err(error) => Verdict::Unknown(error.to_string()) }",
        "match bank.find(k).await { Ok(Some(r)) => Verdict::Happened(r), Err(error) => Verdict::Unknown(error.to_string()), _ => Verdict::DidNotHappen }",
        "match bank.find(k).await { Ok(r) => Ok(Some(r)), Err(error) if error.is_absent() => Ok(None), Err(error) => Err(error) }",
        "match bank.find(k).await { Ok(r) => Ok(Some(r)), Err(Status::NotFound) => Ok(None), Err(error) => Err(error) }",
        "match bank.find(k).await? { Some(r) => Verdict::Happened(r), _ => Verdict::DidNotHappen }",
        "bank.find(k).await?.and_then(|line| line.parse().ok())",
        "if let Some(r) = bank.find(k).await { Some(r) } else { None }",
    ] {
        let (count, code) = said(verify);
        assert_eq!(count, 0, "{verify}: {code}");
    }
}

#[test]
fn what_asks_nobody_proves_nothing() {
    for (verify, is_refused) in [
        ("None", true),
        ("None::<u32>", true),
        ("true", true),
        ("(false)", true),
        ("{ false }", true),
        ("Ok(None)", true),
        ("Verdict::DidNotHappen", true),
        ("async { Verdict::DidNotHappen }.await", true),
        ("{ bank.settle().await?; None }", false),
        ("Verdict::Unknown(\"nobody knows\".to_owned())", false),
        ("Verdict::Happened(bank.last())", false),
        ("is_paid", false),
        ("if bank.has(k).await { Some(1) } else { None }", false),
    ] {
        let (_, code) = said(verify);
        assert_eq!(code.contains("this `verify` asks nobody"), is_refused, "{verify}: {code}");
        assert!(is_refused || !code.contains("compile_error"), "{verify}: {code}");
    }
}

#[test]
fn an_error_of_an_effect_is_no_value_of_its_step() {
    for (step, is_refused) in [
        ("bank.pay(k).await.map_or(0, |paid| paid.id)", false),
        ("bank.pay(k).await.map_or_else(|_| 0, |paid| paid.id)", true),
        ("bank.pay(k).await.or_else(|_| Ok(0))?", true),
        ("bank.pay(k).await.or_else(|_| { warn(); Ok(0) })?", true),
        ("(bank.pay(k).await).unwrap_or(0)", false),
        ("bank.pay(k).is_ok()", true),
        ("bank.pay(1).is_ok()", false),
        ("{ let paid = bank.pay(k).await; paid.unwrap_or_else(|_| 0) }", true),
        ("bank.pay(k).await.map_or_else(|| 0, |paid| paid.id)", false),
        ("bank.pay(k).await.map_or(Ok(0), |paid| paid.check())?", false),
        ("bank.pay(k).await.or_else(|error| if error.is_repeat() { Ok(0) } else { Err(error) })?", false),
        ("bank.pay(k).await.or_else(|error| Err(Failure(error)))?", false),
        ("bank.pay(k).await.ok().ok_or(Failure)?", false),
    ] {
        let item = format!(
            "async fn pay(session: &Session, #[resource] bank: &Bank) -> Result<(), E> {{ #[side_effect(key = \"a\" as k, in_doubt = \"x\")] let r = {step}; Ok(()) }}"
        );
        let code = expand("", &item);
        assert_eq!(code.contains("would be recorded here as a value"), is_refused, "{step}: {code}");
        assert!(is_refused || !code.contains("compile_error"), "{step}: {code}");
    }
}

#[test]
fn an_error_of_an_effect_is_not_dropped_in_its_step() {
    for (step, is_refused) in [
        ("{ let _ = bank.pay(k).await; 1 }", false),
        ("{ bank.pay(k).await.ok(); bank.count() }", true),
        ("{ if let Err(error) = bank.pay(k.token()).await { warn!(\"{error}\"); } 1 }", true),
        ("{ if let Err(error) = bank.pay(k).await { bail!(\"{error}\"); } Ok(1) }?", false),
        ("{ if let Err(error) = bank.pay(k).await { return Err(error); } Ok(1) }?", false),
        ("{ if let Err(error) = bank.pay(k).await { last = Some(error); } check(last) }?", false),
        ("{ if let Err(error) = bank.pay(k).await { warn!(\"{error}\"); } bank.pay(k).await }?", false),
        ("{ let _ = bank.warm().await; bank.pay(k).await }?", false),
        ("{ let _ = bank.warm(k).await; bank.pay(k).await }?", false),
        ("{ let _ = bank.pay(k).await?; Ok(1) }?", false),
        ("{ let _receipt = bank.pay(k).await; 1 }", false),
        ("{ bank.warm(k).ok(); 1 }", false),
    ] {
        let item = format!(
            "async fn pay(session: &Session, #[resource] bank: &Bank) -> Result<(), E> {{ #[side_effect(key = \"a\" as k, in_doubt = \"x\")] let r = {step}; Ok(()) }}"
        );
        let code = expand("", &item);
        assert_eq!(code.contains("whether this effect has failed is dropped here"), is_refused, "{step}: {code}");
    }
}
