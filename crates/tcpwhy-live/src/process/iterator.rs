//! The kernel's iterator over the files of all processes (`bpf/descriptors.h`).

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use aya::programs::{Iter, ProgramError};
use aya::{Btf, Ebpf};

use super::descriptor::{Descriptor, Records};
use crate::bpf::{reason, refusal};
use crate::events::Refused;

/// The iterator's type, and its program's name.
const NAME: &str = "task_file";

/// Reads the TCP sockets that processes have open, of every network namespace, from the kernel's own tables.
///
/// It shares the loaded object with the programs of [`crate::causes`]: placing a second object's fields by the kernel's BTF takes 0.1 s, as
/// much as the iterator saves with 10,000 sockets.
#[derive(Debug)]
pub struct Descriptors(Arc<Mutex<Ebpf>>);

impl Descriptors {
    /// Loads the program of this object.
    pub(crate) fn open(programs: &Arc<Mutex<Ebpf>>, btf: &Btf) -> Result<Self, Refused> {
        let refused = |why| Refused { program: "iter/task_file", why, optional: true };
        let mut opened = Self(Arc::clone(programs));
        let load = |programs: &mut Ebpf| iterator(programs)?.load(NAME, btf);
        opened.with(load).map_err(|e| refused(refusal(&e)))?;
        opened.begin().and_then(|mut all| all.next().map(drop)).map_err(|e| refused(reason(&e)))?;
        Ok(opened)
    }

    /// Nothing is left half-done by a thread that panicked with it.
    fn with<T>(&self, work: impl FnOnce(&mut Ebpf) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this thread may read it.
    #[must_use]
    pub fn is_readable(&mut self) -> bool {
        self.begin().and_then(|mut all| all.next().map(drop)).is_ok()
    }

    /// Every descriptor of a TCP socket.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn all(&mut self) -> io::Result<Vec<Descriptor>> {
        let (mut records, mut all) = (self.begin()?, Vec::new());
        while let Some(more) = records.next()? {
            all.extend(more);
        }
        Ok(all)
    }

    /// Begins anew. Since Linux 5.19 neither this nor reading takes a capability: who has the program's descriptor had one.
    pub(super) fn begin(&mut self) -> io::Result<Records<File>> {
        // `IterLink::into_file` consumes its link, so each iteration has one of its own.
        let link = |programs: &mut Ebpf| {
            let program = iterator(programs)?;
            program.attach().and_then(|id| program.take_link(id))
        };
        self.with(link).map_err(other)?.into_file().map(Records::of).map_err(other)
    }
}

fn other(error: impl std::error::Error) -> io::Error {
    io::Error::other(reason(&error))
}

fn iterator(programs: &mut Ebpf) -> Result<&mut Iter, ProgramError> {
    programs.program_mut(NAME).ok_or(ProgramError::NotLoaded)?.try_into()
}
