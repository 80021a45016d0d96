//! A topic's id: 16 bytes that the controller draws when it creates the topic, so that a topic of the same name that
//! was deleted and created again has another.
//!
//! librdkafka 2.12 knows it but shows it nowhere, and nothing else tells the two apart: offsets begin again at 0, and
//! the cluster's id stays. So one `Metadata` request is spoken by hand. It speaks to a plaintext listener, as all our
//! clients do, and it never does more than this one request.
//!
//! Source: Kafka protocol guide, `Metadata` version 12 (flexible: compact lengths, tagged fields); KIP-516.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use arb_schemas::topics::Topic;

use super::Error;

const METADATA: i16 = 3;
const VERSION: i16 = 12;
/// Longer answers are none to this question.
const MAX_ANSWER: usize = 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(15);

/// The id of a topic, from the first of the brokers that answers.
///
/// # Errors
/// [`Error::Topic`] when none answers, or when the topic does not exist.
pub fn topic_id(brokers: &str, topic: &Topic) -> Result<[u8; 16], Error> {
    let mut problem = "its id cannot be asked for: no broker is named".to_owned();
    for broker in brokers.split(',').map(str::trim) {
        match ask(broker, topic.name) {
            Ok(id) => return Ok(id),
            Err(error) => problem = format!("its id cannot be asked of {broker}: {error}"),
        }
    }
    Err(Error::Topic { topic: topic.name.to_owned(), problem })
}

/// Topics with the ids that they had at one moment, to be compared with those that they have later.
#[derive(Debug, Clone)]
pub struct TopicIds {
    brokers: String,
    topics: Vec<(Topic, [u8; 16])>,
}

impl TopicIds {
    /// As they are now.
    ///
    /// # Errors
    /// As [`topic_id`].
    pub(super) fn now(brokers: &str, topics: &[Topic]) -> Result<Self, Error> {
        let ids = topics.iter().map(|topic| Ok((*topic, topic_id(brokers, topic)?)));
        Ok(Self { brokers: brokers.to_owned(), topics: ids.collect::<Result<_, Error>>()? })
    }

    /// A topic, by its place in the list, and its id as it was.
    pub(super) fn get(&self, place: usize) -> Option<(Topic, [u8; 16])> {
        self.topics.get(place).copied()
    }

    /// A topic's place in the list.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.topics.iter().position(|(topic, _)| topic.name == name)
    }

    /// The first topic whose id is another by now: a request for each. One that is gone, or that no broker tells, has no
    /// other.
    #[must_use]
    pub fn made_anew(&self) -> Option<&'static str> {
        let is_other =
            |(topic, id): &&(Topic, [u8; 16])| topic_id(&self.brokers, topic).is_ok_and(|now| now != *id);
        self.topics.iter().find(is_other).map(|(topic, _)| topic.name)
    }
}

fn ask(broker: &str, topic: &str) -> io::Result<[u8; 16]> {
    let none = || io::Error::other("its name has no address");
    let mut last = none();
    for address in broker.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, TIMEOUT).and_then(|stream| converse(stream, topic)) {
            Ok(answer) => {
                return parse(&answer).ok_or_else(|| io::Error::other("it does not know the topic"));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn converse(mut stream: TcpStream, topic: &str) -> io::Result<Vec<u8>> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    stream.write_all(&request(topic))?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > MAX_ANSWER {
        return Err(io::Error::other("it does not speak Kafka's protocol"));
    }
    let mut answer = vec![0; length];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

fn request(topic: &str) -> Vec<u8> {
    let mut body = [METADATA.to_be_bytes(), VERSION.to_be_bytes()].concat();
    body.extend([0, 0, 0, 1]); // Correlation id.
    body.extend([0, 3]); // The client's id, by a length of two bytes.
    body.extend(b"arb");
    body.push(0); // No tagged fields of the header.
    body.push(2); // One topic: lengths are compact, one more than they are.
    body.extend([0; 16]); // No id: by name.
    body.push(u8::try_from(topic.len() + 1).unwrap_or(1));
    body.extend(topic.as_bytes());
    body.push(0); // No tagged fields of the topic.
    body.extend([0, 0, 0]); // Create nothing, authorise nothing, no tagged fields.
    let length = u32::try_from(body.len()).unwrap_or(0);
    [&length.to_be_bytes()[..], &body].concat()
}

/// The id of the first topic of an answer; `None` when it has none, or is none.
fn parse(answer: &[u8]) -> Option<[u8; 16]> {
    let mut rest = Bytes(answer);
    rest.skip(4)?; // Correlation id.
    rest.tags()?;
    rest.skip(4)?; // Throttle time.
    for _ in 0..rest.compact()? {
        rest.skip(4)?; // A broker's id, host, port and rack.
        rest.string()?;
        rest.skip(4)?;
        rest.string()?;
        rest.tags()?;
    }
    rest.string()?; // The cluster's id.
    rest.skip(4)?; // Controller.
    if rest.compact()? == 0 {
        return None;
    }
    let error = rest.skip(2)?;
    rest.string()?;
    let id: [u8; 16] = rest.skip(16)?.try_into().ok()?;
    (error == [0, 0] && id != [0; 16]).then_some(id)
}

/// What is left of an answer.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(skipped)
    }

    /// An unsigned number, seven bits a byte.
    fn varint(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in [0, 7, 14, 21] {
            let byte = usize::from(*self.skip(1)?.first()?);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A compact length: one more than it is, 0 for null.
    fn compact(&mut self) -> Option<usize> {
        Some(self.varint()?.saturating_sub(1))
    }

    fn string(&mut self) -> Option<()> {
        let length = self.compact()?;
        self.skip(length).map(drop)
    }

    fn tags(&mut self) -> Option<()> {
        for _ in 0..self.varint()? {
            self.varint()?;
            let length = self.varint()?;
            self.skip(length)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Apache Kafka 4.3 writes it: one broker, one topic, its partitions cut off.
    fn answer(error: u8, id: u8) -> Vec<u8> {
        let mut answer = vec![0, 0, 0, 1, 0, 0, 0, 0, 0];
        answer.extend([2, 0, 0, 0, 1, 10]);
        answer.extend(b"127.0.0.1");
        answer.extend([0, 0, 0x4a, 0x94, 0, 0]);
        answer.extend([3, b'i', b'd', 0, 0, 0, 1, 2, 0, error, 2, b't']);
        answer.extend([id; 16]);
        answer.extend([0, 1, 0]);
        answer
    }

    #[test]
    fn the_id_is_found_behind_brokers_and_names() {
        assert_eq!(parse(&answer(0, 7)), Some([7; 16]));
        assert_eq!(parse(&answer(3, 0)), None, "an unknown topic");
        assert_eq!(parse(&answer(0, 0)), None, "a broker without ids");
    }

    #[test]
    fn an_answer_that_is_cut_off_is_none() {
        let whole = answer(0, 7);
        for length in 0..whole.len() - 3 {
            assert_eq!(parse(&whole[..length]), None, "{length}");
        }
    }
}
