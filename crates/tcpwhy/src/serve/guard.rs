//! Who may ask, and what every answer tells the browser not to do.

use super::app::App;
use super::csp;
use super::refusal::language;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, LOCATION,
    ORIGIN, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use tcpwhy_core::advice::Language;

/// What every answer says, unless it says something else itself.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, csp::NOTHING),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Lets a request pass or answers it, and adds the headers.
pub(super) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match admit(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => *refusal,
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn admit(app: &App, request: &Request<Body>) -> Result<(), Box<Response>> {
    let headers = request.headers();
    let refuse = |status: StatusCode, why: [&'static str; 2]| {
        let [en, zh] = why;
        let text = if language(headers) == Language::Zh { zh } else { en };
        Box::new((status, format!("{text}\n")).into_response())
    };
    let Some(host) = host(headers, request.uri(), app.token.is_none()) else {
        return Err(refuse(StatusCode::MISDIRECTED_REQUEST, OTHER_NAME));
    };
    if !is_own(headers, request.method(), host) {
        return Err(refuse(StatusCode::FORBIDDEN, OTHER_SITE));
    }
    let Some(token) = &app.token else { return Ok(()) };
    if let Some(given) = asked(request.uri()) {
        return Err(if token.is(given.as_bytes()) {
            Box::new(enter(&app.cookie, &given))
        } else {
            refuse(StatusCode::UNAUTHORIZED, WRONG)
        });
    }
    let bearer = headers.get(AUTHORIZATION).and_then(|v| v.as_bytes().strip_prefix(b"Bearer "));
    let cookie = cookie(headers, &app.cookie);
    if bearer.is_some_and(|t| token.is(t)) || cookie.is_some_and(|t| token.is(t)) {
        return Ok(());
    }
    Err(refuse(StatusCode::UNAUTHORIZED, WRONG))
}

/// Why nothing is shown, in English and in Simplified Chinese.
const OTHER_NAME: [&str; 2] = [
    "This name is not served: use the address that tcpwhy serve printed.",
    "不以此名称提供服务：请使用 tcpwhy serve 显示的地址。",
];
const OTHER_SITE: [&str; 2] = ["Requests of other sites are refused.", "拒绝来自其他网站的请求。"];
const WRONG: [&str; 2] = [
    "A token is needed: open the address that tcpwhy serve printed, with its ?token=...",
    "需要令牌：请打开 tcpwhy serve 显示的地址，包括其中的 ?token=...",
];

/// The host that was asked for, if it may be. A page of another site whose name suddenly points here (DNS rebinding) is told apart by
/// that name: without a token only names and addresses of this machine alone are served. With one any name is, for such a page does
/// not know the token and gets no cookie of ours. The port may be another one: it may be forwarded.
fn host<'a>(headers: &'a HeaderMap, uri: &Uri, alone: bool) -> Option<&'a str> {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return None };
    let host = host.to_str().ok()?;
    let elsewhere = uri.authority().is_some_and(|a| !a.as_str().eq_ignore_ascii_case(host));
    let fits = !elsewhere && !host.is_empty() && (!alone || is_loopback(host));
    fits.then_some(host)
}

fn is_loopback(host: &str) -> bool {
    if let Some(rest) = host.strip_prefix('[') {
        let Some((address, port)) = rest.split_once(']') else { return false };
        let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(digits);
        return is_port && address.parse() == Ok(Ipv6Addr::LOCALHOST);
    }
    let (name, port) = host.split_once(':').unwrap_or((host, ""));
    let address = name.parse::<IpAddr>().is_ok_and(|a| a.is_loopback());
    digits(port) && (address || name.eq_ignore_ascii_case("localhost"))
}

fn digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether it comes from one of our own pages, from no page at all, or is somebody following a link.
fn is_own(headers: &HeaderMap, method: &Method, host: &str) -> bool {
    let text = |name: &str| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
    if let Some(origin) = text(ORIGIN.as_str()) {
        let of = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        return of.is_some_and(|o| o.eq_ignore_ascii_case(host));
    }
    let follows = method == Method::GET && text("sec-fetch-mode") == Some("navigate");
    follows || matches!(text("sec-fetch-site"), None | Some("same-origin" | "none"))
}

/// `?token=`.
fn asked(uri: &Uri) -> Option<String> {
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    pairs.into_iter().find(|(name, _)| name == "token").map(|(_, value)| value)
}

/// Puts the token into a cookie and out of the address, where it would be seen and shared. `Lax`: the link may stand in a mail.
fn enter(cookie: &str, token: &str) -> Response {
    let value = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Lax");
    (StatusCode::SEE_OTHER, [(LOCATION, "/".to_owned()), (SET_COOKIE, value)]).into_response()
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a [u8]> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|v| v.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(key, _)| key.trim() == name);
    found.next().map(|(_, value)| value.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_alone_are_loopback() {
        for host in ["localhost", "LOCALHOST:99", "127.0.0.1:80", "127.9.9.9", "[::1]:5", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        let others = [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "10.0.0.1",
            "[::1",
            "[::2]",
            "[::1]x",
            "localhost:80@evil",
            "",
            "0.0.0.0",
        ];
        for host in others {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
