use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use proptest::prelude::*;

use super::*;

fn key(code: KeyCode, modifiers: KeyModifiers) -> Input {
    Input::Key(KeyEvent::new(code, modifiers))
}

fn typed(text: &str) -> Vec<Input> {
    text.chars()
        .map(|c| key(KeyCode::Char(c), KeyModifiers::NONE))
        .collect()
}

fn take(decoder: &mut Decoder) -> Vec<Input> {
    std::iter::from_fn(|| decoder.pop()).collect()
}

/// All inputs of some reads; `None` is a pause.
fn decode(reads: &[Option<&[u8]>]) -> Vec<Input> {
    let mut decoder = Decoder::default();
    for read in reads {
        match read {
            Some(bytes) => decoder.push(bytes),
            None => decoder.settle(),
        }
    }
    take(&mut decoder)
}

const NONE: KeyModifiers = KeyModifiers::NONE;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;

#[test]
fn keys_of_one_read() {
    use KeyCode::{BackTab, Backspace, Char, Down, Enter, Esc, F, Home, PageDown, Tab, Up};
    let rows: &[(&[u8], KeyCode, KeyModifiers)] = &[
        (b"a", Char('a'), NONE),
        (b"E", Char('E'), SHIFT),
        ("中".as_bytes(), Char('中'), NONE),
        (b"\r", Enter, NONE),
        (b"\t", Tab, NONE),
        (b"\x1b[Z", BackTab, SHIFT),
        (b"\x7f", Backspace, NONE),
        (b"\x03", Char('c'), CTRL),
        (b"\x07", Char('g'), CTRL),
        (b"\x13", Char('s'), CTRL),
        (b"\x1a", Char('z'), CTRL),
        (b"\0", Char(' '), CTRL),
        (b"\x1b1", Char('1'), ALT),
        (b"\x1bE", Char('E'), ALT | SHIFT),
        ("\x1b中".as_bytes(), Char('中'), ALT),
        (b"\x1b\r", Enter, ALT),
        (b"\x1b\x7f", Backspace, ALT),
        (b"\x1b\x03", Char('c'), ALT | CTRL),
        (b"\x1b[A", Up, NONE),
        (b"\x1bOB", Down, NONE),
        (b"\x1bOP", F(1), NONE),
        (b"\x1b[15~", F(5), NONE),
        (b"\x1b[[A", F(1), NONE),
        (b"\x1b[1;5A", Up, CTRL),
        (b"\x1b[1;3A", Up, ALT),
        (b"\x1b\x1b[A", Up, ALT),
        (b"\x1b[1;5R", F(3), CTRL),
        (b"\x1b[6~", PageDown, NONE),
        (b"\x1b[H", Home, NONE),
        // The kitty keyboard protocol.
        (b"\x1b[27u", Esc, NONE),
        (b"\x1b[49;3u", Char('1'), ALT),
        (b"\x1b[99;5u", Char('c'), CTRL),
        (b"\x1b[13;3u", Enter, ALT),
        (b"\x1b[9;2u", BackTab, SHIFT),
    ];
    for (bytes, code, modifiers) in rows {
        assert_eq!(
            decode(&[Some(bytes)]),
            vec![key(*code, *modifiers)],
            "{}",
            bytes.escape_ascii()
        );
        // The same keys, one byte a read: only the end of an escape sequence may not be guessed.
        let reads: Vec<Option<&[u8]>> = bytes.chunks(1).map(Some).collect();
        assert_eq!(
            decode(&reads),
            vec![key(*code, *modifiers)],
            "in bytes: {}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn shift_on_another_layout_arrives_as_the_character() {
    // Alt, Shift and 7 on a German keyboard, with the shifted key reported as well.
    let inputs = decode(&[Some(b"\x1b[55:47;4u")]);
    let [Input::Key(key)] = inputs.as_slice() else {
        panic!("{inputs:?}");
    };
    assert_eq!(key.code, KeyCode::Char('/'));
    assert!(key.modifiers.contains(ALT));
}

#[test]
fn what_an_escape_starts_is_decided_by_what_follows_or_by_a_pause() {
    use KeyCode::{Char, Esc, Left, Up};
    let rows: &[(&str, &[Option<&[u8]>], Vec<Input>)] = &[
        ("Esc", &[Some(b"\x1b"), None], vec![key(Esc, NONE)]),
        ("no pause yet", &[Some(b"\x1b")], vec![]),
        (
            "Alt-1 in two reads",
            &[Some(b"\x1b"), Some(b"1")],
            vec![key(Char('1'), ALT)],
        ),
        (
            "Esc, pause, 1",
            &[Some(b"\x1b"), None, Some(b"1")],
            vec![key(Esc, NONE), key(Char('1'), NONE)],
        ),
        (
            "Esc twice",
            &[Some(b"\x1b\x1b"), None],
            vec![key(Esc, NONE), key(Esc, NONE)],
        ),
        (
            "Esc, Alt-1",
            &[Some(b"\x1b\x1b1")],
            vec![key(Esc, NONE), key(Char('1'), ALT)],
        ),
        ("Alt-[", &[Some(b"\x1b["), None], vec![key(Char('['), ALT)]),
        (
            "Alt-O",
            &[Some(b"\x1bO"), None],
            vec![key(Char('O'), ALT | SHIFT)],
        ),
        ("Alt-]", &[Some(b"\x1b]"), None], vec![key(Char(']'), ALT)]),
        (
            "Alt-P and more",
            &[Some(b"\x1bPx")],
            vec![key(Char('P'), ALT | SHIFT), key(Char('x'), NONE)],
        ),
        (
            "an arrow in three reads",
            &[Some(b"\x1b"), Some(b"["), Some(b"A")],
            vec![key(Up, NONE)],
        ),
        (
            "an arrow with a pause in it",
            &[Some(b"\x1b[1;"), None, Some(b"2D")],
            vec![key(Left, SHIFT)],
        ),
        (
            "a sequence that breaks",
            &[Some(b"\x1b[1;\x1b[A")],
            vec![key(Up, NONE)],
        ),
        (
            "keys in one read",
            &[Some(b"a\x1b[A\x1b1b")],
            vec![
                key(Char('a'), NONE),
                key(Up, NONE),
                key(Char('1'), ALT),
                key(Char('b'), NONE),
            ],
        ),
        (
            "a character in two reads",
            &[Some(b"\xe4\xb8"), Some(b"\xad")],
            typed("中"),
        ),
        ("a cut character", &[Some(b"\xe4\xb8x")], typed("\u{fffd}x")),
        (
            "bytes of another encoding",
            &[Some(b"\xff\x80a")],
            typed("\u{fffd}\u{fffd}a"),
        ),
    ];
    for (name, reads, expected) in rows {
        assert_eq!(&decode(reads), expected, "{name}");
    }
}

#[test]
fn waiting_ends() {
    let rows: &[(&str, &[u8], Option<Duration>)] = &[
        ("nothing pending", b"a", None),
        ("an escape", b"\x1b", Some(ESCAPE_WAIT)),
        ("half an arrow", b"\x1b[1", Some(ESCAPE_WAIT)),
        ("half a character", b"\xe4", None),
        ("a paste", b"\x1b[200~x", Some(PASTE_SILENCE)),
        ("a whole paste", b"\x1b[200~x\x1b[201~", None),
    ];
    for (name, bytes, wait) in rows {
        let mut decoder = Decoder::default();
        decoder.push(bytes);
        assert_eq!(decoder.wait(), *wait, "{name}");
        decoder.settle();
        assert_eq!(
            decoder.wait(),
            None,
            "{name}: an idle program must not wake up"
        );
    }
}

#[test]
fn pastes_are_one_text_wherever_they_are_cut() {
    let rows: &[(&[u8], &str)] = &[
        (b"hello", "hello"),
        (b"", ""),
        (
            "第一行\r第二行\r\n\r\nx\ny".as_bytes(),
            "第一行\n第二行\n\nx\ny",
        ),
        (
            b"\x1b[31mred\x1b[0m \x1b \x1b[20 ~ \x1b[201",
            "\x1b[31mred\x1b[0m \x1b \x1b[20 ~ \x1b[201",
        ),
        (b"\x03\x07q\x1b[A", "\x03\x07q\x1b[A"),
        (b"bad \xff\xe4 end", "bad \u{fffd}\u{fffd} end"),
        (b"\x1b[200~", "\x1b[200~"),
    ];
    for (body, text) in rows {
        let mut bytes = b"a".to_vec();
        bytes.extend_from_slice(PASTE_START);
        bytes.extend_from_slice(body);
        bytes.extend_from_slice(PASTE_END);
        bytes.push(b'z');
        let mut expected = typed("a");
        expected.push(Input::Paste((*text).to_owned()));
        expected.extend(typed("z"));
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            assert_eq!(
                decode(&[Some(first), Some(second)]),
                expected,
                "{} cut at {cut}",
                body.escape_ascii()
            );
        }
    }
}

#[test]
fn a_paste_without_an_end_does_not_lock_the_person_out() {
    let ctrl_c = key(KeyCode::Char('c'), CTRL);
    for bytes in CTRL_C {
        let mut decoder = Decoder::default();
        decoder.push(b"\x1b[200~lost");
        decoder.push(bytes);
        assert_eq!(
            take(&mut decoder),
            vec![],
            "no pause: it belongs to the paste"
        );
        decoder.settle();
        decoder.push(bytes);
        let inputs = take(&mut decoder);
        assert_eq!(inputs.len(), 2, "{inputs:?}");
        assert!(matches!(&inputs[0], Input::Paste(text) if text.starts_with("lost")));
        assert_eq!(inputs[1], ctrl_c);
        decoder.push(b"x");
        assert_eq!(take(&mut decoder), typed("x"));
    }
}

#[test]
fn a_long_paste_comes_in_pieces_and_whole() {
    // Odd lengths, so that pieces end in characters and in line ends.
    for head in 0..6 {
        let mut text = "x".repeat(head);
        text.push_str(&"字\r\n".repeat(PASTE_PIECE / 2));
        let mut decoder = Decoder::default();
        decoder.push(PASTE_START);
        for read in text.as_bytes().chunks(8191) {
            decoder.push(read);
        }
        decoder.push(PASTE_END);
        let pieces: Vec<String> = take(&mut decoder)
            .into_iter()
            .map(|input| match input {
                Input::Paste(piece) => piece,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(pieces.len() > 1);
        assert!(pieces.iter().all(|piece| piece.len() <= PASTE_PIECE));
        assert!(pieces.concat() == text.replace("\r\n", "\n"), "head {head}");
    }
}

#[test]
fn reports() {
    let mouse = |kind, column, row| {
        Input::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: NONE,
        })
    };
    let rows: &[(&[u8], Vec<Input>)] = &[
        (b"\x1b[I", vec![Input::FocusGained]),
        (b"\x1b[O", vec![Input::FocusLost]),
        (
            b"\x1b[<0;5;3M",
            vec![mouse(MouseEventKind::Down(MouseButton::Left), 4, 2)],
        ),
        (
            b"\x1b[<0;5;3m",
            vec![mouse(MouseEventKind::Up(MouseButton::Left), 4, 2)],
        ),
        (
            b"\x1b[<65;300;200M",
            vec![mouse(MouseEventKind::ScrollDown, 299, 199)],
        ),
        (
            b"\x1b[<32;1;1M",
            vec![mouse(MouseEventKind::Drag(MouseButton::Left), 0, 0)],
        ),
        // Old mouse reports hold bytes of any value.
        (
            b"\x1b[M\x20\x21\x21x",
            [
                vec![mouse(MouseEventKind::Down(MouseButton::Left), 0, 0)],
                typed("x"),
            ]
            .concat(),
        ),
        // A key that is let go is no input; a repeated one is.
        (b"\x1b[97;1:3u", vec![]),
        (
            b"\x1b[97;1:2u",
            vec![Input::Key(KeyEvent::new_with_kind(
                KeyCode::Char('a'),
                NONE,
                KeyEventKind::Repeat,
            ))],
        ),
        // A modifier alone.
        (b"\x1b[57441;2u", vec![]),
        // Answers, also to questions of another program before us, are nobody's typing.
        (
            b"\x1b[?1u\x1b[?62;4c\x1b[2;3R\x1b[>41;1c\x1b[?2026;2$yx",
            typed("x"),
        ),
        (b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\x", typed("x")),
        (b"\x1b]0;title\x07x", typed("x")),
        (b"\x1bP>|xterm(370)\x1b\\x", typed("x")),
        (
            b"\x1b]11;rgb:\x1b[Ax",
            [vec![key(KeyCode::Up, NONE)], typed("x")].concat(),
        ),
    ];
    for (bytes, expected) in rows {
        assert_eq!(
            &decode(&[Some(bytes)]),
            expected,
            "{}",
            bytes.escape_ascii()
        );
    }
    let cut: &[Option<&[u8]>] = &[Some(b"\x1b]11;rgb:12"), None, Some(b"x")];
    assert_eq!(decode(cut), typed("x"), "an answer without its end");
}

#[test]
fn answers_are_noted() {
    let mut decoder = Decoder::default();
    decoder.push(b"\x1b[?5u");
    decoder.push(b"q\x1b[2;5");
    decoder.push(b"R\x1b[?62c");
    assert_eq!(
        decoder.answers(),
        Answers {
            keyboard: true,
            attributes: true,
            cursor: Some((2, 5)),
        }
    );
    assert_eq!(take(&mut decoder), typed("q"));
}

#[test]
fn what_is_put_back_comes_first() {
    let mut decoder = Decoder::default();
    decoder.push(b"cd\x1b");
    decoder.put_back(typed("ab").into_iter());
    decoder.push(b"[A");
    assert_eq!(
        take(&mut decoder),
        [typed("abcd"), vec![key(KeyCode::Up, NONE)]].concat()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_any_reads_are_harmless(
        reads in proptest::collection::vec(
            proptest::collection::vec(
                prop_oneof![any::<u8>(), proptest::sample::select(b"\x1b\x1b[[O;:<?0123456789MmuRc~AZP]\\\x07".to_vec())],
                0..40,
            ),
            0..12,
        ),
    ) {
        let mut decoder = Decoder::default();
        for read in &reads {
            decoder.push(read);
            decoder.settle();
        }
        // The person can always get through in the end: a paste ends, then a key is a key.
        decoder.push(PASTE_END);
        decoder.push(b"\x1b\x1b\x1b");
        decoder.settle();
        take(&mut decoder);
        decoder.push(b"k");
        prop_assert_eq!(take(&mut decoder), typed("k"));
    }

    #[test]
    fn text_arrives_whatever_the_cuts(text in "\\PC{0,60}", cut in 1_usize..9) {
        let reads: Vec<Option<&[u8]>> = text.as_bytes().chunks(cut).map(Some).collect();
        let arrived: String = decode(&reads)
            .into_iter()
            .map(|input| match input {
                Input::Key(KeyEvent { code: KeyCode::Char(c), .. }) => c,
                other => panic!("{other:?}"),
            })
            .collect();
        prop_assert_eq!(arrived, text);
    }
}
