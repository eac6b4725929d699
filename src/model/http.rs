//! The one HTTP client of a model: in go a base URL and a key, out come requests, bounded bodies
//! and server-sent events. Every failure on the way becomes a [`ModelError`] here, with the key
//! removed from whatever the server or the network said.

mod fault;
mod sse;
#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use regex::Regex;
use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, Method, RequestBuilder, StatusCode, Url};

use super::error::ModelError;
use crate::secret::{Secret, scrub, scrub_known};

pub(super) use fault::Asked;
pub(super) use sse::{Events, open_events};

/// Most of an error's body that is read, in bytes.
const ERROR_BODY_BYTES: usize = 64 * 1024;

/// Longest wait for an error's body; the status alone says enough when it comes slower.
const ERROR_BODY_TIME: Duration = Duration::from_secs(10);

/// How a request proves who sends it.
#[derive(Debug, Clone)]
pub enum Auth {
    /// An API key, sent as `x-api-key`.
    ApiKey(Secret),
    /// A token, sent as `Authorization: Bearer`.
    Bearer(Secret),
    /// Nothing, for local servers.
    None,
}

impl Auth {
    /// Takes the key or token out of a text, whatever it was escaped for.
    pub fn scrub(&self, text: &str) -> String {
        match self.secret() {
            Some(secret) => scrub(text, std::slice::from_ref(secret)),
            None => text.to_owned(),
        }
    }

    fn secret(&self) -> Option<&Secret> {
        match self {
            Self::ApiKey(secret) | Self::Bearer(secret) => Some(secret),
            Self::None => None,
        }
    }

    fn header(&self) -> Result<Option<(HeaderName, HeaderValue)>, ModelError> {
        let (name, text) = match self {
            Self::ApiKey(key) => ("x-api-key", key.expose().to_owned()),
            Self::Bearer(token) => ("authorization", format!("Bearer {}", token.expose())),
            Self::None => return Ok(None),
        };
        let mut value = HeaderValue::from_str(&text).map_err(|_| ModelError {
            credentials: true,
            ..fault::setup(
                "cannot use the key: it holds characters that no HTTP header may carry (a line break?); \
                 set it again",
            )
        })?;
        value.set_sensitive(true);
        Ok(Some((HeaderName::from_static(name), value)))
    }
}

/// What a client needs to know of its server.
#[derive(Debug)]
pub(super) struct HttpOptions<'a> {
    /// Where it is.
    pub(super) base: &'a Url,
    /// Who asks.
    pub(super) auth: Auth,
    /// Longest silence of the server, before its answer and within it.
    pub(super) idle_timeout: Duration,
    /// Longest time to reach it.
    pub(super) connect_timeout: Duration,
    /// Whether the environment's proxies are used.
    pub(super) use_proxy: bool,
    /// What the person knows to be an overflow of this server.
    pub(super) overflow_patterns: Vec<Regex>,
}

/// A client for one server.
#[derive(Debug, Clone)]
pub(super) struct Http {
    client: Client,
    judge: fault::Judge,
}

impl Http {
    /// Builds the client.
    ///
    /// # Errors
    /// An unusable key, an unreadable `SSL_CERT_FILE`, or a machine without root certificates.
    pub(super) fn new(options: HttpOptions<'_>) -> Result<Self, ModelError> {
        // The TLS library takes one provider a process; a second call changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some((name, value)) = options.auth.header()? {
            headers.insert(name, value);
        }
        let mut builder = Client::builder()
            .user_agent(concat!("flower/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers)
            // A redirect would carry the conversation, and perhaps the key, to another server.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(options.connect_timeout)
            .read_timeout(options.idle_timeout);
        if !options.use_proxy || is_loopback(options.base) {
            builder = builder.no_proxy();
        }
        let ca_file = std::env::var_os("SSL_CERT_FILE").filter(|path| !path.is_empty());
        let client = with_roots(builder, options.base, ca_file.as_deref().map(Path::new))?
            .build()
            .map_err(|error| {
                let cause = fault::chain(&error);
                let message = format!(
                    "cannot set up HTTPS for {}: {cause}; install the system's root certificates \
                     or set SSL_CERT_FILE to a PEM file",
                    shown(options.base)
                );
                fault::setup(&message)
            })?;
        let judge = fault::Judge {
            secret: options.auth.secret().cloned(),
            overflow_patterns: options.overflow_patterns.into(),
            idle_timeout: options.idle_timeout,
            connect_timeout: options.connect_timeout,
        };
        Ok(Self { client, judge })
    }

    /// Begins a request, and the record of what was asked that its errors will name.
    pub(super) fn request(&self, method: Method, url: Url) -> (Asked, RequestBuilder) {
        let target = format!("{method} {}", shown(&url));
        let asked = Asked::new(target, self.judge.clone());
        (asked, self.client.request(method, url))
    }
}

/// Sends a request for a JSON document of at most `limit_bytes`. A body that is larger or no JSON
/// comes back as `null`.
///
/// # Errors
/// No answer, or a status that is no success.
pub(super) async fn read_json(
    asked: &Asked,
    request: RequestBuilder,
    limit_bytes: usize,
) -> Result<serde_json::Value, ModelError> {
    let response = request
        .send()
        .await
        .map_err(|error| asked.transport(error))?;
    let mut response = accept(asked, response).await?;
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| asked.transport(error))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > limit_bytes {
            return Ok(serde_json::Value::Null);
        }
    }
    Ok(serde_json::from_slice(&body).unwrap_or_default())
}

/// Passes an answer on when its status is a success and its body readable as it is.
async fn accept(
    asked: &Asked,
    response: reqwest::Response,
) -> Result<reqwest::Response, ModelError> {
    let status = response.status();
    if status.is_redirection() {
        return Err(asked.redirected(status, response.headers()));
    }
    if status != StatusCode::OK {
        let headers = response.headers().clone();
        let body = read_some(response, Vec::new()).await;
        return Err(asked.refused(status, &headers, &body));
    }
    match response.headers().get("content-encoding") {
        Some(encoding) if encoding != "identity" => Err(asked.encoded(encoding)),
        Some(_) | None => Ok(response),
    }
}

/// Reads a short body as far as it comes; what is missing does not hide the error it explains.
async fn read_some(mut response: reqwest::Response, mut body: Vec<u8>) -> Vec<u8> {
    let read = async {
        while body.len() < ERROR_BODY_BYTES {
            match response.chunk().await {
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) | Err(_) => break,
            }
        }
    };
    // Running out of time leaves what has come so far.
    let _ = tokio::time::timeout(ERROR_BODY_TIME, read).await;
    body.truncate(ERROR_BODY_BYTES);
    body
}

/// Reads a base URL as people type it. Its path ends without a slash; a fragment is dropped.
///
/// # Errors
/// Says what is wrong with it, without showing a password in it.
pub(super) fn base_url(text: &str) -> Result<Url, ModelError> {
    let text = text.trim();
    let quoted = match text.contains('@') {
        true => "the base URL".to_owned(),
        false => format!("the base URL {}", fault::visible(&format!("{text:?}"))),
    };
    let bad = |why: &str| fault::setup(&format!("cannot use {quoted}: {why}"));
    let mut url = Url::parse(text).map_err(|error| match text.contains("://") {
        true => bad(&error.to_string()),
        false => bad("it must begin with http:// or https://"),
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(bad(
            "it must begin with http:// or https:// and name a host",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(bad(
            "it must not hold a user name or password; give the key by its own setting",
        ));
    }
    url.set_fragment(None);
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty();
    }
    Ok(url)
}

/// A base URL for people: without a user name or password, and without keys in its query.
pub fn shown_base_url(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = text.split_at(start);
    // Where a text is no URL, nobody knows where a password in it would end: better too much goes.
    let authority = match Url::parse(text) {
        Ok(_) => rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len()),
        Err(_) => rest.len(),
    };
    let host = rest[..authority].rfind('@').map_or(0, |at| at + 1);
    scrub_known(&format!("{scheme}{}", &rest[host..]))
}

/// Appends path segments to a base, each percent-encoded.
pub(super) fn join(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// Trusts the platform's certificates and those of `SSL_CERT_FILE`.
fn with_roots(
    builder: ClientBuilder,
    base: &Url,
    ca_file: Option<&Path>,
) -> Result<ClientBuilder, ModelError> {
    if base.scheme() == "http" {
        // No TLS will be spoken, and a machine without certificates must still reach its own model.
        return Ok(builder.tls_certs_only([]));
    }
    let Some(path) = ca_file else {
        return Ok(builder);
    };
    let bad = |why: String| {
        let shown = path.display();
        fault::setup(&format!(
            "cannot read certificates from {shown} (SSL_CERT_FILE): {why}; name a PEM file or unset it"
        ))
    };
    let pem = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|e| bad(fault::chain(&e)))?;
    match certificates.is_empty() {
        true => Err(bad("it holds no certificate".to_owned())),
        false => Ok(builder.tls_certs_merge(certificates)),
    }
}

/// Tells whether a URL names this machine, which no proxy can reach.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => {
            let address = address.to_canonical();
            address.is_loopback() || address.is_unspecified()
        }
        Err(_) => {
            let name = host.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// A URL for people: no query, which may hold a key.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}
