//! Requests to a hub, with the visitor's token.

use attention_protocol::{hub::HubFailure, integrity::describe};
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortSignal, Headers, ReferrerPolicy, RequestCredentials, RequestInit, Response};

use crate::browser::scope;

/// The status of an answer that is a part of a file.
pub const PARTIAL_CONTENT: u16 = 206;

/// The visitor's access token and the signal that stops all requests.
pub struct Asking {
    /// The token, sent to the hub alone: browsers drop it where a hub redirects to another origin.
    pub token: Option<String>,
    /// The signal that aborts the requests.
    pub signal: AbortSignal,
}

impl Asking {
    /// Asks for a text.
    pub async fn text(&self, url: &str) -> Result<String, HubFailure> {
        let response = self.fetch(url, None).await?;
        let text = match response.text() {
            Ok(text) => JsFuture::from(text).await,
            Err(error) => Err(error),
        };
        let text = text.map_err(|error| self.unreachable(url, &error))?;
        Ok(text.as_string().unwrap_or_default())
    }

    /// Asks for the size of a file in bytes; `None` if there is no such file, or the host does not say.
    pub async fn size(&self, url: &str) -> Result<Option<u64>, HubFailure> {
        let response = match self.ask("HEAD", url, None).await {
            Err(HubFailure::Absent { .. }) => return Ok(None),
            response => response?,
        };
        let length = response.headers().get("content-length");
        let length = length.map_err(|error| self.unreachable(url, &error))?;
        // Without a number the file cannot be checked once it is here.
        Ok(length.and_then(|length| length.parse().ok()))
    }

    /// Asks for a file, or for its bytes from a place up to another.
    pub async fn fetch(
        &self,
        url: &str,
        range: Option<(u64, u64)>,
    ) -> Result<Response, HubFailure> {
        self.ask("GET", url, range).await
    }

    async fn ask(
        &self,
        method: &str,
        url: &str,
        range: Option<(u64, u64)>,
    ) -> Result<Response, HubFailure> {
        let asked = async {
            let headers = Headers::new()?;
            if let Some((from, to)) = range {
                headers.set("range", &format!("bytes={from}-{}", to - 1))?;
            }
            if let Some(token) = &self.token {
                headers.set("authorization", &format!("Bearer {token}"))?;
            }
            let options = RequestInit::new();
            options.set_method(method);
            options.set_headers_headers(&headers);
            options.set_credentials(RequestCredentials::Omit);
            options.set_referrer_policy(ReferrerPolicy::NoReferrer);
            options.set_signal(Some(&self.signal));
            JsFuture::from(scope().fetch_with_str_and_init(url, &options)).await
        };
        let response = asked.await.map_err(|error| self.unreachable(url, &error))?;
        let response: Response = response.unchecked_into();
        let url = url.to_owned();
        match response.status() {
            200..=299 => Ok(response),
            401 | 403 => Err(HubFailure::Forbidden { url }),
            404 | 410 => Err(HubFailure::Absent { url }),
            status => Err(HubFailure::Status { url, status }),
        }
    }

    pub async fn contents(&self, url: &str, response: &Response) -> Result<Vec<u8>, HubFailure> {
        let buffer = match response.array_buffer() {
            Ok(buffer) => JsFuture::from(buffer).await,
            Err(error) => Err(error),
        };
        let buffer: ArrayBuffer = buffer
            .map_err(|error| self.unreachable(url, &error))?
            .unchecked_into();
        Ok(Uint8Array::new(&buffer).to_vec())
    }

    pub fn unreachable(&self, url: &str, error: &JsValue) -> HubFailure {
        match self.signal.aborted() {
            true => HubFailure::Stopped,
            false => HubFailure::Unreachable {
                url: url.to_owned(),
                reason: describe(error),
            },
        }
    }
}
