//! A JSON body, taken apart field by field. It never ignores a field that no handler takes.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::problem::Problem;
use super::request::Request;

/// The fields of a body that no handler has taken yet.
#[derive(Debug)]
pub(crate) struct JsonBody(Map<String, Value>);

impl JsonBody {
    /// Of a request.
    ///
    /// # Errors
    /// 400 unless it is a JSON object.
    pub(crate) fn of(request: &Request<'_>) -> Result<Self, Problem> {
        let fields = serde_json::from_slice(&request.body);
        fields.map(Self).map_err(|_| Problem::bad_request("The body of the request is no JSON object."))
    }

    /// Takes a field; `None` where there is none.
    ///
    /// # Errors
    /// 400 for a value of another type, with what it must be.
    pub(crate) fn take<T: DeserializeOwned>(
        &mut self,
        name: &str,
        expected: &'static str,
    ) -> Result<Option<T>, Problem> {
        let value = self.0.remove(name).map(serde_json::from_value);
        value.transpose().map_err(|_| Problem::invalid_param(name, expected))
    }

    /// Refuses the fields that are left.
    ///
    /// # Errors
    /// 400 for a field that was not taken.
    pub(crate) fn finish(self) -> Result<(), Problem> {
        self.0.keys().next().map_or(Ok(()), |name| Err(Problem::invalid_param(name, "is unknown")))
    }
}
