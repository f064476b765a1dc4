//! The kernel's iterator over the files of all processes (`bpf/descriptors.bpf.c`).

use std::fs::File;
use std::io;

use aya::programs::{Iter, ProgramError};
use aya::{Btf, Ebpf, EbpfLoader, include_bytes_aligned};

use super::descriptor::{Descriptor, Records};
use crate::bpf::{reason, refusal};
use crate::events::Refused;

/// Built from `bpf/descriptors.bpf.c` by `scripts/bpf.sh`.
static OBJECT: &[u8] = include_bytes_aligned!("../../bpf/descriptors.bpf.o");
/// The iterator's type, and its program's name.
const NAME: &str = "task_file";

/// Reads the TCP sockets that processes have open, of every network namespace, from the kernel's own tables.
#[derive(Debug)]
pub struct Descriptors(Ebpf);

impl Descriptors {
    /// Loads the program.
    pub(crate) fn open(btf: &Btf) -> Result<Self, Refused> {
        let refused = |why| Refused { program: "iter/task_file", why, optional: true };
        let mut programs =
            EbpfLoader::new().btf(Some(btf)).load(OBJECT).map_err(|e| refused(reason(&e)))?;
        let program = iterator(&mut programs).map_err(|e| refused(refusal(&e)))?;
        program.load(NAME, btf).map_err(|e| refused(refusal(&e)))?;
        let mut opened = Self(programs);
        opened.begin().and_then(|mut all| all.next().map(drop)).map_err(|e| refused(reason(&e)))?;
        Ok(opened)
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
        let program = iterator(&mut self.0).map_err(other)?;
        // `IterLink::into_file` consumes its link, so each iteration has one of its own.
        let link = program.attach().and_then(|id| program.take_link(id)).map_err(other)?;
        link.into_file().map(Records::of).map_err(other)
    }
}

fn other(error: impl std::error::Error) -> io::Error {
    io::Error::other(reason(&error))
}

fn iterator(programs: &mut Ebpf) -> Result<&mut Iter, ProgramError> {
    let missing = || ProgramError::NotLoaded;
    programs.program_mut(NAME).ok_or_else(missing)?.try_into()
}
