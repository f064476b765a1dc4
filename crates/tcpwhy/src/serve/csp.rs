//! Content security policy: a page runs the scripts that it was built with, and nothing else.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// For what is no page: it may load and run nothing.
pub(super) const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

/// The policy for a page of one file: its scripts and styles by their hashes, requests to where it came from, nothing from elsewhere,
/// no `eval`, no frame around it.
pub(super) fn of(page: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src 'self' data:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hashes(page, "script"),
        hashes(page, "style"),
    )
}

/// The hashes of the contents of all elements of that name; `'none'` where there are none.
fn hashes(page: &str, element: &str) -> String {
    let (opening, closing) = (format!("<{element}"), format!("</{element}>"));
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once(&opening)
        && let Some((_, inside)) = after.split_once('>')
        && let Some((content, after)) = inside.split_once(&closing)
    {
        found.push(format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content))));
        rest = after;
    }
    if found.is_empty() { "'none'".to_owned() } else { found.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_styles_are_allowed_by_their_contents() {
        let policy = of("<script type=\"module\">alert(1)</script><p><style a>p{}</style>");
        // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
        assert!(
            policy.contains("script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';")
        );
        assert!(policy.contains("style-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }

    #[test]
    fn a_page_without_scripts_may_run_none() {
        assert!(of("<p>").contains("script-src 'none'; style-src 'none'"));
    }
}
