//! Containers' names by their numbers, as far as the host's files tell.

use std::collections::HashMap;
use std::path::Path;
use tcpwhy_live::cgroup::is_container_id;

/// Links that the kubelet keeps, `POD_NAMESPACE_CONTAINER-ID.log`, whatever the container runtime is.
const KUBELET: &str = "/var/log/containers";

/// The names of this node's containers; none outside of Kubernetes.
#[derive(Debug, Default)]
pub(super) struct Containers(HashMap<String, String>);

impl Containers {
    /// Reads the kubelet's folder.
    pub(super) fn read() -> Self {
        Self::under(Path::new(KUBELET))
    }

    fn under(folder: &Path) -> Self {
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        Self(names.filter_map(|entry| named(entry.file_name().to_str()?)).collect())
    }

    /// `namespace/container`, which is the same for all replicas and after a restart, as a pod's name is not.
    pub(super) fn name(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(String::as_str)
    }
}

fn named(link: &str) -> Option<(String, String)> {
    let (name, id) = link.strip_suffix(".log")?.rsplit_once('-')?;
    let mut parts = name.split('_').skip(1);
    let (namespace, container) = (parts.next()?, parts.next()?);
    is_container_id(id).then(|| (id.to_owned(), format!("{namespace}/{container}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_called_by_its_namespace_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let number = "0123456789abcdef".repeat(4);
        let link = format!("web-7d9f8b6c5d-x2x4q_shop_nginx-proxy-{number}.log");
        std::fs::write(folder.path().join(link), "").unwrap();
        std::fs::write(folder.path().join("other.log"), "").unwrap();
        let containers = Containers::under(folder.path());
        assert_eq!(containers.name(&number), Some("shop/nginx-proxy"));
        assert_eq!(containers.0.len(), 1);
    }
}
