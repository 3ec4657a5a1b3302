"""What disturbs sensors from outside, as signals: white noise of variance one, and NaN where no reading comes.

Every run has streams of its own, made of the seed and its number: the same whatever runs beside it and however many
periods are asked for at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from strobe.control.instruments import Instruments
from strobe.control.sensor import Channel
from strobe.errors import ArgumentError
from strobe.simulate.problem import joint_at

Array = np.ndarray
AT_ONCE = 1 << 22  # numbers of a signal that are held at a time
EARLY = 1e-9  # part of a period by which rounding may bring a fault forward
NOISE, DROPPED = range(2)  # streams of a run


def disturbances(instruments: Instruments, runs: int, rounds: int) -> Iterator[tuple[slice, Array]]:
    """Signals (runs or 1, some rounds, size), piece by piece, and the rounds that each is for."""
    places = instruments.disturbed.places
    channels = {name: instruments.channels[name] for name in places}
    noisy = np.concatenate([np.full(each.size, each.sensor.noisy) for each in channels.values()])
    lossy = [name for name, channel in channels.items() if _at_random(channel)]
    seed, own = instruments.sensors.seed, runs if noisy.any() or lossy else 1
    streams = [
        [np.random.default_rng((seed, run, kind)) for kind in (NOISE, DROPPED)] for run in range(own)
    ]
    most = max(1, AT_ONCE // (own * len(noisy)))
    for start in range(0, rounds, most):
        piece = slice(start, min(start + most, rounds))
        count = piece.stop - piece.start
        signal = np.zeros((own, count, len(noisy)))
        for row, (noise, dropped) in zip(signal, streams, strict=True):
            row[:, noisy] = noise.standard_normal((count, int(noisy.sum())))
            chances = dropped.random((count, len(lossy), instruments.plant.nv))
            for k, name in enumerate(lossy):
                lost = chances[:, k] < channels[name].sensor.dropped
                row[:, places[name]][_wide(channels[name], lost)] = np.nan
        for name, channel in channels.items():
            silent = _silent(instruments, channel, piece)
            signal[:, :, places[name]][:, _wide(channel, silent)] = np.nan
        yield piece, signal


def _at_random(channel: Channel) -> bool:
    return np.ndim(channel.sensor.dropped) == 0 and channel.sensor.fails


def _wide(channel: Channel, joints: Array) -> Array:
    """Which numbers (rounds, size) of readings, from which joints (rounds, nv)."""
    return np.repeat(joints, channel.size // channel.robot.nv, axis=1)


def _silent(instruments: Instruments, channel: Channel, piece: slice) -> Array:
    """Which joints (rounds, nv) say nothing in every run: as a mask says, or through faults."""
    robot = instruments.plant
    silent = np.zeros((piece.stop - piece.start, robot.nv), dtype=bool)
    if np.ndim(channel.sensor.dropped):
        silent |= _masked(channel, piece)
    times = instruments.period * (np.arange(piece.start, piece.stop) + EARLY)
    names = np.array([joint_at(robot, dof).name for dof in range(robot.nv)])
    for fault in instruments.sensors.faults:
        if fault.sensor == channel.quantity:
            when = (times >= fault.at) & (times < fault.until)
            silent |= when[:, None] & ((names == fault.joint) | (fault.joint is None))
    return silent


def _masked(channel: Channel, piece: slice) -> Array:
    """The part of a mask (rounds, nv or 1) that speaks of some rounds; beyond its end samples come."""
    mask = np.asarray(channel.sensor.dropped)
    mask = mask[:, None] if mask.ndim == 1 else mask
    if mask.shape[1] not in (1, channel.robot.nv):
        raise ArgumentError(
            f"dropped has shape {mask.shape}; {channel.robot.shape_reason}, expected (periods,) or (periods, "
            f"{channel.robot.nv})."
        )
    part = mask[piece]
    return np.pad(part, ((0, piece.stop - piece.start - len(part)), (0, 0)))
