"""Rows as the tables of ClickHouse must have them, from the bytes of records alone.

Reads records as JSON lines ({topic, topic_id, partition, offset, key, value}, bytes in hexadecimal), and of the repository the
schemas with a golden record of each, which has its id; writes {table, row} as JSON lines. It shares nothing with the sink but
these definitions.
Usage: rows.py SCHEMAS < records
"""

import functools
import json
import pathlib
import struct
import sys

TOPICS = {
    "odds.ticks.v1": ("Frame", "PollEnd", "Heartbeat"),
    "feed.events.v1": ("ArbWindow", "CloseSignal", "LineMovement", "StaleAlert", "SignalChange", "PickChange", "WindowGrading"),
    "webhook.deliveries.v1": ("WebhookDelivery",),
}
# The record that a schema refers to by name.
REFERENCES = {"ArbWindow": "BoardEntry", "SignalChange": "EdgeSignal", "PickChange": "Pick", "WindowGrading": "OpenedWindow"}
FAMILIES = {
    "h2h": "h2h", "h2h_3_way": "h2h_3_way", "draw_no_bet": "draw_no_bet", "spreads": "spreads", "totals": "totals",
    "alternate_spreads": "spreads", "alternate_totals": "totals",
}
PERIODS = {"h1", "h2", "q1", "q2", "q3", "q4", "p1", "p2", "p3"}
YEAR_2100 = 4102444800000000


class Bad(Exception):
    """The bytes are no record."""


class Reader:
    """Avro's binary encoding."""

    def __init__(self, data, names):
        self.data, self.at, self.names = data, 0, names

    def take(self, count):
        if count < 0 or self.at + count > len(self.data):
            raise Bad("short")
        self.at += count
        return self.data[self.at - count:self.at]

    def long(self):
        number, shift = 0, 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return (number >> 1) ^ -(number & 1)

    def read(self, schema):
        if isinstance(schema, list):
            return self.read(schema[self.long()])
        if isinstance(schema, str):
            return self.plain(schema)
        kind = schema["type"]
        if kind == "record":
            return {field["name"]: self.read(field["type"]) for field in schema["fields"]}
        if kind == "enum":
            return schema["symbols"][self.long()]
        if kind == "array":
            return self.array(schema["items"])
        return self.read(kind)

    def array(self, items):
        found = []
        while count := self.long():
            if count < 0:
                count = -count
                self.long()
            found += [self.read(items) for _ in range(count)]
        return found

    def plain(self, name):
        if name == "null":
            return None
        if name in ("int", "long"):
            return self.long()
        if name == "boolean":
            return self.take(1) == b"\x01"
        if name == "double":
            # Its bits: a number in JSON is not the same to every reader.
            return struct.unpack("<Q", self.take(8))[0]
        if name == "string":
            return self.take(self.long()).decode()
        return self.read(self.names[name])


def market(key):
    if key in FAMILIES:
        return FAMILIES[key], "full_time"
    family, _, period = key.rpartition("_")
    if family in FAMILIES and period in PERIODS:
        return FAMILIES[family], period
    return key, "unknown"


def event_columns(event):
    names = ("sport", "league", "home", "away", "commence_time")
    return {"event_id": event["id"], **{name: event[name] for name in names}}


def ticks(frame):
    for offer in frame["offers"]:
        family, period = market(offer["market"])
        for tick in offer["ticks"]:
            priced = {name: tick[name] for name in ("outcome", "side", "line", "price", "status")}
            yield {
                "source": frame["source"], "received_at": frame["received_at"],
                "polled": frame["poll_index"] is not None, **event_columns(frame["event"]),
                "book": offer["book"], "market": family, "period": period, **priced,
                # What frames of version 1 do not have.
                "bet_limit": tick.get("limit"),
                "last_seen_at": offer["last_seen_at"], "price_moved_at": offer["price_moved_at"],
            }


# Of the columns of a window what a close does not say.
JUDGED = {
    "margin_rounded": None, "total_stake_max": None, "currency": "", "ttl_p10": None, "ttl_median": None, "ttl_p90": None,
    "execution_probability": None, "verified": None, "failed_checks.flag": [], "failed_checks.reason": [],
}


def judged(entry):
    same = ("margin_rounded", "total_stake_max", "verified")
    return {
        **{name: entry[name] for name in same}, "currency": entry["currency"] or "",
        **{f"ttl_{name}": entry["ttl"][name] for name in ("p10", "median", "p90")},
        "execution_probability": entry["execution_probability"],
        **{f"failed_checks.{name}": [check[name] for check in entry["failed_checks"]] for name in ("flag", "reason")},
    }


def window(record, leg_columns):
    entry = record["entry"]
    same = ("in_play", "kind", "market", "period", "line", "implied_probability", "margin", "margin_worst",
            "simultaneous", "score", "warnings", "opened_at", "sequence")
    legs = {f"legs.{name}": [leg[name] for leg in entry["legs"]] for name in leg_columns}
    yield {
        "window_id": entry["id"], "transition": record["change"], "at": entry["updated_at"],
        **event_columns(entry["event"]), **{name: entry[name] for name in same}, **judged(entry), **legs,
        "reason": "", "margin_open": None, "margin_peak": None, **{name: None for name in STANDING},
    }


# Whether the legs of a window stood: said when it closes.
STANDING = ("stood", "stood_after", "verified_stood", "verified_stood_after")


def closed(record, leg_columns):
    nothing = ("home", "away", "commence_time", "in_play", "kind", "implied_probability", "margin_worst", "score")
    same = ("event_id", "sequence", "opened_at", "reason", "margin_open", "margin_peak", "sport", "league", "market", "period", "line")
    yield {
        "window_id": record["id"], "transition": "closed", "at": record["closed_at"], "margin": record["margin_close"],
        **{name: record[name] for name in same},
        **{name: None for name in nothing}, **JUDGED, "simultaneous": record["simultaneous_ever"],
        "verified": record["verified_ever"], "warnings": [], **{name: record[name] for name in STANDING},
        **{f"legs.{name}": [] for name in leg_columns},
    }


def movement(record):
    same = ("sequence", "kind", "market", "period", "line", "line_from", "price_from", "price_to", "probability_change",
            "window_start", "window_end")
    yield {
        **{name: record[name] for name in same}, **event_columns(record["event"]),
        "outcome": record["outcome"] or "", "book": record["book"] or "",
    }


def alert(record):
    same = ("sequence", "scope", "state", "book", "last_seen_at", "expected_interval", "at")
    yield {
        **{name: record[name] for name in same}, **event_columns(record["event"]), "window_id": record["arb_id"] or "",
    }


BET = ("outcome", "side", "line", "book", "operator", "price", "effective_price", "price_moved_at", "last_seen_at")


def signal(record):
    told, change = record["signal"], record["change"]
    is_open = change in ("opened", "updated")
    same = ("sequence", "kind", "in_play", "market", "period", "line", "strength", "confidence", "kelly", "opened_at",
            "expires_at")
    nested = (("bets", BET), ("evidence", ("role", "price_from", *BET)), ("fair", ("method", "probability")))
    yield {
        "signal_id": told["id"], "transition": change if is_open else "closed", "reason": "" if is_open else change,
        "at": told["updated_at"], **event_columns(told["event"]), **{name: told[name] for name in same},
        "outcome": told["outcome"] or "",
        **{f"{of}.{name}": [each[name] for each in told[of]] for of, names in nested for name in names},
    }


def pick(record):
    told, grade, closing = record["pick"], (record["pick"]["grades"] or [{}])[-1], record["pick"]["closing"] or {}
    poll, minute = (told.get(f"offer_after_{when}") or {} for when in ("poll", "minute"))
    same = ("bot", "version", "feed", "starts_at", "market", "period", "line", "outcome", "draw_refunds", "book", "price", "probability",
            "method", "stake", "reasons", "published_at")
    yield {
        "pick_id": told["id"], "transition": record["change"], "at": grade.get("at", told["published_at"]),
        **event_columns(told["event"]), **{name: told[name] for name in same},
        "closing_price": closing.get("price"), "closing_probability": closing.get("probability"),
        "closing_seen_at": closing.get("last_seen_at"), "poll_price": poll.get("price"), "poll_seen_at": poll.get("last_seen_at"),
        "minute_price": minute.get("price"), "minute_seen_at": minute.get("last_seen_at"), "grade": grade.get("version", 0), "settlement": grade.get("settlement", ""),
        "profit": grade.get("profit", 0), "home_points": grade.get("home"), "away_points": grade.get("away"),
        "result_source": grade.get("source", ""),
    }


def grading(record):
    told, grade = record["window"], record["grade"]
    same = ("in_play", "market", "period", "line", "margin", "margin_worst", "verified", "simultaneous", "total_stake_max", "opened_at")
    leg = ("outcome", "side", "book", "price", "implied_probability", "stake_share")
    paid = grade["legs"] or [{"settlement": "", "returned": None}] * len(told["legs"])
    yield {
        "window_id": told["id"], "grade": grade["version"], "state": grade["state"], "at": grade["at"], **event_columns(told["event"]),
        **{name: told[name] for name in same}, **{f"legs.{name}": [each[name] for each in told["legs"]] for name in leg},
        **{f"legs.{name}": [each[name] for each in paid] for name in ("settlement", "returned")}, "returned": grade["returned"],
        "home_points": grade["home"], "away_points": grade["away"], "result_source": grade["source"],
    }


def delivery(record):
    yield dict(record)


ROWS = {
    "Frame": ("ticks", ticks), "LineMovement": ("line_movements", movement), "StaleAlert": ("stale_alerts", alert),
    "SignalChange": ("signal_transitions", signal), "WebhookDelivery": ("webhook_deliveries", delivery),
    "PickChange": ("pick_transitions", pick), "WindowGrading": ("window_gradings", grading),
}
WINDOWS = {"ArbWindow": window, "CloseSignal": closed}


class Schemas:
    """The schema of each record, and the id by which messages name it."""

    def __init__(self, folder):
        self.folder, self.by_id = pathlib.Path(folder), {}
        for path in (self.folder / "golden").glob("*.v1.bin"):
            with path.open("rb") as file:
                self.by_id[struct.unpack(">xI", file.read(5))[0]] = path.name.removesuffix(".v1.bin")
        legs = field_type(self.load("BoardEntry"), "legs")["items"]["fields"]
        # Where to bet is no fact of the past, and what a rounded price is worth is its effective price: these are not stored.
        self.leg_columns = [field["name"] for field in legs if field["name"] not in ("link", "rounded")]

    def load(self, name):
        return json.loads((self.folder / "avro" / f"{name}.avsc").read_text(encoding="utf-8"))

    @functools.cache
    def of(self, name):
        """A schema, and the records that it names."""
        schema = self.load(name)
        if name not in REFERENCES:
            return schema, records_of(schema)
        named = self.load(REFERENCES[name])
        return schema, {**records_of(named), **records_of(schema)}


def records_of(schema):
    """The records within a schema, by full name."""
    if isinstance(schema, list):
        return {name: record for part in schema for name, record in records_of(part).items()}
    if not isinstance(schema, dict):
        return {}
    own = {f"arb.v1.{schema['name']}": schema} if schema.get("type") == "record" else {}
    parts = [schema.get("type"), schema.get("items"), *(field["type"] for field in schema.get("fields", []))]
    return {**own, **records_of(parts)}


def field_type(record, name):
    return next(field["type"] for field in record["fields"] if field["name"] == name)


def decode(topic, value, schemas):
    if len(value) < 5 or value[0] != 0:
        raise Bad("no header")
    name = schemas.by_id.get(struct.unpack(">I", value[1:5])[0], "")
    if name not in TOPICS[topic]:
        raise Bad("not of this topic")
    schema, names = schemas.of(name)
    reader = Reader(value[5:], names)
    try:
        record = reader.read(schema)
    except (IndexError, UnicodeDecodeError) as error:
        raise Bad(str(error)) from error
    if reader.at != len(reader.data):
        raise Bad("bytes follow")
    if name == "Frame" and not 0 <= record["received_at"] < YEAR_2100:
        raise Bad("no time of ours")
    return name, record


def rows(line, schemas):
    value = bytes.fromhex(line["value"])
    try:
        name, record = decode(line["topic"], value, schemas)
    except Bad:
        return "rejected", [{"key": line["key"], "value": line["value"]}]
    if name in WINDOWS:
        return "window_transitions", WINDOWS[name](record, schemas.leg_columns)
    if name not in ROWS:
        return "", []
    table, make = ROWS[name]
    if table == "ticks" and record["source"].startswith("push/"):
        table = "private_ticks"
    return table, make(record)


def main():
    schemas = Schemas(sys.argv[1])
    for text in sys.stdin:
        line = json.loads(text)
        table, made = rows(line, schemas)
        for index, row in enumerate(made):
            place = {
                "topic": line["topic"], "topic_id": line["topic_id"], "kafka_partition": line["partition"],
                "kafka_offset": line["offset"], "row_index": index,
            }
            print(json.dumps({"table": table, "row": {**place, **row}}))


if __name__ == "__main__":
    main()
