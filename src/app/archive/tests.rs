use std::path::PathBuf;

use super::*;
use crate::handoff::Stamp;

fn entry(step: &str, generation: u32, clock: &str, degraded: bool) -> Entry {
    let name = format!("{step}-{clock}.md");
    Entry {
        path: PathBuf::from(format!("/notes/archive/{name}")),
        name,
        step: step.to_owned(),
        generation,
        clock: clock.to_owned(),
        copy: 1,
        stamp: Some(Stamp {
            step: step.to_owned(),
            generation,
            session: format!("s{generation}"),
            context: 150_000 + u64::from(generation),
            degraded,
            ..Stamp::default()
        }),
    }
}

fn some() -> Vec<Entry> {
    vec![
        entry("查日志", 1, "20261130-231500", true),
        entry("干活", 1, "20261201-140900", false),
        entry("干活", 2, "20261201-143100", false),
    ]
}

fn row(session: &str) -> GenerationRow {
    GenerationRow {
        session_id: session.to_owned(),
        context: Some(1),
        peak: 1,
        cost_usd: Some(0.61),
        num_turns: 18,
        degraded: false,
        why: None,
        document: None,
        sha256: None,
        edited: true,
    }
}

fn preview(lines: usize) -> Preview {
    Preview::new("- 一行字\n".repeat(lines).as_bytes(), "3f9a")
}

#[test]
fn the_newest_step_and_generation_come_first() {
    let (archive, load) = Archive::open(some(), &[row("s2")], "20261201");
    let rows: Vec<&Row> = archive.rows.iter().collect();
    let step = |name: &str, documents, degraded| Row::Step {
        name: name.to_owned(),
        documents,
        degraded,
    };
    assert_eq!(
        rows,
        [
            &step("干活", 2, 0),
            &Row::Document(0),
            &Row::Document(1),
            &step("查日志", 1, 1),
            &Row::Document(2),
        ]
    );
    let facts: Vec<_> = archive
        .items()
        .iter()
        .map(|item| {
            (
                item.entry.generation,
                item.when.clone(),
                item.turns,
                item.context,
            )
        })
        .collect();
    assert_eq!(
        facts,
        [
            (2, When::Today("14:31".to_owned()), Some(18), Some(150_002)),
            (1, When::Today("14:09".to_owned()), None, Some(150_001)),
            (1, When::Yesterday, None, Some(150_001)),
        ]
    );
    let name = "干活-20261201-143100.md".to_owned();
    assert_eq!(load, Some(Load { request: 1, name }));
    assert_eq!(archive.shown(), &Shown::Loading);
}

#[test]
fn clocks_of_any_kind_have_a_day() {
    for (clock, when) in [
        ("20261128-010203", When::Earlier("11-28".to_owned())),
        ("20250101-010203", When::Earlier("2025".to_owned())),
        ("20261399-010203", When::Unknown),
        ("", When::Unknown),
        ("中文中文中文", When::Unknown),
    ] {
        let (archive, _) = Archive::open(vec![entry("a", 1, clock, false)], &[], "20261201");
        assert_eq!(archive.items()[0].when, when, "{clock}");
    }
}

#[test]
fn only_the_answer_to_the_last_request_counts() {
    let (mut archive, first) = Archive::open(some(), &[], "20261201");
    let second = archive.select(1).unwrap();
    archive.loaded(first.unwrap().request, Ok(preview(1)));
    assert_eq!(archive.shown(), &Shown::Loading);
    archive.loaded(second.request, Err("no \u{1b}[2J".to_owned()));
    assert_eq!(archive.shown(), &Shown::Failed("no ^[[2J".to_owned()));
    archive.loaded(second.request, Ok(preview(1)));
    assert_eq!(archive.shown(), &Shown::Preview(preview(1)));
    assert_eq!(archive.select(0), None);
    assert_eq!(archive.select(100).map(|load| load.request), Some(3));
    assert_eq!(archive.select(1), None);
}

#[test]
fn an_empty_archive_asks_for_nothing() {
    let (mut archive, load) = Archive::open(Vec::new(), &[], "20261201");
    archive.set_size(80, 24);
    assert_eq!((load, archive.select(1)), (None, None));
    archive.scroll(5);
    archive.toggle_reading();
    assert_eq!(archive.list().count() + archive.text().count(), 0);
}

#[test]
fn the_selected_document_is_in_sight_and_only_what_is_in_sight_is_given() {
    let many: Vec<Entry> = (1..=10_000)
        .map(|n| entry("干活", n, "20261201-140900", false))
        .collect();
    let (mut archive, load) = Archive::open(many, &[], "20261201");
    archive.set_size(80, 24);
    archive.loaded(load.unwrap().request, Ok(preview(500)));
    assert_eq!((archive.list().count(), archive.text().count()), (21, 20));
    for step in [5_000, 1, -20, -6_000, 10_000] {
        archive.select(step);
        let selected = Row::Document(archive.selected);
        assert!(archive.list().any(|row| *row == selected), "{step}");
    }
    archive.select(-20_000);
    assert!(matches!(archive.list().next(), Some(Row::Step { .. })));
}

#[test]
fn the_preview_scrolls_within_its_bounds() {
    let (mut archive, load) = Archive::open(some(), &[], "20261201");
    archive.set_size(80, 24);
    archive.loaded(load.unwrap().request, Ok(preview(30)));
    archive.scroll(100);
    assert_eq!((archive.preview_top, archive.text().count()), (10, 20));
    archive.scroll(-100);
    assert_eq!(archive.preview_top, 0);
    archive.scroll(100);
    archive.set_size(80, 60);
    assert_eq!((archive.preview_top, archive.text().count()), (0, 30));
    archive.set_size(40, 10);
    assert_eq!(archive.panes().preview, 0);
    archive.toggle_reading();
    assert_eq!((archive.panes().list, archive.text().count()), (0, 6));
}

#[test]
fn a_document_of_any_size_has_a_bounded_preview() {
    let huge = vec![b'x'; PREVIEW_BYTES + 7];
    let preview = Preview::new(&huge, "");
    assert_eq!(preview.lines.len(), 2);
    assert_eq!(preview.lines[1].text, "... 7 B");
    let broken = Preview::new(b"\xff\x1b[2J", "");
    assert_eq!(broken.lines[0].text, "\u{fffd}^[[2J");
}
