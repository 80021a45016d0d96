"""What books state about how they settle a bet, for the oracle: whether two of them pay a played match alike.

Written from the definitions only (`domain.md`, `matching.md`: "The same bet"; docs/architecture/clauses.md; `pipeline/books.toml`). It must never
follow the Rust code. What is unknown and matters agrees with nothing.
"""
import fees

PLAYED = ("periods", "level", "push", "shortened", "retirement")
TO_A_WINNER = ("americanfootball_ncaaf", "baseball_milb", "baseball_mlb", "baseball_ncaa", "basketball_euroleague", "basketball_nba")
TO_A_WINNER += ("basketball_nbl", "basketball_ncaab", "basketball_wnba", "basketball_wncaab", "icehockey")
SETS = ("badminton", "tabletennis", "tennis", "volleyball")
TIMED = ("americanfootball", "aussierules", "basketball", "handball", "icehockey", "lacrosse", "rugbyleague", "rugbyunion", "soccer")
LAST_PARTS = ("h2", "q4", "p3")
LEVEL = ("baseball", "boxing", "cricket", "darts", "futsal", "golf", "mma", "netball", "waterpolo")  # known to end level, and else anything
ANY_LEVEL = ("outcome", "refunded", "dead_heat")


def is_any(league, keys):
    return any(fees.is_of(league, key) for key in keys)


def has_extra_time(league):
    return not is_any(league, SETS)


def can_be_level(league):
    """Whether nobody may have won when all play is over."""
    return not is_any(league, TO_A_WINNER + SETS) or fees.is_of(league, "baseball_mlb_preseason")


def draws(league, period):
    """How a winner is sold: with the draw everywhere, with one or as a refund, without any, or nobody knows how."""
    if period != "full_time":
        return "possible"
    if fees.is_of(league, "soccer"):
        return "sold"
    if not can_be_level(league):
        return "never"
    return "possible" if is_any(league, TIMED + LEVEL) else "unknown"


def can_be_shortened(league):
    return not is_any(league, TIMED + SETS)


def can_retire(league):
    return not is_any(league, TIMED + ("baseball",))


def value(stated, topic, league, market):
    """What clauses state of a topic: that of the longest sport that fits, then the one that names its markets; None is unknown."""
    fitting = []
    for clause in stated:
        sports = [sport for sport in clause.get("sports", []) if fees.is_of(league, sport)]
        markets = clause.get("markets", [])
        if topic in clause and (sports or not clause.get("sports")) and (market in markets or not markets):
            fitting.append((max(map(len, sports), default=0), bool(markets), clause[topic]))
    _, is_named, said = max(fitting, default=(0, False, None))
    # That extra time counts in general says nothing of a winner with a draw: that one may be of the regular time.
    return None if (topic, market, said, is_named) == ("periods", "h2h_3_way", "extra_time", False) else said


def goes_on(stated, league, market):
    return not has_extra_time(league) or value(stated, "periods", league, market) == "extra_time"


def matters(topic, stated, league, market, period, line, has_draw, lists_draw):
    """Whether a topic can make a difference to a bet; `has_draw`: the draw is bet on too; `lists_draw`: the book sells the draw as an outcome."""
    whole = period == "full_time"
    if topic == "periods":
        # A draw of a match that has a winner in the end is one of the regular time.
        regular = whole and (lists_draw or market == "h2h_3_way") and not can_be_level(league)
        return has_extra_time(league) and not regular and (whole or period in LAST_PARTS)
    if topic == "level":
        priced = has_draw or (whole and fees.is_of(league, "soccer"))
        level = not whole or can_be_level(league) or not goes_on(stated, league, family_of(market, lists_draw))
        return market == "h2h" and not priced and level
    if topic == "push":
        return market in ("spreads", "totals") and (line is None or line % 1000 != 500)
    return can_be_shortened(league) if topic == "shortened" else can_retire(league)


def family_of(market, lists_draw):
    """The market whose clauses hold: a book that lists a draw in `h2h` sells `h2h_3_way`."""
    return "h2h_3_way" if lists_draw else market


def played(stated, league, market, period, line, has_draw, lists_draw=False):
    """What a book states of a played match, by the topics that matter; None where one of them is unknown."""
    found = []
    for topic in PLAYED:
        if not matters(topic, stated, league, market, period, line, has_draw, lists_draw):
            found.append("immaterial")
        elif topic == "level" and lists_draw:
            found.append("outcome")
        elif topic == "periods" and period != "full_time":
            return None
        else:
            found.append(value(stated, topic, league, family_of(market, lists_draw)))
    return None if None in found else tuple(found)


def level(stated, league, period):
    """What a level result does to a bet on the winner; None is unknown."""
    periods, whole = value(stated, "periods", league, "h2h"), period == "full_time"
    if whole and not can_be_level(league) and periods in (None, "extra_time"):
        return "impossible"
    found = value(stated, "level", league, "h2h")
    return None if found == "impossible" and not whole else found


UNPLAYED = ("postponed", "moved", "starters", "abandoned", "void")


def apart(books, league, market):
    """The first topic of a match that is not played as planned by which books may pay otherwise; None where all say the same of all."""
    for topic in UNPLAYED:
        said = {value(stated, topic, league, market) for stated in books}
        if (topic != "starters" or can_be_shortened(league)) and (None in said or len(said) > 1):
            return topic
    return None


def void_pays(stated, league, market, odds):
    """What 1 at risk returns that is void: the stake, half of what it would win, or nothing that is sure."""
    return {"refund": 1, "half": odds / 2}.get(value(stated, "void", league, market), 0)
