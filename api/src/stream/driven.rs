//! A client's pieces, as the body of its response: the client is run by the task of the connection that sends them.
//!
//! In a task of its own it would have to be woken for every event, and then wake the connection: two for each event and
//! client, where one is enough. A connection that is full does not ask for more, and its client then waits, as it would
//! for a full channel. It never looks at a piece. Dropped, it ends the client.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc;

/// A client that has not ended.
type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A client and what it has to say.
pub(super) struct Driven {
    /// Never locked: a body must be one that threads could share.
    client: Option<Mutex<Running>>,
    pieces: mpsc::Receiver<Bytes>,
}

impl Driven {
    /// Of a client that sends to these pieces' other end.
    pub(super) fn new(
        client: impl Future<Output = ()> + Send + 'static,
        pieces: mpsc::Receiver<Bytes>,
    ) -> Self {
        Self { client: Some(Mutex::new(Box::pin(client))), pieces }
    }
}

impl Stream for Driven {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(client) = &mut self.client {
            let client = client.get_mut().unwrap_or_else(PoisonError::into_inner);
            if client.as_mut().poll(context).is_ready() {
                // Its end of the channel goes with it; what it has sent is still taken.
                self.client = None;
            }
        }
        self.pieces.poll_recv(context).map(|piece| piece.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::StreamExt;

    use super::*;

    #[test]
    fn all_that_a_client_has_sent_comes_in_order_and_then_the_end() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (out, pieces) = mpsc::channel(2);
        // More than the channel holds: the client waits for who reads.
        let client = async move {
            for number in 0..10_u8 {
                out.send(Bytes::from(vec![number])).await.unwrap();
            }
        };
        let come: Vec<_> = runtime.block_on(Driven::new(client, pieces).map(Result::unwrap).collect());
        assert_eq!(come, (0..10_u8).map(|number| Bytes::from(vec![number])).collect::<Vec<_>>());
    }

    #[test]
    fn a_client_whose_connection_goes_is_ended() {
        let (out, pieces) = mpsc::channel(1);
        let held = Arc::new(());
        let guard = Arc::clone(&held);
        let client = async move {
            out.closed().await;
            drop(guard);
        };
        let driven = Driven::new(client, pieces);
        drop(driven);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
