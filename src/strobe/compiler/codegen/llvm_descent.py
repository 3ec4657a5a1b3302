"""A step repeated on lanes until one arrives, as LLVM IR: searches that start side by side for one aim.

A program takes where a lane is, and what all lanes have in common; it gives where the lane is next and, behind that,
the square of what was missing here. `@loop` has NumPy's signature for

    (c),(w),(l,n),(…), … -> (n + 2)

the counts of steps after which lanes are looked at, whether slow ones are waited for, where l lanes start, what they
have in common (the last of it begins with the square that counts as arrived), and the best lane: where it is, its
square, and the steps that were taken. At a look all lanes leave as soon as one has arrived; else those leave whose
square is still more than a part of what it was at the look before. Arrays must lie together in memory.
"""

from __future__ import annotations

from strobe.compiler.codegen.constants import bits_of
from strobe.compiler.codegen.llvm import Emitter, Target
from strobe.compiler.graph.program import Program


def descent_module(program: Program, target: Target, gain: float) -> str:
    """The IR text; ``gain`` is the part of its square that a lane must come below from look to look."""
    e = Emitter(program, target)
    body = e.body_text()
    parts = [*sorted(e.declared), "", *body, "", _search(e, gain), _loop(e), e.table()]
    parts.append(f"attributes #0 = {{ nounwind {target.attributes} }}")
    return "\n".join(parts) + "\n"


def _search(e: Emitter, gain: float) -> str:
    """@search: the lanes of one aim."""
    count, numbers = len(e.program.inputs), len(e.program.outputs)
    places, row = numbers - 1, 8 * numbers
    shared = ", ".join(f"ptr %b{k}" for k in range(1, count))
    passed = "".join(f"ptr %b{k}, i64 0, " for k in range(1, count))
    return f"""\
define internal void @search(ptr %looks, i64 %most, ptr %waits, ptr %starts, {shared}, ptr %best, i64 %lanes,
    ptr %even, ptr %odd, ptr %before, ptr %names) #0 {{
entry:
  %arrived = load double, ptr %b{count - 1}, align 8
  %waiting = load double, ptr %waits, align 8
  %patient = fcmp une double %waiting, 0.0
  br label %start
start:
  %k0 = phi i64 [ 0, %entry ], [ %k0_next, %start ]
  %ahead0 = mul i64 %k0, {row}
  %to0 = getelementptr i8, ptr %even, i64 %ahead0
  %there0 = mul i64 %k0, {8 * places}
  %from0 = getelementptr i8, ptr %starts, i64 %there0
  call void @llvm.memcpy.inline.p0.p0.i64(ptr align 8 %to0, ptr align 8 %from0, i64 {8 * places}, i1 false)
  %before0 = getelementptr double, ptr %before, i64 %k0
  store double 0x7FF0000000000000, ptr %before0, align 8
  %name0 = getelementptr i64, ptr %names, i64 %k0
  store i64 %k0, ptr %name0, align 8
  %k0_next = add i64 %k0, 1
  %more0 = icmp slt i64 %k0_next, %lanes
  br i1 %more0, label %start, label %look
look:
  %look_k = phi i64 [ 0, %start ], [ %look_next, %sifted ]
  %live = phi i64 [ %lanes, %start ], [ %left, %sifted ]
  %done = phi i64 [ 0, %start ], [ %check, %sifted ]
  %here_first = phi ptr [ %even, %start ], [ %here, %sifted ]
  %next_first = phi ptr [ %odd, %start ], [ %next, %sifted ]
  %least_first = phi double [ 0x7FF0000000000000, %start ], [ %least, %sifted ]
  %who_first = phi i64 [ %lanes, %start ], [ %who, %sifted ]
  %look_next = add i64 %look_k, 1
  %final = icmp sge i64 %look_next, %most
  %check_at = getelementptr double, ptr %looks, i64 %look_k
  %check_number = load double, ptr %check_at, align 8
  %check = fptosi double %check_number to i64
  %last = sub i64 %live, 1
  br label %walk
walk:
  %step = phi i64 [ %done, %look ], [ %step_next, %walked ]
  %from = phi ptr [ %here_first, %look ], [ %to, %walked ]
  %to = phi ptr [ %next_first, %look ], [ %from, %walked ]
  br label %group
group:
  %i = phi i64 [ 0, %walk ], [ %i_next, %group ]
  call void @body(ptr %from, i64 {row}, {passed}ptr %to, i64 {row}, i64 %i, i64 %last, ptr @numbers)
  %i_next = add i64 %i, {e.target.width}
  %more_groups = icmp slt i64 %i_next, %live
  br i1 %more_groups, label %group, label %walked
walked:
  %step_next = add i64 %step, 1
  %more_steps = icmp slt i64 %step_next, %check
  br i1 %more_steps, label %walk, label %seen
seen:
  %here = phi ptr [ %to, %walked ]
  %next = phi ptr [ %from, %walked ]
  br label %any
any:
  %k1 = phi i64 [ 0, %seen ], [ %k1_next, %any ]
  %known1 = phi i1 [ false, %seen ], [ %known, %any ]
  %ahead1 = mul i64 %k1, {row}
  %row1 = getelementptr i8, ptr %here, i64 %ahead1
  %square_at1 = getelementptr double, ptr %row1, i64 {places}
  %square1 = load double, ptr %square_at1, align 8
  %there1 = fcmp olt double %square1, %arrived
  %known = or i1 %known1, %there1
  %k1_next = add i64 %k1, 1
  %more1 = icmp slt i64 %k1_next, %live
  br i1 %more1, label %any, label %sift_all
sift_all:
  %over = or i1 %known, %final
  %going = xor i1 %over, true
  br label %sift
sift:
  %k = phi i64 [ 0, %sift_all ], [ %k_next, %sifting ]
  %kept = phi i64 [ 0, %sift_all ], [ %left, %sifting ]
  %least_known = phi double [ %least_first, %sift_all ], [ %least, %sifting ]
  %who_known = phi i64 [ %who_first, %sift_all ], [ %who, %sifting ]
  %ahead = mul i64 %k, {row}
  %row = getelementptr i8, ptr %here, i64 %ahead
  %square_at = getelementptr double, ptr %row, i64 {places}
  %square = load double, ptr %square_at, align 8
  %before_at = getelementptr double, ptr %before, i64 %k
  %square_before = load double, ptr %before_at, align 8
  %name_at = getelementptr i64, ptr %names, i64 %k
  %name = load i64, ptr %name_at, align 8
  %wanted = fmul double %square_before, 0x{bits_of(gain):016X}
  %gained = fcmp olt double %square, %wanted
  %may = or i1 %patient, %gained
  %away = fcmp oge double %square, %arrived
  %stays_away = and i1 %may, %away
  %stays = and i1 %stays_away, %going
  br i1 %stays, label %keep, label %leave
keep:
  %place = mul i64 %kept, {row}
  %down = getelementptr i8, ptr %here, i64 %place
  call void @llvm.memcpy.inline.p0.p0.i64(ptr align 8 %down, ptr align 8 %row, i64 {row}, i1 false)
  %before_down = getelementptr double, ptr %before, i64 %kept
  store double %square, ptr %before_down, align 8
  %name_down = getelementptr i64, ptr %names, i64 %kept
  store i64 %name, ptr %name_down, align 8
  %kept_more = add i64 %kept, 1
  br label %sifting
leave:
  %a_number = fcmp ord double %square, 0.0
  %told = select i1 %a_number, double %square, double 0x7FF0000000000000
  %is_there = fcmp olt double %square, %arrived
  %value = select i1 %is_there, double -1.0, double %told
  %less = fcmp olt double %value, %least_known
  %alike = fcmp oeq double %value, %least_known
  %earlier = icmp slt i64 %name, %who_known
  %first = and i1 %alike, %earlier
  %better = or i1 %less, %first
  br i1 %better, label %take, label %sifting
take:
  call void @llvm.memcpy.inline.p0.p0.i64(ptr align 8 %best, ptr align 8 %row, i64 {8 * places}, i1 false)
  %best_square = getelementptr double, ptr %best, i64 {places}
  store double %told, ptr %best_square, align 8
  br label %sifting
sifting:
  %left = phi i64 [ %kept_more, %keep ], [ %kept, %leave ], [ %kept, %take ]
  %least = phi double [ %least_known, %keep ], [ %least_known, %leave ], [ %value, %take ]
  %who = phi i64 [ %who_known, %keep ], [ %who_known, %leave ], [ %name, %take ]
  %k_next = add i64 %k, 1
  %more = icmp slt i64 %k_next, %live
  br i1 %more, label %sift, label %sifted
sifted:
  %some_left = icmp sgt i64 %left, 0
  br i1 %some_left, label %look, label %end
end:
  %steps_taken = sitofp i64 %check to double
  %steps_at = getelementptr double, ptr %best, i64 {places + 1}
  store double %steps_taken, ptr %steps_at, align 8
  ret void
}}
declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64 immarg, i1 immarg)
"""


def _loop(e: Emitter) -> str:
    """@loop: aim after aim, with room for the lanes of one."""
    numbers, arrays = len(e.program.outputs), len(e.program.inputs) + 3
    found = "\n".join(
        f"  %at{k} = getelementptr ptr, ptr %args, i64 {k}\n"
        f"  %data{k} = load ptr, ptr %at{k}, align 8\n"
        f"  %step_at{k} = getelementptr i64, ptr %steps, i64 {k}\n"
        f"  %step{k} = load i64, ptr %step_at{k}, align 8\n"
        f"  %ahead{k} = mul i64 %p, %step{k}\n"
        f"  %own{k} = getelementptr i8, ptr %data{k}, i64 %ahead{k}"
        for k in range(arrays)
    )
    shared = ", ".join(f"ptr %own{k}" for k in range(3, arrays))
    return f"""\
define void @loop(ptr %args, ptr %dims, ptr %steps, ptr %data) #0 {{
entry:
  %aims = load i64, ptr %dims, align 8
  %looks_at = getelementptr i64, ptr %dims, i64 1
  %looks = load i64, ptr %looks_at, align 8
  %lanes_at = getelementptr i64, ptr %dims, i64 3
  %lanes = load i64, ptr %lanes_at, align 8
  %cells = mul i64 %lanes, {numbers}
  %even = alloca double, i64 %cells, align 64
  %odd = alloca double, i64 %cells, align 64
  %before = alloca double, i64 %lanes, align 64
  %names = alloca i64, i64 %lanes, align 64
  %some = icmp sgt i64 %aims, 0
  br i1 %some, label %aim, label %done
aim:
  %p = phi i64 [ 0, %entry ], [ %p_next, %aim ]
{found}
  call void @search(ptr %own0, i64 %looks, ptr %own1, ptr %own2, {shared}, i64 %lanes, ptr %even, ptr %odd,
    ptr %before, ptr %names)
  %p_next = add i64 %p, 1
  %more = icmp slt i64 %p_next, %aims
  br i1 %more, label %aim, label %done
done:
  ret void
}}
"""
