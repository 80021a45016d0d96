//! `Idempotency-Key`: by it a request that is sent again is the same request. It never keeps one.

use warp::http::HeaderMap;

use super::problem::Problem;

const HEADER: &str = "idempotency-key";
/// Longest key.
const MAX: usize = 255;

/// The key of a request, where it has one.
///
/// # Errors
/// 400 unless it is one header of 1 to 255 printable ASCII characters.
pub(crate) fn key(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let mut values = headers.get_all(HEADER).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    let is_key = (1..=MAX).contains(&text.len()) && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if is_key && values.next().is_none() {
        return Ok(Some(text));
    }
    Err(Problem::bad_request("Idempotency-Key must be one header of 1 to 255 printable ASCII characters."))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use warp::http::HeaderValue;

    use super::*;

    fn headers(values: &[&[u8]]) -> HeaderMap {
        let values = values.iter().filter_map(|value| HeaderValue::from_bytes(value).ok());
        values.fold(HeaderMap::new(), |mut headers, value| {
            headers.append(HEADER, value);
            headers
        })
    }

    #[test]
    fn a_key_is_one_header_of_printable_characters() {
        assert_eq!(key(&HeaderMap::new()).unwrap(), None);
        assert_eq!(key(&headers(&[b"a b~"])).unwrap(), Some("a b~"));
        assert!(key(&headers(&[&[b'x'; MAX]])).unwrap().is_some());
        for refused in [&[&[b'x'; MAX + 1][..]][..], &[b""], &[b"a", b"a"], &["ä".as_bytes()], &[b"a\tb"]] {
            assert!(key(&headers(refused)).is_err(), "{refused:?}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_sent_it_is_refused_or_kept_as_it_is(value in prop::collection::vec(any::<u8>(), 0..300)) {
            let headers = headers(&[&value]);
            if let Ok(Some(key)) = key(&headers) {
                prop_assert_eq!(key.as_bytes(), &*value);
                prop_assert!(!key.is_empty() && key.len() <= MAX && key.is_ascii());
            }
        }
    }
}
