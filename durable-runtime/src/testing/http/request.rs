//! A request as it has arrived.

use std::future::poll_fn;
use std::pin::pin;

use hyper::body::{Body as _, Incoming};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};
use serde_json::Value;

/// A request that the process has sent.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl HttpRequest {
    /// Reads a request to its end.
    pub(super) async fn read(request: hyper::Request<Incoming>) -> Result<Self, hyper::Error> {
        let (Parts { method, uri, headers, .. }, body) = request.into_parts();
        let mut body = pin!(body);
        let mut bytes = Vec::new();
        while let Some(frame) = poll_fn(|context| body.as_mut().poll_frame(context)).await {
            if let Ok(data) = frame?.into_data() {
                bytes.extend_from_slice(&data);
            }
        }
        let (path, query) = (uri.path().to_owned(), uri.query().unwrap_or_default().to_owned());
        Ok(Self { method, path, query, headers, body: bytes })
    }

    /// `POST`, `GET`, ..
    pub fn method(&self) -> &str {
        self.method.as_str()
    }

    /// The path as it was sent, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The decoded value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let pairs = self.query.split('&').filter_map(|pair| pair.split_once('='));
        let mut values = pairs.filter(|(key, _)| decoded(key) == name).map(|(_, value)| value.replace('+', " "));
        values.next().map(|value| decoded(&value))
    }

    /// The value of a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as it was sent.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body as JSON; a text if it is none, and `null` if it is empty.
    pub fn json(&self) -> Value {
        let text = || Value::String(String::from_utf8_lossy(&self.body).into_owned());
        if self.body.is_empty() { Value::Null } else { serde_json::from_slice(&self.body).unwrap_or_else(|_| text()) }
    }

    /// Whether it only asks.
    pub(super) fn is_question(&self) -> bool {
        matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Method, path and body, which is what two equal requests have in common.
    pub(super) fn summary(&self) -> String {
        let head = format!("{} {}", self.method, self.path);
        match std::str::from_utf8(&self.body) {
            Ok("") => head,
            Ok(body) if body.len() <= READABLE => format!("{head} {body}"),
            _ => format!("{head} ({} bytes, crc {:08x})", self.body.len(), crc32c::crc32c(&self.body)),
        }
    }
}

/// Bodies up to this length stand in the names of effects.
const READABLE: usize = 160;

/// A text in which `%2F` stands for `/`, and so on.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let hex = tail.get(..2).filter(|_| first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        rest = if byte.is_some() { &tail[2..] } else { tail };
        bytes.push(byte.unwrap_or(first));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn a_key_in_a_path_is_decoded() {
        for (text, key) in [("payroll%2F%2Fpay%2F1", "payroll//pay/1"), ("100%", "100%"), ("%zz%c3%a9", "%zzé")] {
            assert_eq!(decoded(text), key);
        }
    }
}
