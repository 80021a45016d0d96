//! Patterns of paths, in which a parameter is a segment in braces.
//!
//! Segments are compared, and nothing is allocated. It never knows which rows there are.

/// Whether a path has the segments of a pattern; a parameter is any segment that is not empty.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (pattern.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given || (is_parameter(wanted) && !given.is_empty()) => {
            }
            _ => return false,
        }
    }
}

fn is_parameter(segment: &str) -> bool {
    segment.starts_with('{')
}

/// A parameter of a path that matches a pattern.
pub(super) fn parameter<'a>(pattern: &str, path: &'a str, name: &str) -> Option<&'a str> {
    let is_it =
        |segment: &str| segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) == Some(name);
    let mut pairs = pattern.split('/').zip(path.split('/'));
    pairs.find(|(segment, _)| is_it(segment)).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_matched_segment_by_segment() {
        for (pattern, path, expected) in [
            ("/v1/arbs/{id}", "/v1/arbs/a", true),
            ("/v1/arbs/{id}", "/v1/arbs/", false),
            ("/v1/arbs/{id}", "/v1/arbs", false),
            ("/v1/arbs/{id}", "/v1/arbs/a/b", false),
            ("/v1/arbs/{id}", "/v1/signals/a", false),
            ("/v1/arbs/{id}/legs/{leg}", "/v1/arbs/a/legs/2", true),
            ("/v1/arbs/{id}/legs/{leg}", "/v1/arbs/a/legs", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn a_parameter_is_the_segment_in_its_place() {
        let of = |name| parameter("/v1/arbs/{id}/legs/{leg}", "/v1/arbs/a%20b/legs/2", name);
        assert_eq!([of("id"), of("leg"), of("arbs"), of("")], [Some("a%20b"), Some("2"), None, None]);
    }
}
