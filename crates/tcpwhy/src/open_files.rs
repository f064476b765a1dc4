//! How many files may be open at a time.

/// As many as the system allows, where a program begins with few: captures of many hosts, sockets of many network namespaces.
pub(crate) fn allow() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        // Without it, as many as were allowed before.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::process::{Resource, getrlimit};

    #[test]
    fn as_many_files_may_be_open_as_the_system_allows() {
        super::allow();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
