"""MuJoCo at work in a process of its own: models come in as texts and contents, plain numbers go out.

Run by its path, with nothing of Strobe's: it imports MuJoCo, gives up what it does not need (files, time, memory: see
`confine`) and then answers one request after the other until its input ends. A request is a line of JSON with the
lengths of the contents that follow; an answer is a line of JSON: what `mjcf_compiled` reads, or a `fault`.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from typing import Any, BinaryIO

FIELDS = (
    "body_parentid", "body_pos", "body_quat", "body_ipos", "body_iquat", "body_mass", "body_inertia", "body_jntadr",
    "body_jntnum", "body_gravcomp", "jnt_type", "jnt_pos", "jnt_axis", "jnt_qposadr", "jnt_dofadr", "jnt_limited",
    "jnt_range", "jnt_actfrclimited", "jnt_actfrcrange", "jnt_stiffness", "dof_armature", "dof_damping",
    "dof_dampingpoly", "dof_frictionloss", "qpos0", "site_bodyid", "site_pos", "site_quat", "eq_obj1id", "eq_obj2id",
    "eq_active0", "eq_data", "actuator_trnid", "actuator_gear", "actuator_armature", "actuator_damping",
    "actuator_dampingpoly",
)  # fmt: skip
NAMED = ("body", "joint", "site", "equality", "actuator")
LEFT_OUT = ("ntendon", "nflex", "nplugin")
FLAGS = ("GRAVITY", "DAMPER", "SPRING", "FRICTIONLOSS", "CONSTRAINT", "EQUALITY")
EXHAUSTED = ("Could not allocate memory", "unknown exception", "bad_alloc", "length_error")


def confine(memory: int) -> None:
    """Give up what a compiler of models has no need of, where the system lets a process do that.

    No file, pipe or socket can be opened any more, nothing written to one or left behind by a crash, and the working
    folder is one that has been removed. What is open stays open.
    """
    most_memory = _taken() + memory  # while there is a working folder: Python 3.13.0 stumbles without one
    with suppress(OSError):
        folder = tempfile.mkdtemp(prefix="strobe-mjcf-")
        os.chdir(folder)
        os.rmdir(folder)  # some systems keep it while it is in use
    with suppress(ImportError):
        import resource

        for kind, most in (("AS", most_memory), ("CORE", 0), ("FSIZE", 0), ("NOFILE", 0)):
            if (limit := getattr(resource, f"RLIMIT_{kind}", None)) is None:
                continue
            with suppress(ValueError, OSError):
                hard = resource.getrlimit(limit)[1]
                lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
                resource.setrlimit(limit, (lower, lower))


def _taken() -> int:
    """Bytes of addresses that libraries have reserved by now, where the system tells; no model is to blame."""
    if not hasattr(os, "sysconf"):
        return 0
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def bound_time(processor: float, wall: float) -> None:
    """End this process after some more seconds, whatever it is doing."""
    if hasattr(signal, "alarm"):
        signal.alarm(math.ceil(wall))
    with suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + processor), hard))


def answered(mujoco: Any, text: str, files: dict[str, bytes]) -> dict[str, Any]:
    """The numbers of a model, or what MuJoCo says is wrong; `spoiled` where it may not work on after that."""
    remarks: list[str] = []
    mujoco.set_mju_user_warning(remarks.append)
    try:
        m = mujoco.MjModel.from_xml_string(text, files)
        return {**numbers(mujoco, m), "remarks": remarks}
    except MemoryError:
        return {"fault": "", "exhausted": True, "spoiled": True}
    except Exception as error:  # ValueError, RuntimeError, mujoco.FatalError, whatever a version has
        said = str(error)
        exhausted = any(sign in said for sign in EXHAUSTED)
        return {"fault": said, "exhausted": exhausted, "spoiled": not isinstance(error, ValueError)}


def numbers(mujoco: Any, m: Any) -> dict[str, Any]:
    """All that Strobe asks of a compiled model."""
    trn, eq, obj = mujoco.mjtTrn, mujoco.mjtEq, mujoco.mjtObj
    return {
        "name": bytes(m.names).split(b"\0", 1)[0].decode("utf-8", "replace"),
        "gravity": m.opt.gravity.tolist(),
        "medium": [float(m.opt.density), float(m.opt.viscosity)],
        "disabled": [flag for flag in FLAGS if m.opt.disableflags & _bit(mujoco.mjtDisableBit, flag)],
        "names": {kind: _names(mujoco, m, kind) for kind in NAMED},
        "left_out": {what: int(getattr(m, what)) for what in LEFT_OUT},
        "fields": {name: getattr(m, name).tolist() for name in FIELDS if hasattr(m, name)},
        "words": {
            "actuator_trntype": [_word(trn, kind, "mjTRN_") for kind in m.actuator_trntype],
            "eq_type": [_word(eq, kind, "mjEQ_") for kind in m.eq_type],
            "eq_objtype": [_word(obj, kind, "mjOBJ_") for kind in m.eq_objtype],
        },
    }


def _bit(bits: Any, flag: str) -> int:
    """The bit of a flag; older versions have one for springs and dampers together."""
    return int(getattr(bits, f"mjDSBL_{flag}", None) or bits.mjDSBL_PASSIVE)


def _word(kinds: Any, kind: Any, prefix: str) -> str:
    return str(kinds(int(kind)).name).removeprefix(prefix).lower()


def _names(mujoco: Any, m: Any, kind: str) -> list[str]:
    obj = getattr(mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
    counts = {
        "body": m.nbody,
        "joint": m.njnt,
        "site": m.nsite,
        "equality": m.neq,
        "actuator": len(m.actuator_trntype),
    }
    return [mujoco.mj_id2name(m, obj, i) or "" for i in range(counts[kind])]


# -- the conversation -------------------------------------------------------------------------------------


def serve(mujoco: Any, requests: BinaryIO, answers: BinaryIO, idle: float) -> None:
    """Answer until nothing more comes, or nothing has come for some time."""
    while True:
        if hasattr(signal, "alarm"):
            signal.alarm(math.ceil(idle))
        line = requests.readline()
        if not line:
            return
        request = json.loads(line)
        files = {name: requests.read(size) for name, size in request["files"].items()}
        text = requests.read(request["text"]).decode()
        bound_time(request["processor"], request["wall"])
        answer = answered(mujoco, text, files)
        try:
            answers.write(json.dumps(answer).encode() + b"\n")
        except MemoryError:
            answers.write(b'{"fault": "", "exhausted": true, "spoiled": true}\n')
        answers.flush()


def main() -> None:
    memory, idle = int(sys.argv[1]), float(sys.argv[2])
    answers = os.fdopen(os.dup(1), "wb")  # what MuJoCo prints is no answer
    os.dup2(2, 1)
    try:
        import mujoco
    except Exception as error:  # installed, but not usable: said at the first request
        answers.write(json.dumps({"absent": f"{type(error).__name__}: {error}"}).encode() + b"\n")
        answers.flush()
        return
    confine(memory)
    serve(mujoco, sys.stdin.buffer, answers, idle)


if __name__ == "__main__":
    main()
