"""Forged values of the model's dataclasses: whatever their types allow, filled with texts that a
hostile program or a hostile name would use. The same seed gives the same values."""

import dataclasses
import random
import types
import typing
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any

from harness.model.observation import Ending, Observation
from harness.model.plan import Plan
from harness.model.result import ScenarioResult, SubmissionResult
from harness.model.values import Value
from harness.model.verdict import Cause, Verdict

TEXTS = (
    *(
        "",
        " ",
        "\n",
        "\ud800",
        "a\udfffb\ud800",
        "\x00",
        "\x1b[31mred\x1b[0m",
        "\x9b2J",
        "\u202eevil",
    ),
    *("<script>alert(1)</script>", "'\"><img src=x>", "]]>", "{{ 7 * 7 }}", "[red]rich[/red]"),
    *("=1+1", "@cmd", "-2+3", "+1", "\t=1", '","', "a;b", "::error::x", "%0A::set-output", "```"),
    *("..", "../../x", "/etc/passwd", "C:\\x", "CON", "nul.txt", "x" * 3000, "e\u0301" * 40, "é"),
    *(
        "\u2028",
        "\ufeff",
        "\U0001f600",
        "\u0301" * 50,
        "0x1F",
        "nan",
        "1e999",
        "a\r\nB: c",
        "?" * 90,
    ),
    *("(line 3: x)", "hard-coded to 8: x; use SIZE", "x" + " y" * 400),
    *("(" * 300, '"' * 99, "“", "expected ':'", "found a b.py, expected c.py", "no file "),
)
NAMES = (
    *(
        "a/b",
        "a\\b",
        ".",
        "..",
        "...",
        ".hidden",
        "-rf",
        "--help",
        "~",
        "$HOME",
        "`id`",
        "a b",
        " ",
    ),
    *(
        "CON",
        "con.txt",
        "PRN",
        "AUX",
        "NUL",
        "COM1",
        "LPT9",
        "trailing.",
        "trailing ",
        "a:b",
        "a*?",
    ),
    *("é", "e\u0301", "É", "Caps", "CAPS", "caps", "straße", "STRASSE", "İ", "i\u0307", "ﬁ", "fi"),
    *("\ud800", "a\udc80", "\x00", "\n", "a\tb", "\x1b[2J", "\u202etxt.exe", "\u200b", "\ufeffid"),
    *("=1+1", "@SUM(1)", "'", '"', '","', "a;b", "a,b", "<b>", "&amp;", "%2e%2e", "%", "#x", "?q"),
    *("x" * 300, "é" * 130, "a" * 59 + "!", "0", "00429", "429", "1e5", "None", "null", "true"),
    *(
        "javascript:alert(1)",
        "index.html",
        "results.json",
        "a@b.c",
        "\u0660\u0661",
        "\uff11\uff12",
        "😀",
    ),
)


def names(count: int) -> list[str]:
    """Hostile names, each once; at first those of the table, then pairs of them."""
    pairs = (f"{first}{second}" for second in NAMES for first in NAMES)
    found = dict.fromkeys([*NAMES, *pairs])
    return list(found)[:count]


class Forger:
    """Makes values. `texts` are used in turn with what chance chooses."""

    def __init__(self, seed: int, texts: tuple[str, ...] = TEXTS) -> None:
        self.chance = random.Random(seed)
        self._texts = texts

    def text(self) -> str:
        parts = self.chance.choices(self._texts, k=self.chance.choice((1, 1, 1, 2)))
        return "".join(parts)

    def make(self, kind: Any, depth: int = 0) -> Any:
        """A value of a type as annotations of the model write it."""
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin in (typing.Union, types.UnionType):
            chosen = self.chance.choice(parts)
            return None if chosen is type(None) else self.make(chosen, depth)
        if origin is tuple:
            return self._tuple(parts, depth)
        if kind is Value:
            return self._value()
        simple = {
            str: self.text,
            bytes: lambda: self.text().encode("utf-8", "replace"),
            bool: lambda: self.chance.random() < 0.5,
            int: lambda: self.chance.choice((0, 1, 2, 3, 7, 40, 10**7)),
            float: lambda: self.chance.choice((0.0, 0.5, 9e9)),
            Fraction: lambda: Fraction(self.chance.randrange(9), 4),
        }
        if kind in simple:
            return typing.cast(Any, simple[kind])()
        if isinstance(kind, type) and issubclass(kind, Enum):
            return self.chance.choice(list(kind))
        assert dataclasses.is_dataclass(kind), kind
        hints = _hints(kind)  # type: ignore[arg-type]
        names = [each.name for each in dataclasses.fields(kind)]
        made = {name: self.make(hints[name], depth + 1) for name in names}
        return typing.cast(Any, kind)(**made)

    def _tuple(self, parts: tuple[Any, ...], depth: int) -> tuple[Any, ...]:
        if len(parts) == 2 and parts[1] is ...:
            most = 3 if depth < 4 else 1
            return tuple(self.make(parts[0], depth) for _ in range(self.chance.randrange(most + 1)))
        return tuple(self.make(part, depth) for part in parts)

    def _value(self) -> Value:
        text = self.text()
        plain = (
            None,
            True,
            0,
            -1,
            10**30,
            1.5,
            float("inf"),
            text,
            [text, [text]],
            {text: 1},
            (text,),
        )
        return Value.of(self.chance.choice(plain))

    def observation(self) -> Observation:
        """What a reply may say, of any ending but that our machinery failed."""
        seen: Observation = self.make(Observation)
        endings = [each for each in Ending if each is not Ending.HARNESS_ERROR]
        return dataclasses.replace(seen, ending=self.chance.choice(endings), full_digest=None)

    def result(self, plan: Plan, id: str) -> SubmissionResult:
        """A submission's result of this plan, with any verdicts and causes."""
        made: SubmissionResult = self.make(SubmissionResult)
        ids = [scenario.id for scenario in plan.scenarios]
        entries = []
        for scenario in plan.scenarios:
            verdict: Verdict = self.make(Verdict)
            draw = self.chance.choice((None, *range(len(scenario.stimuli))))
            entries.append(
                ScenarioResult(
                    scenario_id=scenario.id,
                    verdict=dataclasses.replace(verdict, draw=draw),
                    points=scenario.points if verdict.passed else Fraction(0),
                    out_of=scenario.points,
                )
            )
        causes = []
        for _ in range(self.chance.randrange(5)):
            members = tuple(self.chance.sample(ids, self.chance.randrange(1, len(ids))))
            cause: Cause = self.make(Cause)
            causes.append(dataclasses.replace(cause, scenarios=members, example=members[0]))
        return dataclasses.replace(
            made,
            id=id,
            scenarios=tuple(entries),
            causes=tuple(causes),
            source_digest=f"{self.chance.getrandbits(256):064x}",
            handed_in="2026-03-01T12:34:56+10:00",
        )


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)
