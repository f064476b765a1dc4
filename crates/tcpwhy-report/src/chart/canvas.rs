//! A plan on paper: axes and grid by plotters, layers in pixels.

use super::marks::{self, symbols};
use super::pixels::{Frame, columns, stairs};
use super::plan::{Entry, Layer, Plan};
use super::unit::Measure;
use super::{Subject, colour};
use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use tcpwhy_core::advice::{Language, limit_label};
use tcpwhy_core::model::Interval;
use tcpwhy_core::picture::Point;
use unicode_width::UnicodeWidthStr;

const SIZE: (u32, u32) = (1200, 480);
/// A band has no values upwards: it needs little room.
const BAND_HEIGHT: u32 = 160;
/// Where the legend begins.
const LINE: i32 = 39;
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Done = Result<(), String>;

/// The chart as SVG.
pub(super) fn draw(plan: &Plan<'_>, title: &str, subject: &Subject<'_>) -> Result<String, String> {
    let size = (SIZE.0, if plan.measure.is_some() { SIZE.1 } else { BAND_HEIGHT });
    sheet(size, title, |root| {
        legend(root, &plan.entries)?;
        let two = marks::legend(root, &plan.layers, LINE + 22, subject)?;
        let frame = axes(root, plan, subject, if two { 84 } else { 62 })?;
        for layer in &plan.layers {
            paint(root, &frame, layer, subject.language)?;
        }
        Ok(())
    })
}

/// A drawing of this size on the ground, under its title, as SVG.
pub(super) fn sheet(
    size: (u32, u32),
    title: &str,
    draw: impl FnOnce(&Area<'_>) -> Done,
) -> Result<String, String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        root.fill(&colour::GROUND).map_err(told)?;
        words(&root, title, (16, 12), 17, HPos::Left, &colour::INK)?;
        draw(&root)?;
        root.present().map_err(told)?;
    }
    Ok(text)
}

pub(super) fn told(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// Draws axes with ticks in round numbers below `top`; where the data goes.
fn axes(root: &Area<'_>, plan: &Plan<'_>, s: &Subject<'_>, top: i32) -> Result<Frame, String> {
    let span = s.connection.duration.0.max(1000);
    let air = span / 100;
    let time = Measure::Time.unit(span as f64);
    let (low, high) = plan.values;
    let room = ((high - low) * 0.05).max(1.0);
    let (low, high) = (if low > 0.0 { low - room } else { low }, high + room);
    let value = plan.measure.map(|m| m.unit(high));
    let size = value.map_or(1.0, |v| v.size);
    let seconds = |ns: i64| ns as f64 / time.size;
    let mut chart = ChartBuilder::on(root)
        .margin_top(top)
        .margin_right(20)
        .margin_bottom(8)
        .set_label_area_size(LabelAreaPosition::Left, if value.is_some() { 84 } else { 16 })
        .set_label_area_size(LabelAreaPosition::Bottom, 28)
        .build_cartesian_2d(seconds(-air)..seconds(span + air), low / size..high / size)
        .map_err(told)?;
    let across = |v: &f64| time.tick(*v);
    let upwards = |v: &f64| value.map_or_else(String::new, |unit| unit.tick(*v));
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(colour::GRID)
        .axis_style(colour::GRID)
        .label_style(("sans-serif", 14, &colour::INK_SOFT))
        .x_labels(10)
        .y_labels(7)
        .x_label_formatter(&across)
        .y_label_formatter(&upwards);
    if value.is_none() {
        mesh.disable_y_mesh().y_labels(0);
    }
    mesh.draw().map_err(told)?;
    let (left, top) = chart.backend_coord(&(seconds(-air), high / size));
    let (right, bottom) = chart.backend_coord(&(seconds(span + air), low / size));
    let start = s.connection.start.0;
    let times = (start.saturating_sub(air), start.saturating_add(span + air));
    Ok(Frame { x: (left, right), y: (top, bottom), time: times, value: (low, high) })
}

fn legend(root: &Area<'_>, entries: &[Entry]) -> Done {
    let mut x = 16;
    for e in entries {
        line(root, vec![(x, 46), (x + 20, 46)], 3, e.dashed, &e.colour)?;
        words(root, &e.text, (x + 26, LINE), 14, HPos::Left, &colour::INK)?;
        x += 52 + width(&e.text);
    }
    Ok(())
}

fn paint(root: &Area<'_>, f: &Frame, layer: &Layer<'_>, language: Language) -> Done {
    match layer {
        Layer::Bars(series, colour, wide) => boxes(root, f, series.points(), colour, *wide, true),
        Layer::Dots(series, colour) => boxes(root, f, series.points(), colour, 3, false),
        Layer::Stairs { points, colour, dashed, filled } => {
            for points in stairs(&columns(points, f), f) {
                if *filled {
                    under(root, f, &points, colour)?;
                }
                line(root, points, 1, *dashed, colour)?;
            }
            Ok(())
        }
        Layer::Level(from, to, value, colour) => {
            let Some(y) = f.y_of(*value) else { return Ok(()) };
            let ends = [from, to].map(|t| f.x_of(t.0.clamp(f.time.0, f.time.1)));
            line(root, ends.map(|x| (x, y)).to_vec(), 2, false, colour)
        }
        Layer::Marks(marks) => symbols(root, f, marks),
        Layer::Parts(parts) => timeline(root, f, parts, language),
    }
}

/// A box a column; what is above the drawing is cut off.
fn boxes(
    root: &Area<'_>,
    f: &Frame,
    points: &[Point],
    ink: &RGBColor,
    wide: i32,
    lasting: bool,
) -> Done {
    for c in columns(points, f) {
        let Some(bottom) = f.y_of(c.low as f64) else { continue };
        let top = f.y_of(c.high as f64).unwrap_or(f.y.0);
        let (left, right) = (c.x - wide / 2, if lasting { c.end } else { c.x });
        let corners = [(left, top - 1), (right.max(left) + wide - wide / 2, bottom + 1)];
        root.draw(&Rectangle::new(corners, ink.filled())).map_err(told)?;
    }
    Ok(())
}

/// What is under a line, faintly.
fn under(root: &Area<'_>, f: &Frame, points: &[(i32, i32)], ink: &RGBColor) -> Done {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Ok(()) };
    let mut shape = points.to_vec();
    shape.extend([(last.0, f.y.1), (first.0, f.y.1)]);
    root.draw(&Polygon::new(shape, ink.mix(0.12))).map_err(told)
}

pub(super) fn line(
    root: &Area<'_>,
    points: Vec<(i32, i32)>,
    wide: u32,
    dashed: bool,
    ink: &RGBColor,
) -> Done {
    let style = ink.stroke_width(wide);
    if dashed {
        return root.draw(&DashedPathElement::new(points, 5, 3, style)).map_err(told);
    }
    root.draw(&PathElement::new(points, style)).map_err(told)
}

/// What is wide enough says its name: nobody has to tell colours apart.
fn timeline(root: &Area<'_>, f: &Frame, parts: &[Interval], language: Language) -> Done {
    for i in parts {
        let (left, right) = (f.x_of(i.from.0), f.x_of(i.to.0));
        let corners = [(left, f.y.0), (right.max(left + 1), f.y.1)];
        root.draw(&Rectangle::new(corners, colour::limit(i.limit).filled())).map_err(told)?;
    }
    for same in parts.chunk_by(|a, b| a.limit == b.limit) {
        let (Some(first), Some(last)) = (same.first(), same.last()) else { continue };
        let (left, right) = (f.x_of(first.from.0), f.x_of(last.to.0));
        let name = limit_label(first.limit, language);
        if right - left > width(name) + 8 {
            let at = ((left + right) / 2, (f.y.0 + f.y.1) / 2 - 8);
            words(root, name, at, 14, HPos::Center, &colour::on(first.limit))?;
        }
    }
    Ok(())
}

/// Pixels that a text of 14 pixels takes at most. No font is asked: the letters of most are narrower than this.
pub(super) fn width(text: &str) -> i32 {
    i32::try_from(text.width()).unwrap_or_default() * 8
}

pub(super) fn words(
    root: &Area<'_>,
    text: &str,
    at: (i32, i32),
    size: u32,
    align: HPos,
    ink: &RGBColor,
) -> Done {
    let style = ("sans-serif", size).into_text_style(root).color(ink);
    let style = style.pos(Pos::new(align, VPos::Top));
    root.draw(&Text::new(text.to_owned(), at, style)).map_err(told)
}
