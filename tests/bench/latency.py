"""Milliseconds from a commit to a subscriber of verdicts, beside a bare NATS round trip.

    python tests/bench/latency.py [--runs 5] [--events 200]

A whole worker runs. An event that other systems hear of is committed to the log; the verdict publisher takes it up,
reads the session, and publishes to the stream of verdicts, to which a NATS user of its own subscribes. The clock runs
from the moment the commit is sent, so that both writes to the disk are in it. A round trip is one request that another
connection answers at once.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from statistics import median
from uuid import uuid4

from figures import Ratio, Row, percentile, table
from ground import Ground, ground, progress
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig, DeliverPolicy
from samples import open_command

from domain.session.commands import CancelSession
from handlers.application import worker
from handlers.runner import SessionRunner
from infra.access import Role
from infra.streams import VERDICT_PREFIX, VERDICTS

ROUND_TRIP, TO_SUBSCRIBER = "bare NATS round trip", "commit to subscriber"
PATIENCE_S = 30.0

Once = Callable[[], Awaitable[float]]
"""Seconds of one measurement."""
