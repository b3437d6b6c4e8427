//! From the story in which a fault was found to the shortest one in which it still is.

use crate::testing::machine::images::Model;
use crate::testing::story::{After, Fate, Story};

/// So many stories are tried.
const TRIES: usize = 200;

/// The simplest story for which `fails` still holds.
pub(crate) fn shrink(story: &Story, mut fails: impl FnMut(&Story) -> bool) -> Story {
    let mut best = story.clone();
    let mut tries = 0;
    loop {
        let found = simpler(&best).into_iter().take(TRIES.saturating_sub(tries)).find(|candidate| {
            tries += 1;
            fails(candidate)
        });
        match found {
            Some(found) => best = found,
            None => return best,
        }
    }
}

/// Stories that are a little simpler, the simplest first.
fn simpler(story: &Story) -> Vec<Story> {
    let mut found = Vec::new();
    let shorter = (0..story.turns.len()).filter(|_| story.turns.len() > 1).map(|index| {
        let mut shorter = story.clone();
        shorter.turns.remove(index);
        shorter
    });
    found.extend(shorter);
    for (index, turn) in story.turns.iter().enumerate() {
        let mut with = |change: &dyn Fn(&mut Story)| {
            let mut simpler = story.clone();
            change(&mut simpler);
            found.push(simpler);
        };
        match turn.after {
            After::Kept | After::Rot(_) => {}
            After::Power(model, image) => {
                with(&|story| story.turns[index].after = After::Kept);
                let images = if model == Model::Weak { 0..16 } else { 0..image.min(16) };
                for image in images {
                    with(&|story| story.turns[index].after = After::Power(Model::Ordered, image));
                }
            }
        }
        let fate = turn.plan.map(|plan| plan.fate);
        if let Some(Fate::FailsForGood | Fate::FailsHalfWay) = fate {
            with(&|story| {
                if let Some(plan) = &mut story.turns[index].plan {
                    plan.fate = Fate::Fails;
                }
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_is_left_out() {
        let story: Story = "0:kill@3+weak#70:fail-on@9+power#5:kill@2".parse().unwrap();
        let needs = |story: &Story| {
            story
                .turns
                .iter()
                .any(|turn| turn.to_string().starts_with("fail") && matches!(turn.after, After::Power(..)))
        };
        assert_eq!(shrink(&story, needs).to_string(), "0:fail@9+power#0");
        assert_eq!(shrink(&story, |_| false), story);
    }
}
