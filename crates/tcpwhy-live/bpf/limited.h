/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * For how long each limit held the sender of a socket, told at every ACK.
 *
 * tcp_probe fires in tcp_rcv_established() before the segment is processed, and tcp_sendmsg_locked before bytes are queued: the state is
 * still the one in which the sender waited since the event before, so the time since then is its limit's. The rules are those of
 * State::limit() in crates/tcpwhy-core/src/socket/state.rs, in that order; where a sample has to guess from the buffer whether a writer
 * waits, SOCK_NOSPACE is known here (set by sk_stream_wait_memory() and tcp_poll(), cleared by sk_stream_write_space()).
 */
#pragma once

#include "helpers.h"

/* src/causes/limited.rs has the same order. */
enum limit {
	LOSS_RECOVERY,
	RECEIVE_WINDOW,
	DELAYED_ACK,
	PATH_BANDWIDTH,
	CONGESTION_WINDOW,
	SEND_BUFFER,
	APPLICATION,
	LIMITS,
};

struct limited {
	__u64 until; /* CLOCK_MONOTONIC: the last event */
	__u64 ns[LIMITS];
};

/* By cookie; sockets without events for long make room. */
struct {
	UINT(type, BPF_MAP_TYPE_LRU_HASH);
	UINT(max_entries, 16384);
	TYPE(key, __u64);
	TYPE(value, struct limited);
} limited SEC(".maps");

/* ACKs of a socket closer together than this are one, nanoseconds: the time goes to what the next one finds. */
#define LEAST_NS 100000

/* When a socket was last judged, by a hash of its address: two in one place are judged less often. */
#define JUDGED 4096
struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, JUDGED);
	TYPE(key, __u32);
	TYPE(value, __u64);
} judged SEC(".maps");

INLINE int is_due(struct sock *sk, __u64 now)
{
	__u32 place = (((__u64)sk >> 6) * 2654435761u) & (JUDGED - 1);
	__u64 *last = bpf_map_lookup_elem(&judged, &place);

	if (!last || now - *last < LEAST_NS)
		return 0;
	*last = now;
	return 1;
}

INLINE __u32 less(__u32 from, __u32 what)
{
	return from > what ? from - what : 0;
}

/* tcp_tso_should_defer() saves up room for a larger packet, to a third of the window and GSO_LEGACY_MAX_SIZE at most. */
INLINE int is_at_edge(struct tcp_sock *tp, __u32 unsent, __u32 outstanding, __u32 in_flight)
{
	__u32 room = less(tp->snd_wnd, outstanding), third = tp->snd_wnd / 3;
	__u64 cwnd_room = (__u64)less(tp->snd_cwnd, in_flight) * tp->mss_cache;

	if (!unsent)
		return 0;
	if (third > 65536)
		third = 65536;
	return room < tp->mss_cache || (room < third && room < cwnd_room && unsent > room);
}

/* The round trip is a quarter and a millisecond above its floor. */
INLINE int queue_stands(struct tcp_sock *tp)
{
	__u32 floor = tp->rtt_min.s[0].v, excess = less(tp->srtt_us >> 3, floor);

	return floor != -1U && excess >= 1000 && excess >= floor / 4;
}

INLINE enum limit limit_of(struct sock *sk, struct tcp_sock *tp)
{
	__u32 unsent = less(tp->write_seq - tp->snd_una, tp->snd_nxt - tp->snd_una);
	__u32 outstanding = tp->snd_nxt - tp->snd_una, mss = tp->mss_cache;
	__u32 in_flight = less(tp->packets_out + tp->retrans_out, tp->sacked_out + tp->lost_out);
	__u32 ca_state = READ_BITS((struct inet_connection_sock *)tp, icsk_ca_state);
	struct socket *socket = sk->sk_socket;
	/* SOCK_NOSPACE is bit 2. */
	int waits = socket && socket->flags & 4;

	/* TCP_CA_Recovery, TCP_CA_Loss */
	if (ca_state == 3 || ca_state == 4)
		return LOSS_RECOVERY;
	if (is_at_edge(tp, unsent, outstanding, in_flight))
		return RECEIVE_WINDOW;
	/* tcp_nagle_test(): less than a segment waits for an ACK, though cwnd has room. */
	if (unsent && unsent < mss && outstanding && outstanding < 2 * mss && in_flight < tp->snd_cwnd && !waits)
		return DELAYED_ACK;
	if (unsent >= mss || (unsent && in_flight >= tp->snd_cwnd))
		return queue_stands(tp) ? PATH_BANDWIDTH : CONGESTION_WINDOW;
	return outstanding && waits ? SEND_BUFFER : APPLICATION;
}

/* Gives the time since the last event to what held the sender. The socket is locked: nobody else adds to it. */
INLINE int hold(struct sock *sk, int writes)
{
	struct limited first = {}, *l;
	struct tcp_sock *tp;
	__u64 now, cookie;
	__u32 limit;

	/* IPPROTO_TCP */
	if (sk->sk_protocol != 6)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	/* Without data under way, only a write ends a time: one of the application's. A receiver costs no more than this. */
	if (!tp || (tp->write_seq == tp->snd_una) != writes)
		return 0;
	now = bpf_ktime_get_ns();
	if (!writes && !is_due(sk, now))
		return 0;
	cookie = bpf_get_socket_cookie(sk);
	l = bpf_map_lookup_elem(&limited, &cookie);
	if (!l) {
		first.until = now;
		bpf_map_update_elem(&limited, &cookie, &first, BPF_NOEXIST);
		return 0;
	}
	limit = writes ? APPLICATION : limit_of(sk, tp);
	if (limit < LIMITS)
		l->ns[limit] += now - l->until;
	l->until = now;
	return 0;
}
