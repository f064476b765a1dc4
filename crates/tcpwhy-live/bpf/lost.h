/* SPDX-License-Identifier: GPL-2.0 OR MIT OR Apache-2.0
 *
 * What did not fit.
 */
#pragma once

#include "helpers.h"

enum lost {
	LOST_CALLS,
	LOST_SLEEPERS,
	LOST_WAITS,
	LOST_COUNTS,
	LOST_STACKS,
	LOST_KINDS,
};

struct {
	UINT(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	UINT(max_entries, LOST_KINDS);
	TYPE(key, __u32);
	TYPE(value, __u64);
} lost SEC(".maps");

INLINE void lose(__u32 what)
{
	__u64 *count = bpf_map_lookup_elem(&lost, &what);

	if (count)
		*count += 1;
}
