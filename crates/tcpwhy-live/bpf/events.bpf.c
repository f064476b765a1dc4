/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * What happens to TCP sockets of chosen network namespaces, one record an event, with the socket's state at that moment.
 */
#include "call.h"
#include "event.h"
#include "tuned.h"

/* Who sleeps, on which socket, since when. */
struct sleeper {
	__u64 since;
	__u64 cookie;
	__u32 netns;
	__u32 kind;
	__u16 local_port;
	__u16 remote_port;
	__u32 pad;
};

struct last {
	__u64 sk;
	__u64 t_ns;
};

struct {
	UINT(type, BPF_MAP_TYPE_RINGBUF);
	UINT(max_entries, 8 << 20);
} events SEC(".maps");

/* Inodes of the namespaces asked for. */
struct {
	UINT(type, BPF_MAP_TYPE_HASH);
	UINT(max_entries, 1024);
	TYPE(key, __u32);
	TYPE(value, __u32);
} namespaces SEC(".maps");

/* Records that found the ring full. */
struct {
	UINT(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	UINT(max_entries, 1);
	TYPE(key, __u32);
	TYPE(value, __u64);
} lost SEC(".maps");

/* The last record of a kind of a socket, by a hash of its address: two sockets in one place only cost records. */
#define PLACES 4096
struct {
	UINT(type, BPF_MAP_TYPE_ARRAY);
	UINT(max_entries, PLACES);
	TYPE(key, __u32);
	TYPE(value, struct last);
} recent SEC(".maps");

struct {
	UINT(type, BPF_MAP_TYPE_LRU_HASH);
	UINT(max_entries, 8192);
	TYPE(key, __u32);
	TYPE(value, struct sleeper);
} sleepers SEC(".maps");

/* Set by the loader. */
const volatile __u64 LEAST_NS = 0;
const volatile __u64 WAIT_MEMORY_FROM = 0, WAIT_MEMORY_TO = 0;
const volatile __u64 WAIT_DATA_FROM = 0, WAIT_DATA_TO = 0;
/* Every namespace. */
const volatile __u32 EVERYWHERE = 0;

INLINE int is_asked(__u32 netns)
{
	return EVERYWHERE || bpf_map_lookup_elem(&namespaces, &netns);
}

/* Whether the last record of this kind of this socket is long enough ago. */
INLINE int is_due(struct sock *sk, __u32 kind, __u64 now)
{
	__u32 place = (((__u64)sk >> 6) * 2654435761u + kind) & (PLACES - 1);
	struct last *last = bpf_map_lookup_elem(&recent, &place);

	if (!last)
		return 0;
	if (last->sk == (__u64)sk && now - last->t_ns < LEAST_NS)
		return 0;
	last->sk = (__u64)sk;
	last->t_ns = now;
	return 1;
}

INLINE struct event *reserve(void)
{
	struct event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		__u32 zero = 0;
		__u64 *count = bpf_map_lookup_elem(&lost, &zero);

		if (count)
			*count += 1;
	}
	return e;
}

/* Task: the current one where it is the application that acts, else 0. */
INLINE int record(struct sock *sk, __u32 kind, __u32 value, int limited, int in_task)
{
	__u32 netns = sk->__sk_common.skc_net.net->ns.inum;
	struct tcp_sock *tp;
	struct event *e;
	__u64 now;

	if (!is_asked(netns))
		return 0;
	now = bpf_ktime_get_ns();
	if (limited && !is_due(sk, kind, now))
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	if (!tp)
		return 0;
	e = reserve();
	if (!e)
		return 0;
	__builtin_memset(e, 0, sizeof(*e));
	e->t_ns = now;
	e->cookie = bpf_get_socket_cookie(sk);
	e->kind = kind;
	e->netns = netns;
	e->value = value;
	e->task = in_task ? (__u32)bpf_get_current_pid_tgid() : 0;
	e->local_port = sk->__sk_common.skc_num;
	e->remote_port = __builtin_bswap16(sk->__sk_common.skc_dport);
	e->state = sk->__sk_common.skc_state;
	fill_state(e, sk, tp);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
	return 0;
}

INLINE void step(struct sock *sk, __u64 cookie, __u32 lock, __u32 from, __u32 to)
{
	record(sk, lock == SEND_BUFFER_LOCK ? SEND_STEP : RECEIVE_STEP, from, 0, 0);
}

SEC("tp_btf/tcp_probe")
int tcp_probe(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];

	if (is_asked(sk->__sk_common.skc_net.net->ns.inum))
		tune(sk);
	return record(sk, ACK, 0, 1, 0);
}

SEC("tp_btf/tcp_sendmsg_locked")
int tcp_sendmsg_locked(__u64 *ctx)
{
	return record((struct sock *)ctx[0], SEND, ctx[3], 1, 1);
}

SEC("tp_btf/sock_send_length")
int sock_send_length(__u64 *ctx)
{
	struct sock *sk = (struct sock *)ctx[0];
	int result = ctx[1];

	/* A refusal is always told: an application that is not blocked waits all the same. */
	return record(sk, SENT, result, result >= 0, 1);
}

SEC("tp_btf/tcp_retransmit_skb")
int tcp_retransmit_skb(__u64 *ctx)
{
	return record((struct sock *)ctx[0], RETRANSMIT, 0, 0, 0);
}

SEC("tp_btf/tcp_cong_state_set")
int tcp_cong_state_set(__u64 *ctx)
{
	return record((struct sock *)ctx[0], CONGESTION, ctx[1] & 0xff, 0, 0);
}

SEC("tp_btf/tcp_rcvbuf_grow")
int tcp_rcvbuf_grow(__u64 *ctx)
{
	return record((struct sock *)ctx[0], RECEIVE_BUFFER, ctx[1], 0, 0);
}

SEC("tp_btf/tcp_rcv_space_adjust")
int tcp_rcv_space_adjust(__u64 *ctx)
{
	return record((struct sock *)ctx[0], READ_SPACE, 0, 1, 1);
}

SEC("tp_btf/inet_sock_set_state")
int inet_sock_set_state(__u64 *ctx)
{
	return record((struct sock *)ctx[0], STATE, (ctx[1] & 0xff) << 8 | (ctx[2] & 0xff), 0, 0);
}

SEC("tp_btf/sock_exceed_buf_limit")
int sock_exceed_buf_limit(__u64 *ctx)
{
	return record((struct sock *)ctx[0], REFUSED_MEMORY, ctx[3], 0, 0);
}

#define FRAMES 16

/* Whether the current task sleeps in the function between the two addresses; unknown addresses: the system call has to do. */
INLINE int sleeps_in(void *ctx, __u64 from, __u64 to)
{
	__u64 frames[FRAMES] = {};

	if (!from)
		return 1;
	bpf_get_stack(ctx, frames, sizeof(frames), 0);
#pragma unroll
	for (int i = 0; i < FRAMES; i++)
		if (frames[i] >= from && frames[i] < to)
			return 1;
	return 0;
}

INLINE void tell(struct sleeper *s, __u64 now, __u32 kind, __u32 value, struct task_struct *task)
{
	struct event *e = reserve();

	if (!e)
		return;
	__builtin_memset(e, 0, sizeof(*e));
	e->t_ns = now;
	e->cookie = s->cookie;
	e->kind = kind;
	e->netns = s->netns;
	e->value = value;
	e->local_port = s->local_port;
	e->remote_port = s->remote_port;
	READ(e->task, task->pid);
	READ(e->comm, task->comm);
	bpf_ringbuf_submit(e, BPF_RB_NO_WAKEUP);
}

INLINE void falls_asleep(void *ctx, struct task_struct *task)
{
	struct sleeper s = {};
	struct net *net = 0;
	struct sock *sk;
	int writes = 0, fd = descriptor(task, &writes);
	__u16 remote = 0;
	__u32 tid = 0;

	if (fd < 0)
		return;
	sk = socket_of(task, fd, 0);
	if (!sk)
		return;
	READ(net, sk->__sk_common.skc_net.net);
	READ(s.netns, net->ns.inum);
	if (!is_asked(s.netns))
		return;
	if (writes ? !sleeps_in(ctx, WAIT_MEMORY_FROM, WAIT_MEMORY_TO) : !sleeps_in(ctx, WAIT_DATA_FROM, WAIT_DATA_TO))
		return;
	READ(s.cookie, sk->__sk_common.skc_cookie.counter);
	READ(s.local_port, sk->__sk_common.skc_num);
	READ(remote, sk->__sk_common.skc_dport);
	s.remote_port = __builtin_bswap16(remote);
	s.kind = writes ? WRITER_BLOCKS : READER_BLOCKS;
	s.since = bpf_ktime_get_ns();
	READ(tid, task->pid);
	tell(&s, s.since, s.kind, 0, task);
	bpf_map_update_elem(&sleepers, &tid, &s, 0);
}

SEC("tp_btf/sched_switch")
int sched_switch(__u64 *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx[1], *next = (struct task_struct *)ctx[2];
	__u32 tid = next->pid;
	struct sleeper *s = bpf_map_lookup_elem(&sleepers, &tid);

	if (s) {
		__u64 now = bpf_ktime_get_ns();

		tell(s, now, s->kind + 1, (now - s->since) / 1000, next);
		bpf_map_delete_elem(&sleepers, &tid);
	}
	/* Preempted tasks do not sleep; kernel threads (PF_KTHREAD) have no system call. */
	if (!(ctx[0] & 1) && ctx[3] && !(prev->flags & 0x00200000))
		falls_asleep(ctx, prev);
	return 0;
}

char LICENSE[] SEC("license") = "Dual MIT/GPL";
