//! `flower doctor`: endpoint, model, masked token, window and its source. Asks the server once.

use super::args::DoctorArgs;
use super::settings::{self, Settings};
use super::{CliError, EXIT_CREDENTIALS, EXIT_DONE, EXIT_FAILED, print};
use crate::model::{Auth, ServerModel, error::ModelError, shown_base_url};
use crate::sanitize::sanitize;
use crate::tokens;

pub(super) fn doctor(args: &DoctorArgs) -> Result<u8, CliError> {
    let settings = Settings::load(
        args.place.workspace.as_deref(),
        args.place.config.as_deref(),
    )?;
    let agent = settings.agent_for(args.model.as_deref(), args.base_url.as_deref());
    let asked = super::session::block_on(async {
        let client = settings::client(&agent)?;
        Ok::<_, CliError>(client.model_info(&agent.model).await)
    })??;
    let (server, code) = judge(&agent.auth, &asked);
    let reported = asked.as_ref().ok().and_then(Option::as_ref);
    let window = settings.window(
        None,
        args.model.as_deref(),
        reported.and_then(|model| model.window_tokens),
    );
    let texts = settings.texts(None)?;
    let guess = if window.source.is_guess() { "?" } else { "" };
    let lines = format!(
        "backend    anthropic (built in); openai, claude-code and acp are not there yet\nendpoint   {}\nmodel      {}\ntoken      {}\n\
         window     {}{guess}  {}\nserver     {server}\n",
        shown_base_url(&agent.base_url),
        agent.model,
        token(&agent.auth),
        tokens::size(window.tokens),
        texts.window_from.by_word(window.source.word()),
    );
    print(sanitize(&lines).as_bytes())?;
    Ok(code)
}

/// The credentials as they may be shown.
pub(super) fn token(auth: &Auth) -> String {
    match auth {
        Auth::ApiKey(key) => format!("{} (ANTHROPIC_API_KEY)", key.first4()),
        Auth::Bearer(token) => format!("{} (ANTHROPIC_AUTH_TOKEN)", token.first4()),
        Auth::None => "none: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN".to_owned(),
    }
}

/// What the server's answer means, and the exit code.
fn judge(auth: &Auth, asked: &Result<Option<ServerModel>, ModelError>) -> (String, u8) {
    let no_key = matches!(auth, Auth::None);
    match asked {
        Ok(_) if no_key => (
            "reached, but there are no credentials".to_owned(),
            EXIT_CREDENTIALS,
        ),
        Ok(Some(model)) => (format!("knows {}", model.id), EXIT_DONE),
        Ok(None) => (
            "reached; it tells nothing of this model".to_owned(),
            EXIT_DONE,
        ),
        Err(error) if error.credentials => (error.message.clone(), EXIT_CREDENTIALS),
        Err(error) => (error.message.clone(), EXIT_FAILED),
    }
}
