//! SVG to PNG, by resvg.

use super::Error;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Group, Node, Options, Tree};

/// Pixels of the PNG for one of the SVG, so that it is sharp on dense screens and on paper.
const SCALE: f32 = 2.0;

/// The picture as a PNG file.
///
/// # Errors
/// `svg` is none, or no font is installed, or none that has its letters.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let failed = |e: &dyn std::fmt::Display| Error::Draw(e.to_string());
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let first = fonts.faces().next().and_then(|face| face.families.first().map(|f| f.0.clone()));
    let first = first.ok_or(Error::NoFont)?;
    // The database's own default is Arial, which most systems do not have.
    let has = |name: &str| fonts.faces().any(|f| f.families.iter().any(|(n, _)| n == name));
    let known = ["DejaVu Sans", "Noto Sans", "Liberation Sans", "Helvetica", "Arial"];
    let chosen = known.into_iter().find(|name| has(name)).map_or(first, str::to_owned);
    fonts.set_sans_serif_family(chosen);
    let tree = Tree::from_str(svg, &options).map_err(|e| failed(&e))?;
    if let Some(letters) = missing(tree.root()) {
        return Err(Error::NoGlyph(letters));
    }
    let size = tree.size();
    let side = |pixels: f32| (pixels * SCALE).round() as u32;
    let mut pixmap = Pixmap::new(side(size.width()), side(size.height()))
        .ok_or_else(|| failed(&"it has no extent"))?;
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|e| failed(&e))
}

/// The first letters that no installed font has.
fn missing(group: &Group) -> Option<String> {
    group.children().iter().find_map(|node| match node {
        Node::Group(group) => missing(group),
        Node::Text(text) => {
            let mut glyphs = text.layouted().iter().flat_map(|span| &span.positioned_glyphs);
            // Glyph 0 of every font is the box that stands for what it has not (OpenType, "Recommendations: glyph 0").
            glyphs.find(|glyph| glyph.id.0 == 0).map(|glyph| glyph.text.clone())
        }
        _ => None,
    })
}
