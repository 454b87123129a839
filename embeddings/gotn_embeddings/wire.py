"""ONNX documents written by hand: the few messages of its protobuf format that a graph needs.

The `onnx` package would do the same and bring protobuf with it; what is written here is some
hundred bytes beside the weights. Field numbers are those of onnx.proto, IR version 9.
"""

import struct
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

IR_VERSION, OPSET = 9, 18
#: TensorProto.DataType
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
#: AttributeProto.AttributeType
FLOAT, INT, INTS = 1, 2, 7
_VARINT, _BYTES, _FIXED32 = 0, 2, 5


def varint(value: int) -> bytes:
    """A whole number, seven bits a byte; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A field that is a whole number."""
    return varint(field << 3 | _VARINT) + varint(value)


def data(field: int, value: bytes | str) -> bytes:
    """A field that is a text, bytes or a message."""
    raw = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | _BYTES) + varint(len(raw)) + raw


def attribute(name: str, value: float | list[int]) -> bytes:
    """An AttributeProto: a float, an int or a list of ints."""
    if isinstance(value, list):
        tail = b"".join(number(8, one) for one in value) + number(20, INTS)
    elif isinstance(value, int):
        tail = number(3, value) + number(20, INT)
    else:
        tail = varint(2 << 3 | _FIXED32) + struct.pack("<f", value) + number(20, FLOAT)
    return data(1, name) + tail


def node(
    op: str, inputs: Iterable[str], outputs: list[str], attributes: dict[str, float | list[int]]
) -> bytes:
    """A NodeProto, named after its first output."""
    parts = [data(1, name) for name in inputs] + [data(2, name) for name in outputs]
    parts += [data(3, outputs[0]), data(4, op)]
    parts += [data(5, attribute(name, value)) for name, value in attributes.items()]
    return b"".join(parts)


def tensor(name: str, array: NDArray[np.generic]) -> bytes:
    """A TensorProto with its numbers in it."""
    dims = b"".join(number(1, size) for size in array.shape)
    raw = np.ascontiguousarray(array).tobytes()
    return dims + number(2, TYPES[array.dtype.name]) + data(8, name) + data(9, raw)


def lying(name: str, array: NDArray[np.generic], file: str, offset: int) -> bytes:
    """A TensorProto whose numbers lie in a file, from the byte `offset` on."""
    dims = b"".join(number(1, size) for size in array.shape)
    place = {"location": file, "offset": str(offset), "length": str(array.nbytes)}
    parts = [data(13, data(1, key) + data(2, said)) for key, said in place.items()]
    kind = number(2, TYPES[array.dtype.name])
    return b"".join([dims, kind, data(8, name), *parts, number(14, 1)])


def value(name: str, kind: str, shape: Iterable[str | int]) -> bytes:
    """A ValueInfoProto: an input or output, its free sizes by name."""
    dims = b"".join(
        data(1, number(1, size) if isinstance(size, int) else data(2, size)) for size in shape
    )
    return data(1, name) + data(2, data(1, number(1, TYPES[kind]) + data(2, dims)))


def model(
    nodes: Iterable[bytes],
    tensors: Iterable[bytes],
    inputs: Iterable[bytes],
    outputs: Iterable[bytes],
) -> bytes:
    """A whole ModelProto."""
    graph = b"".join(
        [
            *(data(1, one) for one in nodes),
            data(2, "encoder"),
            *(data(5, one) for one in tensors),
            *(data(11, one) for one in inputs),
            *(data(12, one) for one in outputs),
        ]
    )
    opset = data(1, "") + number(2, OPSET)
    return number(1, IR_VERSION) + data(2, "gotn") + data(7, graph) + data(8, opset)
