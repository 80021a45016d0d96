//! What a client is sent as the body of its response: the pieces with which it begins, which a future sends, and then a
//! stream.
//!
//! The future is run by the task of the connection that sends the pieces: one task for each stream. A full
//! connection does not poll, and the sender then waits, as for a full channel. It never looks at a piece.
//! When it is dropped, the future is dropped.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::mpsc;

/// A first part that has not ended: when it ends, it returns the part that follows, if any.
pub(super) type Beginning<S> = Pin<Box<dyn Future<Output = Option<S>> + Send>>;

/// What follows a beginning, and may be followed by another one.
pub(super) trait Continued: Stream<Item = Bytes> + Unpin + Sized {
    /// When it has ended: another beginning with its pieces, if the client goes on.
    fn again(self) -> Option<(Beginning<Self>, mpsc::Receiver<Bytes>)>;
}

/// A client's pieces.
pub(super) struct SseBody<S> {
    /// Never locked: it is a mutex only because a body must be `Sync`.
    beginning: Option<Mutex<Beginning<S>>>,
    /// Of the beginning, until all have been taken.
    pieces: Option<mpsc::Receiver<Bytes>>,
    rest: Option<S>,
}

impl<S> SseBody<S> {
    /// Of a beginning that sends to these pieces' other end.
    pub(super) fn new(
        beginning: impl Future<Output = Option<S>> + Send + 'static,
        pieces: mpsc::Receiver<Bytes>,
    ) -> Self {
        Self { beginning: Some(Mutex::new(Box::pin(beginning))), pieces: Some(pieces), rest: None }
    }

    /// The next piece of the beginning; none when there are no more.
    fn poll_beginning(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let Some(pieces) = &mut self.pieces else { return Poll::Ready(None) };
        if let Some(beginning) = &mut self.beginning {
            let beginning = beginning.get_mut().unwrap_or_else(PoisonError::into_inner);
            if let Poll::Ready(rest) = beginning.as_mut().poll(context) {
                // Its end of the channel goes with it; what it has sent is still taken.
                (self.beginning, self.rest) = (None, rest);
            }
        }
        let piece = ready!(pieces.poll_recv(context));
        if piece.is_none() {
            self.pieces = None;
        }
        Poll::Ready(piece)
    }
}

impl<S: Continued> Stream for SseBody<S> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(piece) = ready!(self.poll_beginning(context)) {
                return Poll::Ready(Some(Ok(piece)));
            }
            let Some(rest) = &mut self.rest else { return Poll::Ready(None) };
            if let Some(piece) = ready!(Pin::new(rest).poll_next(context)) {
                return Poll::Ready(Some(Ok(piece)));
            }
            let Some((beginning, pieces)) = self.rest.take().and_then(Continued::again) else {
                return Poll::Ready(None);
            };
            (self.beginning, self.pieces) = (Some(Mutex::new(beginning)), Some(pieces));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::{StreamExt, stream};

    use super::*;

    /// Some pieces, and how often all begins again after them.
    struct Rest(stream::Iter<std::vec::IntoIter<Bytes>>, u8);

    impl Stream for Rest {
        type Item = Bytes;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
            Pin::new(&mut self.0).poll_next(context)
        }
    }

    impl Continued for Rest {
        fn again(self) -> Option<(Beginning<Self>, mpsc::Receiver<Bytes>)> {
            let left = self.1.checked_sub(1)?;
            let (out, pieces) = mpsc::channel(1);
            let beginning: Beginning<Self> = Box::pin(async move {
                out.send(piece(100 + left)).await.unwrap();
                Some(Self(stream::iter(vec![piece(200 + left)]), left))
            });
            Some((beginning, pieces))
        }
    }

    #[test]
    fn what_has_ended_can_begin_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (out, pieces) = mpsc::channel(1);
        let beginning = async move {
            drop(out);
            Some(Rest(stream::iter(vec![piece(1)]), 2))
        };
        let come = SseBody::new(beginning, pieces).map(Result::unwrap).collect::<Vec<_>>();
        assert_eq!(runtime.block_on(come), [1, 101, 201, 100, 200].map(piece));
    }

    fn piece(number: u8) -> Bytes {
        Bytes::from(vec![number])
    }

    #[test]
    fn all_pieces_of_the_beginning_come_in_order_and_then_the_rest() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for rest in [None, Some(10..20)] {
            let (out, pieces) = mpsc::channel(2);
            let expected: Vec<_> = (0..rest.as_ref().map_or(10, |rest| rest.end)).map(piece).collect();
            // More than the channel holds: the sender waits for the reader.
            let beginning = async move {
                for number in 0..10 {
                    out.send(piece(number)).await.unwrap();
                }
                rest.map(|rest| Rest(stream::iter(rest.map(piece).collect::<Vec<_>>()), 0))
            };
            let come = SseBody::new(beginning, pieces).map(Result::unwrap).collect::<Vec<_>>();
            assert_eq!(runtime.block_on(come), expected);
        }
    }

    #[test]
    fn a_beginning_whose_connection_goes_is_ended() {
        let (out, pieces) = mpsc::channel(1);
        let held = Arc::new(());
        let guard = Arc::clone(&held);
        let beginning = async move {
            out.closed().await;
            drop(guard);
            None::<Rest>
        };
        let driven = SseBody::new(beginning, pieces);
        drop(driven);
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
