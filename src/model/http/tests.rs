use std::io::Write;

use super::fault::visible;
use super::*;
use crate::model::error::ErrorClass;

#[test]
fn base_urls() {
    let table = [
        (
            "https://api.anthropic.com",
            Ok("https://api.anthropic.com/x/y%2Fz"),
        ),
        (
            " http://localhost:8080/ \n",
            Ok("http://localhost:8080/x/y%2Fz"),
        ),
        ("http://h/gate/v1/#top", Ok("http://h/gate/v1/x/y%2Fz")),
        ("https://h/a?version=1", Ok("https://h/a/x/y%2Fz?version=1")),
        ("http://[::1]:1", Ok("http://[::1]:1/x/y%2Fz")),
        (
            "",
            Err(r#"cannot use the base URL "": it must begin with http:// or https://"#),
        ),
        (
            "localhost:8080",
            Err(
                r#"cannot use the base URL "localhost:8080": it must begin with http:// or https:// and name a host"#,
            ),
        ),
        (
            "api.example.com/v1",
            Err(
                r#"cannot use the base URL "api.example.com/v1": it must begin with http:// or https://"#,
            ),
        ),
        (
            "http://h:port",
            Err(r#"cannot use the base URL "http://h:port": invalid port number"#),
        ),
        (
            "http://",
            Err(r#"cannot use the base URL "http://": empty host"#),
        ),
        (
            "https://me:secret@h",
            Err(
                "cannot use the base URL: it must not hold a user name or password; give the key by its own setting",
            ),
        ),
        (
            "ftp://me:secret@h",
            Err("cannot use the base URL: it must begin with http:// or https:// and name a host"),
        ),
    ];
    for (typed, expected) in table {
        let joined = base_url(typed).map(|base| join(&base, &["x", "y/z"]).to_string());
        let joined = joined.as_deref().map_err(|error| error.message.as_str());
        assert_eq!(joined, expected, "{typed:?}");
    }
}

#[test]
fn this_machine() {
    let table = [
        ("http://127.0.0.1", true),
        ("http://127.9.9.9:80", true),
        ("http://[::1]:8080", true),
        ("http://[::ffff:127.0.0.1]", true),
        ("http://LOCALHOST.", true),
        ("http://demo.localhost", true),
        ("http://0.0.0.0:8080", true),
        ("http://128.0.0.1", false),
        ("http://localhost.example.com", false),
        ("http://notlocalhost", false),
        ("http://127.0.0.1.example.com", false),
    ];
    for (url, expected) in table {
        assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
    }
}

#[test]
fn foreign_text_is_cut_and_cannot_act() {
    let family = "👩‍👩‍👧‍👦";
    let table = [
        (
            "a\tb\r\n\u{1b}]0;x\u{7}\u{9b}2J é中".to_owned(),
            "a\\tb\\r\\n\\u{1b}]0;x\\u{7}\\u{9b}2J é中".to_owned(),
        ),
        (
            "\u{202e}abc\u{2066}".to_owned(),
            "\\u{202e}abc\\u{2066}".to_owned(),
        ),
        (family.to_owned(), family.to_owned()),
        ("x".repeat(2_000), "x".repeat(2_000)),
        // Seven characters in one cluster: the cut never splits it.
        (
            format!("{}{family}", "x".repeat(1_995)),
            format!("{}…", "x".repeat(1_995)),
        ),
        (String::new(), String::new()),
    ];
    for (text, expected) in table {
        assert_eq!(visible(&text), expected);
    }
}

fn client(base: &str, auth: Auth) -> Result<Http, ModelError> {
    Http::new(HttpOptions {
        base: &Url::parse(base).unwrap(),
        auth,
        idle_timeout: Duration::from_secs(1),
        connect_timeout: Duration::from_secs(1),
        use_proxy: false,
        overflow_patterns: Vec::new(),
    })
}

#[test]
fn a_key_that_no_header_can_carry() {
    for key in ["a\nb", "a\u{0}b"] {
        for auth in [Auth::ApiKey, Auth::Bearer] {
            let error = client("http://h", auth(Secret::new(key).unwrap())).unwrap_err();
            assert_eq!(
                (error.class, error.credentials),
                (ErrorClass::Fatal, true),
                "{key:?}"
            );
        }
    }
    let http = client(
        "http://h",
        Auth::ApiKey(Secret::new("sk-0123456789").unwrap()),
    )
    .unwrap();
    assert!(!format!("{http:?}").contains("0123456789"), "{http:?}");
}

#[test]
fn certificates_come_from_the_named_file() {
    let roots = |scheme: &str, path: &Path| {
        Http::new(HttpOptions {
            base: &Url::parse("http://h").unwrap(),
            auth: Auth::None,
            idle_timeout: Duration::from_secs(1),
            connect_timeout: Duration::from_secs(1),
            use_proxy: false,
            overflow_patterns: Vec::new(),
        })
        .unwrap();
        let base = Url::parse(&format!("{scheme}://h")).unwrap();
        with_roots(Client::builder(), &base, Some(path))
            .map(|_| ())
            .map_err(|error| error.message)
    };
    let missing = Path::new("/nowhere/ca.pem");
    // A plain connection never asks for certificates.
    assert_eq!(roots("http", missing), Ok(()));
    let message = roots("https", missing).unwrap_err();
    assert!(
        message.starts_with("cannot read certificates from /nowhere/ca.pem (SSL_CERT_FILE): "),
        "{message}"
    );
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"no certificate here").unwrap();
    let message = roots("https", file.path()).unwrap_err();
    assert!(
        message.contains("it holds no certificate; name a PEM file or unset it"),
        "{message}"
    );
}
