/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * What applications ask of their sockets' buffers: setsockopt(2), with who and from where.
 */
#pragma once

#include "call.h"
#include "lost.h"

#define FRAMES 32

/* Level of the record that a socket listens; its value is the port. What the socket accepts inherits its buffers. */
#define LISTENS -1

/* One setsockopt(2). */
struct call {
	__u64 t_ns; /* CLOCK_MONOTONIC */
	__u64 inode;
	__u32 process;
	__u32 thread;
	__s32 level;
	__s32 option;
	__s32 value;
	__u32 readable; /* the value could be read */
	__s32 depth; /* bytes of frames; negative: an error number */
	__u32 netns; /* of a socket that listens */
	char comm[16];
	__u64 frames[FRAMES];
};

struct {
	UINT(type, BPF_MAP_TYPE_RINGBUF);
	UINT(max_entries, 1 << 20);
} calls SEC(".maps");

/* A setsockopt that decides over a buffer or a window. */
INLINE int is_wanted(int level, int option)
{
	/* SOL_SOCKET: SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE, SO_BUF_LOCK */
	if (level == 1)
		return option == 7 || option == 8 || option == 32 || option == 33 || option == 72;
	/* IPPROTO_TCP: TCP_WINDOW_CLAMP, TCP_NOTSENT_LOWAT */
	return level == 6 && (option == 10 || option == 25);
}

/* What setsockopt was called with. */
struct arguments {
	__u64 fd, level, option, value;
};

/* Whether the system call that begins is a setsockopt that is wanted. */
INLINE int is_setsockopt(const void *regs, long number, struct arguments *a)
{
	if (__builtin_preserve_field_info(((struct pt_regs *)0)->orig_ax, 2)) {
		if (number != 54)
			return 0;
		READ(a->fd, ((struct pt_regs *)regs)->di);
		READ(a->level, ((struct pt_regs *)regs)->si);
		READ(a->option, ((struct pt_regs *)regs)->dx);
		READ(a->value, ((struct pt_regs *)regs)->r10);
	} else {
		if (number != 208)
			return 0;
		READ(a->fd, ((struct pt_regs___arm64 *)regs)->regs[0]);
		READ(a->level, ((struct pt_regs___arm64 *)regs)->regs[1]);
		READ(a->option, ((struct pt_regs___arm64 *)regs)->regs[2]);
		READ(a->value, ((struct pt_regs___arm64 *)regs)->regs[3]);
	}
	return is_wanted(a->level, a->option);
}

INLINE struct call *reserve(void)
{
	struct call *call = bpf_ringbuf_reserve(&calls, sizeof(*call), 0);

	if (!call)
		lose(LOST_CALLS);
	return call;
}

SEC("tp_btf/sys_enter")
int sys_enter(__u64 *ctx)
{
	struct arguments a = {};
	__u64 ids, inode = 0;
	struct call *call;

	if (!is_setsockopt((void *)ctx[0], ctx[1], &a) ||
	    !socket_of(bpf_get_current_task_btf(), a.fd, &inode))
		return 0;
	call = reserve();
	if (!call)
		return 0;
	ids = bpf_get_current_pid_tgid();
	call->t_ns = bpf_ktime_get_ns();
	call->inode = inode;
	call->process = ids >> 32;
	call->thread = ids;
	call->level = a.level;
	call->option = a.option;
	call->netns = 0;
	call->readable = !bpf_probe_read_user(&call->value, sizeof(call->value), (void *)a.value);
	bpf_get_current_comm(call->comm, sizeof(call->comm));
	call->depth = bpf_get_stack(ctx, call->frames, sizeof(call->frames), BPF_F_USER_STACK);
	bpf_ringbuf_submit(call, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/inet_sock_set_state")
int inet_sock_set_state(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	struct socket_alloc *socket = (struct socket_alloc *)sk->sk_socket;
	struct call *call;

	/* TCP_LISTEN of IPPROTO_TCP. */
	if (ctx[2] != 10 || sk->sk_protocol != 6 || !socket)
		return 0;
	call = reserve();
	if (!call)
		return 0;
	__builtin_memset(call, 0, sizeof(*call));
	READ(call->inode, socket->vfs_inode.i_ino);
	call->netns = sk->__sk_common.skc_net.net->ns.inum;
	call->level = LISTENS;
	call->value = sk->__sk_common.skc_num;
	bpf_ringbuf_submit(call, BPF_RB_NO_WAKEUP);
	return 0;
}
