//! How a route is called: by curl, from Python and from JavaScript, each with nothing but what it comes with.
//!
//! The address, the key and the ids of a path come from the environment: `ARB_URL`, `ARB_KEY`, `ARB_ID`. An error ends a sample with a status that is
//! not 0, after its text. It never shows a key.

use std::fmt::Write as _;

use serde_json::Value;

/// A request to be shown.
pub(super) struct Sample<'a> {
    pub(super) method: &'a str,
    /// With names in braces where an id is to be put.
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

/// The variable of the environment that holds an id of a path.
pub(super) fn variable(name: &str) -> String {
    format!("ARB_{}", name.to_uppercase())
}

/// A path with each name in braces as a language spells its variable.
fn spelt(path: &str, spell: fn(&str) -> String) -> String {
    let mut parts = path.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('}').unwrap_or((part, ""));
        text += &spell(&variable(name));
        text += rest;
    }
    text
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
    let mut line = "curl -sN --fail-with-body".to_owned();
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
    let _ = write!(line, " \"$ARB_URL{}\"", spelt(sample.path, |name| format!("${name}")));
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
    let mut text =
        format!("import {imports}, urllib.error, urllib.request\n\nheaders = {{{}}}\n", headers.join(", "));
    let data = match sample.body {
        Some(body) => {
            let quoted = Value::String(text_of(body));
            let _ = writeln!(text, "data = {quoted}.encode()");
            "data"
        }
        None => "None",
    };
    let (method, path) = (sample.method, spelt(sample.path, |name| format!("{{os.environ['{name}']}}")));
    let _ = writeln!(
        text,
        "url = f\"{{os.environ['ARB_URL']}}{path}\"\n\
         request = urllib.request.Request(url, {data}, headers, method=\"{method}\")\n\
         try:\n    with urllib.request.urlopen(request) as answer:"
    );
    text += if sample.is_json {
        "        print(json.load(answer))\n"
    } else {
        "        for line in answer:\n            print(line.decode(), end=\"\", flush=True)\n"
    };
    text + "except urllib.error.HTTPError as error:\n    raise SystemExit(error.read().decode())\n"
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
    let path = spelt(sample.path, |name| format!("${{process.env.{name}}}"));
    let print = if sample.is_json {
        "console.log(await answer.json());"
    } else {
        "for await (const piece of answer.body) process.stdout.write(piece);"
    };
    let fetch = format!("const answer = await fetch(`${{process.env.ARB_URL}}{path}`{options});");
    format!("{fetch}\nif (!answer.ok) throw new Error(await answer.text());\n{print}\n")
}
