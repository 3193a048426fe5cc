"""The adversarial evaluation of R24 at the size of a test: no fabrication passes, no honest quotation is refused."""

from tests.bench.quotations.fabricating import FABRICATING
from tests.bench.quotations.honest import HONEST
from tests.bench.quotations.run import evaluate, interval

SEED = 24
PER_OPERATOR = 200


def test_no_gate_of_the_adversarial_evaluation_is_broken() -> None:
    """R24: 0 fabrications accepted without an ellipsis, at most 0.5 % with; at most 0.5 % of each honest operator
    refused and 2 % near misses."""
    assert evaluate(SEED, PER_OPERATOR).broken_gates == []


def test_the_evaluation_has_enough_operators() -> None:
    """R24: at least 15 honest and 20 fabricating ones, each with a name of its own."""
    assert len({operator.name for operator in HONEST}) == len(HONEST) >= 15
    assert len({operator.name for operator in FABRICATING}) == len(FABRICATING) >= 20


def test_a_rate_of_zero_has_an_interval() -> None:
    """Wilson's interval of 0 out of 400 ends below 1 %."""
    low, high = interval(0, 400)
    assert (low, round(high, 4)) == (0.0, 0.0095)
