"""The loop over states with NumPy's inner-loop signature, and the detour for numbers that lie apart."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

from strobe.compiler.codegen.llvm_stream import Stream

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Emitter


def emit_loop(e: Emitter) -> None:
    """@loop(args, dims, steps, data): groups of W states, straight from memory or through a scratch area.

    Stored numbers are read where they are, by every state.
    """
    cores = [(argument.size,) for argument in e.program.inputs]
    stored = range(len(cores), e.arguments)
    cores += [(given.size,) for given in e.program.stored] + [e.program.shape]
    bytes_ = e.target.bytes
    count = len(cores)
    out = e.lines.append
    out(f"define void @{e.prefix}loop(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {{")
    out("entry:")
    for k, core in enumerate(cores):
        if k not in stored:
            out(f"  %scratch{k} = alloca [{max(prod(core), 1)} x {e.target.scalar}], align 64")
    out("  %n = load i64, ptr %dims, align 8")
    out("  %last = sub i64 %n, 1")
    for k in range(count):
        out(f"  %pa{k} = getelementptr ptr, ptr %args, i64 {k}")
        out(f"  %b{k} = load ptr, ptr %pa{k}, align 8")
        out(f"  %ps{k} = getelementptr i64, ptr %steps, i64 {k}")
        out(f"  %s{k} = load i64, ptr %ps{k}, align 8")
    # core strides follow the outer ones, one per core dimension
    position, together = count, "true"
    strides: list[list[str]] = []
    for k, core in enumerate(cores):
        expected = bytes_
        own: list[str] = []
        for d in reversed(range(len(core))):
            name = f"%c{k}_{d}"
            out(f"  %pc{k}_{d} = getelementptr i64, ptr %steps, i64 {position + d}")
            out(f"  {name} = load i64, ptr %pc{k}_{d}, align 8")
            same = e.new(f"icmp eq i64 {name}, {expected}")
            if core[d] > 1 and k not in stored:
                together = e.new(f"and i1 {together}, {same}")
            expected *= core[d]
            own.insert(0, name)
        position += len(core)
        strides.append(own)
    out("  %some = icmp sgt i64 %n, 0")
    out("  br i1 %some, label %which, label %done")
    out("which:")
    out(f"  br i1 {together}, label %direct, label %detour")
    stream = Stream(e)
    _direct(e, count, stream)
    _detour(e, cores, strides, stored)
    out("done:")
    stream.finish()
    out("  ret void")
    out("}")
    e.lines += stream.text()


def _direct(e: Emitter, count: int, stream: Stream) -> None:
    """Block after block of several groups; within a block piece after piece, each over all groups of the block."""
    out, W, layout = e.lines.append, e.target.width, e.layout
    inputs = "".join(f"ptr %b{k}, i64 %s{k}, " for k in range(count - 1))
    out("direct:")
    stream.prepare()
    out(f"  %kept = alloca [{layout.groups * layout.kept} x {e.target.vector}], align 64")
    out("  br label %block")
    out("block:")
    out("  %first = phi i64 [ 0, %direct ], [ %beyond, %after ]")
    out(f"  %whole = add i64 %first, {layout.groups * W}")
    out("  %part = icmp slt i64 %n, %whole")
    out("  %beyond = select i1 %part, i64 %n, i64 %whole")
    before = "block"
    for piece, own in enumerate(layout.pieces):
        out(f"  br label %run{piece}")
        out(f"run{piece}:")
        out(f"  %i{piece} = phi i64 [ %first, %{before} ], [ %next{piece}, %run{piece} ]")
        out(f"  %kept{piece} = phi ptr [ %kept, %{before} ], [ %ahead{piece}, %run{piece} ]")
        place, step = stream.target(own, f"%i{piece}")
        out(
            f"  call void @{e.prefix}piece{piece}({inputs}ptr {place}, i64 {step}, i64 %i{piece}, i64 %last, "
            f"ptr @{e.prefix}numbers, ptr %kept{piece})"
        )
        stream.send(own, f"%i{piece}")
        out(f"  %next{piece} = add i64 %i{piece}, {W}")
        out(f"  %ahead{piece} = getelementptr {e.target.vector}, ptr %kept{piece}, i64 {layout.kept}")
        out(f"  %more{piece} = icmp slt i64 %next{piece}, %beyond")
        before = f"ran{piece}"
        out(f"  br i1 %more{piece}, label %run{piece}, label %{before}")
        out(f"{before}:")
    out("  br label %after")
    out("after:")
    out("  %more = icmp slt i64 %beyond, %n")
    out("  br i1 %more, label %block, label %done")


def _detour(e: Emitter, cores: list[tuple[int, ...]], strides: list[list[str]], stored: range) -> None:
    """One state at a time through the scratch area: rows are copied in, computed, copied out."""
    out, bytes_, count = e.lines.append, e.target.bytes, len(cores)
    out("detour:")
    out("  %j = phi i64 [ 0, %which ], [ %j2, %detour ]")

    def copies(k: int, inwards: bool) -> None:
        core, own = cores[k], strides[k]
        offset = e.new(f"mul i64 %j, %s{k}")
        row = e.new(f"getelementptr i8, ptr %b{k}, i64 {offset}")
        *outer, inner = core
        for line, place in enumerate(product(*map(range, outer))):
            there = row
            for stride, index in zip(own[:-1], place, strict=True):
                down = e.new(f"mul i64 {stride}, {index}")
                there = e.new(f"getelementptr i8, ptr {there}, i64 {down}")
            here = e.new(f"getelementptr i8, ptr %scratch{k}, i64 {line * inner * bytes_}")
            near, far = f"ptr {here}, i64 {bytes_}", f"ptr {there}, i64 {own[-1]}"
            pair = f"{near}, {far}" if inwards else f"{far}, {near}"
            out(f"  call void @copy({pair}, i64 {inner})")

    for k in range(stored.start):
        copies(k, inwards=True)
    arguments = ", ".join(f"ptr %{'b' if k in stored else 'scratch'}{k}, i64 0" for k in range(count))
    out(f"  call void @{e.prefix}body({arguments}, i64 0, i64 0, ptr @{e.prefix}numbers)")
    copies(count - 1, inwards=False)
    out("  %j2 = add i64 %j, 1")
    out("  %again = icmp slt i64 %j2, %n")
    out("  br i1 %again, label %detour, label %done")
