//! Receivers that answer in every way, over real sockets.

use arb_feed::webhook::address::Rules;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::connector::system_resolver;

/// A receiver that writes this to each request, and then closes or waits.
async fn receiver(answer: &'static str, is_open: bool) -> Uri {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(respond(stream, answer, is_open));
        }
    });
    format!("http://{address}/hook").parse().unwrap()
}

async fn respond(mut stream: TcpStream, answer: &str, is_open: bool) {
    let mut request = [0; 4096];
    let _ = stream.read(&mut request).await;
    let _ = stream.write_all(answer.as_bytes()).await;
    while is_open && stream.write_all(b"x").await.is_ok() {}
}

/// Posts to a receiver that answers, however slow the machine is.
async fn post(uri: Uri) -> Answer {
    post_within(uri, Duration::from_mins(1)).await
}

async fn post_within(uri: Uri, time_out: Duration) -> Answer {
    let connector = GuardedConnector::new(Rules { is_development: true }, system_resolver());
    let client = WebhookClient::new(connector).unwrap().within(time_out);
    client.post(uri, [("webhook-id", "msg".to_owned())], Bytes::from_static(b"{}"), SECOND).await
}

#[tokio::test]
async fn two_hundreds_alone_are_success() {
    for (answer, status, is_success) in [
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 200, true),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, true),
        ("HTTP/1.1 301 Moved\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n", 301, false),
        ("HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n", 410, false),
        ("HTTP/1.1 500 Error\r\ncontent-length: 0\r\n\r\n", 500, false),
    ] {
        let answered = post(receiver(answer, false).await).await;
        assert_eq!((answered.status, answered.is_success()), (Some(status), is_success), "{answered:?}");
    }
}

#[tokio::test]
async fn a_receiver_can_ask_for_a_pause() {
    let answer = "HTTP/1.1 429 Slow\r\nretry-after: 7\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(post(receiver(answer, false).await).await.retry_at, Some(8 * SECOND));
}

#[tokio::test]
async fn silence_and_a_reset_are_failures() {
    let hangs = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/", hangs.local_addr().unwrap()).parse().unwrap();
    let silent = post_within(uri, Duration::from_millis(500)).await;
    assert!(silent.status.is_none() && silent.text.starts_with("no answer within"), "{silent:?}");
    let reset = post(receiver("", false).await).await;
    assert!(reset.status.is_none() && !reset.text.is_empty(), "{reset:?}");
}

#[tokio::test]
async fn an_endless_body_is_cut_and_its_first_bytes_are_kept() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\nfirst";
    let answered = post(receiver(head, true).await).await;
    assert!(answered.is_success() && answered.text.starts_with("firstx"));
    assert!(answered.text.len() <= KEPT);
}
