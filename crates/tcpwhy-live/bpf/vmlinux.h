/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * The few kernel fields that the programs here read. Offsets do not matter: the loader takes them from the running kernel's
 * BTF (CO-RE), which the attribute asks for. Names and types are those of Linux 6.18.
 */
#pragma once

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed int __s32;
typedef signed long long __s64;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

typedef struct {
	__s64 counter;
} atomic64_t;

typedef struct {
	int counter;
} atomic_t;

struct sock_common {
	union {
		struct {
			__u16 skc_dport;
			__u16 skc_num;
		};
	};
	unsigned short skc_family;
	unsigned char skc_state;
	possible_net_t skc_net;
	atomic64_t skc_cookie;
};

struct socket {
	unsigned long flags;
	struct sock *sk;
};

struct sock {
	struct sock_common __sk_common;
	struct {
		atomic_t rmem_alloc;
	} sk_backlog;
	__u8 sk_userlocks;
	int sk_rcvbuf;
	struct socket *sk_socket;
	int sk_wmem_queued;
	unsigned long sk_pacing_rate;
	__u16 sk_protocol;
	int sk_sndbuf;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_ca_state : 5;
};

struct minmax_sample {
	__u32 t;
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u32 notsent_lowat;
	__u32 window_clamp;
	__u32 snd_wnd;
	__u32 mss_cache;
	__u32 snd_cwnd;
	__u32 lost_out;
	__u32 sacked_out;
	__u32 copied_seq;
	__u32 retrans_out;
	__u32 snd_ssthresh;
	struct minmax rtt_min;
	__u32 write_seq;
	__u32 rcv_nxt;
	__u32 snd_nxt;
	__u32 snd_una;
	__u32 srtt_us;
	__u32 packets_out;
	__u32 rcv_wnd;
	__u64 bytes_acked;
};

struct inode {
	unsigned short i_mode;
	unsigned long i_ino;
};

struct socket_alloc {
	struct inode vfs_inode;
};

struct file {
	void *private_data;
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct upid {
	int nr;
	void *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[1];
};

struct task_struct {
	unsigned int flags;
	int pid;
	int tgid;
	struct pid *thread_pid;
	char comm[16];
	struct files_struct *files;
};

struct seq_file;

/* Of an iterator's first argument. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

/* x86_64. */
struct pt_regs {
	unsigned long r10;
	unsigned long r8;
	unsigned long dx;
	unsigned long si;
	unsigned long di;
	unsigned long orig_ax;
};

/* aarch64: another struct of that name. */
struct pt_regs___arm64 {
	__u64 regs[31];
	__s32 syscallno;
};

#pragma clang attribute pop
