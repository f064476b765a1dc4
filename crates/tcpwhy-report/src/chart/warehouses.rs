//! The three warehouses: send buffer, road and receive buffer, drawn to one scale and filled as at one moment; as in
//! `web/src/warehouses.ts`.

use super::canvas::{Area, Done, sheet, told, words};
use super::plan::highest;
use super::words::{Store as Name, store};
use super::{Subject, colour};
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;
use tcpwhy_core::advice::quantity;
use tcpwhy_core::model::{Direction, Limit};
use tcpwhy_core::picture::Series;
use tcpwhy_core::units::{Nanos, bits_per_second};

/// Pixels: the drawing, where a store stands, the largest one, a road's height.
const SIZE: (u32, u32) = (1200, 300);
const PLACES: [i32; 3] = [40, 430, 820];
const FLOOR: i32 = 210;
const LARGEST: (f64, f64) = (330.0, 130.0);
const ROAD: i32 = 40;

/// What lies in a store of this capacity, in bytes.
struct Store {
    name: String,
    capacity: u64,
    filled: u64,
    lies: bool,
}

/// The stores of `subject` in the middle of what its picture shows.
pub(super) fn draw(title: &str, subject: &Subject<'_>) -> Result<String, String> {
    let at = subject.picture.middle();
    let d = &subject.connection.directions[subject.from as usize];
    let stores = [sender(subject, d, at), road(subject, d, at), receiver(subject, d, at)];
    let largest = stores.iter().map(|s| s.capacity).max().unwrap_or(1).max(1);
    let moment = quantity::span(at - subject.connection.start);
    sheet(SIZE, &format!("{title}, {moment}"), |root| {
        PLACES.into_iter().zip(&stores).try_for_each(|(x, store)| paint(root, store, x, largest))
    })
}

/// What is unacknowledged stays in the send buffer; its size is only known where it held the transfer. A socket's own buffer bounds the
/// memory that the data takes (`sk_wmem_queued` against `sk_sndbuf`), not the data.
fn sender(s: &Subject<'_>, d: &Direction, at: Nanos) -> Store {
    let name = |name| store(s.language, name).to_owned();
    if let Some(held) = &s.picture.sockets.as_deref().map(|both| &both[s.from as usize])
        && !held.send_memory.points().is_empty()
    {
        return Store {
            name: name(Name::Sender),
            capacity: highest([&held.send_buffer]) as u64,
            filled: value(&held.send_memory, at, 0),
            lies: false,
        };
    }
    let held = d.timeline.iter().filter(|i| i.limit == Limit::SendBuffer);
    let plateau = held.map(|i| i.evidence.flight).max().unwrap_or(0);
    Store {
        name: name(if plateau > 0 { Name::Sender } else { Name::UnknownSender }),
        capacity: plateau.max(d.facts.max_flight.into()),
        filled: value(&track(s).flight, at, 0),
        lies: false,
    }
}

/// What the path holds: at its own rate, or where that does not show at the highest that it carried, or would carry by the prediction.
fn road(s: &Subject<'_>, d: &Direction, at: Nanos) -> Store {
    let predicted = d
        .what_if
        .iter()
        .filter(|w| w.next == Limit::PathBandwidth)
        .map(|w| bits_per_second(d.bytes, w.transfer))
        .max();
    let seen = predicted.unwrap_or(0).max(d.facts.peak_bps);
    let rate = if d.facts.path_bps > 0 { d.facts.path_bps } else { seen } / 8;
    let holds = (rate as f64 * d.facts.rtt_floor.secs()) as u64;
    let filled = value(&track(s).flight, at, 0).min(holds);
    Store { name: store(s.language, Name::Road).to_owned(), capacity: holds, filled, lies: true }
}

/// What the window fell by is data that the application has not read.
fn receiver(s: &Subject<'_>, d: &Direction, at: Nanos) -> Store {
    let name = store(s.language, Name::Receiver).to_owned();
    // A direction has both of its sockets, as on the page: that of its sender, and that of its receiver.
    if let Some(held) = &s.picture.sockets.as_deref().map(|both| &both[s.from as usize])
        && !held.receive_queue.points().is_empty()
    {
        let (capacity, filled) =
            (highest([&held.receive_buffer]) as u64, value(&held.receive_queue, at, 0));
        return Store { name, capacity, filled, lies: false };
    }
    let widest = d.facts.max_window.into();
    let filled = widest - value(&track(s).window, at, widest).min(widest);
    Store { name, capacity: widest, filled, lies: false }
}

fn track<'a>(s: &Subject<'a>) -> &'a tcpwhy_core::picture::Track {
    &s.picture.tracks[s.from as usize]
}

/// What held at a moment; `before` the first sample.
fn value(series: &Series, at: Nanos, before: u64) -> u64 {
    let last = series.points().iter().take_while(|p| p.from <= at).last();
    last.map_or(before, |p| u64::try_from(p.high).unwrap_or(0))
}

/// A warehouse fills from below, a road from the left. Areas are in proportion: a hundred times the bytes is ten times the side.
fn paint(root: &Area<'_>, s: &Store, x: i32, largest: u64) -> Done {
    let side = (s.capacity as f64 / largest as f64).sqrt();
    let wide = (LARGEST.0 * side).max(24.0) as i32;
    let high = if s.lies { ROAD } else { (LARGEST.1 * side).max(16.0) as i32 };
    let part = (s.filled as f64 / s.capacity.max(1) as f64).min(1.0);
    let share = |length: i32| (f64::from(length) * part) as i32;
    let full = if s.lies {
        [(x, FLOOR - high), (x + share(wide), FLOOR)]
    } else {
        [(x, FLOOR - share(high)), (x + wide, FLOOR)]
    };
    root.draw(&Rectangle::new(full, colour::DATA.filled())).map_err(told)?;
    let walls = [(x, FLOOR - high), (x + wide, FLOOR)];
    root.draw(&Rectangle::new(walls, colour::INK.stroke_width(2))).map_err(told)?;
    words(root, &s.name, (x, FLOOR + 14), 14, HPos::Left, &colour::INK)?;
    let told = format!("{} / {}", quantity::buffer(s.filled), quantity::buffer(s.capacity));
    words(root, &told, (x, FLOOR + 36), 14, HPos::Left, &colour::INK_SOFT)
}
