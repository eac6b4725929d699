//! `flower explain`: an error text in, what it means and what to do out. Never uses the network.

use std::path::Path;

use super::args::ExplainArgs;
use super::{CliError, print, print_json, read_input};
use crate::model::error::{ErrorClass, Explained};
use crate::sanitize::sanitize;

pub(super) fn explain(args: &ExplainArgs) -> Result<u8, CliError> {
    let text = if args.text == "-" {
        String::from_utf8_lossy(&read_input(Path::new("-"))?).into_owned()
    } else {
        args.text.clone()
    };
    if text.trim().is_empty() {
        return Err(CliError::Usage(
            "there is no text to explain; give the server's error, or - to read it from stdin"
                .to_owned(),
        ));
    }
    let explained = Explained::of(None, &[text.as_str()], &[]);
    if args.json {
        return print_json(&explained);
    }
    let number = |n: Option<u64>| n.map_or("unknown".to_owned(), |n| n.to_string());
    let mut lines = format!("class: {}\n", explained.class.word());
    if explained.class == ErrorClass::Overflow {
        lines.push_str(&format!(
            "limit: {} tokens\nused: {} tokens\n",
            number(explained.limit),
            number(explained.used)
        ));
    }
    lines.push_str(&format!("advice: {}\n", explained.advice));
    print(sanitize(&lines).as_bytes())
}
