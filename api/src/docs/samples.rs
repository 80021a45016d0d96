//! How a route is called: by curl, from Python and from JavaScript, each with nothing but what it comes with.
//!
//! The address and the key come from the environment, `ARB_URL` and `ARB_KEY`. It never shows a key.

use std::fmt::Write as _;

use serde_json::Value;

/// A request to be shown.
pub(super) struct Sample<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) body: Option<&'a Value>,
    /// Whether it needs a key.
    pub(super) has_key: bool,
    /// Whether the answer is JSON; a stream is read line by line.
    pub(super) is_json: bool,
}

impl Sample<'_> {
    /// Whether the key goes into the header of the other surface.
    fn is_api_key(&self) -> bool {
        self.path.starts_with("/api/")
    }
}

/// A body as it is sent; lines of JSON are text.
fn text_of(body: &Value) -> String {
    body.as_str().map_or_else(|| body.to_string(), str::to_owned)
}

fn media_of(body: &Value) -> &'static str {
    if body.is_string() { "application/x-ndjson" } else { "application/json" }
}

/// All three, as Markdown.
pub(super) fn text(sample: &Sample<'_>) -> String {
    format!(
        "```sh\n{}\n```\n\n```python\n{}```\n\n```js\n{}```\n",
        curl(sample),
        python(sample),
        javascript(sample)
    )
}

fn curl(sample: &Sample<'_>) -> String {
    let mut line = "curl -sN".to_owned();
    if sample.method != "GET" {
        let _ = write!(line, " -X {}", sample.method);
    }
    if sample.has_key {
        let field = if sample.is_api_key() { "x-api-key:" } else { "Authorization: Bearer" };
        let _ = write!(line, " -H \"{field} $ARB_KEY\"");
    }
    if let Some(body) = sample.body {
        let text = text_of(body).replace('\'', "'\\''");
        let _ = write!(line, " -H 'Content-Type: {}' -d '{text}'", media_of(body));
    }
    let _ = write!(line, " \"$ARB_URL{}\"", sample.path);
    line
}

fn python(sample: &Sample<'_>) -> String {
    let mut headers = Vec::new();
    if sample.has_key {
        headers.push(if sample.is_api_key() {
            "\"x-api-key\": os.environ[\"ARB_KEY\"]"
        } else {
            "\"Authorization\": \"Bearer \" + os.environ[\"ARB_KEY\"]"
        });
    }
    let of_body = sample.body.map(|body| format!("\"Content-Type\": \"{}\"", media_of(body)));
    headers.extend(of_body.as_deref());
    let imports = if sample.is_json { "json, os" } else { "os" };
    let mut text = format!("import {imports}, urllib.request\n\nheaders = {{{}}}\n", headers.join(", "));
    let data = match sample.body {
        Some(body) => {
            let quoted = Value::String(text_of(body));
            let _ = writeln!(text, "data = {quoted}.encode()");
            "data"
        }
        None => "None",
    };
    let (method, path) = (sample.method, sample.path);
    let _ = writeln!(
        text,
        "request = urllib.request.Request(os.environ[\"ARB_URL\"] + \"{path}\", {data}, headers, method=\"{method}\")\n\
         with urllib.request.urlopen(request) as answer:"
    );
    text += if sample.is_json {
        "    print(json.load(answer))\n"
    } else {
        "    for line in answer:\n        print(line.decode(), end=\"\", flush=True)\n"
    };
    text
}

fn javascript(sample: &Sample<'_>) -> String {
    let mut options = Vec::new();
    if sample.method != "GET" {
        options.push(format!("method: \"{}\"", sample.method));
    }
    let mut headers = Vec::new();
    if sample.has_key {
        headers.push(if sample.is_api_key() {
            "\"x-api-key\": process.env.ARB_KEY"
        } else {
            "Authorization: `Bearer ${process.env.ARB_KEY}`"
        });
    }
    let of_body = sample.body.map(|body| format!("\"Content-Type\": \"{}\"", media_of(body)));
    headers.extend(of_body.as_deref());
    if !headers.is_empty() {
        options.push(format!("headers: {{{}}}", headers.join(", ")));
    }
    if let Some(body) = sample.body {
        let text = if body.is_string() { body.to_string() } else { format!("JSON.stringify({body})") };
        options.push(format!("body: {text}"));
    }
    let options = if options.is_empty() { String::new() } else { format!(", {{{}}}", options.join(", ")) };
    let path = sample.path;
    let print = if sample.is_json {
        "console.log(await answer.json());"
    } else {
        "for await (const piece of answer.body) process.stdout.write(piece);"
    };
    format!("const answer = await fetch(`${{process.env.ARB_URL}}{path}`{options});\n{print}\n")
}
