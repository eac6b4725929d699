use serde_json::json;

use super::*;

#[test]
fn the_name_rule() {
    let table: &[(Option<&str>, u64)] = &[
        (None, 1_000_000),
        (Some(""), 1_000_000),
        (Some("claude-haiku[1m]"), 1_000_000),
        (Some("claude-haiku-4-5:1m"), 1_000_000),
        (Some("haiku-1M-eu"), 1_000_000),
        (Some("CLAUDE-OPUS-5[1M]"), 1_000_000),
        (Some("anthropic/claude-opus-4.6:1m"), 1_000_000),
        (Some("x-1m-y"), 1_000_000),
        (Some("model1m"), 1_000_000),
        (Some("haiku1m"), 200_000),
        (Some("haiku-11m"), 200_000),
        (Some("haiku-1mm"), 200_000),
        (Some("claude-HAIKU-4-5-20251001"), 200_000),
        (Some("us.anthropic.claude-3-haiku"), 200_000),
        (Some("databricks-claude-opus-4-8"), 1_000_000),
        (Some("模型一"), 1_000_000),
    ];
    for (name, tokens) in table {
        assert_eq!(default_window(*name), *tokens, "{name:?}");
    }
}

fn window(tokens: u64, source: WindowSource) -> Window {
    Window { tokens, source }
}

fn name(model: &str) -> WindowSource {
    WindowSource::Name {
        model: model.into(),
    }
}

#[test]
fn the_first_known_source_wins() {
    let file = Path::new("/w/flower.yaml");
    let stated = |tokens| Some(ConfigWindow { tokens, path: file });
    let config = WindowSource::Config { path: file.into() };
    let all = WindowInputs {
        flag: Some(32_768),
        environment: Some("200k"),
        config: stated(300_000),
        config_pattern: stated(400_000),
        server: Some(500_000),
        learned: Some(450_000),
        model: Some("claude-haiku"),
        anthropic_model: Some("a[1m]"),
        anthropic_default_opus_model: Some("b-haiku"),
    };
    let mut inputs = all;
    assert_eq!(resolve(&inputs), window(32_768, WindowSource::Flag));
    inputs.flag = None;
    assert_eq!(resolve(&inputs), window(200_000, WindowSource::Environment));
    for ignored in ["", "0", "-5", "lots", "0k"] {
        inputs.environment = Some(ignored);
        assert_eq!(
            resolve(&inputs),
            window(300_000, config.clone()),
            "{ignored}"
        );
    }
    inputs.config = None;
    assert_eq!(resolve(&inputs), window(400_000, config));
    inputs.config_pattern = None;
    assert_eq!(resolve(&inputs), window(450_000, WindowSource::Learned));
    inputs.learned = Some(600_000);
    assert_eq!(resolve(&inputs), window(500_000, WindowSource::Server));
    inputs.learned = None;
    assert_eq!(resolve(&inputs), window(500_000, WindowSource::Server));
    inputs.server = Some(0);
    assert_eq!(resolve(&inputs), window(200_000, name("claude-haiku")));
    inputs.model = Some(" ");
    assert_eq!(resolve(&inputs), window(1_000_000, name("a[1m]")));
    inputs.anthropic_model = Some("");
    assert_eq!(resolve(&inputs), window(200_000, name("b-haiku")));
    inputs.anthropic_default_opus_model = None;
    assert_eq!(resolve(&inputs), window(1_000_000, WindowSource::Default));
}

#[test]
fn a_guess_that_overflowed_is_replaced_by_what_was_learned() {
    let mut inputs = WindowInputs {
        model: Some("local-model"),
        ..WindowInputs::default()
    };
    assert!(resolve(&inputs).source.is_guess());
    inputs.learned = Some(128_000);
    let learned = resolve(&inputs);
    assert_eq!(learned, window(128_000, WindowSource::Learned));
    assert!(!learned.source.is_guess());
}

#[test]
fn words_and_guesses() {
    let path = PathBuf::from("flower.yaml");
    let table = [
        (WindowSource::Flag, "flag", false),
        (WindowSource::Environment, "env", false),
        (WindowSource::Config { path }, "config", false),
        (WindowSource::Server, "server", false),
        (WindowSource::Learned, "learned", false),
        (name("m"), "name", true),
        (WindowSource::Default, "default", true),
    ];
    for (source, word, guess) in table {
        assert_eq!((source.word(), source.is_guess()), (word, guess));
    }
}

#[test]
fn what_servers_report() {
    let table = [
        (
            json!({"max_input_tokens": 1_000_000, "max_tokens": 128_000}),
            Some(1_000_000),
        ),
        (
            json!({"max_input_tokens": null, "meta": {"n_ctx": 8192, "n_ctx_train": 131_072}}),
            Some(8192),
        ),
        (json!({"meta": {"n_ctx_train": 131_072}}), None),
        (json!({"meta": {"n_ctx": 0}}), None),
        (json!({"max_model_len": 40_960}), Some(40_960)),
        (json!({"context_length": 262_144}), Some(262_144)),
        (json!({"max_input_tokens": 9_999_999_999_u64}), None),
        (json!({"max_input_tokens": -1}), None),
        (json!("text"), None),
    ];
    for (entry, expected) in table {
        assert_eq!(window_in_model(&entry), expected, "{entry}");
    }
    let props = json!({"default_generation_settings": {"n_ctx": 4096}, "total_slots": 4});
    assert_eq!(window_in_props(&props), Some(4096));
    assert_eq!(
        window_in_props(&json!({"default_generation_settings": {"n_ctx": 0}})),
        None
    );
}

#[test]
fn an_overflow_corrects_all_but_the_persons_own_size() {
    let config = WindowSource::Config {
        path: "flower.yaml".into(),
    };
    let name = WindowSource::Name {
        model: "m".to_owned(),
    };
    let rows = [
        (WindowSource::Flag, 1_000_000, None),
        (WindowSource::Environment, 1_000_000, None),
        (config, 1_000_000, None),
        (WindowSource::Server, 1_000_000, Some(128_000)),
        (WindowSource::Server, 100_000, None),
        (WindowSource::Learned, 1_000_000, Some(128_000)),
        (WindowSource::Learned, 100_000, None),
        (name.clone(), 1_000_000, Some(128_000)),
        (name, 100_000, Some(128_000)),
        (WindowSource::Default, 128_000, None),
    ];
    for (source, tokens, expected) in rows {
        let window = Window { tokens, source };
        let learned = window.learned(128_000);
        let expected = expected.map(|tokens| Window {
            tokens,
            source: WindowSource::Learned,
        });
        assert_eq!(learned, expected, "{window:?}");
    }
}
