"""The process that MuJoCo runs in: what it cannot do, what it may cost, and what becomes of it."""

import copy
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

from strobe.errors import ModelFileError
from strobe.models import mjcf_child, mjcf_process
from strobe.models.mjcf import read_mjcf
from strobe.models.mjcf_compiled import Compiled, Implausible
from strobe.models.mjcf_process import NoAnswer, ask

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (package mujoco) is not installed")
resource = pytest.importorskip("resource", reason="this system limits no processes")

ARM = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/><site name="s"/>
<body name="b"><joint name="k"/><geom size=".1"/></body></body></worldbody>
<equality><connect body1="b" body2="a" anchor="0 0 0"/></equality><actuator><motor joint="k"/></actuator></mujoco>"""
WIDE = """<mujoco><worldbody><camera name="c" resolution="30000 30000" sensorsize="1 1" focal="1 1"/></worldbody>
<sensor><rangefinder camera="c"/></sensor></mujoco>"""  # a sensor of 7 GB
LONG = "<mujoco><worldbody>" + 5_000 * "<body><joint/><geom size='.1'/></body>" + "</worldbody></mujoco>"


@pytest.fixture
def fresh():
    """No child before the test, and none with other limits after it."""
    mjcf_process._put_away()
    yield
    mjcf_process._put_away()


def script(text: str, folder: Path, *, check: bool = True) -> str:
    """What a program prints in a folder, with the code that these tests run."""
    places = os.pathsep.join(place for place in sys.path if place)
    environment = {**os.environ, "PYTHONPATH": places}
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout


# -- what it cannot do ------------------------------------------------------------------------------------

CONFINED = """
import os, socket, sys
sys.path.insert(0, {folder!r})
import mjcf_child
mjcf_child.confine(2**31)
attempts = dict(
    reading=lambda: open({file!r}), writing=lambda: open("x", "w"), network=socket.socket, pipe=os.pipe,
    folder=lambda: os.listdir("."), copy=lambda: os.dup(0), room=lambda: bytearray(2**32),
)
for name, attempt in attempts.items():
    try:
        attempt()
    except (OSError, MemoryError):
        print(name, end=" ")
"""


def test_a_confined_process_opens_nothing(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    text = CONFINED.format(folder=str(Path(mjcf_child.__file__).parent), file=str(secret))
    found = script(text, tmp_path).split()
    assert found[:6] == ["reading", "writing", "network", "pipe", "folder", "copy"]
    assert found[6:] == (["room"] if sys.platform == "linux" else found[6:])
    assert list(tmp_path.iterdir()) == [secret]


@pytest.mark.parametrize("text", ['<include file="{}"/>', '<asset><mesh name="m" file="{}"/></asset>'])
def test_mujoco_itself_cannot_open_a_file_or_wait_for_a_pipe(text, tmp_path):
    """What no reader of ours would hand over: were there a way around it, it would end here."""
    (tmp_path / "part.obj").write_text("<mujoco><size/></mujoco>")
    os.mkfifo(tmp_path / "pipe.obj")
    for name in ("part.obj", "pipe.obj"):
        answer = ask(f"<mujoco>{text.format(tmp_path / name)}</mujoco>", {})
        assert "fault" in answer


def test_code_in_the_working_folder_is_not_run(tmp_path):
    for name in ("mujoco", "numpy", "json"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'run')!r}, 'w')\n")
    (tmp_path / "arm.xml").write_text(ARM)
    command = f"""import sys
sys.path.remove("")
from strobe.models import mjcf_process
import numpy
sys.path.insert(0, "")
print(mjcf_process.ask({ARM!r}, {{}})["names"]["joint"])"""
    assert script(command, tmp_path) == "['j', 'k']\n"
    assert not (tmp_path / "run").exists()


# -- what it may cost -------------------------------------------------------------------------------------


def test_what_takes_too_much_memory_is_refused_and_the_next_model_is_read(fresh, monkeypatch):
    monkeypatch.setattr(mjcf_process, "MEMORY", 2**30)
    with pytest.raises(ModelFileError) as caught:
        read_mjcf("wide.xml", text=WIDE)
    assert str(caught.value).startswith("wide.xml: takes more than 1 GiB of memory in MuJoCo, or ")
    assert read_mjcf("arm.xml", text=ARM.replace("connect", "weld")).nv == 2


@pytest.mark.slow
def test_what_takes_too_long_is_refused_and_the_next_model_is_read(fresh, monkeypatch):
    assert read_mjcf("arm.xml", text=ARM).nv == 2
    monkeypatch.setattr(mjcf_process, "WALL", 0.1)  # less than it takes to compile, or to start once more
    with pytest.raises(ModelFileError) as caught:
        read_mjcf("long.xml", text=LONG)
    assert str(caught.value) == "long.xml: takes more than 0.1 s in MuJoCo."
    monkeypatch.undo()
    assert read_mjcf("arm.xml", text=ARM).nv == 2


def test_the_end_of_a_child_tells_why():
    reasons = [
        mjcf_process._reason(-code, False) for code in (signal.SIGXCPU, signal.SIGALRM, signal.SIGSEGV)
    ]
    assert reasons == [
        "takes more than 30 s of processor time in MuJoCo.",
        "takes more than 90 s in MuJoCo.",
        "takes more than 2 GiB of memory in MuJoCo, or MuJoCo crashes over it.",
    ]


@pytest.mark.slow
def test_time_of_the_processor_is_bounded_by_the_system():
    folder = str(Path(mjcf_child.__file__).parent)
    text = f"import sys; sys.path.insert(0, {folder!r}); import mjcf_child; mjcf_child.bound_time(1, 60)"
    text += "\nwhile True: pass"
    done = subprocess.run([sys.executable, "-c", text], timeout=60, check=False)
    assert done.returncode == -signal.SIGXCPU


# -- what becomes of it -----------------------------------------------------------------------------------


def test_one_child_serves_until_it_fails_and_another_is_asked_once_more(fresh):
    for _ in range(2):
        assert ask(ARM, {})["names"]["joint"] == ["j", "k"]
    first = mjcf_process._child
    assert first is not None
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    assert ask(ARM, {})["names"]["joint"] == ["j", "k"]
    second = mjcf_process._child
    assert second is not None
    assert second is not first
    os.kill(second.process.pid, signal.SIGSTOP)  # found dead only after it was asked
    killer = f"import os, signal, time; time.sleep(.2); os.kill({second.process.pid}, signal.SIGKILL)"
    with subprocess.Popen([sys.executable, "-c", killer]):
        assert ask(ARM, {})["names"]["joint"] == ["j", "k"]


def test_an_interrupt_ends_the_child_and_the_next_model_is_read(fresh):
    def interrupt(_, frame):
        """While it waits for an answer, however slowly it comes so far."""
        calls = {each.name for each in traceback.extract_stack(frame)}
        if "_received" in calls:
            raise KeyboardInterrupt
        signal.setitimer(signal.ITIMER_REAL, 0.05)

    ask(ARM, {})
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            ask(LONG, {})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert mjcf_process._child is None
    assert ask(ARM, {})["names"]["joint"] == ["j", "k"]


def test_a_child_that_fails_at_once_is_not_asked_again(fresh, monkeypatch, tmp_path):
    asked = tmp_path / "asked"
    child = tmp_path / "child.py"
    child.write_text(f"open({str(asked)!r}, 'a').write('x')\n")
    monkeypatch.setattr(mjcf_process, "CHILD", child)
    with pytest.raises(NoAnswer, match="or MuJoCo crashes over it"):
        ask(ARM, {})
    assert asked.read_text() == "x"


def test_a_mujoco_that_cannot_be_imported_is_told(fresh, monkeypatch, tmp_path):
    child = tmp_path / "child.py"
    child.write_text("""print('{"absent": "ImportError: no library"}', flush=True)\n""")
    monkeypatch.setattr(mjcf_process, "CHILD", child)
    with pytest.raises(ModelFileError) as caught:
        read_mjcf("arm.xml", text=ARM)
    assert str(caught.value) == (
        "arm.xml: MuJoCo cannot be imported (ImportError: no library); install it anew: pip install mujoco."
    )


LIFE = """
import os, signal, sys, threading
from strobe.models import mjcf_process
from strobe.models.mjcf import read_mjcf
SOFT = '''<mujoco><worldbody><body name="b">
<flexcomp name="{}" type="grid" count="2 2 1" dim="2" mass="1" radius=".01" spacing="1 1 1"/>
</body></worldbody></mujoco>'''
found = {}
def read(k):
    found[k] = [note.text for note in read_mjcf("soft.xml", text=SOFT.format(f"soft{k}")).notes]
threads = [threading.Thread(target=read, args=(k,)) for k in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
own = [sum("MuJoCo remarks" in text for text in found[k]) == 1 and any(f"'soft{k}'" in text for text in found[k])
       for k in range(8)]
print(all(own), len(own), "mujoco" in sys.modules, os.listdir())
pid = mjcf_process._child.process.pid
if os.fork() == 0:
    forgotten = mjcf_process._child is None
    read(0)
    mine = mjcf_process._child.process.pid
    print(forgotten, mine != pid, mine, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
os.wait()
read(0)
print(mjcf_process._child.process.pid == pid, pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody waits for yet has."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except ProcessLookupError:
        return True


def test_threads_and_forks_have_their_own_answers_and_no_child_outlives_its_parent(tmp_path):
    first, second, third = script(LIFE, tmp_path, check=False).splitlines()
    assert first == "True 8 False []"
    assert second.startswith("True True ")
    assert third.startswith("True ")
    for line in (second, third):
        end = time.monotonic() + 20
        while not gone(int(line.split()[-1])) and time.monotonic() < end:
            time.sleep(0.02)
        assert gone(int(line.split()[-1]))


# -- what it answers --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def answer():
    return ask(ARM, {})


def test_an_answer_is_a_model(answer):
    compiled = Compiled(json.loads(json.dumps(answer)))
    peer = mujoco.MjModel.from_xml_string(ARM)
    for name in ("body_pos", "body_inertia", "jnt_axis", "qpos0", "eq_data", "actuator_gear"):
        assert np.array_equal(getattr(compiled, name), getattr(peer, name))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("fields", "body_parentid"), [0, 0, 5]),
        (("fields", "body_parentid"), [0, 2, 1]),
        (("fields", "body_parentid"), [0, 0, -1]),
        (("fields", "body_jntadr"), [-1, 0, 0]),
        (("fields", "body_jntnum"), [0, 1, 10**9]),
        (("fields", "body_pos"), [[0, 0, 0]]),
        (("fields", "body_pos"), "no numbers"),
        (("fields", "jnt_type"), [3, 4]),
        (("fields", "jnt_dofadr"), [0, 2]),
        (("fields", "jnt_qposadr"), [0, float("nan")]),
        (("fields", "site_bodyid"), [3]),
        (("fields", "eq_obj1id"), [3]),
        (("fields", "eq_obj2id"), [-1]),
        (("fields", "actuator_trnid"), [[2, -1]]),
        (("fields", "qpos0"), None),
        (("words", "eq_type"), []),
        (("names", "body"), ["world"]),
        (("names",), None),
        (("gravity",), [0, 0]),
    ],
)
def test_an_answer_that_no_model_gives_is_refused(answer, place, value):
    wrong = copy.deepcopy(answer)
    inner = wrong
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    with pytest.raises(Implausible, match="MuJoCo answers what no model gives"):
        Compiled(wrong)


@pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="this system does not tell what is reserved"
)
def test_what_libraries_reserve_before_is_not_counted(tmp_path):
    """Those for linear algebra reserve memory for every processor: gigabytes where there are sixty-four."""
    text = f"""
import mmap, runpy, sys
reserved = mmap.mmap(-1, 3 * 2**30)
runpy.run_path({mjcf_child.__file__!r})["confine"](2**29)
some = bytearray(2**28)
try:
    bytearray(2**30)
except MemoryError:
    print("bounded")
"""
    assert script(text, tmp_path).strip() == "bounded"
