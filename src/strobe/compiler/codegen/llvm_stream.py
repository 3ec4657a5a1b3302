"""Results that no cache holds, written past all of them.

A store to memory that is in no cache fetches the line first and brings it back later. Where a call makes more than
`MOST_CACHED` bytes of results, pieces that do nothing but write leave theirs in a small area that stays in the
nearest cache, a stretch of every row of a group of states. From there whole lines go to memory unfetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.compiler.codegen.llvm_pieces import Piece

if TYPE_CHECKING:
    from strobe.compiler.codegen.llvm import Emitter

MOST_CACHED = 2**24  # bytes
LINE = 64  # bytes that go to memory at once
SHORTEST = 4 * LINE  # of a row, that has whole lines in it wherever it begins


class Stream:
    """The lines of a loop that take results past the caches."""

    def __init__(self, e: Emitter) -> None:
        self.e = e
        writing = [piece for piece in e.layout.pieces if piece.results and not piece.nodes]
        self.pieces = [piece for piece in writing if self._stretch(piece)[1] >= SHORTEST]
        longest = max((self._stretch(piece)[1] for piece in self.pieces), default=0)
        self.gap = longest + LINE  # between rows of the area; pages would have one place in the cache

    def _stretch(self, piece: Piece) -> tuple[int, int]:
        """Where the results of a piece begin in a row, and how many there are; in bytes."""
        size, half = self.e.target.bytes, self.e.target.half
        end = min(piece.results[-1] + half, len(self.e.program.outputs))
        return size * piece.results[0], size * (end - piece.results[0])

    def prepare(self) -> None:
        """Before the loop: the area, and whether it is used."""
        if self.pieces:
            e, k = self.e, self.e.arguments
            e.lines.append(f"  %area = alloca [{self.gap * e.target.width} x i8], align {LINE}")
            bytes_ = e.new(f"mul i64 %n, %s{k}")
            e.lines.append(f"  %streams = icmp sgt i64 {bytes_}, {MOST_CACHED}")

    def target(self, piece: Piece, state: str) -> tuple[str, str]:
        """Where a piece finds the rows of its results from this state on, and the step between them."""
        e, k = self.e, self.e.arguments
        if piece not in self.pieces:
            return f"%b{k}", f"%s{k}"
        before = e.new(f"mul i64 {state}, {-self.gap}")
        place = e.new(f"getelementptr i8, ptr %area, i64 {before}")
        place = e.new(f"getelementptr i8, ptr {place}, i64 {-self._stretch(piece)[0]}")
        chosen = e.new(f"select i1 %streams, ptr {place}, ptr %b{k}")
        return chosen, e.new(f"select i1 %streams, i64 {self.gap}, i64 %s{k}")

    def send(self, piece: Piece, state: str) -> None:
        """Behind a piece: its stretches of the rows from this state on, if they are in the area."""
        if piece not in self.pieces:
            return
        e, k, (start, size) = self.e, self.e.arguments, self._stretch(piece)
        e.declared.add("declare i64 @llvm.smin.i64(i64, i64)")
        left = e.new(f"sub i64 %n, {state}")
        most = e.new(f"select i1 %streams, i64 {e.target.width}, i64 0")
        rows = e.new(f"call i64 @llvm.smin.i64(i64 {left}, i64 {most})")
        row = e.new(f"getelementptr i8, ptr %b{k}, i64 {e.new(f'mul i64 {state}, %s{k}')}")
        row = e.new(f"getelementptr i8, ptr {row}, i64 {start}")
        e.lines.append(
            f"  call void @{e.prefix}send(ptr {row}, i64 %s{k}, ptr %area, i64 {self.gap}, i64 {rows}, i64 {size})"
        )

    def finish(self) -> None:
        """Behind the loop: what went past the caches is there for everyone."""
        if self.pieces:
            self.e.lines.append("  fence seq_cst")

    def text(self) -> list[str]:
        """@send, where it is called."""
        t = self.e.target
        words = {"prefix": self.e.prefix, "T": t.scalar, "size": t.bytes, "line": LINE, "within": LINE - 1}
        return [SEND.format(**words)] if self.pieces else []


SEND = """\
define internal void @{prefix}send(ptr %to, i64 %step, ptr %from, i64 %gap, i64 %rows, i64 %bytes) #0 {{
entry:
  %some = icmp sgt i64 %rows, 0
  br i1 %some, label %row, label %done
row:
  %r = phi i64 [ 0, %entry ], [ %r2, %sent ]
  %down = mul i64 %r, %step
  %over = mul i64 %r, %gap
  %target = getelementptr i8, ptr %to, i64 %down
  %source = getelementptr i8, ptr %from, i64 %over
  %address = ptrtoint ptr %target to i64
  %behind = and i64 %address, {within}
  %head = sub i64 {line}, %behind
  %ahead = udiv i64 %head, {size}
  call void @copy(ptr %target, i64 {size}, ptr %source, i64 {size}, i64 %ahead)
  br label %line
line:
  %at = phi i64 [ %head, %row ], [ %at2, %line ]
  %near = getelementptr i8, ptr %source, i64 %at
  %far = getelementptr i8, ptr %target, i64 %at
  %numbers = load <{line} x i8>, ptr %near, align {size}
  store <{line} x i8> %numbers, ptr %far, align {line}, !nontemporal !{{i32 1}}
  %at2 = add i64 %at, {line}
  %left = sub i64 %bytes, %at2
  %again = icmp sgt i64 %left, {line}
  br i1 %again, label %line, label %sent
sent:
  %tail = udiv i64 %left, {size}
  %near2 = getelementptr i8, ptr %source, i64 %at2
  %far2 = getelementptr i8, ptr %target, i64 %at2
  call void @copy(ptr %far2, i64 {size}, ptr %near2, i64 {size}, i64 %tail)
  %r2 = add i64 %r, 1
  %more = icmp slt i64 %r2, %rows
  br i1 %more, label %row, label %done
done:
  ret void
}}
"""
"""Of every row the first and the last line by numbers, at least one each, and those between as a whole."""
