/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * What is used of BPF's helpers (include/uapi/linux/bpf.h, by number) and of CO-RE, so that clang alone builds the object.
 */
#pragma once

#include "vmlinux.h"

#define SEC(name) __attribute__((section(name), used))
#define INLINE static __attribute__((always_inline)) inline

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value, __u64 flags) = (void *)2;
static long (*bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
static __u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static __u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*bpf_get_current_comm)(void *to, __u32 size) = (void *)16;
static long (*bpf_get_stackid)(void *ctx, void *map, __u64 flags) = (void *)27;
static __u64 (*bpf_get_socket_cookie)(void *sk) = (void *)46;
static long (*bpf_get_stack)(void *ctx, void *to, __u32 size, __u64 flags) = (void *)67;
static long (*bpf_probe_read_user)(void *to, __u32 size, const void *from) = (void *)112;
static long (*bpf_probe_read_kernel)(void *to, __u32 size, const void *from) = (void *)113;
static long (*bpf_seq_write)(struct seq_file *to, const void *data, __u32 size) = (void *)127;
static void *(*bpf_ringbuf_reserve)(void *ring, __u64 size, __u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *data, __u64 flags) = (void *)132;
static struct tcp_sock *(*bpf_skc_to_tcp_sock)(void *sk) = (void *)137;
static struct task_struct *(*bpf_get_current_task_btf)(void) = (void *)158;
static struct socket *(*bpf_sock_from_file)(struct file *file) = (void *)162;
static long (*bpf_task_pt_regs)(struct task_struct *task) = (void *)175;

#define BPF_MAP_TYPE_HASH 1
#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_MAP_TYPE_STACK_TRACE 7
#define BPF_MAP_TYPE_LRU_HASH 9
#define BPF_MAP_TYPE_RINGBUF 27
#define BPF_RB_NO_WAKEUP 1
#define BPF_NOEXIST 1
#define BPF_F_USER_STACK 256

/* A map's definition in BTF. */
#define UINT(name, value) int(*name)[value]
#define TYPE(name, type) type *name

/* Reads a field behind a pointer that the verifier does not know; a bad address reads as 0. */
#define READ(to, from) bpf_probe_read_kernel(&(to), sizeof(to), __builtin_preserve_access_index(&(from)))

/* A small field that is a bit field in some kernels and none in others (libbpf's BPF_CORE_READ_BITFIELD_PROBED, for at most 8 bits,
 * which never cross a byte). */
#define FIELD_BYTE_OFFSET 0
#define FIELD_LSHIFT_U64 4
#define FIELD_RSHIFT_U64 5
#define READ_BITS(base, field)                                                                             \
	({                                                                                                 \
		__u64 bits = 0;                                                                            \
		__u32 size = __builtin_preserve_field_info((base)->field, 1);                              \
		const char *at = (const char *)(base) +                                                    \
				 __builtin_preserve_field_info((base)->field, FIELD_BYTE_OFFSET);          \
		bpf_probe_read_kernel(&bits, size <= 8 ? size : 8, at);                                    \
		bits <<= __builtin_preserve_field_info((base)->field, FIELD_LSHIFT_U64);                   \
		bits >> __builtin_preserve_field_info((base)->field, FIELD_RSHIFT_U64);                    \
	})
