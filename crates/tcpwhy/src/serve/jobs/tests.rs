use super::*;

fn job(dir: &std::path::Path, name: &str, state: State) -> Job {
    std::fs::write(dir.join(name), name).unwrap();
    let captures = Folder::open(dir).unwrap().list().captures;
    let entry = captures.into_iter().find(|e| e.name == name).unwrap();
    Job { entry, state, work: Arc::default(), promised: false }
}

fn names(jobs: &[Job]) -> Vec<&str> {
    jobs.iter().map(|job| job.entry.name.as_str()).collect()
}

/// The state with a page of so many bytes.
fn page(bytes: usize) -> State {
    let answer = Answer { limit: "unknown", share: 1.0, connections: 1 };
    State::Finished(Page { html: vec![0; bytes].into(), drawn: Arc::default() }, answer)
}

#[test]
fn the_pages_that_were_looked_at_last_are_kept() {
    let dir = tempfile::tempdir().unwrap();
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

#[tokio::test]
async fn a_capture_that_grows_all_the_time_gets_a_page_and_then_another_one() {
    let dir = tempfile::tempdir().unwrap();
    let jobs = Arc::new(Jobs::new());
    let folder = Arc::new(Folder::open(dir.path()).unwrap());
    let grown = |bytes: usize| {
        std::fs::write(dir.path().join("a.pcap"), vec![0; bytes]).unwrap();
        folder.list().captures.remove(0)
    };
    jobs.lock().push(job(dir.path(), "a.pcap", State::Working(0.0)));
    let begun = jobs.lock()[0].entry.clone();
    assert!(matches!(jobs.start(&folder, grown(100)), Some(State::Working(_))));
    assert_eq!(jobs.lock().len(), 1);
    assert!(jobs.lock()[0].is_of(&begun), "what is under way goes on");

    jobs.lock()[0].state = page(1);
    assert!(matches!(jobs.state(&begun.id), Some((_, State::Finished(..)))), "its visitor is told");
    assert!(matches!(jobs.start(&folder, grown(200)), Some(State::Finished(..))), "and gets it");
    let now = grown(300);
    assert!(matches!(jobs.start(&folder, now.clone()), Some(State::Working(_))), "only once");
    assert_eq!(jobs.lock().len(), 1);
    assert!(jobs.lock()[0].is_of(&now));
}
