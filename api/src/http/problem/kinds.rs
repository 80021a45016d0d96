//! The catalogue of errors: their names, statuses, titles and pages. It never has a kind that is not on its page.

use warp::http::StatusCode;

/// A kind of error: its name in `type`, status, title, and the text of its page.
#[derive(Debug)]
pub(super) struct ProblemKind {
    pub(super) name: &'static str,
    pub(super) status: StatusCode,
    pub(super) title: &'static str,
    pub(super) page: &'static str,
}

pub(super) static INVALID_REQUEST: ProblemKind = ProblemKind {
    name: "invalid-request",
    status: StatusCode::BAD_REQUEST,
    title: "Invalid request",
    page: "A parameter is unknown, missing or out of range; invalid_params names each with its reason.",
};
pub(super) static UNAUTHORIZED: ProblemKind = ProblemKind {
    name: "unauthorized",
    status: StatusCode::UNAUTHORIZED,
    title: "Unauthorized",
    page: "The request carries no valid key; /v1 routes take it as Authorization: Bearer <key>, /api/v1 routes as \
           x-api-key: <key>.",
};
pub(super) static INSUFFICIENT_SCOPE: ProblemKind = ProblemKind {
    name: "insufficient-scope",
    status: StatusCode::FORBIDDEN,
    title: "Insufficient scope",
    page: "The key is valid but does not have the scope of the route; detail names it. Create a key that has it. Refused requests cost \
           nothing.",
};
pub(super) static ADDRESS_NOT_ALLOWED: ProblemKind = ProblemKind {
    name: "address-not-allowed",
    status: StatusCode::FORBIDDEN,
    title: "Address not allowed",
    page: "The key is restricted to addresses, and the request does not come from one of them.",
};
pub(super) static FORBIDDEN: ProblemKind = ProblemKind {
    name: "forbidden",
    status: StatusCode::FORBIDDEN,
    title: "Forbidden",
    page: "The request may not change or read anything here: it comes from another origin, lacks the x-csrf-token header, names a host \
           that this server does not have, or asks for more than the caller may grant.",
};
pub(super) static CONFLICT: ProblemKind = ProblemKind {
    name: "conflict",
    status: StatusCode::CONFLICT,
    title: "Conflict",
    page: "The request does not fit the present state: the Idempotency-Key was used for another body, the key was already replaced, the \
           plan allows no more keys, or the account cannot be created.",
};
pub(super) static RATE_LIMITED: ProblemKind = ProblemKind {
    name: "rate-limited",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Rate limited",
    page: "There were too many wrong passwords from this address or device, a key asks more often than its plan allows, the account asks for more boards of own books at one time than its plan allows, or the \
           server has no room for more odds; try again after the seconds of the Retry-After \
           header. Refused requests cost nothing.",
};
pub(super) static PROOF_REQUIRED: ProblemKind = ProblemKind {
    name: "proof-required",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Proof of work required",
    page: "Others have tried too often from the same network or at the same account. Find a text of which the SHA-256 of proof.challenge, \
           a colon and the text begins with proof.bits zero bits, and send the same request with it as proof within two minutes; or try again \
           after the seconds of the Retry-After header.",
};
pub(super) static TOO_MANY_STREAMS: ProblemKind = ProblemKind {
    name: "too-many-streams",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Too many streams",
    page: "The account has as many open streams as its plan allows at one time; close one, or try again after the seconds of the \
           Retry-After header. Refused requests cost nothing.",
};
pub(super) static ACCOUNTS_UNAVAILABLE: ProblemKind = ProblemKind {
    name: "accounts-unavailable",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Accounts unavailable",
    page: "A change of an account was not confirmed in time and may have been carried out, it is not known whether keys are still \
           valid, or no quota could be leased in time. Send the same request again, with the same Idempotency-Key, after the seconds of the Retry-After header.",
};
pub(super) static NOT_FOUND: ProblemKind = ProblemKind {
    name: "not-found",
    status: StatusCode::NOT_FOUND,
    title: "Not found",
    page: "There is nothing at this path, or nothing of this id for the account that asks; `detail` names which. A window that has closed is \
           still found by /v1/arbs/{id}.",
};
pub(super) static METHOD_NOT_ALLOWED: ProblemKind = ProblemKind {
    name: "method-not-allowed",
    status: StatusCode::METHOD_NOT_ALLOWED,
    title: "Method not allowed",
    page: "The path exists, but not for this method; the Allow header names those that do.",
};
pub(super) static QUOTA_EXCEEDED: ProblemKind = ProblemKind {
    name: "quota-exceeded",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Quota exceeded",
    page: "The plan's requests of this month are spent; the next month begins after the seconds of the Retry-After \
           header. Refused requests cost nothing.",
};
pub(super) static REQUEST_TIMEOUT: ProblemKind = ProblemKind {
    name: "request-timeout",
    status: StatusCode::REQUEST_TIMEOUT,
    title: "Request timeout",
    page: "The head of the request, or its body, was not complete within 10 seconds; the connection is closed.",
};
pub(super) static URI_TOO_LONG: ProblemKind = ProblemKind {
    name: "uri-too-long",
    status: StatusCode::URI_TOO_LONG,
    title: "URI too long",
    page: "The path and the query have more than 8,192 bytes together.",
};
pub(super) static PAYLOAD_TOO_LARGE: ProblemKind = ProblemKind {
    name: "payload-too-large",
    status: StatusCode::PAYLOAD_TOO_LARGE,
    title: "Payload too large",
    page: "The body has more than the path takes: bytes, also when it is decompressed, lines, events or names; detail says how many that \
           are.",
};
pub(super) static UNSUPPORTED_MEDIA_TYPE: ProblemKind = ProblemKind {
    name: "unsupported-media-type",
    status: StatusCode::UNSUPPORTED_MEDIA_TYPE,
    title: "Unsupported media type",
    page: "The body is not declared as what the path takes, or it is compressed in another way; detail says what is taken.",
};
pub(super) static UNPROCESSABLE: ProblemKind = ProblemKind {
    name: "unprocessable",
    status: StatusCode::UNPROCESSABLE_ENTITY,
    title: "Unprocessable content",
    page: "No line of the body is accepted; errors lists each with its number, field and reason.",
};
pub(super) static TOO_MANY_CONNECTIONS: ProblemKind = ProblemKind {
    name: "too-many-connections",
    status: StatusCode::TOO_MANY_REQUESTS,
    title: "Too many connections",
    page: "The key holds as many connections at one time as a key may, streams among them; close some, or send further \
           requests on those that are open. Refused requests cost nothing.",
};
pub(super) static HEADERS_TOO_LARGE: ProblemKind = ProblemKind {
    name: "headers-too-large",
    status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    title: "Request header fields too large",
    page: "The header fields have more than 32,768 bytes together, or there are more than 100 of them.",
};
pub(super) static UNAVAILABLE: ProblemKind = ProblemKind {
    name: "unavailable",
    status: StatusCode::SERVICE_UNAVAILABLE,
    title: "Unavailable",
    page: "The server is starting or ending, or Kafka does not answer in time; try again after the seconds of the Retry-After header.",
};

pub(super) static KINDS: [&ProblemKind; 21] = [
    &INVALID_REQUEST,
    &UNAUTHORIZED,
    &INSUFFICIENT_SCOPE,
    &ADDRESS_NOT_ALLOWED,
    &FORBIDDEN,
    &CONFLICT,
    &RATE_LIMITED,
    &TOO_MANY_STREAMS,
    &ACCOUNTS_UNAVAILABLE,
    &NOT_FOUND,
    &METHOD_NOT_ALLOWED,
    &REQUEST_TIMEOUT,
    &URI_TOO_LONG,
    &PAYLOAD_TOO_LARGE,
    &UNSUPPORTED_MEDIA_TYPE,
    &UNPROCESSABLE,
    &PROOF_REQUIRED,
    &QUOTA_EXCEEDED,
    &TOO_MANY_CONNECTIONS,
    &HEADERS_TOO_LARGE,
    &UNAVAILABLE,
];
