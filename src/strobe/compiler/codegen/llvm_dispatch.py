"""Which builtin answers a call, told by how the call is written: an inline cache, as virtual machines have them.

`@dispatch(self, args, n, names)` (METH_FASTCALL | METH_KEYWORDS) holds a table of calls that were seen: so many
arguments by place, these by name, and of those that are no arrays these objects, or strings, whole numbers and tuples
equal to them. The builtin of the first one that fits is given the arrays in its own order; what it declines, and what
fits none, goes to a Python function that takes everything; so does what raises when it is compared. One code serves
all tables.
"""

from __future__ import annotations

from strobe.compiler.codegen.llvm_builtin import BYTES_CONTENT, OBJECT_TYPE

HEAD = (
    "not_implemented", "decref", "vectorcall", "fallback", "tuple_size", "tuple_item", "call_one", "str_type",
    "equal", "count", "tuple_type", "int_type", "clear",
)  # fmt: skip
COUNT = HEAD.index("count")  # the word that says how many calls there are
FIRST, LENGTH = 16, 64  # words before the first call, and of each
MOST_NAMES, MOST_OPTIONS, MOST_ARRAYS = 8, 8, 12
NAMES, OPTIONS, ARRAYS = 8, 16, 32  # words of a call at which they begin; before them, in this order:
FIELDS = ("places", "names", "options", "arrays", "function", "self", "wrap")
TAKEN = len(FIELDS)  # the word of a call that is set whenever it was the one
EQ = 2  # of Python's comparisons


def dispatch_module() -> str:
    """The IR text of the function."""
    lines = ["define ptr @dispatch(ptr %self, ptr %args, i64 %n, ptr %kwnames) nounwind {", "entry:"]
    lines += [f"  %names = alloca [{MOST_NAMES} x ptr], align 8"]
    lines += [f"  %given = alloca [{MOST_ARRAYS} x ptr], align 8"]
    lines += [f"  %table = getelementptr i8, ptr %self, i64 {BYTES_CONTENT}"]
    for k, name in enumerate(HEAD):
        lines += _word(name, "%table", k, "i64" if name == "count" else "ptr")
    lines += [_NAMES.format(most=MOST_NAMES)]
    lines += ["look:", f"  %words = mul i64 %call, {LENGTH}", f"  %start = add i64 %words, {FIRST}"]
    lines += ["  %record = getelementptr i64, ptr %table, i64 %start"]
    for k, name in enumerate(FIELDS):
        lines += _word(
            f"its_{name}", "%record", k, "ptr" if name in ("function", "self", "wrap") else "i64"
        )
    lines += [
        _LOOK.format(names=NAMES, options=OPTIONS, arrays=ARRAYS, type=OBJECT_TYPE, eq=EQ, taken=TAKEN)
    ]
    return "\n".join(lines) + "\n"


def _word(name: str, base: str, k: int, kind: str) -> list[str]:
    return [
        f"  %{name}_at = getelementptr i64, ptr {base}, i64 {k}",
        f"  %{name} = load {kind}, ptr %{name}_at, align 8",
    ]


_NAMES = """\
  %unnamed = icmp eq ptr %kwnames, null
  br i1 %unnamed, label %begin, label %sized
sized:
  %size = call i64 %tuple_size(ptr %kwnames)
  %few = icmp ule i64 %size, {most}
  br i1 %few, label %name, label %leave
name:
  %k = phi i64 [ 0, %sized ], [ %k_next, %named ]
  %more_names = icmp ult i64 %k, %size
  br i1 %more_names, label %named, label %begin
named:
  %item = call ptr %tuple_item(ptr %kwnames, i64 %k)
  %name_at = getelementptr ptr, ptr %names, i64 %k
  store ptr %item, ptr %name_at, align 8
  %k_next = add i64 %k, 1
  br label %name
begin:
  %by_name = phi i64 [ 0, %entry ], [ %size, %name ]
  br label %try
try:
  %call = phi i64 [ 0, %begin ], [ %call_next, %another ]
  %more_calls = icmp ult i64 %call, %count
  br i1 %more_calls, label %look, label %leave
another:
  %call_next = add i64 %call, 1
  br label %try"""

_LOOK = """\
  %same_places = icmp eq i64 %its_places, %n
  %same_names = icmp eq i64 %its_names, %by_name
  %same_counts = and i1 %same_places, %same_names
  br i1 %same_counts, label %word, label %another
word:
  %w = phi i64 [ 0, %look ], [ %w_next, %word_same ]
  %more_words = icmp ult i64 %w, %by_name
  br i1 %more_words, label %word_look, label %option
word_look:
  %its_word_place = add i64 %w, {names}
  %its_word_at = getelementptr i64, ptr %record, i64 %its_word_place
  %its_word = load ptr, ptr %its_word_at, align 8
  %word_at = getelementptr ptr, ptr %names, i64 %w
  %the_word = load ptr, ptr %word_at, align 8
  %word_equal = icmp eq ptr %its_word, %the_word
  br i1 %word_equal, label %word_same, label %another
word_same:
  %w_next = add i64 %w, 1
  br label %word
option:
  %o = phi i64 [ 0, %word ], [ %o_next, %option_same ]
  %more_options = icmp ult i64 %o, %its_options
  br i1 %more_options, label %option_look, label %array
option_look:
  %o_twice = mul i64 %o, 2
  %o_place = add i64 %o_twice, {options}
  %o_index_at = getelementptr i64, ptr %record, i64 %o_place
  %o_index = load i64, ptr %o_index_at, align 8
  %o_wanted_at = getelementptr i64, ptr %o_index_at, i64 1
  %o_wanted = load ptr, ptr %o_wanted_at, align 8
  %o_at = getelementptr ptr, ptr %args, i64 %o_index
  %o_given = load ptr, ptr %o_at, align 8
  %o_equal = icmp eq ptr %o_wanted, %o_given
  br i1 %o_equal, label %option_same, label %option_text
option_text:
  %o_wanted_type_at = getelementptr i8, ptr %o_wanted, i64 {type}
  %o_wanted_type = load ptr, ptr %o_wanted_type_at, align 8
  %o_given_type_at = getelementptr i8, ptr %o_given, i64 {type}
  %o_given_type = load ptr, ptr %o_given_type_at, align 8
  %of_a_kind = icmp eq ptr %o_wanted_type, %o_given_type
  %is_text = icmp eq ptr %o_wanted_type, %str_type
  %is_tuple = icmp eq ptr %o_wanted_type, %tuple_type
  %is_int = icmp eq ptr %o_wanted_type, %int_type
  %is_several = or i1 %is_text, %is_tuple
  %is_compared = or i1 %is_several, %is_int
  %comparable = and i1 %of_a_kind, %is_compared
  br i1 %comparable, label %option_compare, label %another
option_compare:
  %compared = call i32 %equal(ptr %o_wanted, ptr %o_given, i32 {eq})
  %texts_equal = icmp eq i32 %compared, 1
  br i1 %texts_equal, label %option_same, label %option_other
option_other:
  %incomparable = icmp slt i32 %compared, 0
  br i1 %incomparable, label %option_raised, label %another
option_raised:
  call void %clear()
  br label %leave
option_same:
  %o_next = add i64 %o, 1
  br label %option
array:
  %a = phi i64 [ 0, %option ], [ %a_next, %array_put ]
  %more_arrays = icmp ult i64 %a, %its_arrays
  br i1 %more_arrays, label %array_look, label %answer
array_look:
  %a_twice = mul i64 %a, 2
  %a_place = add i64 %a_twice, {arrays}
  %a_index_at = getelementptr i64, ptr %record, i64 %a_place
  %a_index = load i64, ptr %a_index_at, align 8
  %is_constant = icmp slt i64 %a_index, 0
  br i1 %is_constant, label %array_constant, label %array_given
array_constant:
  %a_constant_at = getelementptr i64, ptr %a_index_at, i64 1
  %a_constant = load ptr, ptr %a_constant_at, align 8
  br label %array_put
array_given:
  %a_at = getelementptr ptr, ptr %args, i64 %a_index
  %a_given = load ptr, ptr %a_at, align 8
  br label %array_put
array_put:
  %a_value = phi ptr [ %a_constant, %array_constant ], [ %a_given, %array_given ]
  %given_at = getelementptr ptr, ptr %given, i64 %a
  store ptr %a_value, ptr %given_at, align 8
  %a_next = add i64 %a, 1
  br label %array
answer:
  %found = call ptr %its_function(ptr %its_self, ptr %given, i64 %its_arrays)
  %declined = icmp eq ptr %found, %not_implemented
  br i1 %declined, label %passed_over, label %taken
passed_over:
  call void %decref(ptr %found)
  br label %another
taken:
  %its_taken_at = getelementptr i64, ptr %record, i64 {taken}
  store i64 1, ptr %its_taken_at, align 8
  %bare = icmp eq ptr %its_wrap, null
  %nothing = icmp eq ptr %found, null
  %as_it_is = or i1 %bare, %nothing
  br i1 %as_it_is, label %give, label %wrapping
give:
  ret ptr %found
wrapping:
  %wrapped = call ptr %call_one(ptr %its_wrap, ptr %found)
  call void %decref(ptr %found)
  ret ptr %wrapped
leave:
  %slow = call ptr %vectorcall(ptr %fallback, ptr %args, i64 %n, ptr %kwnames)
  ret ptr %slow
}}"""
