use super::*;

/// A loop, and what comes of each of its turns.
struct Loop {
    paces: Paces,
    rules: Rules,
    seq: u64,
}

impl Loop {
    fn new(rules: Rules) -> Self {
        Self { paces: Paces::default(), rules, seq: 0 }
    }

    fn turn(&mut self) -> Turn {
        let turn = self.paces.of("a").unwrap_or(&Paced::default()).next("a", self.rules);
        self.seq += 1;
        self.paces.tick(self.seq, &turn);
        turn.turn()
    }

    fn acts(&mut self) {
        self.seq += 1;
        self.paces.acted(self.seq, "a//in//pay");
    }

    fn makes(&mut self) {
        self.seq += 1;
        self.paces.made(self.seq, "a//in");
    }

    /// The first letters of what so many turns are for, with what comes of each.
    fn turns(&mut self, turns: u32, then: impl Fn(&mut Self)) -> String {
        let mut letters = String::new();
        for _ in 0..turns {
            letters.push(match self.turn() {
                Turn::Work => '.',
                Turn::Explore(_) => 'E',
                Turn::Build(_) => 'B',
                Turn::Rest => 'R',
                Turn::Stop(_) => 'S',
            });
            then(self);
        }
        letters
    }
}

#[test]
fn three_turns_without_a_completed_action_force_an_exploration() {
    let mut agent = Loop::new(Rules { build_after: 0, rest_every: 0, ..Rules::default() });
    assert_eq!(agent.turns(8, |_| ()), "...E..E.", "an exploration that completes nothing counts");
    agent.acts();
    assert_eq!(agent.turns(4, |_| ()), "...E", "one completed action and it counts anew");
}

#[test]
fn five_turns_without_a_new_artifact_force_a_build() {
    let mut agent = Loop::new(Rules { rest_every: 0, ..Rules::default() });
    assert_eq!(agent.turns(7, Loop::acts), ".....B.");
    agent.makes();
    assert_eq!(agent.turns(6, Loop::acts), ".....B");
}

#[test]
fn every_eighth_turn_is_for_rest_and_counts_for_nothing() {
    let mut agent = Loop::new(Rules::default());
    let gets_on = |agent: &mut Loop| {
        agent.acts();
        agent.makes();
    };
    assert_eq!(agent.turns(17, gets_on), ".......R.......R.");
    let mut agent = Loop::new(Rules { build_after: 0, rest_every: 2, ..Rules::default() });
    assert_eq!(agent.turns(7, |_| ()), ".R.R.RE", "three turns, none of them a rest");
}

#[test]
fn a_loop_that_does_nothing_explores_and_builds_in_turn() {
    assert_eq!(Loop::new(Rules::default()).turns(16, |_| ()), "...E.BER..EB.E.R");
}

#[test]
fn nothing_ends_a_loop_unless_that_is_asked_for() {
    assert!(!Loop::new(Rules::default()).turns(100, |_| ()).contains('S'));
    let mut agent = Loop::new(Rules { build_after: 0, stop_after: 5, ..Rules::default() });
    assert_eq!(agent.turns(7, |_| ()), "...E.SS", "an exploration that finds nothing does not put it off");
    agent.acts();
    assert_eq!(agent.turns(1, |_| ()), "R", "one that gets on again goes on");
}

#[test]
fn with_nothing_to_force_every_turn_is_for_work() {
    let rules = Rules { explore_after: 0, build_after: 0, rest_every: 0, stop_after: 0 };
    assert_eq!(Loop::new(rules).turns(20, |_| ()), ".".repeat(20));
}

#[test]
fn a_turn_that_was_recorded_is_given_again_whatever_the_rules_are() {
    let mut agent = Loop::new(Rules::default());
    let turns: Vec<_> = (0..9).map(|_| agent.turn()).collect();
    let paced = agent.paces.of("a").unwrap();
    let again: Vec<_> = (1..=9).map(|number| paced.recorded(number).unwrap()).collect();
    assert_eq!(again, turns);
    assert_eq!(turns[3], Turn::Explore(Why { lacks: Lacks::Action, turns: 3 }));
    assert_eq!(paced.recorded(10), None);
}

#[test]
fn what_another_run_does_does_not_count() {
    let mut agent = Loop::new(Rules::default());
    let other = |agent: &mut Loop| {
        agent.seq += 1;
        agent.paces.acted(agent.seq, "b//pay");
        agent.paces.made(agent.seq, "ab");
    };
    assert_eq!(agent.turns(6, other), "...E.B");
    agent.paces.forget("a");
    assert!(agent.paces.of("a").is_none());
}
