/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * On which socket a thread waits, told by the functions that wait: for system calls that name no descriptor to read or write (splice,
 * io_uring). It takes fentry and fexit, which many kernels refuse: nothing else depends on it.
 */
#pragma once

#include "call.h"

struct within {
	__u64 inode;
	__u32 writes;
	__u32 pad;
};

/* By thread. */
struct {
	UINT(type, BPF_MAP_TYPE_LRU_HASH);
	UINT(max_entries, 4096);
	TYPE(key, __u32);
	TYPE(value, struct within);
} within SEC(".maps");

INLINE int enters(struct sock *sk, __u32 writes)
{
	struct socket_alloc *socket = (struct socket_alloc *)sk->sk_socket;
	struct within in = { .writes = writes };
	__u32 thread = bpf_get_current_pid_tgid();
	int unused;

	/* IPPROTO_TCP; sched_switch knows those that a system call names. */
	if (sk->sk_protocol != 6 || !socket || descriptor(bpf_get_current_task_btf(), &unused) >= 0)
		return 0;
	READ(in.inode, socket->vfs_inode.i_ino);
	bpf_map_update_elem(&within, &thread, &in, 0);
	return 0;
}

INLINE int leaves(void)
{
	__u32 thread = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&within, &thread);
	return 0;
}

SEC("fentry/sk_stream_wait_memory")
int enters_wait_memory(__u64 *ctx)
{
	return enters((struct sock *)ctx[0], 1);
}

SEC("fexit/sk_stream_wait_memory")
int leaves_wait_memory(__u64 *ctx)
{
	return leaves();
}

SEC("fentry/sk_wait_data")
int enters_wait_data(__u64 *ctx)
{
	return enters((struct sock *)ctx[0], 0);
}

SEC("fexit/sk_wait_data")
int leaves_wait_data(__u64 *ctx)
{
	return leaves();
}
