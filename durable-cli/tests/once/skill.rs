//! The skill that agents are given: every command that it shows is run, in its order, in an empty directory.

use std::fs;
use std::path::Path;

use crate::place::Place;

/// The commands of one block of the skill, and the exit code that it says they end with.
struct Block {
    line: usize,
    commands: String,
    code: i32,
}

/// The blocks in ```` ```sh ````; ```` ```sh exit=75 ```` ends with that code. Those in ```` ```text ```` are not run.
fn blocks(skill: &str) -> Vec<Block> {
    let (mut blocks, mut open): (Vec<Block>, Option<(Block, bool)>) = (Vec::new(), None);
    for (number, line) in skill.lines().enumerate() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(info), None) => {
                let is_run = info.starts_with("sh");
                assert!(is_run || info == "text", "line {}: a block is `sh` or `text`", number + 1);
                let code = info.split("exit=").nth(1).map_or(0, |code| code.trim().parse().expect("a code"));
                open = Some((Block { line: number + 1, commands: String::new(), code }, is_run));
            }
            (Some(_), Some((block, is_run))) => blocks.extend(is_run.then_some(block)),
            (None, Some((mut block, is_run))) => {
                block.commands.extend([line, "\n"]);
                open = Some((block, is_run));
            }
            (None, None) => {}
        }
    }
    blocks
}

fn skill() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("SKILL.md")).expect("the skill is there")
}

#[test]
fn every_command_of_the_skill_does_what_it_says() {
    let (place, blocks) = (Place::empty(), blocks(&skill()));
    for Block { line, commands, code } in &blocks {
        let ended = place.shell(&format!("set -e\n{commands}")).env_remove("DURABLE_SESSION").output().unwrap();
        let told = [&ended.stdout[..], &ended.stderr].concat();
        assert_eq!(ended.status.code(), Some(*code), "line {line}:\n{commands}\n{}", String::from_utf8_lossy(&told));
    }
    assert!(blocks.len() > 5, "the skill shows its commands");
}

#[test]
fn the_skill_names_every_command_for_agents() {
    let skill = skill();
    for command in ["boot", "once", "note", "checkpoint", "end", "resolve", "decide", "handoff", "adopt", "doctor"] {
        assert!(skill.contains(&format!("durable {command}")), "{command}");
    }
}
