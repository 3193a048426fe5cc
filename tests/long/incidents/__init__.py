"""Generated incidents: folders of logs, alerts and runbooks of which is known what an answer should quote.

Written apart from the code that chooses what is answered; nothing here was made to suit it.
"""

from tests.long.incidents.generate import generate
from tests.long.incidents.incident import Incident

__all__ = ["Incident", "generate"]
