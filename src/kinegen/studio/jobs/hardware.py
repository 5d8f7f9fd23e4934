"""Answers about hardware: wires of a simulated robot, serial ports of a real one."""

from __future__ import annotations

from dataclasses import asdict

from kinegen.bridges.offers import offers
from kinegen.drive.helm import serial_ports
from kinegen.drive.ports import PORTS
from kinegen.errors import LinkError
from kinegen.kernels import Floats
from kinegen.studio.jobs.answers import Progress
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.wire.questions.hardware import (
    OfferData,
    OffersRequest,
    OffersResult,
    PortData,
    SerialPortsRequest,
    SerialPortsResult,
)

__all__ = ["answer_offers", "answer_serial_ports"]


def answer_offers(
    compiled: CompiledText, q: Floats, request: OffersRequest, report: Progress
) -> OffersResult:
    """All protocols, and why some cannot be had."""
    return OffersResult([OfferData(**asdict(one)) for one in offers(compiled.mechanism)])


def answer_serial_ports(
    compiled: CompiledText, q: Floats, request: SerialPortsRequest, report: Progress
) -> SerialPortsResult:
    """All serial ports of this computer."""
    try:
        ports = [PortData(one.device, one.description) for one in serial_ports()]
    except LinkError as error:
        return SerialPortsResult([], list(PORTS.names()), str(error))
    return SerialPortsResult(ports, list(PORTS.names()), "")
