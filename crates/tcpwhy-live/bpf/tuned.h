/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * Steps of autotuning: a buffer has another size than at the segment before, and no application fixed it.
 *
 * tcp_sndbuf_expand() raises a send buffer after an ACK, sk_stream_moderate_sndbuf() shrinks it where memory is short, and
 * tcp_rcv_space_adjust() raises a receive buffer when the application reads: no tracepoint tells all three with both sizes, but the next
 * segment that arrives (tcp_probe) finds the new size.
 */
#pragma once

#include "helpers.h"

#define SEND_BUFFER_LOCK 1
#define RECEIVE_BUFFER_LOCK 2

struct sizes {
	__u32 send;
	__u32 receive;
};

/* By cookie; sockets without segments for long make room. */
struct {
	UINT(type, BPF_MAP_TYPE_LRU_HASH);
	UINT(max_entries, 16384);
	TYPE(key, __u64);
	TYPE(value, struct sizes);
} sizes SEC(".maps");

/* The same of the socket that was there last, by a hash of its address: what a segment costs that finds nothing new. */
struct newest {
	__u64 cookie;
	struct sizes sizes;
};

#define NEWEST 4096

struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, NEWEST);
	TYPE(key, __u32);
	TYPE(value, struct newest);
} newest SEC(".maps");

/* Tells a step; who includes this says how. */
INLINE void step(struct sock *sk, __u64 cookie, __u32 lock, __u32 from, __u32 to);

INLINE void compare(struct sock *sk, __u64 cookie, struct sizes now)
{
	struct sizes *before = bpf_map_lookup_elem(&sizes, &cookie), old;
	__u32 locks;

	if (!before) {
		bpf_map_update_elem(&sizes, &cookie, &now, BPF_NOEXIST);
		return;
	}
	old = *before;
	*before = now;
	locks = READ_BITS(sk, sk_userlocks);
	if (old.send != now.send && !(locks & SEND_BUFFER_LOCK))
		step(sk, cookie, SEND_BUFFER_LOCK, old.send, now.send);
	if (old.receive != now.receive && !(locks & RECEIVE_BUFFER_LOCK))
		step(sk, cookie, RECEIVE_BUFFER_LOCK, old.receive, now.receive);
}

/* Of a TCP socket to which a segment has come. */
INLINE void tune(struct sock *sk)
{
	__u32 place = (((__u64)sk >> 6) * 2654435761u) & (NEWEST - 1);
	struct newest *last = bpf_map_lookup_elem(&newest, &place);
	struct sizes now = { .send = sk->sk_sndbuf, .receive = sk->sk_rcvbuf };
	__u64 cookie = sk->__sk_common.skc_cookie.counter;

	if (!last || (cookie && last->cookie == cookie && last->sizes.send == now.send &&
		      last->sizes.receive == now.receive))
		return;
	cookie = bpf_get_socket_cookie(sk);
	compare(sk, cookie, now);
	last->cookie = cookie;
	last->sizes = now;
}
