"""Is a quotation really in the evidence? (R24)"""

from domain.quotation.match import QuotationMatch, match_quotation

__all__ = ["QuotationMatch", "match_quotation"]
