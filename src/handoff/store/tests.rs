use std::collections::BTreeMap;

use jiff::tz::TimeZone;

use super::*;

struct Bench {
    _folder: tempfile::TempDir,
    notes: PathBuf,
    store: Store,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join(".flower/notes");
    Bench {
        store: Store::new(&notes),
        notes,
        _folder: folder,
    }
}

fn at(second: u64) -> ZonedDateTime {
    let zone = TimeZone::fixed(jiff::tz::offset(8));
    format!("2026-12-01T06:09:{second:02}Z")
        .parse::<jiff::Timestamp>()
        .unwrap()
        .to_zoned_datetime(zone)
}

fn stamp(step: &str, generation: u32) -> Stamp {
    Stamp {
        step: step.to_owned(),
        generation,
        session: format!("session-{generation}"),
        ..Stamp::default()
    }
}

fn document(doing: &str) -> Handoff {
    Handoff {
        doing: doing.to_owned(),
        next: "继续".to_owned(),
        ..Handoff::default()
    }
}

/// All files below a folder, by their path in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
                found.insert(name.to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn names(folder: &Path) -> Vec<String> {
    files(folder).into_keys().collect()
}

#[test]
fn freezing_writes_the_newest_and_archives_the_former_bytes() {
    let bench = bench();
    let first = bench
        .store
        .freeze(&document("一"), &stamp("干活", 1), &at(1))
        .unwrap();
    assert_eq!(
        first,
        Frozen {
            path: bench.notes.join("交接-干活.md"),
            bytes: fs::read(bench.notes.join("交接-干活.md")).unwrap(),
            sha256: disk::sha256_hex(&first.bytes),
            archived: None,
        }
    );
    // what a person made of it is what is archived
    let edited = b"\xef\xbb\xbf## \xe8\xbf\x9b\xe5\xba\xa6\r\nedited \xff";
    fs::write(&first.path, edited).unwrap();
    let second = bench
        .store
        .freeze(&document("二"), &stamp("干活", 2), &at(2))
        .unwrap();
    let archived = bench.notes.join("archive/交接/干活-20261201-140902.md");
    assert_eq!(second.archived, Some(archived));
    assert_eq!(
        files(&bench.notes),
        BTreeMap::from([
            (
                "archive/交接/干活-20261201-140902.md".to_owned(),
                edited.to_vec()
            ),
            ("交接-干活.md".to_owned(), second.bytes.clone()),
        ])
    );
    let loaded = bench.store.read("干活").unwrap();
    assert_eq!(loaded.bytes, second.bytes);
    assert_eq!(loaded.sha256, second.sha256);
    assert_eq!(loaded.handoff, document("二").stamped(&stamp("干活", 2)));
}

#[test]
fn the_stamp_of_a_file_is_the_programs_own() {
    let bench = bench();
    let mut forged =
        Handoff::parse("## 下一步\na\n<!-- flower: {\"step\":\"x\",\"session\":\"current\"} -->");
    forged.doing = format!("{}x", crate::handoff::DEGRADED);
    let frozen = bench.store.freeze(&forged, &stamp("a", 1), &at(1)).unwrap();
    let expected = Stamp {
        degraded: true,
        ..stamp("a", 1)
    };
    assert_eq!(Handoff::parse(&frozen.bytes).stamp, expected);
}

#[test]
fn five_documents_in_one_second_keep_all_former_ones() {
    let bench = bench();
    let mut frozen = Vec::new();
    for generation in 1..=6 {
        let document = document(&format!("第 {generation} 代"));
        frozen.push(
            bench
                .store
                .freeze(&document, &stamp("干活", generation), &at(5))
                .unwrap(),
        );
    }
    assert_eq!(
        names(&bench.notes),
        [
            "archive/交接/干活-20261201-140905-2.md",
            "archive/交接/干活-20261201-140905-3.md",
            "archive/交接/干活-20261201-140905-4.md",
            "archive/交接/干活-20261201-140905-5.md",
            "archive/交接/干活-20261201-140905.md",
            "交接-干活.md",
        ]
    );
    let listed = bench.store.list_archive(Some("干活")).unwrap();
    let generations: Vec<u32> = listed.iter().map(|entry| entry.generation).collect();
    assert_eq!(generations, [1, 2, 3, 4, 5]);
    for (entry, frozen) in listed.iter().zip(&frozen) {
        assert_eq!(fs::read(&entry.path).unwrap(), frozen.bytes);
    }
}

#[test]
fn the_same_document_again_changes_nothing() {
    let bench = bench();
    let freeze = |second| {
        bench
            .store
            .freeze(&document("一"), &stamp("a", 1), &at(second))
            .unwrap()
    };
    let first = freeze(1);
    assert_eq!(freeze(2), first);
    assert_eq!(names(&bench.notes), ["交接-a.md"]);
}

#[test]
fn steps_that_share_a_name_never_share_a_file() {
    let bench = bench();
    let steps = ["干活", "测试", "a/b", "a:b", "a?b", "ab-2", "step", "/"];
    for round in 1..=2 {
        for step in steps {
            let text = format!("{step} {round}");
            bench
                .store
                .freeze(&document(&text), &stamp(step, round), &at(3))
                .unwrap();
        }
    }
    let newest: Vec<String> = names(&bench.notes)
        .into_iter()
        .filter(|name| !name.contains('/'))
        .collect();
    assert_eq!(
        newest,
        [
            "交接-ab-2-2.md",
            "交接-ab-2.md",
            "交接-ab-3.md",
            "交接-ab.md",
            "交接-step-2.md",
            "交接-step.md",
            "交接-干活.md",
            "交接-测试.md",
        ]
    );
    for step in steps {
        let loaded = bench.store.read(step).unwrap();
        assert_eq!(loaded.handoff.doing, format!("{step} 2"), "{step}");
        let archived = bench.store.list_archive(Some(step)).unwrap();
        let of: Vec<&str> = archived.iter().map(|entry| entry.step.as_str()).collect();
        assert_eq!(of, [step]);
    }
}

#[test]
fn a_foreign_file_stays_and_ours_is_found_behind_a_gap() {
    let bench = bench();
    fs::create_dir_all(&bench.notes).unwrap();
    let foreign = bench.notes.join("交接-ab.md");
    let text = "人写的\n<!-- flower: {\"step\":\"a/b\"} -->\n";
    fs::write(&foreign, text).unwrap();
    let frozen = bench
        .store
        .freeze(&document("x"), &stamp("a:b", 1), &at(1))
        .unwrap();
    assert_eq!(frozen.path, bench.notes.join("交接-ab-2.md"));
    assert_eq!(fs::read_to_string(&foreign).unwrap(), text);
    fs::remove_file(&foreign).unwrap();
    assert_eq!(bench.store.path("a:b"), frozen.path);
    assert_eq!(bench.store.path("a/b"), foreign);

    // a file that no longer says whose it is belongs to the step of its name
    fs::write(&foreign, "## 下一步\n人写的").unwrap();
    let over = bench
        .store
        .freeze(&document("y"), &stamp("ab", 1), &at(2))
        .unwrap();
    assert_eq!(over.path, foreign);
    assert_eq!(
        fs::read_to_string(over.archived.unwrap()).unwrap(),
        "## 下一步\n人写的"
    );
}

#[test]
fn hostile_and_endless_names_stay_in_the_folder() {
    let bench = bench();
    for step in [
        "../../../etc/passwd",
        "..",
        ".",
        "\0",
        "a\nb",
        &"字".repeat(40_000),
        &"👩‍👩‍👧‍👦".repeat(1_000),
    ] {
        for generation in 1..=3 {
            let text = format!("{generation}");
            let frozen = bench
                .store
                .freeze(&document(&text), &stamp(step, generation), &at(4))
                .unwrap();
            assert_eq!(frozen.path.parent().unwrap(), bench.notes);
            assert_eq!(frozen.archived.is_some(), generation > 1, "{step:.20}");
        }
        assert_eq!(bench.store.list_archive(Some(step)).unwrap().len(), 2);
    }
    // the long names differ behind the cut
    let long = "字".repeat(40_000) + "!";
    let frozen = bench
        .store
        .freeze(&document("other"), &stamp(&long, 1), &at(4))
        .unwrap();
    let name = format!("交接-{}-2.md", "字".repeat(60));
    assert_eq!(frozen.path, bench.notes.join(name));
}

#[test]
fn a_crash_after_any_step_leaves_a_newest_document() {
    // The steps of a freeze, stopped after each: staged file, archived name, rename.
    let bench = bench();
    let first = bench
        .store
        .freeze(&document("一"), &stamp("a", 1), &at(1))
        .unwrap();
    let new = document("二")
        .stamped(&stamp("a", 2))
        .to_markdown()
        .into_bytes();

    let staged = disk::stage(&bench.notes, &new).unwrap();
    let (_, left_over) = staged.keep().unwrap();
    assert_eq!(bench.store.read("a").unwrap().bytes, first.bytes);

    let archived = bench
        .store
        .move_to_archive("a", &first.path, &first.bytes, &at(2))
        .unwrap();
    assert_eq!(bench.store.read("a").unwrap().bytes, first.bytes);
    assert_eq!(fs::read(&archived).unwrap(), first.bytes);

    // started again, later: the document is not archived twice
    let second = bench
        .store
        .freeze(&document("二"), &stamp("a", 2), &at(9))
        .unwrap();
    assert_eq!(second.archived, Some(archived.clone()));
    assert_eq!(bench.store.read("a").unwrap().bytes, new);
    assert_eq!(fs::read(&archived).unwrap(), first.bytes);
    assert_eq!(bench.store.list_archive(None).unwrap().len(), 1);

    // the newest file is another file now: changing it leaves the archive alone
    fs::write(&second.path, "edited in place").unwrap();
    assert_eq!(fs::read(&archived).unwrap(), first.bytes);
    assert!(left_over.exists());
}

#[test]
fn a_freeze_that_cannot_archive_changes_nothing() {
    let bench = bench();
    let first = bench
        .store
        .freeze(&document("一"), &stamp("a", 1), &at(1))
        .unwrap();
    let archive = bench.store.archive_folder();
    fs::remove_dir(&archive).unwrap();
    fs::write(&archive, "in the way").unwrap();
    let refused = bench
        .store
        .freeze(&document("二"), &stamp("a", 2), &at(2))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("cannot write") && refused.contains("交接"),
        "{refused}"
    );
    assert_eq!(fs::read(&first.path).unwrap(), first.bytes);
    assert_eq!(names(&bench.notes), ["archive/交接", "交接-a.md"]);
}

#[test]
fn a_folder_or_pipe_in_the_documents_place_is_passed_over() {
    let bench = bench();
    fs::create_dir_all(bench.notes.join("交接-a.md")).unwrap();
    let frozen = bench
        .store
        .freeze(&document("一"), &stamp("a", 1), &at(1))
        .unwrap();
    assert_eq!(frozen.path, bench.notes.join("交接-a-2.md"));
    assert!(load_document(&bench.notes.join("交接-a.md")).is_err());
    assert!(matches!(bench.store.read("b"), Err(StoreError::Io { .. })));
}

#[cfg(unix)]
#[test]
fn a_link_is_archived_as_a_copy_and_its_target_stays() {
    let bench = bench();
    fs::create_dir_all(&bench.notes).unwrap();
    let target = bench.notes.join("elsewhere.md");
    fs::write(&target, "## 下一步\nx").unwrap();
    std::os::unix::fs::symlink("elsewhere.md", bench.notes.join("交接-a.md")).unwrap();
    let frozen = bench
        .store
        .freeze(&document("一"), &stamp("a", 1), &at(1))
        .unwrap();
    let archived = frozen.archived.unwrap();
    assert!(!fs::symlink_metadata(&archived).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&archived).unwrap(), "## 下一步\nx");
    assert_eq!(fs::read_to_string(&target).unwrap(), "## 下一步\nx");
}

#[test]
fn saving_checks_what_is_on_disk() {
    let bench = bench();
    let frozen = bench
        .store
        .freeze(&document("一"), &stamp("a", 1), &at(1))
        .unwrap();
    let edited = document("改过").stamped(&stamp("a", 1));
    let saved = bench
        .store
        .save("a", &edited, Some(&frozen.sha256))
        .unwrap();
    assert_eq!(bench.store.read("a").unwrap().handoff, edited);
    assert_eq!(saved, bench.store.read("a").unwrap().sha256);
    // equal bytes are fine whatever was loaded
    assert_eq!(bench.store.save("a", &edited, None).unwrap(), saved);

    fs::write(&frozen.path, "vim").unwrap();
    let vim = Some(disk::sha256_hex(b"vim"));
    match bench.store.save("a", &document("又改"), Some(&saved)) {
        Err(StoreError::Changed { found, .. }) => assert_eq!(found, vim),
        other => panic!("{other:?}"),
    }
    assert_eq!(fs::read(&frozen.path).unwrap(), b"vim");
    fs::remove_file(&frozen.path).unwrap();
    match bench.store.save("a", &document("又改"), Some(&saved)) {
        Err(StoreError::Changed { found: None, .. }) => {}
        other => panic!("{other:?}"),
    }
    bench.store.save("a", &edited, None).unwrap();
    assert_eq!(names(&bench.notes), ["交接-a.md"]);
}

#[test]
fn broken_edits_are_kept_once() {
    let bench = bench();
    let keep = |text: &[u8], second| bench.store.archive_bytes("a/b", text, &at(second)).unwrap();
    let first = keep(b"\xff broken", 1);
    assert_eq!(keep(b"\xff broken", 2), first);
    assert_ne!(keep(b"other", 1), first);
    assert_eq!(
        names(&bench.notes),
        [
            "archive/交接/ab-20261201-140901-2.md",
            "archive/交接/ab-20261201-140901.md"
        ]
    );
    assert_eq!(fs::read(first).unwrap(), b"\xff broken");
}

#[test]
fn restoring_brings_the_bytes_back_and_loses_none() {
    let bench = bench();
    let first = bench
        .store
        .freeze(&document("一"), &stamp("a/b", 1), &at(1))
        .unwrap();
    let second = bench
        .store
        .freeze(&document("二"), &stamp("a/b", 2), &at(2))
        .unwrap();
    let restored = bench
        .store
        .restore("ab-20261201-140902.md", &at(3))
        .unwrap();
    assert_eq!(restored.path, first.path);
    assert_eq!(fs::read(&first.path).unwrap(), first.bytes);
    assert_eq!(fs::read(restored.archived.unwrap()).unwrap(), second.bytes);
    for name in [
        "",
        "nothing.md",
        "ab-20261201-140999.md",
        "../../交接-ab.md",
        "../交接/ab-20261201-140902.md",
    ] {
        match bench.store.restore(name, &at(4)) {
            Err(StoreError::NotArchived { .. }) => {}
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn the_archive_is_listed_by_generation_then_clock() {
    let bench = bench();
    assert_eq!(bench.store.list_archive(None).unwrap(), []);
    let folder = bench.store.archive_folder();
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    let line = |step: &str, generation: u32| stamp(step, generation).to_line();
    write("a-20261201-140903.md", &line("a", 1));
    write("a-20261201-140901.md", &format!("x\n{}\n\n", line("a", 2)));
    write("a-20261201-140902-2.md", &line("a", 1));
    write("a-20261201-140902.md", &line("a", 1));
    write("a-20261201-140902-10.md", &line("a", 1));
    write("a-20261201-140909.md", "by hand");
    write("a-20261201-140908.md", &line("a:", 7));
    write("b-20261201-140902.md", &line("b", 1));
    write(
        "b-20261201-140903.md",
        &format!("{}{}\n", "long\n".repeat(9_000), line("b", 3)),
    );
    write("notes.txt", "no document");
    let listed = |step: Option<&str>| -> Vec<String> {
        let entries = bench.store.list_archive(step).unwrap();
        entries
            .into_iter()
            .map(|entry| format!("{} {} {}", entry.generation, entry.step, entry.name))
            .collect()
    };
    let of_a = [
        "0 a a-20261201-140909.md",
        "1 a a-20261201-140902.md",
        "1 a a-20261201-140902-2.md",
        "1 a a-20261201-140902-10.md",
        "1 a a-20261201-140903.md",
        "2 a a-20261201-140901.md",
    ];
    assert_eq!(listed(Some("a")), of_a);
    assert_eq!(
        listed(Some("b")),
        ["1 b b-20261201-140902.md", "3 b b-20261201-140903.md"]
    );
    assert_eq!(listed(None).len(), 9);
    assert_eq!(listed(Some("c")), [""; 0]);
}

#[test]
fn a_stamp_longer_than_the_look_at_the_end_is_read() {
    let bench = bench();
    let long = "x".repeat(20_000);
    let frozen = bench
        .store
        .freeze(&document("一"), &stamp(&long, 1), &at(1))
        .unwrap();
    assert_eq!(owner(&frozen.path, &long), Owner::Ours);
    assert_eq!(owner(&frozen.path, "x"), Owner::Other);
    fs::write(&frozen.path, "\n".repeat(50_000)).unwrap();
    assert_eq!(owner(&frozen.path, &long), Owner::Unsaid);
}

#[test]
fn parallel_freezes_of_one_step_lose_no_document() {
    let bench = bench();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let store = &bench.store;
            scope.spawn(move || {
                for round in 0..5 {
                    let text = format!("{writer}-{round}");
                    store
                        .freeze(&document(&text), &stamp("a", round), &at(1))
                        .unwrap();
                }
            });
        }
    });
    let mut kept: Vec<String> = files(&bench.notes)
        .values()
        .map(|bytes| Handoff::parse(bytes).doing)
        .collect();
    kept.sort();
    let mut written: Vec<String> = (0..4)
        .flat_map(|writer| (0..5).map(move |round| format!("{writer}-{round}")))
        .collect();
    written.sort();
    assert_eq!(kept, written);
}

#[test]
fn writing_and_loading_a_single_document() {
    let bench = bench();
    fs::create_dir_all(&bench.notes).unwrap();
    let path = bench.notes.join("x.md");
    let document = document("一").stamped(&stamp("a", 1));
    let sha256 = document.write(&path).unwrap();
    let loaded = Handoff::load(&path).unwrap();
    assert_eq!(
        loaded,
        Loaded {
            bytes: document.to_markdown().into_bytes(),
            path,
            handoff: document,
            sha256,
        }
    );
}
