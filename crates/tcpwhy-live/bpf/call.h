/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * The system call in which a task is, and the TCP socket that it is about.
 */
#pragma once

#include "helpers.h"

/* Which descriptor the system call of a task reads or writes; -1: it does neither. */
INLINE int descriptor(struct task_struct *task, int *writes)
{
	void *raw = (void *)bpf_task_pt_regs(task);
	unsigned long fd = 0, call = -1;

	if (__builtin_preserve_field_info(((struct pt_regs *)0)->orig_ax, 2)) {
		READ(call, ((struct pt_regs *)raw)->orig_ax);
		READ(fd, ((struct pt_regs *)raw)->di);
		switch (call) {
		case 0: case 19: case 45: case 47: case 299: /* read, readv, recvfrom, recvmsg, recvmmsg */
			*writes = 0;
			return fd;
		case 1: case 20: case 40: case 44: case 46: case 307: /* write, writev, sendfile, sendto, sendmsg, sendmmsg */
			*writes = 1;
			return fd;
		}
	} else if (__builtin_preserve_field_info(((struct pt_regs___arm64 *)0)->syscallno, 2)) {
		__s32 number = -1;

		READ(number, ((struct pt_regs___arm64 *)raw)->syscallno);
		READ(fd, ((struct pt_regs___arm64 *)raw)->regs[0]);
		switch (number) {
		case 63: case 65: case 207: case 212: case 243:
			*writes = 0;
			return fd;
		case 64: case 66: case 71: case 206: case 211: case 269:
			*writes = 1;
			return fd;
		}
	}
	return -1;
}

/* The TCP socket behind a descriptor of a task, as a plain address, and the inode of its file, if that is asked for. */
INLINE struct sock *socket_of(struct task_struct *task, int fd, __u64 *number)
{
	struct files_struct *files = 0;
	struct fdtable *table = 0;
	struct file **slots = 0, *file = 0;
	struct inode *inode = 0;
	struct socket *socket = 0;
	struct sock *sk = 0;
	__u32 most = 0;
	__u16 mode = 0, protocol = 0, family = 0;

	READ(files, task->files);
	if (!files || READ(table, files->fdt) || READ(most, table->max_fds) || (__u32)fd >= most)
		return 0;
	READ(slots, table->fd);
	bpf_probe_read_kernel(&file, sizeof(file), slots + fd);
	if (!file || READ(inode, file->f_inode) || READ(mode, inode->i_mode) || (mode & 0170000) != 0140000)
		return 0;
	if (number)
		READ(*number, inode->i_ino);
	READ(socket, file->private_data);
	if (!socket || READ(sk, socket->sk) || !sk)
		return 0;
	READ(protocol, sk->sk_protocol);
	READ(family, sk->__sk_common.skc_family);
	/* IPPROTO_TCP over AF_INET or AF_INET6. */
	return protocol == 6 && (family == 2 || family == 10) ? sk : 0;
}
