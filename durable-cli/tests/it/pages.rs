//! `docs/operations.md`: what it shows is what the command says.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use durable_runtime::Session;

use crate::damage::damaged;
use crate::support::{FIXTURES, World};
use crate::workflows::{once, send};

/// Stands before a block whose commands begin in a directory of their own, and says what is in it.
const IN: &str = "<!-- in: ";

#[tokio::test]
async fn every_example_of_the_page_on_operations_is_what_the_command_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/operations.md");
    let page = fs::read_to_string(&file).unwrap();
    let mut made = String::new();
    let mut world = World::with(&[]);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        writeln!(made, "{line}").unwrap();
        if let Some(what) = line.strip_prefix(IN) {
            world = prepared(what.trim_end_matches(" -->")).await;
        }
        if line == "```console" {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            block
                .iter()
                .filter_map(|line| line.strip_prefix("$ "))
                .for_each(|command| made.push_str(&example(&world, command)));
            made.push_str("```\n");
        }
    }
    if std::env::var_os("RENEW_DOCS").is_some() {
        fs::write(&file, made).unwrap();
        return;
    }
    assert_eq!(
        page, made,
        "docs/operations.md shows something else: renew it with\nRENEW_DOCS=1 cargo test -p durable-cli --test it pages\nand read what has changed"
    );
}

async fn prepared(what: &str) -> World {
    let world = World::with(&[]);
    match what {
        "all" => {
            fs::create_dir(world.path("sessions")).unwrap();
            FIXTURES.iter().for_each(|name| world.copy(name, &format!("sessions/{name}")));
            damaged(&world, "sessions/damaged");
        }
        "damaged" => damaged(&world, "session"),
        "decision" => {
            once(&world.path("session"), send).await.unwrap_err();
        }
        "restored" => {
            world.copy("asked", "backup");
            // A start records where it stands.
            drop(Session::open(world.path("backup")).await.unwrap());
            world.clone_of("backup", "session");
        }
        fixture => world.copy(fixture, "session"),
    }
    world
}

fn example(world: &World, command: &str) -> String {
    let ran = world.typed(".", command);
    let code = if ran.code == 0 { String::new() } else { format!("(exit code {})\n", ran.code) };
    let told = ran.told();
    let said = told.rsplit_once('[').map_or("", |(said, _)| said);
    format!("$ {command}\n{said}{code}")
}

#[test]
fn every_command_has_an_example() {
    let page = include_str!("../../../docs/operations.md");
    // Those for agents stand there, and are run by a test of its own.
    let skill = include_str!("../../SKILL.md");
    let help = World::with(&[]).durable(&["help"]).done();
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<_> =
        commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() > 10, "{help}");
    for name in names {
        let is_shown = page.contains(&format!("\n$ durable {name}")) || skill.contains(&format!("\ndurable {name}"));
        assert!(is_shown, "docs/operations.md shows no `durable {name}`");
    }
}
