"""Record what today's rules decide as the decisions of RULE_VERSION.

A version that has decisions already is refused if one of them changed; `--unreleased` records it all the same, as long
as no release has that version.
"""

from __future__ import annotations

import sys

from domain.settings import RULE_VERSION
from tests.unit.golden_decisions.corpus import decisions
from tests.unit.golden_decisions.table import changed, recorded_digests, write


def main() -> int:
    decided = decisions()
    differing = changed(decided)
    if differing and RULE_VERSION in recorded_digests() and "--unreleased" not in sys.argv[1:]:
        print(f"rules {RULE_VERSION} decide otherwise: {', '.join(differing)}", file=sys.stderr)
        print("raise RULE_VERSION in domain/settings.py first", file=sys.stderr)
        return 1
    write(RULE_VERSION, decided)
    return 0


if __name__ == "__main__":
    sys.exit(main())
