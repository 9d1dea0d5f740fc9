"""The kernel compiled by numba, where it is installed (extra ``search``); it needs no compiler on the machine.

The functions are those of `pinochle.search.kernel`, unchanged. The first call of each takes a few seconds; what was
compiled is then kept on disk, beside the module or in the user's cache, where either can be written. It is kept for as
long as `kernel.py` stays the same; whoever changes this module must remove it (`make clean` does).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numba
import numpy
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload_method, register_jitable
from pinochle.search import kernel

_OPTIONS = {"nogil": True, "error_model": "numpy"}
"""Other threads may run meanwhile; a division by zero, which no sound row leads to, is not checked for."""
_INLINED = (kernel.legal, kernel.play, kernel.choose)
"""What every card goes through: put into the loop itself, a playout takes two thirds of the time."""


def row(numbers: Iterable[int]) -> Any:
    """An array that the compiled functions take."""
    return numpy.array(list(numbers), dtype=numpy.int64)


def functions() -> dict[str, Callable[..., Any]]:
    """The kernel's functions by name, each compiled when it is first called."""
    for function in kernel.COMPILABLE:
        inline = "always" if function in _INLINED else "never"
        register_jitable(inline=inline, **_OPTIONS)(function)  # so that they may call each other
    return {function.__name__: _compiled(function) for function in kernel.COMPILABLE}


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    try:
        return numba.njit(cache=True, **_OPTIONS)(function)
    except RuntimeError:  # there is no folder to keep it in
        return numba.njit(**_OPTIONS)(function)


@intrinsic
def _ones(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return number(number), generate


@intrinsic
def _leading_zeros(typing_context: Any, number: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return number(number), generate


@overload_method(types.Integer, "bit_count")
def _bit_count(number: Any) -> Any:
    def counted(number: Any) -> Any:
        return _ones(number)

    return counted


@overload_method(types.Integer, "bit_length")
def _bit_length(number: Any) -> Any:
    """Of numbers that are not negative, as all of the kernel's are."""

    def measured(number: Any) -> Any:
        return 64 - _leading_zeros(number)

    return measured
