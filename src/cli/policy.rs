//! `flower policy`: where the marks would be. Never uses the network.

use serde::Serialize;

use super::args::PolicyArgs;
use super::settings::Settings;
use super::{CliError, print, print_json};
use crate::tokens;

#[derive(Serialize)]
struct Report {
    window: u64,
    source: &'static str,
    headroom: u64,
    at: u64,
    warn_at: u64,
    max_generations: u32,
    enabled: bool,
}

pub(super) fn policy(args: &PolicyArgs) -> Result<u8, CliError> {
    let settings = Settings::load(
        args.place.workspace.as_deref(),
        args.place.config.as_deref(),
    )?;
    let window = settings.window(args.window, args.model.as_deref(), None);
    let policy = settings.policy(window.tokens, args.headroom, None, false);
    let report = Report {
        window: policy.window,
        source: window.source.word(),
        headroom: policy.headroom,
        at: policy.at(),
        warn_at: policy.warn_at(),
        max_generations: policy.max_generations,
        enabled: policy.enabled,
    };
    if args.json {
        return print_json(&report);
    }
    let texts = settings.texts(None)?;
    let guess = if window.source.is_guess() { "?" } else { "" };
    let mut lines = format!(
        "window           {}{guess}  {}\nheadroom         {}\nhand over at     {}\nwarn at          {}\nmax generations  {}\n",
        tokens::size(report.window),
        texts.window_from.by_word(report.source),
        tokens::size(report.headroom),
        tokens::size(report.at),
        tokens::size(report.warn_at),
        report.max_generations,
    );
    if policy.unreachable() {
        lines.push_str(
            "the hand-over mark is not below the window: raise the window or lower the headroom\n",
        );
    }
    print(lines.as_bytes())
}
