"""The end of the stream: what was held is settled, what is open is closed or reported as truncated.

    inside an opener's spelling                  text
    after an opener, before the commit point     markup + Anomaly(truncated); unmarked formats: text
    after the commit point                       arguments stay open, ToolCallEnd(complete=False)
    a closer and nothing behind it               the closer counts
    a block that counts as a whole               text

Nothing that was emitted before changes; `finish` only appends (law 3).
"""

from __future__ import annotations

from unbraid.core.elements import drop_leaf
from unbraid.core.envelope import end_envelope
from unbraid.core.gaps import end_gap
from unbraid.core.grammar import Capture
from unbraid.core.inner import is_whole
from unbraid.core.json_scan import complete, in_string
from unbraid.core.python_calls import end_calls
from unbraid.core.records import Argument, InBraces, InCalls, InCapture, InEnvelope, InGap, InJson, InTree, Trial
from unbraid.core.run import Run
from unbraid.core.trials import accept, give_away, refuse
from unbraid.core.values import cut_arguments, drop_value


def end_trial(run: Run, trial: Trial) -> None:
    """No more input decides the trial."""
    if trial.kind == "closing":
        accept(run)
    elif trial.kind == "block" or run.region.at_end == "text":
        refuse(run, len(run.buf), "truncated" if trial.kind == "block" else "malformed")
    else:
        give_away(run)


def end_stream(run: Run) -> None:
    """Settle everything; no trial is open."""
    _end_place(run)
    run.markup("cut", len(run.buf) - run.pos)
    if run.call is not None:
        _end_open_call(run)
    run.end_reasoning()
    run.dropped("cut", "", len(run.marks) - run.mark)


def _end_place(run: Run) -> None:
    at, kind = run.at, run.region.kind
    if isinstance(at, InGap):
        end_gap(run)
    elif isinstance(at, InCapture):
        if isinstance(kind, Capture) and kind.release and run.pos < len(run.buf):
            run.end_reasoning()
            run.content(len(run.buf) - run.pos)
    elif isinstance(at, InTree):
        drop_leaf(run, "cut")
    elif isinstance(at, InCalls):
        end_calls(run)
    else:
        drop_value(run)
        end_envelope(run)


def _end_open_call(run: Run) -> None:
    cut_arguments(run)
    argument = _argument(run)
    if argument is not None and _is_complete(argument):
        run.end_call(complete=True)
        return
    openers = argument.openers if argument is not None and in_string(argument.mode) else _openers(run)
    if openers:
        run.anomaly("unterminated_string", str(openers))
    run.anomaly("truncated")
    run.end_call(complete=False)


def _is_complete(argument: Argument) -> bool:
    return is_whole(argument) or (argument.form == "raw" and complete(argument.mode, argument.nest))


def _openers(run: Run) -> int:
    """Openers in the open string of calls or pairs."""
    at = run.at
    return at.openers if isinstance(at, InCalls | InBraces) and at.where == "string" else 0


def _argument(run: Run) -> Argument | None:
    if isinstance(run.at, InJson):
        return run.at.argument
    if isinstance(run.at, InEnvelope):
        return run.at.member.argument
    return None
