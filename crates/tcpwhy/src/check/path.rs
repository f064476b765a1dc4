//! The paths to judge: given, to a peer, or seen in live sockets.

use crate::check::args::Check;
use crate::error::Error;
use crate::predict::args::some_arrive;
use tcpwhy_core::check::{Host, Path, Report, Route, seen};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::Prediction;

/// What the flags say about the path makes sense together.
///
/// # Errors
/// One sentence.
pub(super) fn validate(args: &Check) -> Result<(), Error> {
    let zero = [
        ("rate", args.rate == Some(0)),
        ("rtt", args.rtt.is_some_and(|rtt| rtt.0 == 0)),
        ("size", args.size == Some(0)),
    ];
    if let Some((name, _)) = zero.iter().find(|(_, is_zero)| *is_zero) {
        return Err(Error::Usage(format!("--{name} must be more than 0")));
    }
    some_arrive(args.loss)?;
    if args.peer.as_deref().is_some_and(|peer| peer.trim().is_empty()) {
        return Err(Error::Usage("--peer needs a name or an address".to_owned()));
    }
    if args.peer.is_none() && args.rate.is_some() != args.rtt.is_some() {
        let text = "a path takes both --rate and --rtt (or --peer, whose round trip is measured)";
        return Err(Error::Usage(text.to_owned()));
    }
    Ok(())
}

/// A path as the flags say it over which nothing ever ends is no path.
///
/// # Errors
/// One sentence.
pub(super) fn carries(args: &Check, reports: &[Report]) -> Result<(), Error> {
    let given = args.rate.is_some() || args.rtt.is_some() || args.size.is_some() || args.loss > 0.0;
    let ends = |p: &Prediction| p.complete && p.time != Nanos::MAX;
    let mut paths = reports.iter().flat_map(|report| &report.paths).peekable();
    if !given || paths.peek().is_none() || paths.any(|p| ends(&p.sending) || ends(&p.receiving)) {
        return Ok(());
    }
    let text = "no transfer over this path moves: not 1,000 packets arrive within a week, or not all of a smaller --size; look at --rate, --rtt, --loss and the buffers";
    Err(Error::Usage(text.to_owned()))
}

/// The paths.
///
/// # Errors
/// The peer is not known, not reachable, or nothing tells the rate.
pub(super) fn paths(args: &Check, host: &Host) -> Result<Vec<Path>, Error> {
    let mut paths = match (&args.peer, args.rate, args.rtt) {
        (Some(peer), ..) => vec![to_peer(args, peer, host)?],
        (None, Some(rate), Some(rtt)) => vec![Path::given(rate, rtt)],
        _ => seen(host),
    };
    for path in &mut paths {
        path.loss = args.loss;
        path.size = args.size;
        #[cfg(target_os = "linux")]
        if let (Some(peer), None, None) = (path.peer, &path.route, &args.from) {
            path.route = tcpwhy_live::host::route_to(peer).ok();
        }
        // Where nobody is named, it is somebody far away.
        if path.peer.is_none() {
            path.route = host.routes.iter().find(|r| r.destination == "default").cloned();
            path.mss = mss(host, path.route.as_ref(), true);
        }
    }
    Ok(paths)
}

#[cfg(target_os = "linux")]
fn to_peer(args: &Check, peer: &str, host: &Host) -> Result<Path, Error> {
    use tcpwhy_core::check::Source;
    use tcpwhy_live::host::{connect_time, resolve, route_to};
    let failed =
        |what: &str, e: &std::io::Error| Error::Usage(format!("--peer {peer}: {what}: {e}"));
    let to = resolve(peer, args.port).map_err(|e| failed("the name is not known", &e))?;
    let route = route_to(to.ip()).map_err(|e| failed("there is no route", &e))?;
    let device = host.device(&route.device);
    let mss = mss(host, Some(&route), to.is_ipv4());
    let known: Vec<_> = host.sockets.iter().filter(|s| s.remote.ip() == to.ip()).collect();
    let (rtt, rtt_from) = match (args.rtt, known.iter().map(|s| s.rtt).filter(|r| r.0 > 0).min()) {
        (Some(rtt), _) => (rtt, Source::Given),
        (None, Some(rtt)) => (rtt, Source::Sockets),
        (None, None) => {
            let what = format!("no answer on port {}; say the round trip with --rtt", args.port);
            (connect_time(to).map_err(|e| failed(&what, &e))?, Source::Connect)
        }
    };
    let seen = known.iter().map(|s| s.rate_bps).max().filter(|rate| *rate > 0);
    let (rate, rate_from) = match (args.rate, device.and_then(|d| d.speed_bps), seen) {
        (Some(rate), ..) => (rate, Source::Given),
        (None, Some(rate), _) => (rate, Source::Device),
        (None, None, Some(rate)) => (rate, Source::Sockets),
        (None, None, None) => {
            let text =
                format!("--peer {peer}: nothing here tells the path's rate; say it with --rate");
            return Err(Error::Usage(text));
        }
    };
    Ok(Path {
        peer: Some(to.ip()),
        rate_from,
        rtt_from,
        mss,
        route: Some(route),
        ..Path::given(rate, rtt)
    })
}

/// Payload of a segment: the packet less IP, TCP and its timestamps.
fn mss(host: &Host, route: Option<&Route>, is_v4: bool) -> u64 {
    let device = route.and_then(|r| host.device(&r.device));
    let mtu = route.and_then(|r| r.mtu).or(device.and_then(|d| d.mtu)).unwrap_or(1_500);
    u64::from(mtu).saturating_sub(if is_v4 { 52 } else { 72 }).max(88)
}

#[cfg(not(target_os = "linux"))]
fn to_peer(_: &Check, _: &str, _: &Host) -> Result<Path, Error> {
    Err(Error::Usage("--peer asks this host's routes, which is for Linux only".to_owned()))
}
