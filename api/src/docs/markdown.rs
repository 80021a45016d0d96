//! Markdown as a page of HTML: headings have anchors, links between guides lead to pages, and what is not served is no link.
//!
//! It never passes HTML of a text on: what looks like it is shown as it is.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use super::guides::GUIDES;

/// The first heading of a text, without its marks.
pub(super) fn title(text: &'static str) -> &'static str {
    text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default()
}

/// A whole page.
pub(super) fn page(title: &str, text: &str) -> String {
    let mut body = String::new();
    html::push_html(&mut body, events(text).into_iter());
    let mut shown = String::new();
    html::push_html(&mut shown, [Event::Text(CowStr::from(title.replace('`', "")))].into_iter());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{shown}</title>\n<link rel=\"stylesheet\" href=\"/docs/style.css\">\n\
         <nav><a href=\"/\">Board</a><a href=\"/docs\">API</a></nav>\n<main>\n{body}</main>\n</html>\n"
    )
}

fn events(text: &str) -> Vec<Event<'_>> {
    // No link is inside another.
    let mut is_dropped = false;
    let parsed = Parser::new_ext(text, Options::ENABLE_TABLES);
    let mut events: Vec<_> = parsed.filter_map(|event| served(event, &mut is_dropped)).collect();
    for at in 0..events.len() {
        if matches!(events[at], Event::Start(Tag::Heading { .. })) {
            let anchor = anchor(&events[at + 1..]);
            if let Event::Start(Tag::Heading { id, .. }) = &mut events[at] {
                *id = Some(CowStr::from(anchor));
            }
        }
    }
    events
}

/// The event as it is served; nothing of a link whose target is not served, but its text.
fn served<'a>(event: Event<'a>, is_dropped: &mut bool) -> Option<Event<'a>> {
    Some(match event {
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let target = target(&dest_url);
            *is_dropped = target.is_none();
            Event::Start(Tag::Link { link_type, dest_url: CowStr::from(target?), title, id })
        }
        Event::End(TagEnd::Link) if *is_dropped => return None,
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        other => other,
    })
}

/// Where a link of a guide leads to; `None` for a file of the repository that is not served.
fn target(link: &str) -> Option<String> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let name = file.strip_suffix(".md").map(|file| file.rsplit('/').next().unwrap_or(file));
    match name {
        _ if link.contains("://") || link.starts_with('/') || file.is_empty() => Some(link.to_owned()),
        _ if file == "../page.md" => Some("/".to_owned()),
        Some(name) if !file.contains('/') && GUIDES.iter().any(|guide| guide.name == name) => {
            let mark = if anchor.is_empty() { "" } else { "#" };
            Some(format!("/docs/{name}{mark}{anchor}"))
        }
        _ => None,
    }
}

/// The anchor of a heading, as the text's own links have it: lower case, hyphens for spaces, letters and digits.
fn anchor(rest: &[Event<'_>]) -> String {
    let inside = rest.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let text = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    let text: String = text.collect::<String>().to_lowercase();
    let kept = text.chars().filter(|letter| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}
