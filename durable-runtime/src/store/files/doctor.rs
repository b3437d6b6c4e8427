//! What is wrong with a session's directory, and what of it can be put right with proof that nothing is lost.
//!
//! Everything here works on a session that is locked. An original is kept aside before anything takes its place, and nothing is
//! ever deleted.

mod mend;

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::sync::{Arc, mpsc};

use uuid::Uuid;

use super::blobs::Blobs;
use super::disk::{Disk, Guard, Replace, if_exists, replace};
use super::failed;
use super::guard;
use super::id::{self, Claims};
use super::layout::{BLOBS, DIRECTORY, HANDOFF, JOURNAL, LOCK, REGISTRY, RENAMED, STATE, temporary};
use super::lines::Lines;
use super::listing::Listed;
use super::open::{self, chunks};
use super::place::Place;
use super::recover::{self, Files, Recovered, Sources, recover};
use super::scan;
use crate::core::record::{Apart, Event, Record, Stored};
use crate::core::way_out::ADOPT;
use crate::store::{Damage, StoreError};

/// One thing that is not as a session leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line, from 1, where the file has lines and one is meant.
    pub line: Option<u64>,
    /// The key that it speaks of, where one can be told.
    pub key: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What becomes of it.
    pub remedy: Remedy,
    /// What is lost if that is done; empty if nothing is.
    pub loss: String,
}

/// What becomes of a [`Finding`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// It does no harm, and stays.
    None,
    /// The next boot sees to it.
    Boot(String),
    /// A repair puts it right: it is provable that nothing is lost.
    Repair(String),
    /// Only a person can.
    Person(String),
}

/// A file's new content, and in words what writing it does.
type Repair = (&'static str, Vec<u8>, String);

/// A session that was looked at, and is held until this is dropped.
pub(crate) struct Examined {
    disk: Arc<dyn Disk>,
    findings: Vec<Finding>,
    /// New contents, each provably the same session.
    repairs: Vec<(&'static str, Vec<u8>)>,
    _locks: Vec<Guard>,
}

/// Looks at everything, and changes nothing.
pub(crate) fn examine(disk: Arc<dyn Disk>) -> Result<Examined, StoreError> {
    let locks = open::lock_what_exists(&*disk)?;
    let mut examined = Examined { disk, findings: Vec::new(), repairs: Vec::new(), _locks: locks };
    examined.look_at_strangers()?;
    examined.look_at_names()?;
    examined.look_at_log()?;
    Ok(examined)
}

impl Examined {
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Puts right what can be; gives the names under which the originals lie now.
    ///
    /// The original is durable under its new name before anything else takes the old one, and that is done in one step: at no
    /// moment is there a session without the file.
    pub(crate) fn repair(&self) -> Result<Vec<String>, StoreError> {
        guard::refuse_foreign(&*self.disk)?;
        let mut aside = Vec::new();
        for (name, bytes) in &self.repairs {
            aside.extend(self.put(name, bytes).map_err(failed("repair", name))?);
        }
        Ok(aside)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<Option<String>> {
        let aside = match if_exists(self.disk.read(name))? {
            Some(original) => {
                let aside = self.free_name(name)?;
                self.disk.create(&aside, &original)?;
                self.disk.sync(&aside)?;
                self.disk.sync_dir()?;
                Some(aside)
            }
            None => None,
        };
        match name {
            LOCK => self.overwrite_lock(bytes)?,
            _ => replace(&*self.disk, name, bytes, Replace::Synced)?,
        }
        self.disk.sync_dir()?;
        Ok(aside)
    }

    /// The lock is the file itself, by which a session is told from a copy of it: another one in its place would be a copy's.
    fn overwrite_lock(&self, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(LOCK, 0, bytes)?;
        self.disk.truncate(LOCK, bytes.len() as u64)?;
        self.disk.sync(LOCK)
    }

    fn free_name(&self, name: &str) -> io::Result<String> {
        for number in 1.. {
            let aside = format!("{name}.aside-{number}");
            if if_exists(self.disk.identity(&aside))?.is_none() {
                return Ok(aside);
            }
        }
        Err(io::Error::other("every name is taken"))
    }

    fn look_at_strangers(&mut self) -> Result<(), StoreError> {
        let strangers = guard::strangers(&*self.disk)?;
        for foreign in strangers.foreign {
            self.find(foreign.name, &foreign.what, Remedy::Person(guard::TO_OWN.to_owned()));
        }
        for exposed in strangers.exposed {
            self.find(exposed.name, &exposed.what(), Remedy::Boot("shuts them out".to_owned()));
        }
        Ok(())
    }

    fn look_at_names(&mut self) -> Result<(), StoreError> {
        for name in self.disk.names_inner(DIRECTORY).map_err(failed("list", DIRECTORY))? {
            if RENAMED.map(temporary).contains(&name) {
                let remedy = Remedy::Boot("removes it".to_owned());
                self.find(&name, "it is what a kill has left of a rename", remedy);
            }
        }
        for name in [STATE, HANDOFF] {
            if self.is_missing(name)? && !self.is_missing(JOURNAL)? {
                let remedy = Remedy::Boot("writes it anew from the log".to_owned());
                self.find(name, "it is missing", remedy);
            }
        }
        Ok(())
    }

    fn look_at_log(&mut self) -> Result<(), StoreError> {
        let files = open::read(&*self.disk)?;
        let judged = judge(&files, open::sources(&*self.disk)?);
        match judged {
            Ok((recovered, blobs)) => {
                self.look_at_recovered(&recovered)?;
                self.look_at_blobs(recovered.session.id, &blobs)
            }
            Err(StoreError::Damaged(damage)) => self.look_at_damage(damage, &files),
            Err(StoreError::Newer { place, what }) => {
                self.find(&place, &what, Remedy::Person("open it with the newer version".to_owned()));
                Ok(())
            }
            Err(other) => Err(other),
        }
    }

    fn look_at_recovered(&mut self, recovered: &Recovered) -> Result<(), StoreError> {
        if let Some(torn) = recovered.scan.torn {
            let what = format!("its last {} bytes, from line {} on, are half written", torn.bytes, torn.line);
            self.find(JOURNAL, &what, Remedy::Boot("cuts them off: no effect has relied on them".to_owned()));
        }
        if recovered.session.unwritten && recovered.scan.first().is_some() {
            self.find(LOCK, "the id of the session is missing there", Remedy::Boot("writes it again".to_owned()));
        }
        if !recovered.scan.is_whole() {
            let verified = "verifies or asks about every effect of an unfinished run that has no result".to_owned();
            let loss = format!("results that only the log had: {}", recover::loss(&recovered.scan));
            self.push(
                JOURNAL,
                None,
                None,
                "records that were synced are gone".to_owned(),
                Remedy::Boot(verified),
                loss,
            );
        }
        for key in &recovered.unlogged {
            let remedy = Remedy::Boot("verifies it, or asks about it".to_owned());
            let what = "only the registry knows this key".to_owned();
            self.push(REGISTRY, None, Some(key.clone()), what, remedy, String::new());
        }
        if matches!(recovered.listed, Listed::Unreadable { .. }) {
            self.find(REGISTRY, "it is no array of keys", Remedy::Boot("writes it anew from the log".to_owned()));
        }
        let place = Place::of(&*self.disk).map_err(failed("look at", LOCK))?;
        if let (Some(then), Some(now)) = (&recovered.scan.place, place)
            && let Some(what) = now.differs_from(then)
        {
            let adopt = format!("make sure that no other copy goes on, then {ADOPT}");
            self.find(LOCK, &format!("the session is not where it was: {what}"), Remedy::Person(adopt));
        }
        Ok(())
    }

    fn look_at_blobs(&mut self, session: Uuid, named: &[(String, Apart)]) -> Result<(), StoreError> {
        let blobs = Blobs::new(Arc::clone(&self.disk), session);
        for (key, apart) in named {
            match blobs.get(*apart) {
                Ok(_) => {}
                Err(StoreError::Damaged(Damage { file, what, .. })) => {
                    let remedy = Remedy::Person("put back a copy that holds what was recorded".to_owned());
                    let loss = "until then what needs this value is refused, and nothing is run".to_owned();
                    self.push(&file, None, Some(key.clone()), what, remedy, loss);
                }
                Err(other) => return Err(other),
            }
        }
        let names: BTreeSet<String> = named.iter().map(|(_, apart)| apart.name.to_string()).collect();
        let there = if_exists(self.disk.names_inner(BLOBS)).map_err(failed("list", BLOBS))?.unwrap_or_default();
        let unnamed: Vec<_> = there.iter().filter(|name| !names.contains(*name)).collect();
        let mut bytes = 0;
        for name in &unnamed {
            let file = format!("{BLOBS}/{name}");
            bytes += if_exists(self.disk.identity(&file)).map_err(failed("look at", &file))?.map_or(0, |file| file.len);
        }
        if !unnamed.is_empty() {
            let what = format!("no record names {} of its files, {bytes} bytes in all", unnamed.len());
            self.find(&format!("{BLOBS}/"), &what, Remedy::None);
        }
        Ok(())
    }

    fn look_at_damage(&mut self, damage: Damage, files: &Files) -> Result<(), StoreError> {
        let repair = match damage.file.as_str() {
            JOURNAL => self.mend_journal(files)?,
            LOCK => mend_lock(files, &mut self.journal())?,
            _ => None,
        };
        let Damage { file, line, key, what } = damage;
        match repair {
            Some((name, bytes, how)) => {
                self.repairs.push((name, bytes));
                // Nobody has to look for a copy of what is all there.
                let what = what.split("; put back").next().unwrap_or_default().to_owned();
                self.push(&file, line, key, what, Remedy::Repair(how), String::new());
            }
            None => {
                let loss = "what was recorded there: without it effects may be repeated, so nothing is run".to_owned();
                let remedy = Remedy::Person("put back a copy of the whole directory that holds it".to_owned());
                self.push(&file, line, key, what, remedy, loss);
            }
        }
        Ok(())
    }

    fn mend_journal(&self, files: &Files) -> Result<Option<Repair>, StoreError> {
        let bytes = self.disk.read(JOURNAL).map_err(failed("read", JOURNAL))?;
        let mut found = scan::claimed_session(&mut self.journal()).map_err(failed("read", JOURNAL))?;
        if found.is_none() {
            found = mend::claimed_session(&bytes).map(|session| (1, session));
        }
        let claims = recover::claims(files, found)?;
        let Some(session) = claims.agree().ok().flatten() else { return Ok(None) };
        let Some(mended) = mend::lines(&bytes, session.id) else { return Ok(None) };
        let sources = Sources { journal: Lines::new(mend::source(&mended)), ..open::sources(&*self.disk)? };
        let is_whole = judge(files, sources)
            .is_ok_and(|(recovered, _)| recovered.scan.is_whole() && recovered.scan.torn.is_none());
        let how = "writes the same records as they were: each has its checksum, and none is missing".to_owned();
        Ok(is_whole.then_some((JOURNAL, mended, how)))
    }

    fn journal(&self) -> Lines<'_> {
        Lines::new(chunks(&*self.disk, JOURNAL))
    }

    fn is_missing(&self, name: &str) -> Result<bool, StoreError> {
        Ok(if_exists(self.disk.identity(name)).map_err(failed("look at", name))?.is_none())
    }

    fn find(&mut self, file: &str, what: &str, remedy: Remedy) {
        self.push(file, None, None, what.to_owned(), remedy, String::new());
    }

    fn push(&mut self, file: &str, line: Option<u64>, key: Option<String>, what: String, remedy: Remedy, loss: String) {
        self.findings.push(Finding { file: file.to_owned(), line, key, what, remedy, loss });
    }
}

/// The session that a boot would find, and the values that it keeps apart, by key.
fn judge(files: &Files, sources: Sources<'_>) -> Result<(Recovered, Vec<(String, Apart)>), StoreError> {
    let (send, blobs) = mpsc::channel();
    let reader = move |records: &mut dyn Iterator<Item = Record>| {
        records.flat_map(|record| apart(&record)).for_each(|blob| send.send(blob).unwrap_or_default());
    };
    let recovered = recover(files, sources, Uuid::nil, Box::new(reader))?;
    Ok((recovered, blobs.iter().collect()))
}

fn apart(record: &Record) -> Vec<(String, Apart)> {
    let of = |key: &str, value: Option<&Stored>| value.and_then(Stored::apart).map(|apart| (key.to_owned(), apart));
    match &record.event {
        Event::Done(done) => of(&done.key, done.value.as_ref()).into_iter().collect(),
        Event::Resolve(word) => of(&word.key, word.value.as_ref()).into_iter().collect(),
        Event::Answer(answer) => of(&answer.key, Some(&answer.value)).into_iter().collect(),
        Event::Ask(ask) => of(&ask.key, Some(&ask.shown)).into_iter().collect(),
        Event::End(end) => of(&end.run, Some(&end.value)).into_iter().collect(),
        Event::Run(run) => run.inputs.values().filter_map(|value| of(&run.run, Some(value))).collect(),
        Event::Code(code) => code.inputs.values().filter_map(|value| of(&code.run, Some(value))).collect(),
        _ => Vec::new(),
    }
}

/// The text of the lock file, where every other file says which session it is.
fn mend_lock(files: &Files, journal: &mut Lines<'_>) -> Result<Option<Repair>, StoreError> {
    let found = scan::claimed_session(journal).map_err(failed("read", JOURNAL))?;
    let claims = Claims { lock: None, ..recover::claims(files, found)? };
    // The log's own checksum confirms it; a state view alone could have been copied here.
    let Some((_, session)) = claims.journal else { return Ok(None) };
    let agreed = claims.agree().ok().flatten();
    let how = || format!("writes the id {session}, which every checksum of the log confirms");
    Ok(agreed.map(|_| (LOCK, id::text(session).into_bytes(), how())))
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(f, " line {line}")?;
        }
        if let Some(key) = &self.key {
            write!(f, " (key {key})")?;
        }
        write!(f, ": {}; {}", self.what, self.remedy)?;
        if !self.loss.is_empty() {
            write!(f, "; lost: {}", self.loss)?;
        }
        Ok(())
    }
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("it does no harm, and stays"),
            Self::Boot(what) => write!(f, "the next boot {what}"),
            Self::Repair(what) => write!(f, "a repair {what}; the original is kept aside"),
            Self::Person(what) => write!(f, "for a person: {what}"),
        }
    }
}

#[cfg(test)]
mod tests;
