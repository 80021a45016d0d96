//! The body of a push as text: decompressed within a limit.
//!
//! It never holds more than the limit of what a body decompresses to.

use std::io::Read;

use arb_schemas::limits::PUSH_TEXT;
use bytes::Bytes;
use flate2::read::MultiGzDecoder;

/// How a body is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Identity,
    Gzip,
}

/// Why a body is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextFault {
    TooLong,
    NotGzip,
    NotUtf8,
}

impl Encoding {
    /// By the value of `Content-Encoding`, where there is one; `None` for one that is not taken.
    pub(crate) fn parse(name: Option<&str>) -> Option<Self> {
        match name.map(str::trim) {
            None | Some("") => Some(Self::Identity),
            Some(name) if name.eq_ignore_ascii_case("identity") => Some(Self::Identity),
            Some(name) if name.eq_ignore_ascii_case("gzip") => Some(Self::Gzip),
            Some(_) => None,
        }
    }
}

/// A body as text.
///
/// # Errors
/// [`TextFault`].
pub(crate) fn as_text(body: &Bytes, encoding: Encoding) -> Result<String, TextFault> {
    let bytes = match encoding {
        Encoding::Identity => body.to_vec(),
        Encoding::Gzip => inflate(body)?,
    };
    if bytes.len() > PUSH_TEXT {
        return Err(TextFault::TooLong);
    }
    String::from_utf8(bytes).map_err(|_| TextFault::NotUtf8)
}

fn inflate(body: &[u8]) -> Result<Vec<u8>, TextFault> {
    let (mut bytes, most) = (Vec::new(), PUSH_TEXT as u64 + 1);
    MultiGzDecoder::new(body).take(most).read_to_end(&mut bytes).map_err(|_| TextFault::NotGzip)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Bytes {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().into()
    }

    #[test]
    fn a_body_is_decompressed_up_to_the_limit() {
        let text = |bytes: &[u8]| as_text(&gzip(bytes), Encoding::Gzip);
        assert_eq!(text(b"{}\n"), Ok("{}\n".to_owned()));
        assert_eq!(text(&vec![b'x'; PUSH_TEXT]).map(|text| text.len()), Ok(PUSH_TEXT));
        assert_eq!(text(&vec![b'x'; PUSH_TEXT + 1]), Err(TextFault::TooLong));
        assert_eq!(text(&vec![b'x'; 64 * PUSH_TEXT]), Err(TextFault::TooLong), "a bomb");
        let two = [gzip(b"a\n"), gzip(b"b\n")].concat();
        assert_eq!(
            as_text(&two.into(), Encoding::Gzip),
            Ok("a\nb\n".to_owned()),
            "members one after another"
        );
    }

    #[test]
    fn what_is_no_text_is_named() {
        let cut = gzip(b"some text").slice(..12);
        assert_eq!(as_text(&cut, Encoding::Gzip), Err(TextFault::NotGzip));
        assert_eq!(as_text(&"plain".into(), Encoding::Gzip), Err(TextFault::NotGzip));
        assert_eq!(as_text(&Bytes::from_static(&[0xff]), Encoding::Identity), Err(TextFault::NotUtf8));
    }

    #[test]
    fn an_encoding_is_gzip_or_none() {
        let parse = |name| Encoding::parse(Some(name));
        assert_eq!(Encoding::parse(None), Some(Encoding::Identity));
        assert_eq!((parse("GZIP"), parse("identity")), (Some(Encoding::Gzip), Some(Encoding::Identity)));
        assert_eq!((parse("br"), parse("gzip, gzip")), (None, None));
    }
}
