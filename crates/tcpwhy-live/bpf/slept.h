/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * For how long threads sleep in reads and writes of TCP connections, and where in their programs.
 */
#pragma once

#include "call.h"
#include "lost.h"
#include "within.h"

/* Where a thread slept; a stack below 0: none. */
struct place {
	__u64 inode;
	__u32 process;
	__u32 thread;
	__u32 writes;
	__s32 user;
	__s32 kernel;
	__u32 pad;
};

struct slept {
	__u64 ns;
	__u64 times;
	char comm[16];
};

struct sleeper {
	__u64 since; /* CLOCK_MONOTONIC */
	struct place place;
};

struct {
	UINT(type, BPF_MAP_TYPE_HASH);
	UINT(max_entries, 16384);
	TYPE(key, __u32);
	TYPE(value, struct sleeper);
} sleepers SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_HASH);
	UINT(max_entries, 16384);
	TYPE(key, struct place);
	TYPE(value, struct slept);
} waits SEC(".maps");

/* The loader makes it larger where stacks are asked for. */
struct {
	UINT(type, BPF_MAP_TYPE_STACK_TRACE);
	UINT(max_entries, 16);
	UINT(key_size, 4);
	UINT(value_size, 64 * 8);
} stacks SEC(".maps");

/* Set by the loader: stacks of sleepers are asked for. */
const volatile __u32 STACKS = 0;

INLINE int stack(void *ctx, __u64 flags)
{
	int id = bpf_get_stackid(ctx, &stacks, flags);

	/* EEXIST: another stack has its place. EFAULT: a thread without a user's stack. */
	if (id == -17)
		lose(LOST_STACKS);
	return id < 0 ? -1 : id;
}

/* Whether a descriptor is a TCP connection's; its inode. TCP_SYN_SENT (2) and TCP_SYN_RECV (3) wait for the peer's answer. */
INLINE int is_open(struct task_struct *task, int fd, __u64 *inode)
{
	struct sock *sk = socket_of(task, fd, inode);
	__u8 state = 0;

	return sk && !READ(state, sk->__sk_common.skc_state) && state != 2 && state != 3;
}

/* A thread that sleeps interruptibly in a read or write of an open TCP connection waits for data or for room (sk_wait_data,
 * sk_stream_wait_memory): waits for the socket's lock, for memory and for files are not interruptible. */
INLINE void falls_asleep(void *ctx, struct task_struct *task)
{
	int writes = 0, fd = descriptor(task, &writes);
	struct sleeper s = {};
	__u32 thread = task->pid;

	if (fd < 0) {
		struct within *in = bpf_map_lookup_elem(&within, &thread);

		if (!in)
			return;
		s.place.inode = in->inode;
		writes = in->writes;
	} else if (!is_open(task, fd, &s.place.inode)) {
		return;
	}
	s.place.process = task->tgid;
	s.place.thread = thread;
	s.place.writes = writes;
	s.place.user = STACKS ? stack(ctx, BPF_F_USER_STACK) : -1;
	s.place.kernel = STACKS ? stack(ctx, 0) : -1;
	s.since = bpf_ktime_get_ns();
	if (bpf_map_update_elem(&sleepers, &thread, &s, 0))
		lose(LOST_SLEEPERS);
}

INLINE void wakes(struct sleeper *s, struct task_struct *task)
{
	__u64 ns = bpf_ktime_get_ns() - s->since;
	struct slept *slept = bpf_map_lookup_elem(&waits, &s->place), first = {};

	if (slept) {
		/* A thread is in one place at a time: nobody else adds to it. */
		slept->ns += ns;
		slept->times += 1;
		return;
	}
	first.ns = ns;
	first.times = 1;
	READ(first.comm, task->comm);
	if (bpf_map_update_elem(&waits, &s->place, &first, BPF_NOEXIST))
		lose(LOST_WAITS);
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1], *next = (struct task_struct *)ctx[2];
	__u32 thread = next->pid;
	struct sleeper *s = bpf_map_lookup_elem(&sleepers, &thread);

	if (s) {
		wakes(s, next);
		bpf_map_delete_elem(&sleepers, &thread);
	}
	/* TASK_INTERRUPTIBLE; a preempted task does not sleep, kernel threads (PF_KTHREAD) have no system call. */
	if (!(ctx[0] & 1) && ctx[3] & 1 && !(prev->flags & 0x00200000))
		falls_asleep(ctx, prev);
	return 0;
}
