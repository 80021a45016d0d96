"""What books state about how they settle a bet, for the oracle: whether two of them pay a played match alike.

Written from the definitions only (`domain.md`, `matching.md`: "The same bet"; docs/architecture/clauses.md; `pipeline/books.toml`). It must never
follow the Rust code. What is unknown and matters agrees with nothing.
"""
import fees

PLAYED = ("periods", "level", "push", "shortened", "retirement")
TO_A_WINNER = ("americanfootball_ncaaf", "baseball_milb", "baseball_mlb", "baseball_ncaa", "basketball_euroleague", "basketball_nba")
TO_A_WINNER += ("basketball_nbl", "basketball_ncaab", "basketball_wnba", "basketball_wncaab", "icehockey", "tennis_atp", "tennis_wta")
TIMED = ("americanfootball", "aussierules", "basketball", "handball", "icehockey", "lacrosse", "rugbyleague", "rugbyunion", "soccer")
LAST_PARTS = ("h2", "q4", "p3")


def is_any(league, keys):
    return any(fees.is_of(league, key) for key in keys)


def has_extra_time(league):
    return not is_any(league, ("tennis_atp", "tennis_wta"))


def can_be_level(league):
    """Whether nobody may have won when all play is over."""
    return not is_any(league, TO_A_WINNER) or fees.is_of(league, "baseball_mlb_preseason")


def can_be_shortened(league):
    return not is_any(league, TIMED + ("tennis_atp", "tennis_wta"))


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
    return max(fitting)[2] if fitting else None


def goes_on(stated, league, market):
    return not has_extra_time(league) or value(stated, "periods", league, market) == "extra_time"


def matters(topic, stated, league, market, period, line, has_draw):
    """Whether a topic can make a difference to a bet."""
    whole = period == "full_time"
    if topic == "periods":
        return has_extra_time(league) and (whole or period in LAST_PARTS)
    if topic == "level":
        priced = has_draw or (whole and fees.is_of(league, "soccer"))
        level = not whole or can_be_level(league) or not goes_on(stated, league, market)
        return market == "h2h" and not priced and level
    if topic == "push":
        return market in ("spreads", "totals") and (line is None or line % 1000 != 500)
    return can_be_shortened(league) if topic == "shortened" else can_retire(league)


def played(stated, league, market, period, line, has_draw):
    """What a book states of a played match, by the topics that matter; None where one of them is unknown."""
    found = []
    for topic in PLAYED:
        if not matters(topic, stated, league, market, period, line, has_draw):
            found.append("immaterial")
        elif topic == "periods" and period != "full_time":
            return None
        else:
            found.append(value(stated, topic, league, market))
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
