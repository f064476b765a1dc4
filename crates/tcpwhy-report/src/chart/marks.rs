//! Symbols of moments, and what they mean. As in `web/src/charts/sequence.ts`.

use super::canvas::{Area, Done, width, words};
use super::pixels::Frame;
use super::plan::{Layer, Marked};
use super::words::mark as name;
use super::{Subject, colour};
use plotters::style::text_anchor::HPos;
use std::collections::HashSet;
use tcpwhy_core::picture::Mark;

/// Symbols of one kind that are told apart; where there are more they would only hide the data.
const MOST: usize = 150;
/// Room of a symbol, pixels.
const ROOM: (i32, i32) = (9, 12);

/// By what it tells: of two that would cover each other the first is drawn.
const ORDER: [Mark; Mark::ALL.len()] = [
    Mark::Timeout,
    Mark::Rst,
    Mark::ZeroWindow,
    Mark::Syn,
    Mark::Fin,
    Mark::Reduced,
    Mark::Marked,
    Mark::Echo,
    Mark::WindowFull,
    Mark::DuplicateAck,
];

/// What ACKs tell stands below their line, what data tells above its own.
fn is_below(kind: Mark) -> bool {
    matches!(kind, Mark::ZeroWindow | Mark::Echo | Mark::DuplicateAck)
}

/// The kinds that are drawn.
fn drawn(marks: &[Marked]) -> impl Iterator<Item = Mark> {
    let count = |kind| marks.iter().filter(|m| m.0 == kind).count();
    ORDER.into_iter().filter(move |kind| (1..=MOST).contains(&count(*kind)))
}

/// Draws them, none over another.
pub(super) fn symbols(root: &Area<'_>, f: &Frame, marks: &[Marked]) -> Done {
    let mut taken = HashSet::new();
    for kind in drawn(marks) {
        for (_, time, place, _) in marks.iter().filter(|m| m.0 == kind) {
            let Some(y) = f.y_of(*place as f64) else { continue };
            let x = f.x_of(time.0);
            let y = if is_below(kind) { y + 4 } else { y - 20 };
            let (column, line) = (x / ROOM.0, y / ROOM.1);
            let mut around =
                (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (column + dx, line + dy)));
            if around.all(|place| !taken.contains(&place)) {
                taken.insert((column, line));
                words(root, symbol(kind), (x, y), 13, HPos::Center, &colour::INK)?;
            }
        }
    }
    Ok(())
}

/// What the symbols of a plan mean, in a line; whether there are any.
pub(super) fn legend(
    root: &Area<'_>,
    layers: &[Layer<'_>],
    y: i32,
    s: &Subject<'_>,
) -> Result<bool, String> {
    let marks = layers.iter().find_map(|layer| match layer {
        Layer::Marks(marks) => Some(*marks),
        _ => None,
    });
    let mut x = 16;
    for kind in drawn(marks.unwrap_or_default()) {
        let text = name(s.language, kind);
        words(root, symbol(kind), (x + 4, y), 14, HPos::Center, &colour::INK)?;
        words(root, text, (x + 14, y), 14, HPos::Left, &colour::INK_SOFT)?;
        x += 36 + width(text);
    }
    Ok(x > 16)
}

fn symbol(mark: Mark) -> &'static str {
    match mark {
        Mark::ZeroWindow => "0",
        Mark::WindowFull => "F",
        Mark::DuplicateAck => "d",
        Mark::Marked => "C",
        Mark::Echo => "E",
        Mark::Reduced => "W",
        Mark::Syn => "S",
        Mark::Fin => "X",
        Mark::Rst => "!",
        Mark::Timeout => "R",
    }
}
