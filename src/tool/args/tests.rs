use serde_json::json;

use super::*;

#[test]
fn values_come_under_any_name_and_in_the_forms_models_use() {
    let input = json!({
        "file_path": "a.rs", "path": null, "n": "12", "f": 3.0, "yes": "True", "no": false,
        "s": 1.5, "list": [1], "big": 1e300,
    });
    let args = Args::new("read", &input).unwrap();
    assert_eq!(args.text(&["path", "file_path"]).unwrap(), "a.rs");
    assert_eq!(args.text_if(&["path"]).unwrap(), None);
    assert_eq!(args.count_if(&["n"]).unwrap(), Some(12));
    assert_eq!(args.count_if(&["f"]).unwrap(), Some(3));
    assert_eq!(
        args.seconds_if(&["s"]).unwrap(),
        Some(Duration::from_millis(1500))
    );
    assert_eq!(
        args.seconds_if(&["n"]).unwrap(),
        Some(Duration::from_secs(12))
    );
    assert!(args.flag(&["yes"]).unwrap());
    assert!(!args.flag(&["no"]).unwrap());
    assert!(!args.flag(&["absent"]).unwrap());
    assert_eq!(args.list(&["list"]).unwrap(), [json!(1)]);
}

#[test]
fn wrong_arguments_are_named_with_what_came() {
    let input = json!({
        "path": ["a"], "n": -1, "half": 1.5, "flag": 1, "s": 0, "big": 1e300,
        "long": "x".repeat(50), "o": {},
    });
    let args = Args::new("read", &input).unwrap();
    let rows = [
        (
            args.text(&["path"]).err(),
            "read: `path` must be a string, got a list",
        ),
        (
            args.text(&["o"]).err(),
            "read: `o` must be a string, got an object",
        ),
        (
            args.text(&["content", "text"]).err(),
            "read: `content` is missing (got path, n, half, flag, s, big, long, o)",
        ),
        (
            args.count_if(&["n"]).err(),
            "read: `n` must be a whole number, 0 or more, got the number -1",
        ),
        (
            args.count_if(&["half"]).err(),
            "read: `half` must be a whole number, 0 or more, got the number 1.5",
        ),
        (
            args.count_if(&["long"]).err(),
            "read: `long` must be a whole number, 0 or more, got a string",
        ),
        (
            args.flag(&["flag"]).err(),
            "read: `flag` must be true or false, got the number 1",
        ),
        (
            args.seconds_if(&["s"]).err(),
            "read: `s` must be a number of seconds, more than 0, got the number 0",
        ),
        (
            args.seconds_if(&["big"]).err(),
            "read: `big` must be a number of seconds, more than 0, got the number 1e+300",
        ),
        (
            args.list(&["n"]).err(),
            "read: `n` must be a list, got the number -1",
        ),
    ];
    for (got, want) in rows {
        assert_eq!(got.map(|error| error.to_string()).as_deref(), Some(want));
    }
    let nothing = json!(null);
    let args = Args::new("read", &nothing).unwrap();
    assert_eq!(
        args.text(&["path"]).unwrap_err().to_string(),
        "read: `path` is missing (got no arguments)"
    );
    let text = json!("path");
    assert_eq!(
        Args::new("read", &text).err().unwrap().to_string(),
        "read: the arguments must be a JSON object, got the string \"path\""
    );
}
