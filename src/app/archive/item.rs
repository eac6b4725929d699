//! One document of the archive as the list shows it.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::handoff::store::Entry;
use crate::runtime::event::GenerationRow;

/// When a document was archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    /// Today, at `HH:MM`.
    Today(String),
    /// The day before today.
    Yesterday,
    /// Another day, `mm-dd` of this year or `YYYY`.
    Earlier(String),
    /// Its name does not say.
    Unknown,
}

/// One document of the archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Where it is and whose.
    pub entry: Entry,
    /// When it was archived.
    pub when: When,
    /// Context in tokens when it was written, when known.
    pub context: Option<u64>,
    /// Turns of the generation that wrote it, when known.
    pub turns: Option<u64>,
    /// Cost of that generation in USD, when known.
    pub cost_usd: Option<f64>,
    /// Whether the person changed it.
    pub is_edited: bool,
    /// Whether it is the mechanical one.
    pub is_degraded: bool,
}

/// The documents, the step with the newest one first, in a step the newest generation first.
pub(super) fn sorted(entries: Vec<Entry>, generations: &[GenerationRow], today: &str) -> Vec<Item> {
    let by_session: HashMap<&str, &GenerationRow> = generations
        .iter()
        .map(|row| (row.session_id.as_str(), row))
        .collect();
    let mut newest: HashMap<String, String> = HashMap::new();
    for entry in &entries {
        let known = newest.entry(entry.step.clone()).or_default();
        if *known < entry.clock {
            known.clone_from(&entry.clock);
        }
    }
    let mut items: Vec<Item> = entries
        .into_iter()
        .map(|entry| item(entry, &by_session, today))
        .collect();
    items.sort_by(|a, b| {
        let (a, b) = (&a.entry, &b.entry);
        let step = (newest.get(&b.step), &b.step).cmp(&(newest.get(&a.step), &a.step));
        let within = (b.generation, &b.clock, b.copy).cmp(&(a.generation, &a.clock, a.copy));
        step.then(within)
    });
    items
}

fn item(entry: Entry, by_session: &HashMap<&str, &GenerationRow>, today: &str) -> Item {
    let stamp = entry.stamp.as_ref();
    let session = stamp.map(|stamp| stamp.session.as_str());
    let row = session.and_then(|session| by_session.get(session));
    let written = stamp
        .map(|stamp| stamp.context)
        .filter(|tokens| *tokens > 0);
    Item {
        when: when(&entry.clock, today),
        context: written.or_else(|| row.and_then(|row| row.context)),
        turns: row.map(|row| row.num_turns),
        cost_usd: row.and_then(|row| row.cost_usd),
        is_edited: row.is_some_and(|row| row.edited),
        is_degraded: stamp.is_some_and(|stamp| stamp.degraded),
        entry,
    }
}

fn when(clock: &str, today: &str) -> When {
    let (Some(day), Some(hour), Some(minute)) = (date(clock), clock.get(9..11), clock.get(11..13))
    else {
        return When::Unknown;
    };
    match date(today) {
        Some(today) if today == day => When::Today(format!("{hour}:{minute}")),
        Some(today) if today.yesterday().is_ok_and(|before| before == day) => When::Yesterday,
        Some(today) if today.year() == day.year() => {
            When::Earlier(format!("{:02}-{:02}", day.month(), day.day()))
        }
        Some(_) | None => When::Earlier(day.year().to_string()),
    }
}

/// The date a clock of the form `YYYYmmdd…` begins with.
fn date(clock: &str) -> Option<Date> {
    let number = |from, to| -> Option<i16> { clock.get(from..to)?.parse().ok() };
    let (year, month, day) = (number(0, 4)?, number(4, 6)?, number(6, 8)?);
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}
