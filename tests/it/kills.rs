//! SIGKILL of real processes: at every disk operation, at every moment of every step, in every boot, and at random.

use durable_tests::stage::{Fate, Moment};
use durable_tests::workflows::{Kind, Workflow};
use durable_tests::world::Act;

use crate::support::{End, Random, Trial};

/// What the workflow gives when nobody is killed.
fn undisturbed(workflow: Workflow) -> Vec<u64> {
    let mut trial = Trial::in_memory(workflow);
    let result = trial.finish();
    trial.check_the_end(&result, &result);
    result
}

/// From an empty place to the closed session: C0, C1, C4 and C6 are among these.
fn dies_at_every_operation_of_a_life(workflow: Workflow) {
    let undisturbed = undisturbed(workflow);
    for operation in 0.. {
        let mut trial = Trial::in_memory(workflow);
        let end = trial.start(Fate::DiesAtOperation(operation));
        if !end.was_killed() {
            assert!(operation > 30, "{trial}: a whole life has more than {operation} operations");
            trial.check_the_end(end.result().expect("it lived to the end"), &undisturbed);
            return trial.check_that_python_lists_the_registry();
        }
        trial.check_what_the_kill_left();
        trial.check_that_it_ends(&undisturbed);
    }
}

#[test]
fn a_verified_effect_happens_once_whichever_operation_is_the_last() {
    dies_at_every_operation_of_a_life(Workflow::Verified);
}

#[test]
fn an_idempotent_effect_is_booked_once_whichever_operation_is_the_last() {
    dies_at_every_operation_of_a_life(Workflow::Repeatable);
}

#[test]
fn an_effect_that_only_a_person_can_tell_of_happens_once_whichever_operation_is_the_last() {
    dies_at_every_operation_of_a_life(Workflow::Doubtful);
}

#[test]
fn a_read_keeps_its_first_recorded_value_whichever_operation_is_the_last() {
    dies_at_every_operation_of_a_life(Workflow::Reads);
}

#[test]
fn steps_of_all_kinds_together_survive_whichever_operation_is_the_last() {
    dies_at_every_operation_of_a_life(Workflow::Mixed);
}

/// C1 to C4, each step.
#[test]
fn every_step_of_every_kind_survives_a_kill_at_every_moment_of_its_life() {
    for workflow in Workflow::ALL {
        let undisturbed = undisturbed(workflow);
        for &(key, kind) in workflow.steps() {
            for moment in Moment::ALL {
                let is_read = kind == Kind::Read;
                if is_read && !matches!(moment, Moment::Applied | Moment::Recorded) {
                    continue;
                }
                let mut trial = Trial::in_memory(workflow);
                trial.die_at(moment, key);
                trial.check_what_the_kill_left();
                trial.check_that_it_ends(&undisturbed);
            }
        }
    }
}

/// C5: an effect was applied and its process killed; then its successor is killed as well, until one comes so far that
/// the next step is called, from where it is a life like any other.
fn dies_at_every_operation_after_a_kill(workflow: Workflow, before: impl Fn(&mut Trial)) {
    let undisturbed = undisturbed(workflow);
    for operation in 0.. {
        let mut trial = Trial::in_memory(workflow);
        trial.die_at(Moment::Applied, "credit");
        before(&mut trial);
        let end = trial.start(Fate::DiesAtOperation(operation));
        let is_settled = !end.was_killed() || trial.ledger().count(Act::Called, "mail") > 0;
        trial.check_what_the_kill_left();
        trial.check_that_it_ends(&undisturbed);
        if is_settled {
            assert!(operation > 20, "{trial}: a boot has more than {operation} operations");
            return trial.check_that_python_lists_the_registry();
        }
    }
}

#[test]
fn a_verifying_boot_may_be_killed_at_every_operation() {
    dies_at_every_operation_after_a_kill(Workflow::Verified, |_| {});
}

#[test]
fn a_repeating_boot_may_be_killed_at_every_operation() {
    dies_at_every_operation_after_a_kill(Workflow::Repeatable, |_| {});
}

#[test]
fn an_asking_boot_may_be_killed_at_every_operation() {
    dies_at_every_operation_after_a_kill(Workflow::Doubtful, |_| {});
}

#[test]
fn an_answering_boot_may_be_killed_at_every_operation() {
    dies_at_every_operation_after_a_kill(Workflow::Doubtful, |trial| {
        assert_eq!(trial.start(Fate::Lives).code(), Some(75), "{trial}");
    });
}

/// On a real disk, in four worlds at a time: each session is killed again and again until it ends, then the next begins.
/// `DURABLE_KILLS` asks for more than two hundred.
#[test]
fn two_hundred_kills_at_random_moments_do_nothing_twice() {
    let asked = std::env::var("DURABLE_KILLS").ok().map(|kills| kills.parse().expect("DURABLE_KILLS is a number"));
    let each: usize = asked.unwrap_or(200) / 4;
    let undisturbed = Workflow::ALL.map(|workflow| (workflow, undisturbed(workflow)));
    let kill = |seed| {
        let mut random = Random::seeded(seed);
        let mut kills = 0;
        while kills < each {
            let (workflow, undisturbed) = random.of(&undisturbed);
            kills += kill_until_it_ends(*workflow, undisturbed, &mut random);
        }
    };
    std::thread::scope(|scope| {
        for seed in 1..=4 {
            scope.spawn(move || kill(seed));
        }
    });
}

/// Gives how often it was killed.
fn kill_until_it_ends(workflow: Workflow, undisturbed: &[u64], random: &mut Random) -> usize {
    let mut trial = Trial::new(workflow);
    let (mut kills, mut doubts) = (0, 0);
    loop {
        let end = start_and_kill(&mut trial, random);
        if end.was_killed() {
            kills += 1;
            trial.check_what_the_kill_left();
            trial.check_that_none_happened_twice();
        } else if let Some(result) = end.result() {
            trial.check_the_end(result, undisturbed);
            return kills;
        } else {
            trial.check_that_only_a_person_can_tell(&end);
            doubts += 1;
        }
        assert!(kills + doubts < 100, "{trial}: it does not end");
    }
}

/// One start, killed by us or by itself, if it does not end before.
fn start_and_kill(trial: &mut Trial, random: &mut Random) -> End {
    match random.below(5) {
        0 => {
            let mut victim = trial.begin(&trial.orders(Fate::Lives));
            for _ in 0..random.below(16) {
                victim.line();
            }
            trial.ended(victim.kill())
        }
        1 | 2 => {
            let step = random.of(trial.workflow.steps()).0.to_owned();
            trial.start(Fate::DiesAt(*random.of(&Moment::ALL), step))
        }
        _ => trial.start(Fate::DiesAtOperation(random.below(70))),
    }
}
