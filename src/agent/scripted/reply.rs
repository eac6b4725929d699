//! An error as the API words it: status, type and message come in, an HTTP response goes out.

use http_body_util::{BodyExt, Full};
use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use serde_json::{Value, json};

use super::server::Out;
use super::step::HttpError;

/// An error answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status.
    pub status: u16,
    /// The `type` of the error.
    pub kind: String,
    /// The text.
    pub message: String,
    /// Value of a `retry-after` header.
    pub retry_after: Option<String>,
}

impl ApiError {
    pub(super) fn new(status: u16, message: impl Into<String>) -> Self {
        Self {
            status,
            kind: usual_type(status).to_owned(),
            message: message.into(),
            retry_after: None,
        }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    pub(super) fn respond(&self, request_id: &str) -> Response<Out> {
        let body = json!({
            "type": "error",
            "error": {"type": self.kind, "message": self.message},
            "request_id": request_id,
        });
        let mut response = respond_json(self.status, request_id, &body);
        let after = self.retry_after.as_deref().map(HeaderValue::from_str);
        if let Some(Ok(after)) = after {
            response.headers_mut().insert(RETRY_AFTER, after);
        }
        response
    }
}

impl From<&HttpError> for ApiError {
    fn from(error: &HttpError) -> Self {
        let retry_after = error.retry_after.as_ref().map(|after| match after {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let mut out = Self::new(error.status, error.message.as_str());
        if let Some(kind) = &error.kind {
            out.kind.clone_from(kind);
        }
        Self { retry_after, ..out }
    }
}

/// The type the API documents for a status.
fn usual_type(status: u16) -> &'static str {
    match status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        504 => "timeout_error",
        529 => "overloaded_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}

/// A JSON answer with the header every answer of the API has.
pub(super) fn respond_json(status: u16, request_id: &str, body: &Value) -> Response<Out> {
    let bytes = Full::new(Bytes::from(body.to_string()));
    let mut response = Response::new(bytes.map_err(|never| match never {}).boxed_unsync());
    head(&mut response, status, request_id, "application/json");
    response
}

pub(super) fn head(
    response: &mut Response<Out>,
    status: u16,
    request_id: &str,
    kind: &'static str,
) {
    if let Ok(status) = hyper::StatusCode::from_u16(status) {
        *response.status_mut() = status;
    }
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Ok(id) = HeaderValue::from_str(request_id) {
        headers.insert("request-id", id);
    }
}
