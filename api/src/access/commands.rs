//! How accounts are changed: a command is sent to the accounts machine, and its reply is read back from the accounts topic.
//!
//! A command without a reply may have been carried out: whoever sent it sends it again, with the same id. It never changes the replica.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arb_accounts::codec;
use arb_accounts::command::Request;
use arb_accounts::reply::Reply;
use arb_kafka::{self as kafka, CommandProducer};
use arb_runtime::stop::Stop;
use tokio::time::timeout;

use super::replica::Replica;

/// How long a reply is waited for.
pub const REPLY: Duration = Duration::from_secs(5);
/// Commands that wait to be sent.
const QUEUE: usize = 64;
/// How long the sender waits for a command before it takes the broker's reports.
const WAIT: Duration = Duration::from_millis(50);

/// There is no reply: it is not known whether the command is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoReply;

/// The way to the machine.
#[derive(Debug)]
pub struct Commands {
    replica: Arc<Replica>,
    queue: SyncSender<Request>,
    /// Taken by whoever sends them.
    queued: Mutex<Option<Receiver<Request>>>,
}

impl Commands {
    /// To the machine whose replies the replica receives.
    #[must_use]
    pub fn new(replica: Arc<Replica>) -> Self {
        let (queue, queued) = sync_channel(QUEUE);
        Self { replica, queue, queued: Mutex::new(Some(queued)) }
    }

    /// The commands that are to be sent; empty after the first call.
    pub(crate) fn queued(&self) -> Option<Receiver<Request>> {
        self.queued.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Sends a command and waits for its reply.
    ///
    /// # Errors
    /// [`NoReply`] when there is none within five seconds.
    pub(crate) async fn send(&self, request: Request) -> Result<Reply, NoReply> {
        let mut reply = self.replica.reply_to(&request.id);
        if let Ok(reply) = reply.try_recv() {
            return Ok(reply);
        }
        self.queue.try_send(request).map_err(|_| NoReply)?;
        timeout(REPLY, reply).await.map_err(|_| NoReply)?.map_err(|_| NoReply)
    }
}

/// Sends commands to Kafka until the shutdown signal.
///
/// # Errors
/// [`kafka::Error`] that sending again does not help against.
pub(crate) fn send_all(
    queued: &Receiver<Request>,
    producer: &CommandProducer,
    stop: &Stop,
) -> Result<(), kafka::Error> {
    while !stop.is_stopped() {
        match queued.recv_timeout(WAIT) {
            Ok(request) => send(producer, &request)?,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
        if let Err(error) = producer.serve(Duration::ZERO) {
            tracing::warn!(%error, "a command was not delivered: whoever sent it receives no reply");
        }
    }
    Ok(())
}

fn send(producer: &CommandProducer, request: &Request) -> Result<(), kafka::Error> {
    match codec::encode_request(request) {
        Ok(value) if producer.send(&request.id, &value)? => {}
        Ok(_) => tracing::warn!("a command was not sent: the queue is full"),
        Err(error) => tracing::warn!(%error, "a command was not sent"),
    }
    Ok(())
}
