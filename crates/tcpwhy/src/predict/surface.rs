//! A sweep as a picture, and as a page that needs nothing else.

use std::fmt::Write as _;

use super::sweep::{Axis, Row, shown};
use super::words::{Cell, Column, Words};
use svg::Document;
use svg::node::element::{Rectangle, Text, Title};
use tcpwhy_core::advice::quantity::{rate, span};

/// Size of a cell, and of the room for the labels around, in pixels.
const CELL: (usize, usize) = (30, 26);
const MARGIN: (usize, usize) = (130, 60);
/// As wide as the window at most, in the reader's light or dark; a wide table can be moved by itself.
const STYLE: &str = ":root{color-scheme:light dark}body{font-family:sans-serif;margin:1.5em}\
     h1{font-size:1.3em}svg{max-width:100%;height:auto}div{overflow-x:auto}\
     td,th{padding:0 .8em;text-align:right;white-space:nowrap}";
/// Every so many columns has a label.
const LABELLED: usize = 4;

/// What was swept.
pub(super) struct Surface<'a> {
    pub(super) words: &'static dyn Words,
    pub(super) across: &'a Axis,
    pub(super) down: Option<&'a Axis>,
    pub(super) table: &'a [Row],
}

impl Surface<'_> {
    /// The heat map.
    pub(super) fn svg(&self) -> String {
        let (columns, rows) = (self.across.values.len(), self.table.len());
        let (width, height) = (MARGIN.0 + columns * CELL.0 + 40, MARGIN.1 + rows * CELL.1 + 40);
        let mut picture = Document::new()
            .set("lang", self.words.tag())
            .set("viewBox", (0, 0, width, height))
            .set("width", width)
            .set("height", height)
            .set("font-family", "sans-serif")
            .set("font-size", 12)
            .add(Rectangle::new().set("width", width).set("height", height).set("fill", "#ffffff"))
            .add(label(10, 22, "start", &self.title()));
        for (n, (below, row)) in self.table.iter().rev().enumerate() {
            let y = MARGIN.1 + n * CELL.1;
            let name = self.down.zip(*below).map_or(String::new(), |(axis, v)| {
                format!("{} {}", axis.name, shown(axis.what, v))
            });
            picture = picture.add(label(MARGIN.0 - 8, y + 17, "end", &name));
            for (column, point) in row.iter().enumerate() {
                let value = shown(self.across.what, point.value);
                let across = format!("{} {value}", self.across.name);
                let down = self.down.is_some().then_some(name.as_str());
                let (rate_bps, prediction) = (point.rate_bps, &point.answer.prediction);
                let text = self.words.cell(&Cell { across: &across, down, rate_bps, prediction });
                let cell = Rectangle::new()
                    .set("x", MARGIN.0 + column * CELL.0)
                    .set("y", y)
                    .set("width", CELL.0 - 1)
                    .set("height", CELL.1 - 1)
                    .set("fill", color(point.part))
                    .add(Title::new(text));
                picture = picture.add(cell);
            }
        }
        let y = MARGIN.1 + rows * CELL.1 + 18;
        for (column, value) in self.across.values.iter().enumerate().step_by(LABELLED) {
            let x = MARGIN.0 + column * CELL.0 + CELL.0 / 2;
            picture = picture.add(label(x, y, "middle", &shown(self.across.what, *value)));
        }
        picture.to_string()
    }

    /// The heat map with its numbers below.
    pub(super) fn html(&self) -> String {
        let mut page = format!(
            "<!doctype html>\n<html lang=\"{}\"><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>tcpwhy predict</title>\n\
             <style>{STYLE}</style>\n<h1>{}</h1>\n{}\n<div><table><tr>",
            self.words.tag(),
            self.title(),
            self.svg()
        );
        let names = self.down.iter().map(|d| d.name.as_str()).chain([self.across.name.as_str()]);
        let columns = [Column::Time, Column::Rate, Column::OfTheLink, Column::Limit];
        for name in names.chain(columns.map(|c| self.words.column(c))) {
            let _ = write!(page, "<th>{name}</th>");
        }
        for (below, row) in self.table {
            for point in row {
                let p = &point.answer.prediction;
                page.push_str("</tr>\n<tr>");
                let below = self.down.zip(*below).map(|(axis, v)| shown(axis.what, v));
                let cells = [
                    shown(self.across.what, point.value),
                    span(p.time),
                    rate(point.rate_bps),
                    self.words.percent(point.part),
                    self.words.phase(p.limit()).to_owned(),
                ];
                for cell in below.into_iter().chain(cells) {
                    let _ = write!(page, "<td>{cell}</td>");
                }
            }
        }
        page.push_str("</tr></table></div></html>\n");
        page
    }

    fn title(&self) -> String {
        self.words.sweep(&self.across.name, self.down.map(|d| d.name.as_str()))
    }
}

fn label(x: usize, y: usize, anchor: &str, text: &str) -> Text {
    Text::new(text).set("x", x).set("y", y).set("text-anchor", anchor).set("fill", "#222222")
}

/// From almost white to dark blue; it reads in grey, too.
fn color(part: f64) -> String {
    let mix = |from: f64, to: f64| (from + (to - from) * part).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(240.0, 12.0), mix(244.0, 60.0), mix(250.0, 120.0))
}
