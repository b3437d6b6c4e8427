//! What a step costs the compiler, as counts that do not depend on a machine. `scripts/compile-cost` measures the time.

use std::fmt::{self, Write as _};
use std::ops::Sub;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Block, ExprAsync, ExprAwait, File};

use super::expand;

/// The steps that stand inline: one more, and each is a body of its own.
const INLINE: usize = 12;

/// What is counted in an expansion.
#[derive(Default)]
struct Counts {
    tokens: usize,
    statements: usize,
    awaits: usize,
    /// `async` blocks. The function's own body is one.
    bodies: usize,
    /// The awaits of the function's own body: the compiler's time grows with their cube.
    awaits_in_the_body: usize,
    /// The blocks around the present place.
    depth: usize,
}

impl Counts {
    fn of(code: &str) -> Self {
        let file: File = syn::parse_str(code).unwrap();
        let mut counts = Self { tokens: tokens(file.to_token_stream()), ..Self::default() };
        counts.visit_file(&file);
        counts
    }
}

fn tokens(stream: TokenStream) -> usize {
    let count = |token| match token {
        TokenTree::Group(group) => 2 + tokens(group.stream()),
        _ => 1,
    };
    stream.into_iter().map(count).sum()
}

impl<'ast> Visit<'ast> for Counts {
    fn visit_block(&mut self, block: &'ast Block) {
        self.statements += block.stmts.len();
        visit::visit_block(self, block);
    }

    fn visit_expr_await(&mut self, node: &'ast ExprAwait) {
        self.awaits += 1;
        self.awaits_in_the_body += usize::from(self.depth == 1);
        visit::visit_expr_await(self, node);
    }

    fn visit_expr_async(&mut self, node: &'ast ExprAsync) {
        self.bodies += 1;
        self.depth += 1;
        visit::visit_expr_async(self, node);
        self.depth -= 1;
    }
}

impl Sub for Counts {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            tokens: self.tokens - other.tokens,
            statements: self.statements - other.statements,
            awaits: self.awaits - other.awaits,
            bodies: self.bodies - other.bodies,
            awaits_in_the_body: self.awaits_in_the_body - other.awaits_in_the_body,
            depth: 0,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tokens, statements, awaits, bodies, awaits_in_the_body, .. } = self;
        write!(f, "{tokens:>6} {statements:>10} {awaits:>6} {bodies:>6} {awaits_in_the_body:>18}")
    }
}

/// A function of `count` equal steps, in whose keys `N` is the number of each.
fn steps(count: usize, step: &str) -> Counts {
    let steps: String = (0..count).map(|n| step.replace('N', &n.to_string())).collect();
    let code = expand("", &format!("async fn all(session: &Session, id: u32) -> Result<(), E> {{ {steps} Ok(()) }}"));
    assert!(!code.contains("compile_error"), "{code}");
    Counts::of(&code)
}

/// What the last of `count` steps adds.
fn last_of(count: usize, step: &str) -> Counts {
    steps(count, step) - steps(count - 1, step)
}

const ASKED: &str = r#"#[side_effect(key = "pay/N/{id}", in_doubt = "bank")] let paid = bank.pay(id).await?;"#;

#[test]
fn more_than_twelve_steps_are_bodies_of_their_own() {
    for count in [1, INLINE] {
        assert_eq!(steps(count, ASKED).bodies, 1, "{count} steps stand in the body of the function");
    }
    for count in [INLINE + 1, 2 * INLINE] {
        let found = steps(count, ASKED);
        assert_eq!(found.bodies, 1 + count, "each of {count} steps is a body");
        assert_eq!(found.awaits_in_the_body, count, "the function awaits each of {count} steps once, and nothing else");
    }
}

/// What one step adds to its function: its call `let paid = bank.pay(id).await?;`, which is 13 tokens, a statement and an
/// await, and all that the attribute makes of it. The compiler's time follows these counts, and its limit is six times
/// that of the plain function; so where this fails by a higher count, run `scripts/compile-cost` before it is kept.
#[test]
fn a_step_costs_no_more_than_it_did() {
    let verified = r#"#[side_effect(key = "pay/N/{id}" as pay, title = "pay {id}", verify = bank.find(pay.token()).await)] let paid = bank.pay(pay.token()).await?;"#;
    let recorded =
        r#"#[side_effect(key = "pay/N/{id}", in_doubt = "bank", errors = "recorded")] let paid = bank.pay(id).await;"#;
    let chained =
        r#"#[side_effect(key = "pay/N/{id}", in_doubt = "bank")] let paid = bank.pay(id).await?.json().await?;"#;
    let read = r#"#[read(key = "look/N/{id}")] let found = bank.look(id).await?;"#;
    let value = r#"#[read(key = "look/N/{id}")] let found = bank.look(id).await;"#;
    let run = r#"#[run(key = "N/{id}")] let paid = pay(session, id).await?;"#;
    let mut table = "what              tokens statements awaits bodies awaits_in_the_body\n".to_owned();
    for (name, step) in [
        ("asked", ASKED),
        ("verified", verified),
        ("recorded", recorded),
        ("chained", chained),
        ("read", read),
        ("value", value),
        ("run", run),
    ] {
        for (place, count) in [("inline", 3), ("own body", INLINE + 3)] {
            writeln!(table, "{name:<8} {place:<8} {}", last_of(count, step)).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}
