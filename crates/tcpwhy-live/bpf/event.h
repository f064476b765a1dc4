/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * A record of events.bpf.c. src/events/record.rs decodes `struct event`: change both.
 */
#pragma once

#include "helpers.h"

enum kind {
	ACK = 1,	  /* a segment arrived; the state is the one before it is processed */
	SEND = 2,	  /* the application's bytes are about to be queued; the state is the one before; value: size_goal */
	SENT = 3,	  /* sendmsg returned; value: its result */
	RETRANSMIT = 4,	  /* a segment is sent again */
	CONGESTION = 5,	  /* value: the new TCP_CA_* */
	RECEIVE_BUFFER = 6, /* autotuning raises the receive buffer; value: the time over which it measured, us */
	READ_SPACE = 7,	  /* the application took bytes from the receive queue */
	STATE = 8,	  /* value: old state << 8 | new state */
	REFUSED_MEMORY = 9, /* an allocation was refused: sock_exceed_buf_limit; value: SK_MEM_SEND 0, SK_MEM_RECV 1 */
	WRITER_BLOCKS = 10, /* a task sleeps in a write until the send buffer has room */
	WRITER_WAKES = 11,  /* value: how long it slept, us */
	READER_BLOCKS = 12, /* a task sleeps in a read until there is something to read */
	READER_WAKES = 13,  /* value: how long it slept, us */
	SEND_STEP = 14,	    /* autotuning gave the send buffer another size; value: the one before, the state has the new one */
	RECEIVE_STEP = 15,  /* the same of the receive buffer */
};

#define HAS_STATE 1
#define NOSPACE 2

struct event {
	__u64 t_ns; /* CLOCK_MONOTONIC */
	__u64 cookie;
	__u64 bytes_acked;
	__u64 pacing_rate;
	__u32 kind;
	__u32 netns;
	__u32 task;
	__u32 value;
	__u32 snd_una;
	__u32 snd_nxt;
	__u32 write_seq;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 snd_cwnd;
	__u32 snd_ssthresh;
	__u32 snd_wnd;
	__u32 mss;
	__u32 srtt_us;
	__u32 min_rtt_us;
	__u32 wmem_queued;
	__u32 sndbuf;
	__u32 rcv_wnd;
	__u32 rmem_alloc;
	__u32 rcvbuf;
	__u32 unread;
	__u32 notsent_lowat;
	__u16 local_port;
	__u16 remote_port;
	__u8 state;
	__u8 ca_state;
	__u8 flags;
	__u8 locks;
	char comm[16];
};

INLINE void fill_state(struct event *e, struct sock *sk, struct tcp_sock *tp)
{
	struct socket *socket = sk->sk_socket;

	e->bytes_acked = tp->bytes_acked;
	e->pacing_rate = sk->sk_pacing_rate;
	e->snd_una = tp->snd_una;
	e->snd_nxt = tp->snd_nxt;
	e->write_seq = tp->write_seq;
	e->packets_out = tp->packets_out;
	e->sacked_out = tp->sacked_out;
	e->lost_out = tp->lost_out;
	e->retrans_out = tp->retrans_out;
	e->snd_cwnd = tp->snd_cwnd;
	e->snd_ssthresh = tp->snd_ssthresh;
	e->snd_wnd = tp->snd_wnd;
	e->mss = tp->mss_cache;
	e->srtt_us = tp->srtt_us >> 3;
	e->min_rtt_us = tp->rtt_min.s[0].v;
	e->wmem_queued = sk->sk_wmem_queued;
	e->sndbuf = sk->sk_sndbuf;
	e->rcv_wnd = tp->rcv_wnd;
	e->rmem_alloc = sk->sk_backlog.rmem_alloc.counter;
	e->rcvbuf = sk->sk_rcvbuf;
	e->unread = tp->rcv_nxt - tp->copied_seq;
	e->notsent_lowat = tp->notsent_lowat;
	e->ca_state = READ_BITS((struct inet_connection_sock *)tp, icsk_ca_state);
	e->locks = READ_BITS(sk, sk_userlocks);
	e->flags = HAS_STATE;
	/* SOCK_NOSPACE is bit 2. */
	if (socket && socket->flags & 4)
		e->flags |= NOSPACE;
}
