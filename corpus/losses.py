"""What a path loses. A rule is called with a packet and the seconds since the first one; true: lost.

Rules keep counts: each is good for one run.
"""

import random


def random_loss(share, seed):
    """Loses data packets independently, the same ones in every run."""
    dice = random.Random(seed)
    return lambda packet, _now: packet.payload > 0 and dice.random() < share


def lose_data_packets(*numbers):
    """Loses the n-th packets that carry data, from 1."""
    count = 0

    def drop(packet, _now):
        nonlocal count
        count += packet.payload > 0
        return packet.payload > 0 and count in numbers

    return drop


def lose_first_tails(response):
    """Loses the last segment of every response of that many bytes, the first time it passes."""
    first, seen = None, set()

    def drop(packet, _now):
        nonlocal first
        if packet.flags & 2:
            first = packet.seq + 1
        end = (packet.seq + packet.payload - (first or 0)) % 2**32
        if packet.payload and end % response == 0 and end not in seen:
            seen.add(end)
            return True
        return False

    return drop


def lose_between(moment, end=float("inf")):
    """Loses everything from that moment on, in seconds after the first packet."""
    return lambda _packet, now: moment <= now < end


def lose_larger_than(size):
    """Loses packets above that IP length and says nothing: a PMTU black hole."""
    return lambda packet, _now: packet.size > size


def lose_first_syns(count):
    """Loses the first SYNs."""
    left = count

    def drop(packet, _now):
        nonlocal left
        if packet.flags & 2 and left:
            left -= 1
            return True
        return False

    return drop


def policer(rate, burst):
    """A token bucket that drops what is above `rate` bit/s and never queues."""
    tokens, last = burst, 0.0

    def drop(packet, now):
        nonlocal tokens, last
        tokens, last = min(burst, tokens + (now - last) * rate / 8), now
        if packet.size > tokens:
            return True
        tokens -= packet.size
        return False

    return drop
