/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * What happens to TCP sockets of chosen network namespaces, one record an event, with the socket's state at that moment.
 * src/events/record.rs decodes `struct event`: change both.
 */
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

SEC("tp_btf/tcp_probe")
int tcp_probe(__u64 *ctx)
{
	return record((struct sock *)ctx[0], ACK, 0, 1, 0);
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

/* The TCP socket behind a descriptor of a task, as a plain address. */
INLINE struct sock *socket_of(struct task_struct *task, int fd)
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
	READ(socket, file->private_data);
	if (!socket || READ(sk, socket->sk) || !sk)
		return 0;
	READ(protocol, sk->sk_protocol);
	READ(family, sk->__sk_common.skc_family);
	/* IPPROTO_TCP over AF_INET or AF_INET6. */
	return protocol == 6 && (family == 2 || family == 10) ? sk : 0;
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
	sk = socket_of(task, fd);
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
