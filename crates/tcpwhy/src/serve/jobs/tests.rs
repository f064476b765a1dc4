use super::*;

fn job(dir: &std::path::Path, name: &str, state: State) -> Job {
    std::fs::write(dir.join(name), name).unwrap();
    let captures = Folder::open(dir).unwrap().list().captures;
    let entry = captures.into_iter().find(|e| e.name == name).unwrap();
    Job { entry, state, work: Arc::default() }
}

fn names(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.entry.name.as_str()).collect()
}

#[test]
fn the_pages_that_were_looked_at_last_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let answer = Answer { limit: "unknown", share: 1.0, connections: 1 };
    let page = |bytes: usize| {
        State::Finished(Page { html: vec![0; bytes].into(), drawn: Arc::default() }, answer)
    };
    let mut jobs = vec![
        job(dir.path(), "a.pcap", page(KEPT_BYTES / 2)),
        job(dir.path(), "b.pcap", State::Working(0.0)),
        job(dir.path(), "c.pcap", page(1)),
        job(dir.path(), "d.pcap", page(KEPT_BYTES / 2)),
    ];
    forget(&mut jobs);
    assert_eq!(names(&jobs), ["b.pcap", "c.pcap", "d.pcap"]);
    jobs.push(job(dir.path(), "e.pcap", page(KEPT_BYTES + 1)));
    forget(&mut jobs);
    assert_eq!(names(&jobs), ["b.pcap", "e.pcap"], "work, and what somebody waits for");
}
