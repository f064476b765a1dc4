//! What happens to a packet before it enters the queue: cut to the MTU, through the middleboxes.

use std::os::fd::AsFd;
use std::rc::Rc;

use rustix::io::Errno;
use tcpwhy_core::link::Parcel;
use tcpwhy_core::units::Nanos;

use super::breaks::Passage;
use super::buffer::{Packet, Pool, SMALL};
use super::device::HostDevice;
use super::engine::Desk;
use super::lane::{Lane, READS};
use super::middlebox::{Middleboxes, Passing, Verdict};
use super::report::PAUSE;
use super::segment::{self, Large, Load};
use super::tcp::Tcp;
use super::view::View;
use super::{vnet, wait};
use crate::spec::Role;

/// Longest wait in a host's device that counts as lateness; just below what would be a standstill of the link.
const MOST_HELD: Nanos = Nanos(PAUSE.0 / 100 * 99);
/// Bytes per turn where they are cut into small packets: some 45.
const CUT_BYTES: usize = 65_536;

impl Lane {
    /// Reads what the device has, a batch at most and nothing while the lane is behind; returns whether there was any.
    ///
    /// All of a batch have entered when its last one was read, but for one that woke the link: the clock is read once, and no packet is early.
    pub(super) fn read(&mut self, from: &HostDevice, desk: &mut Desk) -> Result<bool, Errno> {
        if self.behind {
            self.hold(wait::now());
            return Ok(false);
        }
        let mut fresh = std::mem::take(&mut self.fresh);
        let (mut any, mut bytes, mut empty) = (false, 0, false);
        for _ in 0..READS {
            if self.cuts && bytes >= CUT_BYTES {
                break;
            }
            match desk.pool.read(from.fd.as_fd(), self.jumbo) {
                Ok(Some(packet)) => {
                    bytes += packet.len();
                    fresh.push(packet);
                }
                Ok(None) => self.report.out_of_memory += 1,
                Err(Errno::AGAIN) => {
                    empty = true;
                    break;
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
            any = true;
        }
        if any || self.full_since.is_some() {
            let (now, held_since, before) = (wait::now(), self.held_since, self.report.packets);
            self.note_read(now, empty);
            for packet in fresh.drain(..) {
                let entered = desk.came.take().unwrap_or(now);
                self.enter(entered, packet, &desk.pool, &mut desk.boxes);
            }
            if let Some(since) = held_since {
                // At most: the device has them in order, but does not tell since when. What is longer `longest_full_ns` tells.
                let waited = (now - since).min(MOST_HELD);
                desk.late.record(waited, self.report.packets - before);
            }
        }
        self.fresh = fresh;
        Ok(any)
    }

    fn enter(&mut self, now: Nanos, mut packet: Packet, pool: &Pool, boxes: &mut Middleboxes) {
        if !self.jumbo && packet.len() >= SMALL {
            // The MTU was raised: it came without its end. Those that follow will be whole.
            self.jumbo = true;
            self.report.out_of_memory += 1;
            return;
        }
        let Some(view) = self.view(&packet) else { return };
        let mss = vnet::segment_size(packet.bytes(), self.framing);
        match mss {
            Some(mss) if self.cuts && view.tcp_bytes.is_some() => {
                self.cut(now, Large::new(packet, view, mss, self.framing), pool, boxes);
            }
            _ => {
                if self.cuts && vnet::is_partial(packet.bytes(), self.framing) {
                    segment::finish(&mut packet, &view, self.framing);
                }
                self.offer(now, packet, &view, view.parcel(mss), boxes);
            }
        }
    }

    /// `None` for what does not travel: neighbours and multicast groups mean nothing behind this link, and random
    /// losses are for the transfers.
    fn view(&self, packet: &Packet) -> Option<View> {
        let ip = packet.bytes().get(self.framing..)?;
        View::new(ip, packet.len().saturating_sub(self.framing)).filter(|view| !view.local)
    }

    fn cut(&mut self, now: Nanos, large: Large, pool: &Pool, boxes: &mut Middleboxes) {
        let large = Rc::new(large);
        for index in 0..large.count() {
            // Whoever looks at segments sees each as it will be.
            if self.breaks.is_none() && boxes.is_empty() {
                self.report.packets += 1;
                self.way.offer(now, large.parcel(index), Load::Part(Rc::clone(&large), index));
                continue;
            }
            let Some(segment) = large.segment(index, pool) else {
                self.report.out_of_memory += 1;
                continue;
            };
            if let Some(view) = self.view(&segment) {
                self.offer(now, segment, &view, view.parcel(None), boxes);
            }
        }
    }

    fn offer(
        &mut self,
        now: Nanos,
        mut packet: Packet,
        view: &View,
        parcel: Parcel,
        boxes: &mut Middleboxes,
    ) {
        self.report.packets += 1;
        self.way.begin(now);
        if !boxes.is_empty() {
            let partial = vnet::is_partial(packet.bytes(), self.framing);
            let verdict = boxes.pass(&mut Passing {
                ip: packet.bytes_mut().get_mut(self.framing..).unwrap_or_default(),
                view,
                largest: parcel.largest,
                from_client: self.sender == Role::Client,
                since: self.way.age(now),
                partial,
            });
            match verdict {
                Verdict::Untouched => {}
                Verdict::Changed => self.report.changed += 1,
                Verdict::Dropped(what) => {
                    *self.report.drops.entry(format!("middlebox_{what}")).or_default() += 1;
                    return;
                }
            }
        }
        let passage = self.breaks.as_ref().and_then(|_| {
            let ip = packet.bytes().get(self.framing..)?;
            Tcp::new(ip, view).map(|tcp| Passage::of(&tcp))
        });
        let fate = self.way.offer(now, parcel, Load::Whole(packet));
        if let (Some(breaks), Some(passage)) = (&mut self.breaks, passage) {
            breaks.see(now + self.epoch, passage, fate);
        }
    }
}
