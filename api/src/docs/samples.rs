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
        line += " -H \"Authorization: Bearer $ARB_KEY\"";
    }
    if let Some(body) = sample.body {
        let text = body.to_string().replace('\'', "'\\''");
        let _ = write!(line, " -H 'Content-Type: application/json' -d '{text}'");
    }
    let _ = write!(line, " \"$ARB_URL{}\"", sample.path);
    line
}

fn python(sample: &Sample<'_>) -> String {
    let mut headers = Vec::new();
    if sample.has_key {
        headers.push("\"Authorization\": \"Bearer \" + os.environ[\"ARB_KEY\"]");
    }
    if sample.body.is_some() {
        headers.push("\"Content-Type\": \"application/json\"");
    }
    let imports = if sample.is_json || sample.body.is_some() { "json, os" } else { "os" };
    let mut text = format!("import {imports}, urllib.request\n\nheaders = {{{}}}\n", headers.join(", "));
    let data = match sample.body {
        Some(body) => {
            let quoted = serde_json::to_string(&body.to_string()).unwrap_or_default();
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
        headers.push("Authorization: `Bearer ${process.env.ARB_KEY}`");
    }
    if sample.body.is_some() {
        headers.push("\"Content-Type\": \"application/json\"");
    }
    if !headers.is_empty() {
        options.push(format!("headers: {{{}}}", headers.join(", ")));
    }
    if let Some(body) = sample.body {
        options.push(format!("body: JSON.stringify({body})"));
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
