//! Compressed answers: which content coding a request accepts, and a body in each of them.
//!
//! A body is compressed once and kept with what it is a form of. Never for an answer that holds a secret: its length in a
//! coding reveals something of its content (BREACH), and never for a stream.
//!
//! Source: RFC 9110, 8.4.1 (content codings) and 12.5.3 (Accept-Encoding).

use std::io::Write;
use std::sync::OnceLock;

use bytes::Bytes;
use warp::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING};
use warp::http::{HeaderMap, HeaderValue};

/// Shorter bodies are sent as they are: a packet is the least that is sent.
const SHORTEST: usize = 1_024;
/// A form is used if it is at most one part in so many of the body, so that all forms together take no more than the body.
const GAIN: usize = 3;
/// Quality of brotli and level of zstd and gzip: a page of 100 entries takes a few milliseconds, once.
const BROTLI_QUALITY: u32 = 4;
const ZSTD_LEVEL: i32 = 3;
const GZIP_LEVEL: u32 = 5;
/// Window of brotli, as a power of two.
const BROTLI_WINDOW: u32 = 20;

/// A content coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Zstd,
    Brotli,
    Gzip,
}

impl Coding {
    /// The one that is taken among those that a client likes equally comes first.
    const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// Its name in headers.
    fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }

    /// The best coding that a request accepts; `None` where it is to have the body as it is.
    pub(crate) fn accepted(headers: &HeaderMap) -> Option<Self> {
        let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        let (mut named, mut others, mut plain) = ([None; Self::ALL.len()], None, None);
        // Of what is named twice the first counts.
        for (name, quality) in lists.flat_map(|list| list.split(',')).filter_map(offer) {
            let coding = Self::ALL.iter().position(|coding| name.eq_ignore_ascii_case(coding.name()));
            let place = match coding {
                Some(coding) => &mut named[coding],
                None if name == "*" => &mut others,
                // It is acceptable where it is not named; it is preferred only by a quality of its own.
                None if name.eq_ignore_ascii_case("identity") => &mut plain,
                None => continue,
            };
            place.get_or_insert(quality);
        }
        let qualities = Self::ALL.into_iter().zip(named).map(|(coding, named)| (coding, named.or(others)));
        let (best, wanted) =
            qualities.rev().max_by(|(_, a), (_, b)| a.unwrap_or(0.0_f32).total_cmp(&b.unwrap_or(0.0)))?;
        let (wanted, plain) = (wanted.unwrap_or(0.0), plain.unwrap_or(0.0));
        (wanted > 0.0 && wanted >= plain).then_some(best)
    }

    fn encode(self, body: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Zstd => zstd::bulk::compress(body, ZSTD_LEVEL),
            Self::Brotli => {
                let mut out = Vec::new();
                let mut writer =
                    brotli::CompressorWriter::new(&mut out, 4_096, BROTLI_QUALITY, BROTLI_WINDOW);
                writer.write_all(body)?;
                writer.flush()?;
                drop(writer);
                Ok(out)
            }
            Self::Gzip => {
                let level = flate2::Compression::new(GZIP_LEVEL);
                let mut writer = flate2::write::GzEncoder::new(Vec::new(), level);
                writer.write_all(body)?;
                writer.finish()
            }
        }
    }
}

/// A coding of a list with its quality; `None` for what is none.
fn offer(text: &str) -> Option<(&str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let quality = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    let quality = quality.map_or(Some(1.0), |text| text.parse().ok())?;
    (0.0..=1.0).contains(&quality).then_some((name, quality))
}

/// A body, and its compressed forms once they were asked for. Of an answer all together take at most twice the bytes of the body.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) plain: Bytes,
    /// A form is kept if it is at most one part in so many of the body.
    gain: usize,
    forms: [OnceLock<Option<Bytes>>; Coding::ALL.len()],
}

impl Encoded {
    pub(crate) fn new(plain: Bytes) -> Self {
        Self { plain, gain: GAIN, forms: Default::default() }
    }

    /// Of a file of the page, of which there are few: any form that is smaller is kept.
    pub(crate) fn of_file(plain: Bytes) -> Self {
        Self { plain, gain: 1, forms: Default::default() }
    }

    /// The body in a coding that a request accepts, and the coding; as it is where that saves too little.
    pub(crate) fn accepted(&self, headers: &HeaderMap) -> (Bytes, Option<Coding>) {
        let coding = Coding::accepted(headers).filter(|_| self.plain.len() >= SHORTEST);
        let form = coding.and_then(|coding| Some((self.form(coding)?, Some(coding))));
        form.unwrap_or_else(|| (self.plain.clone(), None))
    }

    fn form(&self, coding: Coding) -> Option<Bytes> {
        let compress = || {
            let form = coding.encode(&self.plain).ok()?;
            (form.len() <= self.plain.len() / self.gain).then(|| Bytes::from(form.into_boxed_slice()))
        };
        self.forms[coding as usize].get_or_init(compress).clone()
    }
}

/// Names the coding of a body.
pub(crate) fn describe(coding: Option<Coding>, headers: &mut HeaderMap) {
    if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use proptest::prelude::*;

    use super::*;

    fn asks(text: &str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_str(text).unwrap())])
    }

    #[test]
    fn the_coding_that_a_client_likes_best_is_taken() {
        for (text, expected) in [
            ("gzip", Some(Coding::Gzip)),
            ("GZIP", Some(Coding::Gzip)),
            ("gzip, deflate, br, zstd", Some(Coding::Zstd)),
            ("gzip, deflate, br", Some(Coding::Brotli)),
            ("br;q=0.5, gzip", Some(Coding::Gzip)),
            ("*", Some(Coding::Zstd)),
            ("*, zstd;q=0", Some(Coding::Brotli)),
            ("gzip;q=0", None),
            ("identity", None),
            ("identity, gzip;q=0.5", None),
            ("identity;q=0.5, gzip", Some(Coding::Gzip)),
            ("deflate", None),
            ("gzip;q=2", None),
            ("", None),
        ] {
            assert_eq!(Coding::accepted(&asks(text)), expected, "{text}");
        }
        assert_eq!(Coding::accepted(&HeaderMap::new()), None);
    }

    /// By the decoders of the same libraries.
    fn decode(coding: Coding, bytes: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        let read = match coding {
            Coding::Zstd => zstd::Decoder::new(bytes).unwrap().read_to_end(&mut plain),
            Coding::Brotli => brotli::Decompressor::new(bytes, 4_096).read_to_end(&mut plain),
            Coding::Gzip => flate2::read::GzDecoder::new(bytes).read_to_end(&mut plain),
        };
        read.unwrap();
        plain
    }

    #[test]
    fn a_body_is_compressed_once_and_short_ones_are_not() {
        let body = Encoded::new(Bytes::from("{\"price\": 1.91}, ".repeat(500)));
        for coding in Coding::ALL {
            let headers = asks(coding.name());
            let (form, used) = body.accepted(&headers);
            assert_eq!((used, decode(coding, &form)), (Some(coding), body.plain.to_vec()));
            assert_eq!(form.as_ptr(), body.accepted(&headers).0.as_ptr());
        }
        let short = Encoded::new(Bytes::from_static(b"{}"));
        assert_eq!(short.accepted(&asks("gzip")), (short.plain.clone(), None));
    }

    #[test]
    fn what_compresses_badly_is_sent_as_it_is() {
        let mut random = fastrand::Rng::with_seed(1);
        let noise: Vec<_> = std::iter::repeat_with(|| random.u8(..)).take(4_096).collect();
        let body = Encoded::new(noise.into());
        assert_eq!(body.accepted(&asks("zstd")), (body.plain.clone(), None));
    }

    proptest! {
        #[test]
        fn any_header_is_read(text in "[ -~]{0,60}") {
            let _ = Coding::accepted(&asks(&text));
        }

        #[test]
        fn every_form_is_the_body(text in "[a-c]{0,4000}") {
            for coding in Coding::ALL {
                prop_assert_eq!(decode(coding, &coding.encode(text.as_bytes()).unwrap()), text.as_bytes());
            }
        }
    }
}
