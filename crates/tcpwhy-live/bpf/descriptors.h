/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * Every descriptor of a TCP socket, of whichever process and network namespace, and what the application fixed on it: an iterator, which
 * runs when it is read. src/process/descriptor.rs decodes the struct: change both.
 */
#pragma once

#include "helpers.h"

/* One descriptor. */
struct descriptor {
	__u64 cookie;
	__u32 inode;
	__u32 netns;
	__u32 process; /* as the reader numbers it */
	__u32 fd;
	__u32 locks; /* SOCK_SNDBUF_LOCK 1, SOCK_RCVBUF_LOCK 2 */
	__u32 sndbuf;
	__u32 rcvbuf;
	__u32 window_clamp;
	__u32 notsent_lowat;
	__u32 pad;
	char comm[16];
};

/* A process's number in the PID namespace of who reads (pid_nr_ns(), kernel/pid.c): the iterator shows what is in that namespace or below
 * it, and on a process's way down each level has its number. */
INLINE __u32 number(struct task_struct *task)
{
	struct pid *own = 0, *pid = 0;
	__u32 level = 0, deepest = 0, found = 0;

	READ(own, bpf_get_current_task_btf()->thread_pid);
	READ(pid, task->thread_pid);
	if (!own || !pid || READ(level, own->level) || READ(deepest, pid->level) || level > deepest)
		return 0;
	bpf_probe_read_kernel(&found, sizeof(found),
			      (const char *)__builtin_preserve_access_index(&pid->numbers) + level * sizeof(struct upid));
	return found;
}

INLINE void describe(struct descriptor *to, struct tcp_sock *tp, struct sock *sk)
{
	to->cookie = bpf_get_socket_cookie(sk);
	to->netns = sk->__sk_common.skc_net.net->ns.inum;
	to->locks = READ_BITS(sk, sk_userlocks) & 3;
	to->sndbuf = sk->sk_sndbuf;
	to->rcvbuf = sk->sk_rcvbuf;
	to->window_clamp = tp->window_clamp;
	to->notsent_lowat = tp->notsent_lowat;
}

SEC("iter/task_file")
int task_file(__u64 *ctx)
{
	struct bpf_iter_meta *meta = (struct bpf_iter_meta *)ctx[0];
	struct task_struct *task = (struct task_struct *)ctx[1];
	struct file *file = (struct file *)ctx[3];
	struct descriptor found = {};
	struct socket *socket;
	struct tcp_sock *tp;
	struct sock *sk;

	/* Threads with files of their own: nobody can get at them by the process's number. */
	if (!task || !file || task->pid != task->tgid)
		return 0;
	socket = bpf_sock_from_file(file);
	if (!socket)
		return 0;
	sk = socket->sk;
	if (!sk)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	describe(&found, tp, sk);
	found.process = number(task);
	found.fd = ctx[2];
	found.inode = file->f_inode->i_ino;
	READ(found.comm, task->comm);
	/* Where it does not fit the kernel comes back to this file with the next read. */
	bpf_seq_write(meta->seq, &found, sizeof(found));
	return 0;
}
