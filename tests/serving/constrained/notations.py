"""Each tool format's calls, written and read independently of the library: by spellings that stand here once more.

`write` gives what a model would write; `read` gives name and arguments of each call in a text, None where a value holds a marker that
means something there (then the formats themselves are ambiguous, and the text says nothing).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from json import JSONDecoder, dumps
from typing import Any, Final, TypeAlias

from attrs import field, frozen

Call: TypeAlias = tuple[str, dict[str, Any]]
Schemas: TypeAlias = Mapping[str, Any]
"""The JSON Schema of each tool's parameters, by the tool's name."""

_GAP: Final = re.compile(r"[ \n\r\t]*")
_DECODER: Final = JSONDecoder()


def _json_at(text: str, place: int) -> tuple[Any, int]:
    start = _GAP.match(text, place)
    assert start is not None
    return _DECODER.raw_decode(text, start.end())


def _is_text(schemas: Schemas, tool: str, key: str) -> bool:
    """Is a value a string as it stands? By the schemas of these tests, which are simple."""
    return bool(schemas[tool]["properties"][key].get("type") == "string")


@frozen
class Objects:
    """Calls as objects, each or all of them between markers."""

    opener: str
    closer: str
    name: str = "name"
    arguments: str = "arguments"
    array: bool = False
    numbered: str = ""
    section: tuple[str, str] = ("", "")

    def write(self, calls: Sequence[Call], _: Schemas) -> str:
        made = [
            {**({self.numbered: str(n)} if self.numbered else {}), self.name: name, self.arguments: arguments}
            for n, (name, arguments) in enumerate(calls)
        ]
        if self.array:
            return f"{self.opener}{dumps(made, ensure_ascii=False)}{self.closer}"
        each = "\n".join(f"{self.opener}{dumps(one, ensure_ascii=False)}{self.closer}" for one in made)
        return each.join(self.section)

    def read(self, text: str, _: Schemas) -> list[Call] | None:
        found: list[Call] = []
        opener = self.opener.strip()
        opener = opener[max(opener.rfind("<"), 0) :]  # white space may stand between tags
        place = text.find(opener)
        begin = "[" if self.array else "{"
        if not opener and not text.lstrip().startswith(begin):
            return []
        while 0 <= place < len(text):
            value, place = _json_at(text, place + len(opener))
            for one in value if self.array else [value]:
                [told] = {self.arguments, "arguments", "parameters"} & set(one)  # some formats know both words
                found.append((one[self.name], one[told]))
            place = text.find(opener or begin, place)
        return found


@frozen
class Section:
    """Calls as a head with the name, and JSON."""

    opener: str
    head: str
    tail: str
    closer: str
    between: str = ""

    def write(self, calls: Sequence[Call], _: Schemas) -> str:
        made = [
            f"{self.head.format(name=name, n=n)}{dumps(arguments, ensure_ascii=False)}{self.tail}"
            for n, (name, arguments) in enumerate(calls)
        ]
        return f"{self.opener}{self.between.join(made)}{self.closer}"

    def read(self, text: str, _: Schemas) -> list[Call] | None:
        words = {
            "{name}": "(?P<name>[a-z_]+)",
            "{n}": "[0-9]+",
            "function<｜": "[a-z_]+<｜",
            r"\[ARGS": r"(?:\[CALL_ID\]\w+)?\[ARGS",
        }
        head = re.escape(self.head).replace("\\{", "{").replace("\\}", "}")
        for word, meant in words.items():
            head = head.replace(word, meant)
        pattern, found, place = re.compile(r"\s*".join(re.split(r"(?<=>)(?=<)", head))), list[Call](), 0
        while (begun := pattern.search(text, place)) is not None:
            arguments, place = _json_at(text, begun.end())
            found.append((begun["name"], arguments))
        return found


@frozen
class Tags:
    """Calls as a head with the name, and pairs of tags around text. `{key}`, `{type}` in a pair's opener."""

    opener: str
    head: str
    pair: str
    pair_end: str
    tail: str
    closer: str
    edge: str = ""
    gap: str = ""
    before: str = ""
    """What is written before a head."""
    each: bool = False
    """The opener and the closer stand around each call."""
    types: Callable[[bool, str], str] = field(default=lambda text, kind: "")

    def write(self, calls: Sequence[Call], schemas: Schemas) -> str:
        made = [
            self.before
            + self.head.format(name=name, n=number)
            + self.gap
            + "".join(self._pair(name, key, value, schemas) + self.gap for key, value in arguments.items())
            + self.tail
            for number, (name, arguments) in enumerate(calls)
        ]
        if self.each:
            return "\n".join(f"{self.opener}{self.gap}{one}{self.gap}{self.closer}" for one in made)
        inner = self.gap.join(made)
        return f"{self.opener}{self.gap}{inner}{self.gap}{self.closer}" if self.opener else inner

    def _pair(self, tool: str, key: str, value: Any, schemas: Schemas) -> str:
        text = _is_text(schemas, tool, key)
        written = value if text else dumps(value, ensure_ascii=False)
        kind = schemas[tool]["properties"][key].get("type", "integer")
        opener = self.pair.format(key=key, type=self.types(text, kind))
        return f"{opener}{self.edge}{written}{self.edge}{self.pair_end}"

    @property
    def _live(self) -> list[str]:
        return [word for word in (self.pair.partition("{")[0], self.pair_end, self.tail, self.closer) if word]

    def read(self, text: str, schemas: Schemas) -> list[Call] | None:
        head, pair = (_pattern(part) for part in (self.head, self.pair))
        found: list[Call] = []
        place = 0
        while (begun := head.search(text, place)) is not None:
            arguments: dict[str, Any] = {}
            place = begun.end()
            while (opened := pair.match(text, _after_gap(text, place))) is not None:
                end = text.index(self.pair_end, opened.end())
                value = text[opened.end() : end].removeprefix(self.edge).removesuffix(self.edge)
                if any(word in value for word in self._live):
                    return None
                as_text = _is_text(schemas, begun["name"], opened["key"])
                arguments[opened["key"]] = value if as_text else json.loads(value)
                place = end + len(self.pair_end)
            found.append((begun["name"], arguments))
        return found


def _after_gap(text: str, place: int) -> int:
    gap = _GAP.match(text, place)
    assert gap is not None
    return gap.end()


def _pattern(part: str) -> re.Pattern[str]:
    """A head with its slots, and white space between its tags."""
    words = {"{name}": "(?P<name>[a-z_]+)", "{key}": "(?P<key>[a-z_]+)", "{n}": "[0-9]+", "{type}": "[a-z]+"}
    tags = [re.escape(tag).replace("\\{", "{").replace("\\}", "}") for tag in re.split(r"(?<=[>])(?=<)", part)]
    pattern = r"\s*".join(tags)
    for word, meant in words.items():
        pattern = pattern.replace(word, meant)
    other = r'(?: [a-z_]+="[0-9]+")?'  # another attribute, which says nothing
    pattern = pattern.replace(r'\ index="[0-9]+"', "").replace('"(?P<name>[a-z_]+)"', f'"(?P<name>[a-z_]+)"{other}')
    return re.compile(pattern.replace("<tool_sep>", "(?:<tool_sep>)?"))


@frozen
class Braces:
    """Gemma 4."""

    quote: str = '<|"|>'

    def write(self, calls: Sequence[Call], _: Schemas) -> str:
        return "".join(f"<|tool_call>call:{name}{self._value(arguments)}<tool_call|>" for name, arguments in calls)

    def _value(self, value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ",".join(f"{key}:{self._value(inner)}" for key, inner in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",".join(self._value(inner) for inner in value) + "]"
        return f"{self.quote}{value}{self.quote}" if isinstance(value, str) else dumps(value)

    def read(self, text: str, _: Schemas) -> list[Call] | None:
        found: list[Call] = []
        # Outside of strings keys stand bare; what stands between two quotes is a string, whatever it holds.
        parts = text.split(self.quote)
        if len(parts) % 2 == 0:
            return None
        bare = [re.sub(r"([{,]\s*)([a-z_]+)(\s*):", r'\1"\2"\3:', part) for part in parts[::2]]
        strings = [dumps(part) for part in parts[1::2]]
        joined = "".join(one for pair in zip(bare, [*strings, ""], strict=True) for one in pair)
        pattern, place = re.compile(r"<\|tool_call>\s*call:([a-z_]+)"), 0
        while (begun := pattern.search(joined, place)) is not None:
            arguments, place = _json_at(joined, begun.end())
            found.append((begun[1], arguments))
        return found


NS: Final = "]<]minimax[>["


@frozen
class Elements:
    """MiniMax M3."""

    def write(self, calls: Sequence[Call], _: Schemas) -> str:
        made = [f'{NS}<invoke name="{name}">{self._members(arguments)}{NS}</invoke>' for name, arguments in calls]
        return f"{NS}<tool_call>\n{''.join(made)}{NS}</tool_call>"

    def _members(self, value: Mapping[str, Any]) -> str:
        return "".join(f"{NS}<{key}>{self._value(inner)}{NS}</{key}>" for key, inner in value.items())

    def _value(self, value: Any) -> str:
        if isinstance(value, dict):
            return self._members(value)
        if isinstance(value, list):
            return "".join(f"{NS}<item>{self._value(inner)}{NS}</item>" for inner in value)
        return value if isinstance(value, str) else dumps(value)

    def read(self, text: str, schemas: Schemas) -> list[Call] | None:
        found: list[Call] = []
        for begun in re.finditer(
            rf'{re.escape(NS)}<invoke name="([a-z_]+)">(.*?){re.escape(NS)}</invoke>', text, re.DOTALL
        ):
            members = self._read(begun[2], schemas[begun[1]], schemas[begun[1]])
            if members is None:
                return None
            found.append((begun[1], members))
        return found

    def _read(self, text: str, schema: Any, root: Any) -> Any:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
        kind = schema.get("type", "string")
        if kind not in ("object", "array"):
            if NS in text:
                return None
            return text if kind == "string" else json.loads(text)
        parts = re.findall(rf"{re.escape(NS)}<([a-z_]+)>(.*?){re.escape(NS)}</\1>", text, re.DOTALL)
        if kind == "array":
            return [self._read(inner, schema["items"], root) for _, inner in parts]
        return {key: self._read(inner, schema["properties"][key], root) for key, inner in parts}


def _functions(opener: str, closer: str, edge: str, gap: str) -> Tags:
    return Tags(
        opener, "<function={name}>", "<parameter={key}>", "</parameter>", "</function>", closer, edge, gap, each=True
    )


def _true(text: bool, _: str) -> str:
    return "true" if text else "false"


def _dsml(bar: str, section: str, blank: str = "") -> Tags:
    tag, end = f"<｜{bar}｜{blank}", f"</｜{bar}｜{blank}"
    pair = f'{tag}parameter name="{{key}}" string="{{type}}">'
    ends = (f"{end}parameter>", f"{end}invoke>", f"{end}{section}>")
    return Tags(f"{tag}{section}>", f'{tag}invoke name="{{name}}">', pair, *ends, gap="\n", types=_true)


def _pairs(opener: str, closer: str, head: str = "<tool_call>{name}", gap: str = "\n", prefix: str = "") -> Tags:
    pair = f"<{prefix}arg_key>{{key}}</{prefix}arg_key><{prefix}arg_value>"
    return Tags(opener, head, pair, f"</{prefix}arg_value>", f"</{prefix}tool_call>", closer, gap=gap)


def _typed(text: bool, kind: str) -> str:
    return "string" if text else kind


def _json_type(text: bool, kind: str) -> str:
    return "string" if text else "number" if kind == "integer" else kind


def _begin(word: str) -> str:
    return f"<|plamo:begin_{word}:plamo|>"


def _end(word: str) -> str:
    return f"<|plamo:end_{word}:plamo|>"


@frozen
class Headers:
    """Harmony: what generation starts in is a header already."""

    def write(self, calls: Sequence[Call], _: Schemas) -> str:
        made = [
            f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{dumps(arguments, ensure_ascii=False)}<|call|>"
            for name, arguments in calls
        ]
        return "<|start|>assistant".join(made)

    def read(self, text: str, _: Schemas) -> list[Call] | None:
        found: list[Call] = []
        place = 0
        while place < len(text):
            header = text[place:].partition("<|message|>")[0]
            place += len(header) + len("<|message|>")
            recipient = re.search(r"(?:to=(?:functions\.)?|functions\.)([a-z_]+)", header)
            if recipient is not None:
                value, place = _json_at(text, place)
                found.append((recipient[1], value))
            end = re.compile(r"<\|(?:end|return|call)\|>").search(text, place)
            place = len(text) if end is None else end.end()
        return found


Notation: TypeAlias = Headers | Objects | Section | Tags | Braces | Elements

NOTATIONS: Final[Mapping[str, Notation]] = {
    "hermes": Objects("<tool_call>\n", "\n</tool_call>"),
    "longcat": Objects("<longcat_tool_call>", "</longcat_tool_call>"),
    "granite4": Objects("<tool_call>\n", "\n</tool_call>"),
    "granite": Objects("<|tool_call|>", "", array=True),
    "granite-20b-fc": Objects("<function_call> ", ""),
    "mistral_json": Objects("[TOOL_CALLS]", "", array=True),
    "llama3_json": Objects("", "", arguments="parameters"),
    "llama4_json": Objects("", "", arguments="parameters"),
    "cohere_command3": Objects("<|START_ACTION|>", "<|END_ACTION|>", "tool_name", "parameters", True, "tool_call_id"),
    "cohere_command4": Objects("<|START_ACTION|>", "<|END_ACTION|>", "tool_name", "parameters", True, "tool_call_id"),
    "inkling": Objects("<|content_invoke_tool_json|>", "<|end_message|>", arguments="args"),
    "k2_horizon_json": Objects(
        "<ifm|tool_call>", "</ifm|tool_call>", section=("<ifm|tool_calls>", "</ifm|tool_calls>")
    ),
    "harmony": Headers(),
    "mistral": Section("", "[TOOL_CALLS]{name}[ARGS]", "", ""),
    "kimi_k2": Section(
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>functions.{name}:{n}<|tool_call_argument_begin|>",
        "<|tool_call_end|>",
        "<|tool_calls_section_end|>",
    ),
    "deepseek_v31": Section(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
    ),
    "deepseek_v3": Section(
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
        "\n```<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
        "\n",
    ),
    "plamo3": Section(
        _begin("tool_requests"),
        f"{_begin('tool_request')}{_begin('tool_name')}{{name}}{_end('tool_name')}{_begin('tool_arguments')}"
        "<|plamo:constrain|>json<|plamo:msg|>",
        f"{_end('tool_arguments')}{_end('tool_request')}",
        _end("tool_requests"),
    ),
    "qwen3_coder": _functions("<tool_call>", "</tool_call>", "\n", "\n"),
    "seed_oss": _functions("<seed:tool_call>", "</seed:tool_call>", "", "\n"),
    "mimo": _functions("<tool_call>", "</tool_call>", "", ""),
    "glm45": _pairs("", ""),
    "ling3": _pairs("", ""),
    "poolside_v1": _pairs("", ""),
    "hy_v3": _pairs("<tool_calls>", "</tool_calls>", "<tool_call>{name}<tool_sep>"),
    "k2_horizon": _pairs("<ifm|tool_calls>", "</ifm|tool_calls>", "<ifm|tool_call>{name}", "", "ifm|"),
    "k2_horizon_typed": Tags(
        "<ifm|tool_calls>",
        "<ifm|tool_call>{name}",
        "<ifm|arg_key>{key}</ifm|arg_key><ifm|arg_type>{type}</ifm|arg_type><ifm|arg_value>",
        "</ifm|arg_value>",
        "</ifm|tool_call>",
        "</ifm|tool_calls>",
        types=_typed,
    ),
    "deepseek_v32": _dsml("DSML", "function_calls"),
    "deepseek_v4": _dsml("DSML", "tool_calls"),
    "deepseek_v41": _dsml("DSML", "calls", " "),
    "gigachat35": _dsml("GCML", "tool_calls"),
    "minimax_m2": Tags(
        "<minimax:tool_call>",
        '<invoke name="{name}">',
        '<parameter name="{key}">',
        "</parameter>",
        "</invoke>",
        "</minimax:tool_call>",
        gap="\n",
    ),
    "kimi_k3": Tags(
        "<|open|>tools<|sep|>",
        '<|open|>call tool="{name}" index="{n}"<|sep|>',
        '<|open|>argument key="{key}" type="{type}"<|sep|>',
        "<|close|>argument<|sep|>",
        "<|close|>call<|sep|>",
        "<|close|>tools<|sep|><|close|>message<|sep|>",
        types=_json_type,
    ),
    "jamba": Objects("<tool_calls>", "</tool_calls>", array=True),
    "xlam": Objects("", "", array=True),
    "internlm": Objects("<|action_start|><|plugin|>", "<|action_end|>", arguments="parameters"),
    "ernie45": Objects("<tool_call>\n", "\n</tool_call>"),
    "step3": Tags(
        "<｜tool_calls_begin｜>",
        '<steptml:invoke name="{name}">',
        '<steptml:parameter name="{key}">',
        "</steptml:parameter>",
        "</steptml:invoke><｜tool_call_end｜>",
        "<｜tool_calls_end｜>",
        before="<｜tool_call_begin｜>function<｜tool_sep｜>",
    ),
    "gemma4": Braces(),
    "minimax_m3": Elements(),
}
"""Every format whose calls a grammar can be made for."""
