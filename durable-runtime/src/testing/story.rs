//! A story: what befalls a session, life after life. It has a text, so that a failure can be told in one line and
//! replayed.

use std::fmt;
use std::str::FromStr;

use super::machine::images::Model;

/// What befalls a session. After the last turn it lives undisturbed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Story {
    /// The order in which tasks get on; 0 holds nobody up.
    pub(crate) seed: u64,
    /// Whether handoff and state are written for readers.
    pub(crate) views: bool,
    pub(crate) turns: Vec<Turn>,
}

/// One life, and what is left of the disk after it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Turn {
    /// What befalls it; `None` for a life that ends by itself.
    pub(crate) plan: Option<Plan>,
    pub(crate) after: After,
}

/// What befalls a life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Plan {
    pub(crate) when: When,
    pub(crate) fate: Fate,
}

/// A moment in a life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum When {
    /// Just before an operation of the disk.
    Operation(u64),
    /// While the world is called.
    Call(u64, Moment),
}

/// A moment of a call to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Moment {
    /// It is not sent yet.
    Sent,
    /// Its effect is applied, and not answered.
    Applied,
    /// It is answered, and the answer not recorded.
    Answered,
}

/// What happens then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fate {
    /// The process dies.
    Dies,
    /// The process dies, and the request that it has sent lands later.
    DiesLate,
    /// The disk gives an error, or the answer of the world is lost.
    Fails,
    /// The disk gives an error after half of a write.
    FailsHalfWay,
    /// From now on the disk gives an error for every change.
    FailsForGood,
    /// The answer is lost, and the request lands later.
    FailsLate,
    /// The world answers with an error.
    AnswersError,
    /// No answer ever comes, and the process waits.
    Hangs,
}

/// What becomes of the disk when a life has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum After {
    /// The machine runs on: everything that was written is seen.
    Kept,
    /// The power is cut: one of the images that this may leave.
    Power(Model, usize),
    /// A file is damaged.
    Rot(Rot),
}

/// Damage to one file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rot {
    /// With its directory.
    pub(crate) file: String,
    pub(crate) offset: usize,
    pub(crate) how: Decay,
}

/// Kinds of damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decay {
    /// One bit of a byte is flipped.
    Flip,
    /// Sixteen bytes are zero.
    Zero,
    /// The file ends there.
    Cut,
    /// The line that begins there is gone.
    Line,
}

impl Story {
    /// This story, and one more turn.
    pub(crate) fn and(&self, plan: Option<Plan>, after: After) -> Self {
        let mut longer = self.clone();
        longer.turns.push(Turn { plan, after });
        longer
    }

    /// Whether the files for readers are as a kill has left them. A power cut may leave older ones, and whoever comes then
    /// boots the session first, which writes them anew.
    pub(crate) fn is_watched_kill(&self) -> bool {
        self.views && self.turns.last().is_some_and(|turn| turn.after == After::Kept)
    }

    /// Whether the last process was struck while it called the world, and the machine ran on.
    pub(crate) fn was_struck_at_a_call(&self) -> bool {
        let is_it =
            |turn: &Turn| matches!(turn, Turn { plan: Some(Plan { when: When::Call(..), .. }), after: After::Kept });
        self.turns.last().is_some_and(is_it)
    }

    /// The directory in which somebody has damaged a file: there a refusal is right.
    pub(crate) fn damaged(&self) -> Option<&str> {
        self.turns.iter().rev().find_map(|turn| match &turn.after {
            After::Rot(rot) => rot.file.split_once('/').map(|(directory, _)| directory),
            _ => None,
        })
    }
}

impl Plan {
    /// Whether it lets the answer to one of the first requests of a life get lost, or be an error.
    pub(crate) fn spoils_an_early_answer(&self) -> bool {
        matches!(self, Self { when: When::Call(0..2, _), fate: Fate::Fails | Fate::AnswersError })
    }
}

impl Decay {
    /// What becomes of any byte.
    pub(crate) const BYTES: [Self; 3] = [Self::Flip, Self::Zero, Self::Cut];

    /// What a hand does to the lines of a log.
    pub(crate) const LINES: [Self; 2] = [Self::Cut, Self::Line];

    pub(crate) fn apply(self, content: &mut Vec<u8>, offset: usize) {
        match self {
            Self::Flip => content.iter_mut().skip(offset).take(1).for_each(|byte| *byte ^= 1),
            Self::Zero => content.iter_mut().skip(offset).take(16).for_each(|byte| *byte = 0),
            Self::Cut => content.truncate(offset),
            Self::Line => {
                let end = content[offset..].iter().position(|&byte| byte == b'\n');
                content.drain(offset..end.map_or(content.len(), |end| offset + end + 1));
            }
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Flip => "flip",
            Self::Zero => "zero",
            Self::Cut => "cut",
            Self::Line => "line",
        }
    }
}

impl fmt::Display for Story {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.seed, if self.views { "v" } else { "" })?;
        self.turns.iter().try_for_each(|turn| write!(f, ":{turn}"))
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plan {
            None => write!(f, "end")?,
            Some(Plan { when, fate }) => write!(f, "{}@{when}", fate.word())?,
        }
        match &self.after {
            After::Kept => Ok(()),
            After::Power(Model::Ordered, image) => write!(f, "+power#{image}"),
            After::Power(Model::Weak, image) => write!(f, "+weak#{image}"),
            After::Rot(Rot { file, offset, how }) => write!(f, "+{}@{offset}@{file}", how.word()),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operation(number) => write!(f, "{number}"),
            Self::Call(call, Moment::Sent) => write!(f, "call{call}.sent"),
            Self::Call(call, Moment::Applied) => write!(f, "call{call}.applied"),
            Self::Call(call, Moment::Answered) => write!(f, "call{call}.answered"),
        }
    }
}

impl Fate {
    fn word(self) -> &'static str {
        match self {
            Self::Dies => "kill",
            Self::DiesLate => "kill-late",
            Self::Fails => "fail",
            Self::FailsHalfWay => "fail-half",
            Self::FailsForGood => "fail-on",
            Self::FailsLate => "fail-late",
            Self::AnswersError => "error",
            Self::Hangs => "hang",
        }
    }

    const ALL: [Self; 8] = [
        Self::Dies,
        Self::DiesLate,
        Self::Fails,
        Self::FailsHalfWay,
        Self::FailsForGood,
        Self::FailsLate,
        Self::AnswersError,
        Self::Hangs,
    ];
}

/// Why a text is no story.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NoStory(String);

impl fmt::Display for NoStory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no part of a story; give the line as it was printed", self.0)
    }
}

impl FromStr for Story {
    type Err = NoStory;

    fn from_str(text: &str) -> Result<Self, NoStory> {
        let mut parts = text.split(':');
        let head = parts.next().unwrap_or_default();
        let (seed, views) = head.strip_suffix('v').map_or((head, false), |seed| (seed, true));
        let seed = seed.parse().map_err(|_| NoStory(head.to_owned()))?;
        let turns = parts.map(|part| turn(part).ok_or_else(|| NoStory(part.to_owned()))).collect::<Result<_, _>>()?;
        Ok(Self { seed, views, turns })
    }
}

fn turn(text: &str) -> Option<Turn> {
    let (life, after) = text.split_once('+').map_or((text, None), |(life, after)| (life, Some(after)));
    let plan = match life {
        "end" => None,
        _ => {
            let (word, when) = life.split_once('@')?;
            let fate = Fate::ALL.into_iter().find(|fate| fate.word() == word)?;
            Some(Plan { when: moment(when)?, fate })
        }
    };
    Some(Turn { plan, after: after.map_or(Some(After::Kept), outcome)? })
}

fn moment(text: &str) -> Option<When> {
    let Some(call) = text.strip_prefix("call") else { return Some(When::Operation(text.parse().ok()?)) };
    let (call, moment) = call.split_once('.')?;
    let moment = match moment {
        "sent" => Moment::Sent,
        "applied" => Moment::Applied,
        "answered" => Moment::Answered,
        _ => return None,
    };
    Some(When::Call(call.parse().ok()?, moment))
}

fn outcome(text: &str) -> Option<After> {
    if let Some((model, image)) = text.split_once('#') {
        let model = match model {
            "power" => Model::Ordered,
            "weak" => Model::Weak,
            _ => return None,
        };
        return Some(After::Power(model, image.parse().ok()?));
    }
    let (how, rest) = text.split_once('@')?;
    let (offset, file) = rest.split_once('@')?;
    let how = [Decay::Flip, Decay::Zero, Decay::Cut, Decay::Line].into_iter().find(|decay| decay.word() == how)?;
    Some(After::Rot(Rot { file: file.to_owned(), offset: offset.parse().ok()?, how }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_read_back_from_its_text() {
        let texts = [
            "0",
            "3:kill@17",
            "0v:kill@17+power#3:kill@4+weak#0",
            "12:kill@call0.sent:kill-late@call1.sent:error@call2.applied",
            "0:fail@call0.applied:fail-late@call3.sent:fail-half@9:fail-on@12+power#0",
            "0:end+flip@12@session/journal.jsonl:kill@call2.answered+zero@0@session/state.json:end+cut@3@session/session.lock",
            "0v:end+line@0@session/journal.jsonl",
        ];
        for text in texts {
            let story: Story = text.parse().expect(text);
            assert_eq!(story.to_string(), text);
        }
        for text in ["", "x", "0:kill", "0:kill@x", "0:kill@1+power", "0:kill@call1.later", "0:end+burn@1@f"] {
            assert!(text.parse::<Story>().is_err(), "{text}");
        }
    }
}
