use super::*;

#[tokio::test]
async fn only_long_outputs_are_kept_and_wholly() {
    let dir = tempfile::tempdir().unwrap();
    let spill = dir.path().join("new/spill");
    let mut output = Output::new(10, Some(&spill));
    output.push(b"12345").await;
    output.push(b"67890").await;
    let (text, kept) = output.finish().await;
    assert_eq!((text.as_str(), kept.is_none()), ("1234567890", true));
    assert!(!spill.exists());

    let mut output = Output::new(10, Some(&spill));
    for part in ["123", "456", "789", "abc", "def", "ghi"] {
        output.push(part.as_bytes()).await;
    }
    let (text, kept) = output.finish().await;
    let kept = kept.unwrap().unwrap();
    assert_eq!(text, "12345\n[… 8 bytes left out …]\nefghi");
    assert_eq!((kept.bytes, kept.cut), (18, false));
    assert_eq!(
        std::fs::read_to_string(kept.path).unwrap(),
        "123456789abcdefghi"
    );
}

#[tokio::test]
async fn a_file_has_a_largest_size() {
    let dir = tempfile::tempdir().unwrap();
    let mut output = Output::new(10, Some(dir.path()));
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..66 {
        output.push(&chunk).await;
    }
    let kept = output.finish().await.1.unwrap().unwrap();
    assert_eq!((kept.bytes, kept.cut), (MOST_BYTES, true));
    assert_eq!(kept.path.metadata().unwrap().len(), MOST_BYTES);
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_costs_only_the_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("file"), "").unwrap();
    let mut output = Output::new(4, Some(&dir.path().join("file/spill")));
    output.push(b"123456").await;
    output.push(b"789").await;
    let (text, kept) = output.finish().await;
    assert_eq!(
        (text.as_str(), kept.unwrap().is_err()),
        ("12\n[… 5 bytes left out …]\n89", true)
    );
}

#[test]
fn the_oldest_files_make_room() {
    let dir = tempfile::tempdir().unwrap();
    for n in 0..MOST_FILES + 3 {
        let path = dir.path().join(format!("{PREFIX}{n:03}{SUFFIX}"));
        let file = std::fs::File::create(path).unwrap();
        let time = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(n as u64);
        file.set_modified(time).unwrap();
    }
    std::fs::write(dir.path().join("mine.txt"), "").unwrap();
    make_room(dir.path());
    let mut names: Vec<String> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        (names.len(), names[0].as_str()),
        (MOST_FILES, "bash-004.txt")
    );
    assert!(names.contains(&"mine.txt".to_owned()));
}
