"""A program written out: names, their order, and nothing worked out twice."""

import math

from strobe.compiler.graph.program import Input, Program
from strobe.equations.expression import Trig, symbols, value
from strobe.equations.steps import CONSTANTS, Label, Number, Step, operations, written
from strobe.equations.text import text
from strobe.scalars import Graph, cos, sin


def program_of(graph, *outputs):
    return Program((Input("x", 1),), tuple(map(graph.lower, outputs)), (len(outputs),))


def shown(found):
    return [f"{step.name} = {text(step.expression)}" for step in found.steps], [
        text(x) for x in found.results
    ]


def variables(graph, names):
    return (graph.variable(name) for name in names.split())


def test_what_is_used_twice_gets_a_name_and_says_where_it_is_used():
    graph = Graph()
    a, b, c = variables(graph, "a b c")
    found = written(program_of(graph, a * b + c, a * b - c), [], ["first", "second"])
    assert shown(found) == (["t1 = a b"], ["c + t1", "t1 − c"])
    assert found.steps[0].meaning == "part of first, second"
    assert found.steps[0].minor


def test_terms_that_cancel_are_left_out():
    graph = Graph()
    a, b, c = variables(graph, "a b c")
    found = written(program_of(graph, c * (a + (b - a)), a - c + (c - a)), [], ["first", "second"])
    assert shown(found) == ([], ["c b", "0"])


def test_a_label_names_its_node_and_a_minor_one_only_what_is_used_twice():
    graph = Graph()
    a, b, c = variables(graph, "a b c")
    main, minor = a * b, b * c
    labels = [Label("P", main, "a product", "ab"), Label("Q", minor, "another", minor=True)]
    found = written(program_of(graph, main + minor), labels, ["sum"])
    assert shown(found) == (["P = a b"], ["P + b c"])
    assert found.steps[0].meaning == "a product, ab"
    twice = written(program_of(graph, main + minor, minor * 2.0), labels, ["sum", "double"])
    assert [step.name for step in twice.steps] == ["P", "Q"]


def test_a_label_on_an_opposite_keeps_its_sign():
    graph = Graph()
    a, b, c = variables(graph, "a b c")
    found = written(program_of(graph, c - a * b), [Label("L", -(a * b), "lever")], ["r"])
    assert shown(found) == (["L = −a b"], ["c + L"])


def test_a_label_that_is_taken_or_given_twice_gets_another_name():
    graph = Graph()
    a, b = variables(graph, "a b")
    labels = [Label("a", a * b, "one"), Label("a", a + b, "two")]
    found = written(program_of(graph, (a * b) * (a + b)), labels, ["r"], taken=["a", "b"])
    assert [step.name for step in found.steps] == ["a_2", "a_3"]


def test_parameters_alone_come_first_and_are_counted_apart():
    graph = Graph()
    m, l, x = variables(graph, "m l x")
    found = written(program_of(graph, m * l * l * x + x), [], ["r"], parameters=["m", "l"])
    assert [step.section for step in found.steps] == [CONSTANTS]
    assert found.operations().multiplications == 1
    assert found.operations(constant=True).multiplications == 2


def test_constants_with_values_are_worked_out():
    graph = Graph()
    k, m, x = variables(graph, "k m x")
    given = [Step("k", Number(3), "stiffness", "", CONSTANTS), Step("m", Number(2), "mass", "", CONSTANTS)]
    found = written(program_of(graph, k * m * x + k), [Label("p", k * m, "both")], ["r"], constants=given)
    assert shown(found) == (["k = 3", "p = 6"], ["k + x p"])


def test_an_angle_is_a_sum_of_multiples_or_has_a_name():
    graph = Graph()
    a, b = variables(graph, "a b")
    found = written(program_of(graph, cos(a + b * 2.0), sin(a * 1.5)), [], ["c", "s"])
    assert found.results[0] == Trig("cos", (("a", 1), ("b", 2)))
    assert found.results[1] == Trig("sin", (("t1", 1),))
    assert text(found.steps[0].expression) == "(3/2) a"


def test_steps_follow_what_they_need_section_by_section():
    graph = Graph()
    a, b = variables(graph, "a b")
    late, early = a * b, a + b
    labels = [Label("E", early * late, "early", section="one"), Label("L", late, "late", section="two")]
    found = written(program_of(graph, early * late, late * 3.0), labels, ["x", "y"])
    assert [(step.name, step.section) for step in found.steps] == [("L", "one"), ("E", "one")]
    for k, step in enumerate(found.steps):
        assert symbols(step.expression) <= {"a", "b", *(before.name for before in found.steps[:k])}


def test_numbers_in_a_sum_are_merged_and_equal_factors_are_powers():
    graph = Graph()
    a, b = variables(graph, "a b")
    found = written(program_of(graph, (a * a + 1.5) + (b + 2.5)), [], ["r"])
    (result,) = found.results
    assert sorted(text(term) for term in result.terms) == ["4", "a²", "b"]
    values = {"a": 3.0, "b": 0.5}
    assert value(result, values.__getitem__) == 13.5


def test_operations_are_counted_as_they_are_written():
    graph = Graph()
    a, b = variables(graph, "a b")
    found = written(program_of(graph, -(a * b) - a * a * 2.0, sin(a)), [], ["x", "y"])
    assert operations(*found.results).multiplications == 2  # -a (b + 2 a)
    assert operations(*found.results).additions == 1


def test_every_step_has_the_value_that_the_program_gives_it():
    graph = Graph()
    a, b = variables(graph, "a b")
    c = cos(a) * b
    found = written(program_of(graph, c * c - b / 4.0, c + 1.0), [Label("C", c, "c")], ["x", "y"])
    known = {"a": 0.3, "b": 1.7}
    for step in found.steps:
        known[step.name] = value(step.expression, known.__getitem__)
    expected = math.cos(0.3) * 1.7
    assert [value(x, known.__getitem__) for x in found.results] == [expected**2 - 1.7 / 4, expected + 1]
