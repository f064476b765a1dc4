//! What a picture of one connection is painted from: time series in columns, bounded whatever the capture's length.
//!
//! A second look at the packets, after the analysis: where the capture was taken and how windows are scaled is known by then.
//!
//! ```text
//! Connection (answer) + Segments (again) -> Picture -> report's page, SVG
//! ```

mod flight;
mod series;
mod sockets;
mod track;
mod unwrap;

pub use series::{Point, Series};
pub use sockets::{SocketSample, Sockets};
pub use track::{Mark, Track};

use crate::model::{Connection, Side, WindowScale};
use crate::observe::{Endpoint, Segment};
use crate::units::Nanos;
use series::{ALWAYS, Stretch};
use track::Setting;

/// Points of a picture that are one in its [`Picture::glance`]: of a full series 16,384 are left, some a pixel of any screen.
const GLANCE: u32 = 64;

/// The series of one connection.
#[derive(Debug, Clone)]
pub struct Picture {
    client: Endpoint,
    server: Endpoint,
    from: Nanos,
    to: Nanos,
    limit: usize,
    stretch: Stretch,
    /// Client to server, server to client.
    pub tracks: [Track; 2],
    /// The same directions by the sockets' own account, where there are samples of them.
    pub sockets: Option<Box<[Sockets; 2]>>,
}

impl Picture {
    /// An empty picture of `connection`, with at most `limit` points a series.
    pub fn new(connection: &Connection, limit: usize) -> Self {
        Self::within(ALWAYS, connection, limit)
    }

    /// The same of one stretch of its time: all of its segments have to be pushed nevertheless, for what is in flight and where a byte is
    /// counted from are known from the beginning only.
    pub fn of_stretch(connection: &Connection, since: Nanos, until: Nanos, limit: usize) -> Self {
        Self::within((since, until), connection, limit)
    }

    fn within(stretch: Stretch, connection: &Connection, limit: usize) -> Self {
        let track = |side| Track::new(setting(connection, side, limit, stretch));
        Self {
            client: connection.client,
            server: connection.server,
            from: connection.opened,
            to: connection.start + connection.duration,
            limit,
            stretch,
            tracks: [track(Side::Client), track(Side::Server)],
            sockets: None,
        }
    }

    /// Whether a segment belongs to this connection: its ends and its time (ports are used again).
    pub fn takes(&self, s: &Segment) -> bool {
        let ends = (s.src, s.dst);
        let (c, v) = (self.client, self.server);
        (ends == (c, v) || ends == (v, c)) && self.from <= s.time && s.time <= self.to
    }

    /// Whether the connection was open at some time of the stretch.
    pub fn shows_any(&self) -> bool {
        let (since, until) = self.stretch;
        since <= self.to && self.from <= until
    }

    /// Whether it is of this moment: the last points before a stretch are kept only for what still holds.
    pub fn shows(&self, time: Nanos) -> bool {
        let (since, until) = self.stretch;
        since <= time && time <= until
    }

    /// The middle of what it shows.
    pub fn middle(&self) -> Nanos {
        let (since, until) = self.stretch;
        let (from, to) = (self.from.max(since), self.to.min(until));
        from + (to - from).scale(1, 2)
    }

    /// The next segment of the connection, in the order of the capture.
    pub fn push(&mut self, s: &Segment) {
        let [up, down] = &mut self.tracks;
        let (sender, other) = if s.src == self.client { (up, down) } else { (down, up) };
        sender.sent(s);
        other.answered(s);
    }

    /// A sample of one of the connection's two sockets, in the order of time; others are left out.
    pub fn sampled(&mut self, s: &SocketSample) {
        let from_client = (s.local, s.remote) == (self.client, self.server);
        let from_server = (s.remote, s.local) == (self.client, self.server);
        if !(from_client || from_server) || s.time < self.from || s.time > self.to {
            return;
        }
        let limit = self.limit;
        let fresh = || Box::new([Sockets::new(limit), Sockets::new(limit)]);
        let [up, down] = &mut **self.sockets.get_or_insert_with(fresh);
        let (sending, receiving) = if from_client { (up, down) } else { (down, up) };
        sending.sender(s);
        receiving.receiver(s);
    }

    /// The level above, where points were merged already: less than a screen can tell apart of the whole, quickly read.
    pub fn glance(&self) -> Option<Self> {
        self.tracks.iter().any(Track::is_merged).then(|| {
            let tracks = self.tracks.each_ref().map(|track| track.coarser(GLANCE));
            Self { tracks, ..self.clone() }
        })
    }

    /// After the last segment.
    pub fn finish(&mut self) {
        self.tracks.iter_mut().for_each(Track::finish);
    }
}

/// How the direction from `side` is to be read.
fn setting(c: &Connection, side: Side, limit: usize, stretch: Stretch) -> Setting {
    let [up, down] = &c.directions;
    let (direction, share) = match side {
        Side::Client => (up, c.vantage.position),
        Side::Server => (down, 1.0 - c.vantage.position),
    };
    let scale = match direction.facts.scale {
        WindowScale::Known(shift) => shift,
        WindowScale::Absent => 0,
        WindowScale::Inferred { min, .. } => min,
    };
    // A leg is passed twice in a round trip.
    let share = (share.clamp(0.0, 1.0) * 1000.0) as i64;
    Setting { scale, leg: c.rtt.min.scale(share, 2000), rtt: c.rtt.min, limit, stretch }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analyzer;
    use crate::observe::flags;
    use crate::whatif::traffic::{Scenario, simulate};

    fn picture(scenario: &Scenario, position: f64) -> Picture {
        let segments = simulate(scenario).capture(position);
        let mut analyzer = Analyzer::new();
        segments.iter().for_each(|s| analyzer.push(s));
        let connections = analyzer.finish();
        let mut picture = Picture::new(&connections[0], 1 << 20);
        for s in segments.iter().filter(|s| picture.takes(s)).collect::<Vec<_>>() {
            picture.push(s);
        }
        picture.finish();
        picture
    }

    /// The direction with the data.
    fn track(picture: &Picture) -> &Track {
        let [up, down] = &picture.tracks;
        if up.data.points().len() > down.data.points().len() { up } else { down }
    }

    #[test]
    fn the_flight_of_a_full_send_buffer_is_the_same_from_both_ends() {
        let scenario = Scenario { send_buffer: 16 * 1024, ..Scenario::default() };
        let peak = |position| {
            let picture = picture(&scenario, position);
            track(&picture).flight.points().iter().map(|p| p.high).max().unwrap_or_default()
        };
        let (sender, receiver) = (peak(0.0), peak(1.0));
        assert!(sender > 8 * 1024, "{sender}");
        // An ACK and the data that it releases are apart by less than one segment's time on the link.
        assert!((sender - receiver).abs() <= 2 * 1460, "{sender} {receiver}");
    }

    #[test]
    fn every_byte_is_drawn_once_and_acknowledged() {
        let scenario = Scenario::default();
        let picture = picture(&scenario, 0.0);
        let track = track(&picture);
        let drawn: i64 = track.data.points().iter().map(|p| p.high - p.low).sum();
        let acked = track.acks.points().iter().map(|p| p.high).max();
        // The FIN takes a number, too.
        assert!(acked == Some(drawn) || acked == Some(drawn + 1), "{drawn} {acked:?}");
        assert!(!track.rtt.points().is_empty());
        assert!(track.rtt.points().iter().all(|p| p.low >= scenario.rtt.0));
        assert!(picture.glance().is_none(), "each packet is a point");
    }

    #[test]
    fn a_sample_tells_of_one_direction_as_its_sender_and_of_the_other_as_its_receiver() {
        let mut picture = picture(&Scenario::default(), 0.0);
        let sample = SocketSample {
            time: picture.from,
            local: picture.client,
            remote: picture.server,
            send_queue: 1,
            send_memory: 2,
            send_buffer: 3,
            receive_queue: 4,
            receive_buffer: 5,
            cwnd: 6,
            ssthresh: None,
        };
        picture.sampled(&SocketSample { remote: picture.client, ..sample });
        picture.sampled(&SocketSample { time: picture.to + Nanos(1), ..sample });
        assert!(picture.sockets.is_none(), "another socket, another time");
        picture.sampled(&sample);
        let [up, down] = *picture.sockets.unwrap();
        let first = |s: &Series| s.points().first().map(|p| p.high);
        assert_eq!((first(&up.send_queue), first(&up.cwnd)), (Some(1), Some(6)));
        assert_eq!((first(&up.ssthresh), first(&up.receive_queue)), (None, None));
        assert_eq!((first(&down.receive_queue), first(&down.receive_buffer)), (Some(4), Some(5)));
    }

    #[test]
    fn a_stretch_of_a_long_connection_is_what_the_whole_shows_there() {
        let segments = simulate(&Scenario::default()).capture(0.3);
        let mut analyzer = Analyzer::new();
        segments.iter().for_each(|s| analyzer.push(s));
        let connections = analyzer.finish();
        let c = &connections[0];
        let (since, until) = (c.start + c.duration.scale(4, 10), c.start + c.duration.scale(5, 10));
        let mut whole = Picture::new(c, 1 << 20);
        let mut part = Picture::of_stretch(c, since, until, 1 << 20);
        for picture in [&mut whole, &mut part] {
            segments.iter().for_each(|s| picture.push(s));
            picture.finish();
        }
        let inside = |s: &Series| -> Vec<_> {
            let points = s.points().iter();
            points.filter(|p| part.shows(p.from)).copied().collect()
        };
        let (whole, drawn) = (track(&whole), track(&part));
        assert!(inside(&drawn.data).len() > 10);
        for (one, other) in [(&whole.data, &drawn.data), (&whole.flight, &drawn.flight)] {
            assert_eq!(inside(one), inside(other));
        }
        assert!(drawn.data.points().len() < whole.data.points().len() / 5);
    }

    #[test]
    fn congestion_is_marked_where_it_was_met_first_echoed_and_answered() {
        let segments = simulate(&Scenario::default()).capture(1.0);
        let mut analyzer = Analyzer::new();
        segments.iter().for_each(|s| analyzer.push(s));
        let connections = analyzer.finish();
        let mut picture = Picture::new(&connections[0], 1 << 20);
        let with_data = |s: &Segment| s.len > 1000;
        let (mut data, mut acks) = (0, 0);
        for mut s in segments.iter().cloned() {
            if with_data(&s) {
                data += 1;
                s.ce = data == 10;
                s.flags |= if data == 20 { flags::CWR } else { 0 };
            } else if data > 10 && s.len == 0 {
                // Every ACK tells of it until the sender has answered.
                acks += 1;
                s.flags |= if acks <= 4 { flags::ECE } else { 0 };
            }
            picture.push(&s);
        }
        picture.finish();
        let ecn = [Mark::Marked, Mark::Echo, Mark::Reduced];
        let marks = track(&picture).marks.iter().map(|m| m.0);
        assert_eq!(marks.filter(|m| ecn.contains(m)).collect::<Vec<_>>(), ecn);
    }

    #[test]
    fn data_in_a_syn_is_drawn() {
        let mut segments = simulate(&Scenario::default()).capture(0.0);
        segments[0].len = 10;
        let mut analyzer = Analyzer::new();
        segments.iter().for_each(|s| analyzer.push(s));
        let connections = analyzer.finish();
        let mut picture = Picture::new(&connections[0], 1 << 20);
        segments.iter().for_each(|s| picture.push(s));
        let [up, _] = &picture.tracks;
        let first = up.data.points().first().map(|p| (p.from, p.low, p.high));
        assert_eq!(first, Some((segments[0].time, 0, 10)));
    }

    #[test]
    fn no_point_of_a_series_is_lost_when_it_is_bounded() {
        let segments = simulate(&Scenario::default()).capture(0.0);
        let mut analyzer = Analyzer::new();
        segments.iter().for_each(|s| analyzer.push(s));
        let connections = analyzer.finish();
        let mut picture = Picture::new(&connections[0], 16);
        segments.iter().for_each(|s| picture.push(s));
        assert!(picture.glance().is_some_and(|glance| track(&glance).data.points().len() == 1));
        let points = track(&picture).data.points();
        assert!(points.len() <= 16);
        assert!(points.windows(2).all(|w| w[0].high == w[1].low));
    }
}
