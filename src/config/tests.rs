use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::yaml::parse;
use super::*;

fn file(text: &str) -> Result<FileConfig, ConfigError> {
    parse(text, Path::new("f.yaml"))
}

fn env(pairs: &[(&str, &str)]) -> Env {
    Env::from_lookup(|name| {
        let (_, value) = pairs.iter().find(|(known, _)| *known == name)?;
        Some(OsString::from(value))
    })
}

#[test]
fn a_full_file() {
    let config = file(
        "\u{feff}window: 200_000\nwindows:\n  '*[1m]': 1m\n  claude-*: 200k\nheadroom: 0\nmax_generations: 0\nmax_degraded: 2\n\
         handoff: off\nreview: wait\nhold_timeout_s: 60\ndocument_lang: EN\nlang: zh\nbackend: claude-code\nmodel: 4\n\
         base_url: http://127.0.0.1:8080\npermission: full\nallow: [cargo test, git]\nmax_output_tokens: 8k\n\
         thinking_budget_tokens: 2048\nbash_timeout_s: 9\nmax_turns: 3\nmax_budget_usd: 0.5\n\
         prices: {claude-*: {input: 3, output: 15.5, cache_read: 0}}\noverflow_patterns: ['zu lang']\nidle_timeout_s: 5\n\
         connect_timeout_s: 6\nagent_command: a b\nstep: 干活\nrun_dir: runs\n",
    )
    .unwrap();
    assert_eq!(
        (
            config.windows.get("CLAUDE-x[1m]"),
            config.windows.get("claude-x1"),
            config.windows.get("gpt")
        ),
        (
            Some(&table::Size(1_000_000)),
            Some(&table::Size(200_000)),
            None
        )
    );
    assert_eq!(
        config.prices.get("claude-opus"),
        Some(&Price {
            input: 3.0,
            output: 15.5,
            cache_read: Some(0.0),
            cache_write: None
        })
    );
    assert!(config.overflow_patterns[0].regex().is_match("ZU LANG"));
    let rest = FileConfig {
        windows: Table::default(),
        prices: Table::default(),
        overflow_patterns: Vec::new(),
        ..config
    };
    assert_eq!(
        rest,
        FileConfig {
            window: Some(200_000),
            headroom: Some(0),
            max_generations: Some(0),
            max_degraded: Some(2),
            handoff: Some(false),
            review: Some(Review::Wait),
            hold_timeout_s: Some(60),
            document_lang: Some(Lang::En),
            lang: Some(Lang::Zh),
            backend: Some(Backend::ClaudeCode),
            model: Some("4".to_owned()),
            base_url: Some("http://127.0.0.1:8080".to_owned()),
            permission: Some(Permission::Full),
            allow: vec!["cargo test".to_owned(), "git".to_owned()],
            max_output_tokens: Some(8_000),
            thinking_budget_tokens: Some(2_048),
            bash_timeout_s: Some(9),
            max_turns: Some(3),
            max_budget_usd: Some(0.5),
            idle_timeout_s: Some(5),
            connect_timeout_s: Some(6),
            agent_command: Some("a b".to_owned()),
            step: Some("干活".to_owned()),
            run_dir: Some(PathBuf::from("runs")),
            ..FileConfig::default()
        }
    );
}

#[test]
fn nothing_said_is_the_default() {
    for text in [
        "",
        "\n",
        "# only a comment\n",
        "---\n",
        "null",
        "~",
        "\u{feff}",
        "{}",
        "window:\n",
        "windows:\nallow:\nprices: {}\noverflow_patterns: []\n",
    ] {
        assert_eq!(file(text), Ok(FileConfig::default()), "{text:?}");
    }
}

#[test]
fn mistakes_name_their_place() {
    for (text, expected) in [
        (
            "window: 0",
            "f.yaml:1:9: window: a size of 0 tokens leaves no room; write one above 0, such as 200000, 200k or 1m",
        ),
        (
            "# x\nwindow: -5",
            "f.yaml:2:9: window: `-5` is negative; write tokens as 200000, 200_000, 200k or 1m",
        ),
        (
            "window: 1.5",
            "f.yaml:1:9: window: `1.5` is not a number of tokens; write them as 200000, 200_000, 200k or 1m",
        ),
        (
            "window: [1]",
            "f.yaml:1:9: window: invalid type: sequence, expected one plain value",
        ),
        (
            "windows:\n  a: 1k\n  b: x\n",
            "f.yaml:3:6: windows.b: `x` is not a number of tokens; write them as 200000, 200_000, 200k or 1m",
        ),
        (
            "max_turns: 0",
            "f.yaml:1:12: max_turns: `0` is no whole number from 1 to 1000000",
        ),
        (
            "max_generations: -1",
            "f.yaml:1:18: max_generations: `-1` is no whole number from 0 to 1000000",
        ),
        (
            "review: soon",
            "f.yaml:1:9: review: `soon` is no review time; write seconds, off or wait",
        ),
        (
            "lang: fr",
            "f.yaml:1:7: lang: `fr` is no language; it is one of zh, en",
        ),
        (
            "backend: gemini",
            "f.yaml:1:10: backend: `gemini` is no backend; it is one of anthropic, openai, claude-code, acp, demo",
        ),
        (
            "handoff: maybe",
            "f.yaml:1:10: handoff: `maybe` is no switch; write true or false",
        ),
        (
            "max_budget_usd: -1",
            "f.yaml:1:17: max_budget_usd: `-1` is no amount in USD above zero",
        ),
        (
            "max_budget_usd: .nan",
            "f.yaml:1:17: max_budget_usd: `NaN` is no amount in USD above zero",
        ),
        (
            "prices:\n  a: {input: 1, output: -2}",
            "f.yaml:2:25: prices.a.output: `-2` is no price in USD per million tokens",
        ),
        (
            "prices:\n  a: {input: 1, outptu: 2}",
            "f.yaml:2:17: prices.a: unknown key `outptu`; did you mean `output`?",
        ),
        (
            "overflow_patterns:\n  - ok\n  - '('",
            "f.yaml:3:5: overflow_patterns[1]: `(` is no regular expression: unclosed group",
        ),
        (
            "overflow_patterns: ['a*']",
            "f.yaml:1:21: overflow_patterns[0]: `a*` matches the empty text, so every error would be an overflow",
        ),
        (
            "base_url: api.x.com",
            "f.yaml:1:11: base_url: `api.x.com` is no address; write http:// or https:// and a host",
        ),
        (
            "base_url: https://u:geheim@x.com",
            "f.yaml:1:11: base_url: the address holds a user name or password; keys belong into the environment",
        ),
        ("model: '  '", "f.yaml:1:8: model: the text is empty"),
        (
            "headroom: 5\nwindw: 1",
            "f.yaml:2:1: unknown key `windw`; did you mean `window`?",
        ),
        (
            "Max-Generations: 3",
            "f.yaml:1:1: unknown key `Max-Generations`; did you mean `max_generations`?",
        ),
        (
            "window: 1k\nlang: en\nwindow: 2k",
            "f.yaml:3:1: the key `window` is set twice; remove one of them",
        ),
        (
            "windows: {a: 1k, A: 2k}",
            "f.yaml:1:10: windows: the pattern `A` is set twice",
        ),
        (
            "- a",
            "f.yaml:1:1: invalid type: sequence, expected settings as `key: value` lines",
        ),
        (
            "just words",
            "f.yaml:1:1: invalid type: string \"just words\", expected settings as `key: value` lines",
        ),
        (
            "windows:\n\ta: 1",
            "f.yaml:2:1: found character that cannot start any token, while scanning for the next token; indent with spaces: YAML allows no tabs there",
        ),
        (
            "window: 1k\n---\nwindow: 2k",
            "f.yaml:2:1: a second document begins (`---`); one file holds one document",
        ),
    ] {
        assert_eq!(file(text).unwrap_err().to_string(), expected, "{text:?}");
    }
    assert!(
        file("zzz: 1")
            .unwrap_err()
            .to_string()
            .contains("known keys: window, windows, headroom, ")
    );
}

#[test]
fn hostile_files_end_in_an_error() {
    let mut bomb = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
    for (this, last) in ["b", "c", "d", "e", "f", "g", "h", "i"]
        .iter()
        .zip(["a", "b", "c", "d", "e", "f", "g", "h"])
    {
        bomb.push_str(&format!("{this}: &{this} [*{last},*{last},*{last},*{last},*{last},*{last},*{last},*{last},*{last}]\n"));
    }
    for text in [
        bomb,
        format!("windows: {}", "[".repeat(100_000)),
        format!("windows: {}", "{a: ".repeat(1_900)),
        format!("windows:\n  {}", "- ".repeat(100_000)),
        format!("windows:\n  {}", "? ".repeat(100_000)),
        format!("model: {}", "x".repeat(yaml::MAX_BYTES)),
        "a: *a".to_owned(),
        "? [a]\n: b".to_owned(),
        "\0".to_owned(),
        "model: \"\u{7}".to_owned(),
    ] {
        let head: String = text.chars().take(40).collect();
        assert!(
            matches!(file(&text), Err(ConfigError::Invalid { .. })),
            "{head}"
        );
    }
}

#[test]
fn the_shipped_file_says_nothing_and_shows_everything() {
    let text = include_str!("../../assets/config.yaml");
    assert_eq!(file(text), Ok(FileConfig::default()));
    let shown: String = text
        .lines()
        .filter_map(|line| line.strip_prefix("# "))
        .filter(|line| {
            let key = line.split(':').next().unwrap_or("");
            line.starts_with("  ")
                || (line.contains(':') && key.bytes().all(|c| c.is_ascii_lowercase() || c == b'_'))
        })
        .flat_map(|line| [line, "\n"])
        .collect();
    file(&shown).unwrap();
    let mut keys = yaml::keys(&shown);
    keys.sort();
    let error = file("zzz: 1").unwrap_err().to_string();
    let mut known: Vec<&str> = error
        .split("known keys: ")
        .nth(1)
        .unwrap()
        .split(", ")
        .collect();
    known.sort_unstable();
    assert_eq!(keys, known);
}

struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new(workspace: Option<&str>, user: Option<&str>) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("w")).unwrap();
        std::fs::create_dir_all(root.path().join("x/flower")).unwrap();
        let place = Self { root };
        if let Some(text) = workspace {
            std::fs::write(place.path("w/flower.yaml"), text).unwrap();
        }
        if let Some(text) = user {
            std::fs::write(place.path("x/flower/config.yaml"), text).unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn env(&self) -> Env {
        env(&[("XDG_CONFIG_HOME", self.path("x").to_str().unwrap())])
    }

    fn load(&self, explicit: Option<&Path>) -> Result<Layers, ConfigError> {
        Layers::load(&self.path("w"), explicit, &self.env())
    }
}

#[test]
fn the_workspace_lies_over_the_user() {
    let place = Place::new(
        Some("headroom: 1k\nwindows: {claude-*: 300k}\noverflow_patterns: [one]\nmodel:\n"),
        Some("headroom: 2k\nwindow: 100k\nmodel: m\noverflow_patterns: [two]\n"),
    );
    let layers = place.load(None).unwrap();
    let (workspace, user) = (
        place.path("w/flower.yaml"),
        place.path("x/flower/config.yaml"),
    );
    let config = layers.config();
    let patterns: Vec<_> = config
        .overflow_patterns
        .iter()
        .map(|pattern| pattern.regex().as_str())
        .collect();
    assert_eq!(
        (
            config.headroom,
            config.window,
            config.model.as_deref(),
            patterns
        ),
        (Some(1_000), Some(100_000), Some("m"), vec!["one", "two"])
    );
    assert_eq!(layers.origin("headroom"), Some(workspace.as_path()));
    assert_eq!(layers.origin("model"), Some(user.as_path()));
    assert_eq!(layers.origin("lang"), None);
    assert_eq!(
        layers.window(Some("claude-x")),
        Some((300_000, workspace.as_path()))
    );
    assert_eq!(layers.window(Some("gpt")), Some((100_000, user.as_path())));
    assert_eq!(layers.window(None), Some((100_000, user.as_path())));
    assert_eq!(
        Place::new(None, None).load(None).unwrap(),
        Layers::default()
    );
}

#[test]
fn an_explicit_file_replaces_the_users() {
    let place = Place::new(None, Some("headroom: 2k\n"));
    let other = place.path("other.yaml");
    assert_eq!(
        place.load(Some(&other)).unwrap_err(),
        ConfigError::Read {
            path: other.clone(),
            reason: "there is no such file".to_owned()
        }
    );
    std::fs::write(&other, "window: 9k\n").unwrap();
    let config = place.load(Some(&other)).unwrap();
    assert_eq!(
        (config.config().window, config.config().headroom),
        (Some(9_000), None)
    );
    let env = Env {
        flower_config: Some(other),
        ..place.env()
    };
    assert_eq!(Layers::load(&place.path("w"), None, &env).unwrap(), config);
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    let place = Place::new(None, None);
    std::fs::create_dir(place.path("w/flower.yaml")).unwrap();
    assert!(matches!(place.load(None), Err(ConfigError::Read { .. })));
    std::fs::remove_dir(place.path("w/flower.yaml")).unwrap();
    std::fs::write(place.path("w/flower.yaml"), b"model: \xff").unwrap();
    assert_eq!(
        place.load(None).unwrap_err(),
        ConfigError::Read {
            path: place.path("w/flower.yaml"),
            reason: "it is no UTF-8 text (byte 7)".to_owned()
        }
    );
}

#[test]
fn a_workspace_cannot_take_over() {
    for (text, refused) in [
        (
            "# base_url: x\nbase_url: https://evil.example",
            Some((2, "base_url")),
        ),
        ("agent_command: sh -c evil", Some((1, "agent_command"))),
        (
            "base_url: http://localhost.evil.example:80",
            Some((1, "base_url")),
        ),
        ("base_url: http://127.0.0.1:8080", None),
        ("base_url: http://localhost/v1", None),
        ("base_url: 'http://[::1]:9'", None),
        ("allow: [cargo test]", None),
        ("lang: en\npermission: full", Some((2, "permission"))),
        ("permission: edit", None),
        ("{lang: en, run_dir: /etc}", Some((1, "run_dir"))),
        ("run_dir: a/../../b", Some((1, "run_dir"))),
        ("run_dir: a/b", None),
        ("permission: ask", None),
        ("backend: openai", None),
        ("allow: []", None),
    ] {
        let place = Place::new(Some(text), None);
        let got = match place.load(None) {
            Err(ConfigError::Refused { line, key, .. }) => Some((line, key)),
            Ok(_) => None,
            Err(other) => panic!("{text}: {other}"),
        };
        assert_eq!(got, refused, "{text}");
        // The person's word is enough, and the user's own file may say it all.
        place.load(Some(&place.path("w/flower.yaml"))).unwrap();
        Place::new(None, Some(text)).load(None).unwrap();
    }
}

#[test]
fn the_environment() {
    let full = env(&[
        ("ANTHROPIC_API_KEY", "sk-ant-0123456789\n"),
        ("ANTHROPIC_AUTH_TOKEN", ""),
        ("ANTHROPIC_MODEL", " "),
        ("ANTHROPIC_DEFAULT_OPUS_MODEL", "opus"),
        ("FLOWER_WINDOW", "200k"),
        ("NO_COLOR", "1"),
        ("XDG_CONFIG_HOME", "relative"),
        ("LC_ALL", ""),
        ("LC_MESSAGES", "zh_TW.UTF-8"),
        ("LANG", "en_US.UTF-8"),
    ]);
    assert_eq!(
        full,
        Env {
            anthropic_api_key: crate::secret::Secret::new("sk-ant-0123456789"),
            anthropic_default_opus_model: Some("opus".to_owned()),
            flower_window: Some("200k".to_owned()),
            no_color: true,
            locale: Some("zh_TW.UTF-8".to_owned()),
            ..Env::default()
        }
    );
    assert!(!format!("{full:?}").contains("0123456789"));
    assert_eq!(
        (full.window(), full.model(), full.secrets().len()),
        (Some(200_000), Some("opus"), 1)
    );
    for text in ["0", "-1", "x", "1.5"] {
        assert_eq!(env(&[("FLOWER_WINDOW", text)]).window(), None, "{text}");
    }
}

#[test]
fn interface_language() {
    use Lang::{En, Zh};
    for (flag, pairs, config, expected) in [
        (Some(En), vec![("FLOWER_LANG", "zh")], Some(Zh), En),
        (
            None,
            vec![("FLOWER_LANG", "zh_CN.UTF-8"), ("LANG", "en_US")],
            Some(En),
            Zh,
        ),
        (None, vec![("FLOWER_LANG", "klingon")], Some(Zh), Zh),
        (None, vec![("LANG", "zh_CN.UTF-8")], Some(En), En),
        (None, vec![("LANG", "zh_CN.UTF-8")], None, Zh),
        (None, vec![("LANG", "zh_CN"), ("LC_ALL", "C")], None, En),
        (None, vec![("LANG", "de_DE.UTF-8")], None, En),
        (None, vec![], None, En),
    ] {
        assert_eq!(
            interface_lang(flag, &env(&pairs), config),
            expected,
            "{flag:?} {pairs:?} {config:?}"
        );
    }
}
