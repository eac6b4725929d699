//! Asks a server about a model. In goes a name, out comes what the server tells of its window.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;

use super::{Anthropic, VERSION, request};
use crate::model::ServerModel;
use crate::model::error::ModelError;
use crate::model::http::{join, read_json};
use crate::model::window::{window_in_model, window_in_props};

/// Longest time for all questions together: a start must not hang on a server that has no answer.
const INFO_TIME: Duration = Duration::from_secs(5);

/// Largest list of models that is read, in bytes; the longest public one has about a fifth of it.
const INFO_BYTES: usize = 4 * 1024 * 1024;

impl Anthropic {
    /// Asks what the server knows about a model, within 5 seconds. `None` when it does not tell:
    /// many gateways have no such endpoint. An error here does not mean that an answer would fail:
    /// a key may be allowed to ask for answers only.
    ///
    /// # Errors
    /// A refused key, a server that cannot be reached, or one that is too slow.
    pub async fn model_info(&self, model: &str) -> Result<Option<ServerModel>, ModelError> {
        let name = request::model_name(model);
        match tokio::time::timeout(INFO_TIME, self.ask(name)).await {
            Ok(answer) => answer,
            Err(_) => {
                let url = join(&self.root, &["v1", "models", name]);
                Err(self.http.request(Method::GET, url).0.too_slow(INFO_TIME))
            }
        }
    }

    async fn ask(&self, name: &str) -> Result<Option<ServerModel>, ModelError> {
        let entry = match self.json(&["v1", "models", name]).await {
            Ok(entry) => entry,
            // No status means no server; refused credentials must be seen before the first turn.
            Err(error) if error.status.is_none() || error.credentials => return Err(error),
            Err(_) => Value::Null,
        };
        let mut found = entry.is_object().then(|| server_model(&entry, name));
        if found
            .as_ref()
            .is_some_and(|model| model.window_tokens.is_some())
        {
            return Ok(found);
        }
        // A local server may speak this dialect and tell its window in its own way. A question
        // it does not know is no error: the first answer has shown that it is there.
        let props = self.json(&["props"]).await.unwrap_or_default();
        let mut window = window_in_props(&props);
        if window.is_none() {
            let list = self.json(&["v1", "models"]).await.unwrap_or_default();
            window = listed(&list, name).and_then(window_in_model);
        }
        if window.is_some() {
            let model = found.get_or_insert_with(|| server_model(&Value::Null, name));
            model.window_tokens = window;
        }
        Ok(found)
    }

    async fn json(&self, path: &[&str]) -> Result<Value, ModelError> {
        let (asked, get) = self.http.request(Method::GET, join(&self.root, path));
        let get = get.header("anthropic-version", VERSION);
        read_json(&asked, get, INFO_BYTES).await
    }
}

/// The entry of this model; the only entry when a server with one model calls it otherwise.
fn listed<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    let entries = list["data"].as_array()?;
    let named = entries.iter().find(|entry| entry["id"] == name);
    named.or(match entries.as_slice() {
        [only] => Some(only),
        _ => None,
    })
}

fn server_model(entry: &Value, name: &str) -> ServerModel {
    ServerModel {
        id: entry["id"].as_str().unwrap_or(name).to_owned(),
        window_tokens: window_in_model(entry),
        max_output_tokens: entry["max_tokens"].as_u64().filter(|&tokens| tokens > 0),
    }
}
