use proptest::prelude::*;

use super::*;

fn clipped(cap: usize, chunks: &[&[u8]]) -> (String, u64) {
    let mut clip = Clip::new(cap);
    for chunk in chunks {
        clip.push(chunk);
    }
    clip.finish()
}

#[test]
fn long_texts_lose_their_middle_between_characters() {
    let rows: &[(usize, &[&[u8]], &str, u64)] = &[
        (10, &[b""], "", 0),
        (10, &[b"0123456789"], "0123456789", 0),
        (
            10,
            &[b"01234", b"56789a"],
            "01234\n[… 1 bytes left out …]\n6789a",
            1,
        ),
        // 7 bytes of head are two characters and a third of one; the last whole one might go on.
        (
            14,
            &["一二三四五六七八九".as_bytes()],
            "一\n[… 21 bytes left out …]\n九",
            21,
        ),
        (
            8,
            &[&[0xFF; 20]],
            "\u{FFFD}\n[… 12 bytes left out …]\n\u{FFFD}",
            12,
        ),
        (100, &[b"a\xFF\xFE\xFDb\xC0c"], "a\u{FFFD}b\u{FFFD}c", 0),
    ];
    for (cap, chunks, text, out) in rows {
        assert_eq!(clipped(*cap, chunks), ((*text).to_owned(), *out));
    }
}

#[test]
fn memory_stays_at_the_cap() {
    let mut clip = Clip::new(1000);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..50 {
        clip.push(&chunk);
    }
    assert!(clip.head.capacity() + clip.tail.capacity() <= 4096);
    let (text, out) = clip.finish();
    assert_eq!((text.len() < 1100, out), (true, 50 * (1 << 20) - 1000));
}

#[test]
fn a_beginning_ends_between_clusters() {
    let rows = [
        ("abc", 3, "abc"),
        ("abcd", 3, "abc"),
        ("中文", 5, "中"),
        ("中文", 2, ""),
        ("ae\u{301}x", 2, "a"),
        ("ae\u{301}x", 4, "ae\u{301}"),
        ("a👩‍🔬", 9, "a"),
        ("ab\r\n", 3, "ab"),
    ];
    for (text, most, want) in rows {
        assert_eq!(beginning(text, most), want, "{text:?} {most}");
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_uncounted(bytes in proptest::collection::vec(any::<u8>(), 0..400), cap in 0usize..300, size in 1usize..50) {
        let mut clip = Clip::new(cap);
        for chunk in bytes.chunks(size) {
            clip.push(chunk);
        }
        prop_assert_eq!(clip.total(), bytes.len() as u64);
        let (text, out) = clip.finish();
        prop_assert_eq!(out == 0, bytes.len() <= cap);
        if out == 0 {
            prop_assert_eq!(text, lossy(&bytes));
        }
    }

    #[test]
    fn sound_text_stays_sound(text in "\\PC{0,200}", cap in 2usize..300) {
        let (got, out) = clipped(cap, &[text.as_bytes()]);
        if out > 0 {
            let (head, tail) = got.split_once(&format!("\n[… {out} bytes left out …]\n")).unwrap();
            prop_assert!(text.starts_with(head) && text.ends_with(tail));
            prop_assert_eq!((head.len() + tail.len()) as u64 + out, text.len() as u64);
        }
    }
}
