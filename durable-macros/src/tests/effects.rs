//! What a step may change, and what it may not: where it is replayed, nothing of it happens.

use super::expand;

fn refusals(inputs: &str, body: &str) -> usize {
    let item = format!(
        "async fn pay(session: &Session, #[resource] bank: &Bank, #[resource] mut link: Link, {inputs}) -> Result<(), E> {{ {body} Ok(()) }}"
    );
    expand("", &item).matches("compile_error").count()
}

const STEP: &str = "#[side_effect(key = \"a\", in_doubt = \"b\")]";

#[test]
fn a_variable_of_the_workflow_is_not_changed_in_a_step() {
    for (before, step) in [
        ("let mut ids = items.iter();", "bank.book(ids.next().unwrap()).await?;"),
        ("let mut ids = items.clone();", "bank.book(ids.pop().unwrap()).await?;"),
        ("let mut ids = items.iter().filter(good).peekable();", "bank.book(ids.next_if(good)).await?;"),
        ("let mut ids = items.into_iter();", "bank.book(ids.by_ref().take(2)).await?;"),
        ("let mut cart = Cart::default();", "{ let n = bank.book(1).await?; cart.items.push(n); }"),
        ("let mut cart = Cart::default();", "bank.book(cart.items.last_mut()).await?;"),
        ("let mut cart = Cart::default();", "bank.book(cart.seen.insert(1)).await?;"),
        ("let mut total = 0; let t = &mut total;", "{ *t += bank.book(1).await?; }"),
        ("let mut total = load(); let t = &mut total;", "{ *t = bank.book(1).await?; }"),
        ("let mut map = load(); let t = map.entry(1).or_insert(0);", "{ *t += bank.book(1).await?; }"),
        ("let mut left = Some(3);", "bank.book(left.take().unwrap()).await?;"),
        ("let mut left = find();", "bank.book(left.take().unwrap()).await?;"),
        ("let mut items = items;", "bank.book(std::mem::take(&mut items).join(x)).await?;"),
        ("let mut items = load();", "bank.book(mem::replace(&mut items.first, x)).await?;"),
        ("let mut items = load();", "bank.book(take(&mut items)).await?;"),
        ("let mut log = String::new();", "{ write!(log, \"{}\", bank.book(1).await?).unwrap(); }"),
        ("let mut cart = items.clone();", "fill(&mut cart.names);"),
        ("let mut rows = bank.rows().to_vec();", "bank.book(rows.remove(0)).await?;"),
        ("let mut rows = load(session, bank).await?;", "bank.book(rows.remove(0)).await?;"),
        ("let mut sums = vec![0; 3];", "fill(&mut sums[0]).await?;"),
        ("let mut sums: Vec<u32> = load();", "fill(&mut sums[0]).await?;"),
        ("let mut cart = Cart { names: Vec::new(), bank };", "fill(&mut cart.names).await?;"),
        ("let mut seen = 0; let mut count = |n| { seen += n; seen };", "bank.book(count(1)).await?;"),
        ("let mut seen = Vec::new(); let mut note = |n| seen.push(n);", "{ note(1); bank.book(1).await }?;"),
        ("let mut left = Some(order);", "bank.book(left.take()?).await?;"),
        ("let mut left = Some(3); let Some(ref mut n) = left else { panic!() };", "{ *n += bank.book(1).await?; }"),
    ] {
        assert_eq!(refusals("items: Vec<String>", &format!("{before} {STEP} {step}")), 1, "{before} {step}");
    }
    let each = format!("let mut sums = vec![0]; for sum in sums.iter_mut() {{ {STEP} {{ *sum += 1; }} }}");
    assert!(refusals("", &each.replace("\"a\"", "\"a/{sum}\"")) == 1, "{each}");
    for pattern in ["Some(n) = &mut sum", "Some(n) = sum.as_mut()", "Some(ref mut n) = sum"] {
        let inner = format!("let mut sum = find(); if let {pattern} {{ {STEP} {{ *n += bank.book(1).await?; }} }}");
        assert_eq!(refusals("", &inner), 1, "{inner}");
    }
    let arms = format!("let mut sum = find(); match &mut sum {{ Some(n) => {STEP} {{ *n += 1; }}, None => {{}} }}");
    assert_eq!(refusals("", &arms), 1, "{arms}");
    for (param, step) in [
        ("#[resource] sum: &mut u64", "{ *sum += bank.book(1).await?; }"),
        ("#[resource] out: &mut Vec<Receipt>", "out.push(bank.book(1).await?);"),
        ("#[resource] out: &mut Vec<Receipt>", "fill(&mut *out).await?;"),
    ] {
        assert_eq!(refusals(param, &format!("{STEP} {step}")), 1, "{param} {step}");
    }
    assert_eq!(refusals("mut items: Vec<String>", &format!("{STEP} bank.book(items.swap_remove(0)).await?;")), 1);
}

#[test]
fn a_client_and_what_a_step_has_made_itself_are_changed_by_its_calls() {
    for (before, step) in [
        ("let mut repo = Repo::open();", "repo.push(\"origin\").await?;"),
        ("let mut store = Store::open();", "store.insert(1, 2)?;"),
        ("let mut stream = connect().await?;", "let next = stream.next().await;"),
        ("let mut lock = bank.lock();", "lock.insert(1);"),
        ("let mut mine = link.clone();", "mine.push(1);"),
        ("", "link.push(1);"),
        ("", "std::mem::take(&mut link.sent);"),
        ("let mut link = link;", "link.push(1);"),
        ("let mut guard = shared.lock().await;", "{ *guard += 1; }"),
        ("", "{ let mut own = items.iter(); bank.book(own.next()).await? };"),
        ("let mut next = load();", "bank.book(next.replace('a', 'b')).await?;"),
        ("let mut text = String::new();", "bank.book(text.replace('a', 'b')).await?;"),
        ("let mut text = items.clone();", "bank.book(text.iter().take(3).rev()).await?;"),
        ("let mut file = open();", "{ writeln!(file, \"a\")?; Ok(()) }?;"),
        ("let mut clients = vec![a(), b()];", "pay(&mut clients[0]).await?;"),
        ("let mut clients = vec![];", "pay(&mut clients[0]).await?;"),
        ("let mut conn = connect().await?;", "pay(&mut conn).await?;"),
        ("let mut cart = Cart { names: Vec::new(), bank };", "pay(&mut cart.bank).await?;"),
        ("let mut send = |n| link.send(n);", "send(1).await?;"),
        ("let mut add = |n| { let mut own = 1; own += n; own };", "bank.book(add(1)).await?;"),
        (
            "let mut conn = Some(connect().await?); let Some(open) = conn.as_mut() else { panic!() };",
            "open.push(1).await?;",
        ),
        ("let mut jobs = Jobs::open();", "jobs.take().await?;"),
        ("let mut guard = shared.lock().await; let Some(ref mut n) = bank.slot else { panic!() };", "{ *n += 1; }"),
        ("let seen = Mutex::new(vec![]);", "seen.lock().unwrap().push(1);"),
        ("let mut clients = vec![a(), b()]; for client in clients.iter_mut()", "{ client.push(1).await?; }"),
    ] {
        let body = match before.contains("for client") {
            true => format!("{before} {{ {} {step} }}", STEP.replace("\"a\"", "\"a/{client}\"")),
            false => format!("{before} {STEP} {step}"),
        };
        assert_eq!(refusals("items: Vec<String>", &body), 0, "{before} {step}");
    }
}

fn in_method(receiver: &str, body: &str) -> usize {
    let item = format!("async fn pay({receiver}, session: &Session) -> Result<(), E> {{ {body} Ok(()) }}");
    expand("", &item).matches("compile_error").count()
}

#[test]
fn a_field_of_self_is_not_changed_in_a_step() {
    for (step, wanted) in [
        ("self.items.push(call().await?);", 1),
        ("{ self.total += call().await?; }", 1),
        ("{ self.items[0] = call().await?; }", 1),
        ("{ (self.total, self.last) = call().await?; }", 2),
        ("call(self.last.take()).await?;", 1),
        ("call(std::mem::take(&mut self.items)).await?;", 1),
        ("call(|item| self.items.push(item)).await?;", 1),
        ("{ write!(self.log, \"{}\", call().await?).unwrap(); }", 1),
    ] {
        let step = format!("{STEP} {step}");
        assert_eq!(in_method("&mut self", &step), wanted, "{step}");
        assert_eq!(in_method("&self", &step), 0, "{step}");
    }
}

#[test]
fn a_client_in_a_field_is_changed_by_its_calls() {
    for (before, step) in [
        ("", "self.client.push(1).await?;"),
        ("", "self.client.retries.push(1);"),
        ("", "{ self.client.tries = 1; }"),
        ("", "{ self.clients[0].tries = 1; }"),
        ("", "self.items.lock().push(1);"),
        ("let client = &mut self.client;", "client.push(1);"),
        ("", "{ *self.guard = 1; }"),
    ] {
        assert_eq!(in_method("&mut self", &format!("{before} {STEP} {step}")), 0, "{before} {step}");
    }
}
