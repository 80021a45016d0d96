//! The bodies of errors. It never decides what is wrong.

use std::borrow::Cow;

use arb_model::view;

view! {
    /// What every error has.
    pub(crate) struct ProblemHead {
        /// A path of this API that explains the error.
        #[serde(rename = "type")]
        kind: String,
        title: &'static str,
        status: u16,
        /// What is wrong with this request.
        detail: String,
    }
}

view! {
    /// An error, as RFC 9457 has it.
    pub(crate) struct ProblemView => "Problem" {
        #[serde(flatten)]
        head: ProblemHead,
        /// The parameter or the field that is wrong.
        #[serde(skip_serializing_if = "Option::is_none")]
        invalid_params: Option<[InvalidParam; 1]>,
        #[serde(flatten)]
        more: MoreOfProblem,
    }
}

view! {
    /// A parameter or a field, and what it must be.
    pub(crate) struct InvalidParam {
        name: String,
        reason: Cow<'static, str>,
    }
}

view! {
    /// What errors of some kinds have.
    #[derive(Default)]
    pub(crate) struct MoreOfProblem {
        /// What is wrong with each line of a push.
        #[serde(skip_serializing_if = "Option::is_none")]
        errors: Option<Vec<LineError>>,
        /// What to compute to go on: a text of which the SHA-256 of the challenge, a colon and the text begins with so many zero bits.
        #[serde(skip_serializing_if = "Option::is_none")]
        proof: Option<ProofAsked>,
    }
}

view! {
    /// Why a line is refused.
    pub(crate) struct LineError {
        /// From 1.
        line: usize,
        /// Null of a line that is no JSON object.
        field: Option<Cow<'static, str>>,
        reason: Cow<'static, str>,
    }
}

view! {
    /// A proof of work.
    pub(crate) struct ProofAsked {
        algorithm: &'static str [Keys(&["sha-256"])],
        bits: u32,
        challenge: String,
    }
}

view! {
    /// An error as RFC 9457 has it; where it is the registry's own, with what its clients read.
    pub(crate) struct RegistryError {
        #[serde(flatten)]
        head: ProblemHead,
        /// The registry's code, such as 40401.
        #[serde(skip_serializing_if = "Option::is_none")]
        error_code: Option<u32>,
        /// As detail.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    }
}
