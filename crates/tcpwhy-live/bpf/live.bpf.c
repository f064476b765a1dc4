/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * Who did it: what applications ask of their sockets' buffers, for how long their threads sleep in writes and reads, for how long each
 * limit held a sender, how autotuning changed its buffers, and what the kernel does to a socket that a sample does not show; and whose a
 * socket is. Of every network namespace. src/causes decodes the structs, and src/process those of descriptors.h: change both.
 */
#include "asked.h"
#include "descriptors.h"
#include "limited.h"
#include "slept.h"
#include "tuned.h"

/* Of one socket. */
struct counts {
	__u64 retransmits;
	__u64 refused_sending;
	__u64 refused_receiving;
	__u64 queue_full;
};

/* By cookie. */
struct {
	UINT(type, BPF_MAP_TYPE_HASH);
	UINT(max_entries, 32768);
	TYPE(key, __u64);
	TYPE(value, struct counts);
} counts SEC(".maps");

/* The counts of a TCP socket; none: no room. */
INLINE struct counts *counts_of(struct sock *sk)
{
	struct counts none = {}, *found;
	__u64 cookie;

	/* IPPROTO_TCP */
	if (sk->sk_protocol != 6)
		return 0;
	cookie = bpf_get_socket_cookie(sk);
	found = bpf_map_lookup_elem(&counts, &cookie);
	if (found)
		return found;
	bpf_map_update_elem(&counts, &cookie, &none, BPF_NOEXIST);
	found = bpf_map_lookup_elem(&counts, &cookie);
	if (!found)
		lose(LOST_COUNTS);
	return found;
}

INLINE int count(__u64 *number)
{
	__sync_fetch_and_add(number, 1);
	return 0;
}

SEC("tp_btf/tcp_retransmit_skb")
int tcp_retransmit_skb(__u64 *ctx)
{
	struct counts *c = counts_of((struct sock *)ctx[0]);

	return c ? count(&c->retransmits) : 0;
}

SEC("tp_btf/sock_exceed_buf_limit")
int sock_exceed_buf_limit(__u64 *ctx)
{
	struct counts *c = counts_of((struct sock *)ctx[0]);

	/* SK_MEM_SEND is 0. */
	return !c ? 0 : ctx[3] ? count(&c->refused_receiving) : count(&c->refused_sending);
}

SEC("tp_btf/sock_rcvqueue_full")
int sock_rcvqueue_full(__u64 *ctx)
{
	struct counts *c = counts_of((struct sock *)ctx[0]);

	return c ? count(&c->queue_full) : 0;
}

/* The newest steps of a socket's buffers. */
#define STEPS 8

struct stepped {
	__u64 t_ns; /* CLOCK_MONOTONIC */
	__u32 lock; /* which buffer, by its lock bit */
	__u32 from;
	__u32 to;
	__u32 pad;
};

struct tuned {
	__u32 send; /* steps so far */
	__u32 receive;
	struct stepped last[STEPS]; /* the newest is before place (send + receive) % STEPS */
};

/* By cookie; sockets whose buffers changed. */
struct {
	UINT(type, BPF_MAP_TYPE_LRU_HASH);
	UINT(max_entries, 8192);
	TYPE(key, __u64);
	TYPE(value, struct tuned);
} tuned SEC(".maps");

INLINE void step(struct sock *sk, __u64 cookie, __u32 lock, __u32 from, __u32 to)
{
	struct tuned none = {}, *t = bpf_map_lookup_elem(&tuned, &cookie);
	struct stepped *last;

	if (!t) {
		bpf_map_update_elem(&tuned, &cookie, &none, BPF_NOEXIST);
		t = bpf_map_lookup_elem(&tuned, &cookie);
		if (!t) {
			lose(LOST_COUNTS);
			return;
		}
	}
	last = &t->last[(t->send + t->receive) & (STEPS - 1)];
	last->t_ns = bpf_ktime_get_ns();
	last->lock = lock;
	last->from = from;
	last->to = to;
	if (lock == SEND_BUFFER_LOCK)
		t->send += 1;
	else
		t->receive += 1;
}

SEC("tp_btf/tcp_probe")
int tcp_probe(__u64 *ctx)
{
	tune((struct sock *)ctx[0]);
	return hold((struct sock *)ctx[0], 0);
}

SEC("tp_btf/tcp_sendmsg_locked")
int tcp_sendmsg_locked(__u64 *ctx)
{
	return hold((struct sock *)ctx[0], 1);
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
