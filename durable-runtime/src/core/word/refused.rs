//! Words that have come and do not count.

use super::{Says, Word};
use crate::core::record;
use crate::core::state::{Life, State, Step};

/// How many words that do not count are kept for readers.
const TOLD: usize = 4;

impl State {
    pub(in crate::core) fn word_refused(&mut self, refused: &record::WordRefused) {
        self.words.extend(refused.word);
        if refused.reopens {
            self.unanswer(&refused.key);
        }
        if self.refused_words.len() == TOLD {
            self.refused_words.pop_front();
            self.refused_before += 1;
        }
        self.refused_words.push_back(refused.clone());
    }

    /// The first word about a step was no result of it: the next one is to be read, if there is one.
    fn unanswer(&mut self, key: &str) {
        if let Some(question) = self.questions.get_mut(key) {
            question.answers.pop_front();
        }
        if let Some(Step { life, .. }) = self.steps.get_mut(key)
            && let Life::Word(words) = life
        {
            match words.later.pop_front() {
                Some(next) => words.first = next,
                None => *life = words.question.clone(),
            }
        }
    }

    /// What is to be said of the words about a step that come too late, because the first one of them counts, or because
    /// it is known without them what became of it.
    pub fn late(&self, key: &str, is_known: bool) -> Vec<record::WordRefused> {
        let (attempt, given): (_, Vec<&str>) = match (self.steps.get(key), self.questions.get(key)) {
            (_, Some(question)) => (None, question.answers.iter().map(|given| given.by.as_str()).collect()),
            (Some(Step { attempt, life: Life::Word(words), .. }), None) => {
                let all = std::iter::once(&words.first).chain(&words.later);
                (Some(*attempt), all.map(|word| word.by.as_str()).collect())
            }
            _ => return Vec::new(),
        };
        let why = match given.first() {
            Some(first) if !is_known => format!("{first} has answered before, and a given answer is final"),
            _ => "it is known without it what became of it".to_owned(),
        };
        let late = given.iter().skip(usize::from(!is_known)).map(|by| record::WordRefused {
            key: key.to_owned(),
            attempt,
            digest: None,
            by: (*by).to_owned(),
            why: why.clone(),
            word: None,
            reopens: false,
        });
        late.collect()
    }
}

impl Word {
    /// The record that it does not count, and why.
    pub fn refused(&self, why: &str) -> record::WordRefused {
        let (attempt, digest) = match &self.says {
            Says::Resolve { attempt, .. } => (*attempt, None),
            Says::Answer { digest, .. } => (None, digest.clone()),
            Says::Cancel => (None, None),
        };
        let (key, by, why, word) = (self.key.clone(), self.by.clone(), why.to_owned(), self.id);
        record::WordRefused { key, attempt, digest, by, why, word, reopens: false }
    }
}
