//! The responses that hyper sends before there is a request, completed: a problem document, a request id and the quota headers.
//!
//! hyper answers a head that it cannot parse by itself, with a bare status. The stream below it recognises such a response and
//! writes the complete one in its place. It never touches a response of ours: each of those has an `x-request-id`.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use warp::http::HeaderValue;
use warp::http::header::HeaderName;

use crate::http::problem::Problem;
use crate::http::{quota_headers, request_id, security_headers};

/// A bare response of hyper's is a status line and three header fields.
const LONGEST_BARE: usize = 256;

/// A stream that completes hyper's own responses.
pub(super) struct ErrorAnswers<S> {
    stream: S,
    /// What is still to be written in place of hyper's response.
    replacement: Option<Bytes>,
}

impl<S> ErrorAnswers<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, replacement: None }
    }

    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

/// The last response of a connection, for a request that there is not: on neither surface has it a valid key.
pub(super) fn last_answer(problem: Problem, date: Option<&str>) -> Bytes {
    let (status, mut headers, body) = problem.into_parts();
    headers.insert("x-request-id", request_id::next());
    quota_headers::write(None, &mut headers);
    security_headers::write(false, &mut headers);
    let date = date.map(|date| format!("date: {date}\r\n")).unwrap_or_default();
    let field = |(name, value): (&HeaderName, &HeaderValue)| {
        format!("{name}: {}\r\n", value.to_str().unwrap_or_default())
    };
    let fields = headers.iter().map(field).collect::<Vec<_>>().concat();
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{date}{fields}\r\n{body}")
        .into()
}

/// The complete response in place of a bare one; `None` for everything else that is written.
fn complete(written: &[u8]) -> Option<Bytes> {
    if !written.starts_with(b"HTTP/1.1 4") || written.len() > LONGEST_BARE {
        return None;
    }
    let head = std::str::from_utf8(written).ok()?.strip_suffix("\r\n\r\n")?;
    let (status, fields) = head.split_once("\r\n")?;
    let field =
        |name: &str| fields.split("\r\n").find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    if field("x-request-id").is_some() || field("content-length") != Some("0") {
        return None;
    }
    let problem = match status.split(' ').nth(1)? {
        "400" => Problem::bad_request("The head of the request is not one of HTTP/1.1."),
        "414" => Problem::uri_too_long(),
        "431" => Problem::headers_too_large(),
        _ => return None,
    };
    Some(last_answer(problem, field("date")))
}

impl<S: AsyncWrite + Unpin> ErrorAnswers<S> {
    /// Writes all of the replacement, then reports the replaced bytes as written.
    fn poll_replacement(&mut self, context: &mut Context<'_>, replaced: usize) -> Poll<io::Result<usize>> {
        if let Some(rest) = &mut self.replacement {
            while rest.has_remaining() {
                let written = ready!(Pin::new(&mut self.stream).poll_write(context, rest))?;
                if written == 0 {
                    return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                }
                rest.advance(written);
            }
        }
        self.replacement = None;
        Poll::Ready(Ok(replaced))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ErrorAnswers<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ErrorAnswers<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        // After a partial write the caller repeats the call with the same bytes.
        if self.replacement.is_none() {
            self.replacement = complete(bytes);
        }
        if self.replacement.is_some() {
            return self.poll_replacement(context, bytes.len());
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        // A head without a body is one piece.
        if let [only] = bytes {
            return self.poll_write(context, only);
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const BARE: &str = "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\
                        content-length: 0\r\ndate: Sun, 22 Nov 2026 10:00:00 GMT\r\n\r\n";

    /// What arrives at the other end of a narrow pipe.
    fn written(text: &str) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (near, mut far) = duplex(16);
            let text = text.to_owned();
            let writer = tokio::spawn(async move {
                let mut near = ErrorAnswers::new(near);
                near.write_all(text.as_bytes()).await.unwrap();
                near.shutdown().await.unwrap();
            });
            let mut arrived = String::new();
            far.read_to_string(&mut arrived).await.unwrap();
            writer.await.unwrap();
            arrived
        })
    }

    #[test]
    fn a_bare_error_is_completed_however_little_is_taken_at_a_time() {
        let arrived = written(BARE);
        let (head, body) = arrived.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n"));
        for field in [
            "date: Sun, 22 Nov 2026 10:00:00 GMT",
            "content-type: application/problem+json",
            "x-requests-remaining: 0",
            "x-requests-used: 0",
            "x-plan: none",
            &format!("content-length: {}", body.len()),
        ] {
            assert!(head.split("\r\n").any(|line| line == field), "{field}\n{head}");
        }
        assert!(head.split("\r\n").any(|line| line.starts_with("x-request-id: ") && line.len() == 30));
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&body["status"], &body["type"]), (&431.into(), &"/problems/headers-too-large".into()));
    }

    #[test]
    fn everything_else_is_written_as_it_is() {
        let ours = BARE.replace("date:", "x-request-id: 0123456789abcdef\r\ndate:");
        let with_body = BARE.replace("content-length: 0", "content-length: 2") + "{}";
        let good = BARE.replace("431 Request Header Fields Too Large", "200 OK");
        for text in [&*ours, &with_body, &good, "", "data: HTTP/1.1 431", "HTTP/1.1 4"] {
            assert_eq!(written(text), text);
        }
    }
}
