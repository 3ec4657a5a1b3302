"""A worker of a sweep on this machine: chunks by their numbers come in, word that they are done goes out.

Both are lines of JSON on the standard streams, which nobody but the process that started the worker can reach; no
port is opened and nothing that comes in is code. When the other end closes, for whatever reason, the worker ends.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any, TextIO

from strobe.errors import StrobeError
from strobe.sweep.worker import Done, Workshop


def main() -> None:
    """Do the chunks that are asked for until there is nobody left to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the sweep itself ends its workers
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what is printed on the way is no answer
    asked: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    workshop = Workshop(**json.loads(asked.get()))
    _say(answers, {"ready": True})
    while True:
        _say(answers, _answer(workshop, int(asked.get())))


def _listen(asked: SimpleQueue[str]) -> None:
    """Take in what is asked; at the end of it this process ends, in the midst of a chunk too."""
    for line in sys.stdin:
        asked.put(line)
    os._exit(0)


def _say(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _answer(workshop: Workshop, index: int) -> dict[str, Any]:
    try:
        done = workshop.do(index)
    except StrobeError as error:
        return {"refused": str(error)}
    except Exception:
        return {"failed": traceback.format_exc()}
    files = {name: base64.b64encode(content).decode() for name, content in done.files.items()}
    return {"index": done.index, "receipt": done.receipt if files else {}, "files": files}


def done_of(answer: dict[str, Any]) -> Done:
    """What a worker has answered, on the other end."""
    files = {name: base64.b64decode(content) for name, content in answer["files"].items()}
    return Done(answer["index"], answer["receipt"], files)
