//! The thread that goes into namespaces.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::memory::Pressures;
use crate::opens::Opens;
use crate::privileges;
use crate::sample::Dump;
use crate::settings::Settings;

/// What was opened in a namespace.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) inode: u32,
    pub(super) settings: Settings,
    pub(super) dump: Dump,
    pub(super) opens: Opens,
    pub(super) pressures: Pressures,
}

/// Asks the thread; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct Enter {
    ask: Sender<PathBuf>,
    answer: Receiver<io::Result<Option<Visit>>>,
}

impl Enter {
    pub(super) fn start() -> io::Result<Self> {
        let ((ask, asked), (tell, answer)) = (channel::<PathBuf>(), channel());
        let home = File::open("/proc/self/ns/net")?;
        std::thread::Builder::new().name("namespaces".to_owned()).spawn(move || {
            // Where nothing can be dropped there is nothing that could be misused either.
            let _ = privileges::keep_only(privileges::ENTERING);
            while let Ok(path) = asked.recv() {
                if tell.send(visit(&path, &home)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { ask, answer })
    }

    /// Goes to the namespace of this file; `None` where it vanished.
    ///
    /// # Errors
    /// It may not be entered, or nothing can be opened in it.
    pub(super) fn visit(&self, path: &Path) -> io::Result<Option<Visit>> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.ask.send(path.to_owned()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        self.answer.recv().map_err(gone)?
    }
}

/// Comes back from where it went: a thread in a namespace would keep it alive.
fn visit(path: &Path, home: &File) -> io::Result<Option<Visit>> {
    let file = match File::open(path) {
        // The process or the mount is gone.
        Err(e) if e.kind() == io::ErrorKind::NotFound || e.raw_os_error() == Some(libc::ESRCH) => {
            return Ok(None);
        }
        opened => opened?,
    };
    let inode = u32::try_from(file.metadata()?.st_ino()).unwrap_or(0);
    move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
    let dump = Dump::open();
    let (settings, opens, pressures) = (Settings::read(), Opens::open(), Pressures::open());
    move_into_link_name_space(home.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(Some(Visit { inode, settings, dump: dump?, opens, pressures }))
}

/// Looks at something in the network namespace of this file, from a thread that ends there.
///
/// # Errors
/// It may not be entered.
pub(crate) fn inside<T: Send>(file: &OwnedFd, look: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let visitor = scope.spawn(|| {
            move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network))?;
            Ok(look())
        });
        visitor.join().unwrap_or_else(|_| Err(io::Error::other("the thread that looked panicked")))
    })
}
