"""What this machine's processor has."""

import os
from functools import cache
from pathlib import Path
from typing import Any

#: Where Linux tells; elsewhere nothing is assumed.
CPUINFO = Path("/proc/cpuinfo")
#: The flags of bfloat16 arithmetic: x86-64's two, Arm's one.
FLAGS = frozenset({"avx512_bf16", "amx_bf16", "bf16"})


@cache
def has_bfloat16() -> bool:
    """Whether it multiplies bfloat16 itself; emulated it would be slower than float32."""
    try:
        lines = CPUINFO.read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    found = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    return not FLAGS.isdisjoint(found.split())


def wait_quietly() -> None:
    """Have OpenMP's threads sleep, not spin, between two pieces of work; before it is loaded.

    Spinning threads of FAISS and torch take the cores from the database beside them: with two
    cores and others at work searches took twenty times as long.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def threads() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def onnx_options() -> Any:
    """How ONNX Runtime uses this machine: every core, quietly."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    # As `wait_quietly` has it for the others: a third faster where others are at work.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only: it warns of what it folds away
    return options
