"""How fast a format is read on this machine: the numbers behind `unbraid bench`.

    load   -> an output written as the format writes it (`outputs`): prose, a long thought, a long argument
    feed   -> its deltas: token ids, the host's text, or both; a token at a time, four, or all at once
    clock  -> CPU time of one process, from the first delta to the whole message

The fastest of several passes counts: the machine is warm, and what else runs on the computer only ever adds to a pass.
Without a vocabulary words take the place of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import batched
from pydoc_data.topics import topics
from time import process_time
from typing import Final, TypeAlias

from attrs import frozen
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from unbraid.core.bind import Machine
from unbraid.core.detokenize import decode
from unbraid.core.events import ArgumentsChunk, ContentChunk, Event, Events, ReasoningChunk, ToolCallEnd, ToolName
from unbraid.core.machine import Delta, finish, start, step
from unbraid.core.vocabulary import Vocabulary
from unbraid.shell.arriving import words
from unbraid.shell.encoding import encode
from unbraid.shell.messages import Message, ToolCall
from unbraid.shell.outputs import Asked, Turn, Writer
from unbraid.shell.session import FeedKind, StartAt
